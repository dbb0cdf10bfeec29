//! How like two texts are.

/// So many lines are compared.
const MAX_LINES: usize = 60;
/// So many characters of a line are compared.
const MAX_CHARS: usize = 200;

/// How like the first lines of two texts are, line by line and without white space at their ends,
/// in percent; longer lines weigh more.
pub(super) fn similarity<'a>(
    wanted: impl Iterator<Item = &'a str>,
    there: impl Iterator<Item = &'a str>,
) -> u8 {
    let mut there = there.map(start).filter(|line| !line.is_empty());
    let (mut like, mut all) = (0.0, 0.0);
    for line in wanted.map(start).filter(|line| !line.is_empty()).take(MAX_LINES) {
        let other = there.next().unwrap_or_default();
        let weight = length(&line).max(length(&other));
        like += strsim::normalized_levenshtein(&line, &other) * weight;
        all += weight;
    }
    percent(like, all)
}

fn start(line: &str) -> String {
    line.trim().chars().take(MAX_CHARS).collect()
}

fn length(line: &str) -> f64 {
    f64::from(u32::try_from(line.chars().count()).unwrap_or(u32::MAX))
}

/// Rounded down, so that only what is the same is 100.
fn percent(part: f64, all: f64) -> u8 {
    let reached = |percent: &u8| part > 0.0 && f64::from(*percent) * all <= part * 100.0;
    (0..=100).rev().find(reached).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents() {
        let of = |one: &str, other: &str| similarity(one.lines(), other.lines());
        assert_eq!(of("a\n\n  b", "a\nb"), 100);
        assert_eq!(of("abcd", "abcx"), 75);
        assert_eq!(of("abcd\nx", "abcd"), 80);
        assert_eq!(of("abc", "xyz"), 0);
        assert_eq!(of("", "xyz"), 0);
    }
}
