//! What a scanner found in a text, in the order in which it begins.

use std::ops::Range;

use memchr::memchr_iter;

use super::Kind;

/// Something that is defined, on lines of its own.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) name: String,
    /// Its place in [`Outline::containers`].
    pub(super) container: usize,
    /// Lines count from 0.
    pub(super) first_line: usize,
    pub(super) last_line: usize,
    pub(super) comment: Range<usize>,
    pub(super) inner_comment: Range<usize>,
    pub(super) header: Range<usize>,
    pub(super) test: bool,
    /// So small that it may be joined with its neighbours.
    pub(super) joinable: bool,
}

/// What other things are parts of.
#[derive(Clone, Debug, Default)]
pub(super) struct Container {
    pub(super) name: String,
    pub(super) test: bool,
}

/// What was found, and the text.
pub(super) struct Outline<'a> {
    pub(super) text: &'a str,
    /// Where each line begins.
    pub(super) lines: Vec<usize>,
    /// What is not part of anything has the first.
    pub(super) containers: Vec<Container>,
    /// In order, apart from each other.
    pub(super) items: Vec<Item>,
    /// Which container the lines from here on belong to, where no item is; in order.
    pub(super) owners: Vec<(usize, usize)>,
}

impl<'a> Outline<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut lines = vec![0];
        lines.extend(memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        if lines.last() == Some(&text.len()) {
            lines.pop();
        }
        let containers = vec![Container::default()];
        Self { text, lines, containers, items: Vec::new(), owners: vec![(0, 0)] }
    }

    /// Where a line ends, its line break included.
    pub(super) fn line_end(&self, line: usize) -> usize {
        self.lines.get(line + 1).copied().unwrap_or(self.text.len())
    }

    /// The text of some lines.
    pub(super) fn range(&self, first: usize, last: usize) -> Range<usize> {
        let start = self.lines.get(first).copied().unwrap_or(self.text.len());
        start..self.line_end(last).max(start)
    }

    /// How far a line is indented.
    pub(super) fn indent(&self, line: usize) -> usize {
        let text = &self.text.as_bytes()[self.range(line, line)];
        text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    /// Adds what others are parts of; gives its number.
    pub(super) fn container(&mut self, outer: usize, name: &str, test: bool) -> usize {
        let outer_test = self.containers[outer].test;
        let name = match (self.containers[outer].name.as_str(), name) {
            // Only the nearest two: a path of ten modules would drown what is asked for.
            (above, "") => above.to_owned(),
            ("", own) => own.to_owned(),
            (above, own) => {
                let nearest = above.rsplit('.').next().unwrap_or(above);
                format!("{nearest}.{own}")
            }
        };
        self.containers.push(Container { name, test: test || outer_test });
        self.containers.len() - 1
    }

    /// From this line on, what no item holds is a part of `container`.
    pub(super) fn owned_by(&mut self, line: usize, container: usize) {
        self.owners.push((line, container));
    }
}
