//! Where a run of lines stands in a text.

use std::collections::HashMap;

use super::Lines;

/// A text whose lines can be looked up. Equal lines have equal numbers, so that a run of lines is
/// compared as numbers, and time does not depend on how long the lines are.
#[derive(Debug)]
pub(crate) struct Finder<'a> {
    pub(crate) lines: Lines<'a>,
    numbers: Vec<usize>,
    known: HashMap<&'a str, usize>,
}

impl<'a> Finder<'a> {
    pub(crate) fn new(lines: Lines<'a>) -> Self {
        let mut known = HashMap::new();
        let mut numbers = Vec::with_capacity(lines.len());
        for body in lines.bodies() {
            let next = known.len();
            numbers.push(*known.entry(body).or_insert(next));
        }
        Self { lines, numbers, known }
    }

    /// The first lines of all places where these lines stand, in order; places may overlap.
    pub(crate) fn find(&self, wanted: &[&str]) -> Vec<usize> {
        let numbers: Option<Vec<usize>> =
            wanted.iter().map(|body| self.known.get(body).copied()).collect();
        match numbers {
            Some(numbers) if !numbers.is_empty() => self.find_numbers(&numbers),
            _ => Vec::new(),
        }
    }

    /// One pass over the text, however often lines repeat (Knuth, Morris and Pratt).
    fn find_numbers(&self, wanted: &[usize]) -> Vec<usize> {
        let fallback = borders(wanted);
        let mut found = Vec::new();
        let mut matched = 0;
        for (at, number) in self.numbers.iter().enumerate() {
            while matched > 0 && wanted.get(matched) != Some(number) {
                matched = fallback[matched - 1];
            }
            if wanted[matched] == *number {
                matched += 1;
            }
            if matched == wanted.len() {
                found.push(at + 1 - matched);
                matched = fallback[matched - 1];
            }
        }
        found
    }
}

/// For each beginning of `wanted`, how long the longest beginning is that also ends it.
fn borders(wanted: &[usize]) -> Vec<usize> {
    let mut borders = vec![0; wanted.len()];
    let mut length = 0;
    for at in 1..wanted.len() {
        while length > 0 && wanted[at] != wanted[length] {
            length = borders[length - 1];
        }
        if wanted[at] == wanted[length] {
            length += 1;
        }
        borders[at] = length;
    }
    borders
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lines::Ends;

    fn find(text: &str, wanted: &[&str]) -> Vec<usize> {
        Finder::new(Lines::new(text, Ends::Loose)).find(wanted)
    }

    #[test]
    fn all_places_are_found() {
        assert_eq!(find("a\na\na\n", &["a", "a"]), [0, 1]);
        assert_eq!(find("a\r\nb", &["b"]), [1]);
        assert!(find("a\n", &["c"]).is_empty());
        assert!(find("a\n", &[]).is_empty());
        assert!(find("a\n", &["a", "a"]).is_empty());
    }

    #[test]
    fn a_hundred_thousand_equal_lines_are_one_pass() {
        let text = "x\n".repeat(100_000);
        assert_eq!(find(&text, &vec!["x"; 50_000]).len(), 50_001);
    }

    proptest! {
        #[test]
        fn as_window_by_window(text in "([ab]\n){0,20}", wanted in "([ab]\n){1,4}") {
            let bodies: Vec<_> = text.lines().collect();
            let wanted: Vec<_> = wanted.lines().collect();
            let naive: Vec<_> = bodies.windows(wanted.len()).enumerate()
                .filter(|(_, window)| *window == wanted).map(|(at, _)| at).collect();
            prop_assert_eq!(find(&text, &wanted), naive);
        }
    }
}
