//! The tables of paths: text with a reason for each group of patterns.
//!
//! A line `= reason` starts a group, the lines after it are its [patterns](super::pattern), a
//! `!` before one takes out of that group what it matches, and `#` starts a comment.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::names::Names;
use super::pattern::Pattern;

/// All tables, read when the first path is judged.
pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables {
    sensitive: Table::parse(include_str!("tables/sensitive.txt")),
    system: Table::parse(include_str!("tables/system.txt")),
    installed: Table::parse(include_str!("tables/installed.txt")),
    startup: Table::parse(include_str!("tables/startup.txt")),
    versions: Table::parse(include_str!("tables/versions.txt")),
    steering: Table::parse(include_str!("tables/steering.txt")),
    protected: Table::parse(include_str!("tables/protected.txt")),
});

/// One table for each question.
pub(super) struct Tables {
    /// Holds secrets.
    pub(super) sensitive: Table,
    /// The machine's own, whatever the workspace is.
    pub(super) system: Table,
    /// Where programs and servers are put: the machine's, unless the workspace is inside.
    pub(super) installed: Table,
    /// Runs by itself later.
    pub(super) startup: Table,
    /// Version control's own folders.
    pub(super) versions: Table,
    /// Steers agents, or runs by itself while somebody works.
    pub(super) steering: Table,
    /// Steers tools.
    pub(super) protected: Table,
}

/// A table, read.
#[derive(Debug, Default)]
pub(super) struct Table {
    groups: Vec<Group>,
    /// Patterns by their first name, so that a path costs a few look-ups, not a whole table.
    by_name: HashMap<&'static str, Vec<Entry>>,
    /// Patterns whose first name has a `*`, and those of them that are one name: only the last
    /// name of a path can match these.
    others: Vec<Entry>,
    endings: Vec<Entry>,
}

#[derive(Debug)]
struct Group {
    reason: &'static str,
    except: Vec<Pattern>,
}

#[derive(Debug)]
struct Entry {
    group: usize,
    pattern: Pattern,
}

impl Table {
    fn parse(text: &'static str) -> Self {
        let mut table = Self::default();
        let lines = text.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(reason) = line.strip_prefix("= ") {
                table.groups.push(Group { reason, except: Vec::new() });
            } else if let Some(except) = line.strip_prefix('!') {
                if let Some(group) = table.groups.last_mut() {
                    group.except.push(Pattern::parse(except));
                }
            } else {
                table.add(Pattern::parse(line));
            }
        }
        table
    }

    fn add(&mut self, pattern: Pattern) {
        let group = self.groups.len().saturating_sub(1);
        let entries = match pattern.key() {
            Some(name) => self.by_name.entry(name).or_default(),
            None if pattern.is_one_name() => &mut self.endings,
            None => &mut self.others,
        };
        entries.push(Entry { group, pattern });
    }

    /// The first name of every pattern.
    pub(super) fn first_names(&self) -> impl Iterator<Item = &'static str> {
        self.entries().filter_map(|entry| entry.pattern.first_name())
    }

    /// The last name of every pattern.
    pub(super) fn last_names(&self) -> impl Iterator<Item = &'static str> {
        self.entries().filter_map(|entry| entry.pattern.last_name())
    }

    /// How many names the longest pattern has.
    pub(super) fn longest(&self) -> usize {
        self.entries().map(|entry| entry.pattern.len()).max().unwrap_or(0)
    }

    /// How many names the longest pattern has that may begin at this folded name; 0 where none may.
    pub(super) fn reach(&self, name: &str) -> usize {
        let own = self.by_name.get(name).into_iter().flatten();
        let open = self.others.iter().chain(&self.endings);
        let open = open.filter(|entry| entry.pattern.may_begin(name));
        own.chain(open).map(|entry| entry.pattern.len()).max().unwrap_or(0)
    }

    /// A pattern takes in all that is below a folder, exceptions aside.
    pub(super) fn holds_tree(&self, path: &Names) -> bool {
        self.entries().any(|entry| entry.pattern.holds_tree(path))
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.by_name.values().flatten().chain(&self.others).chain(&self.endings)
    }

    /// The reason of the first pattern that matches, starting at the name number `from` or
    /// after it. `folder` says that the path is known to be one.
    pub(super) fn find(&self, path: &Names, from: usize, folder: bool) -> Option<&'static str> {
        let names = path.as_slice().iter().enumerate().skip(from);
        names.into_iter().find_map(|(at, name)| {
            let entries = self.by_name.get(name.as_str()).into_iter().flatten();
            let endings = if at + 1 == path.len() { self.endings.as_slice() } else { &[] };
            entries
                .chain(&self.others)
                .chain(endings)
                .filter(|entry| entry.pattern.matches(path, at, folder))
                .find_map(|entry| self.groups.get(entry.group)?.reason_for(path, folder))
        })
    }
}

impl Group {
    fn reason_for(&self, path: &Names, folder: bool) -> Option<&'static str> {
        let excepted = self.except.iter().any(|except| except.matches_somewhere(path, folder));
        (!excepted).then_some(self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::fold;

    const TEXTS: [&str; 7] = [
        include_str!("tables/sensitive.txt"),
        include_str!("tables/system.txt"),
        include_str!("tables/installed.txt"),
        include_str!("tables/startup.txt"),
        include_str!("tables/versions.txt"),
        include_str!("tables/steering.txt"),
        include_str!("tables/protected.txt"),
    ];

    #[test]
    fn every_pattern_has_a_reason_and_can_match() {
        for text in TEXTS {
            let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
            let first = lines.iter().find(|line| !line.is_empty()).unwrap();
            assert!(first.starts_with("= "), "{first}");
            for line in lines.iter().filter(|line| !line.is_empty() && !line.starts_with('=')) {
                assert_eq!(line.trim(), *line, "spaces around {line:?}");
                let inner = line.trim_start_matches(['!', '~', '/']).trim_end_matches("/**");
                for name in inner.split('/') {
                    assert!(!name.is_empty() && name != "**", "{line}");
                    assert_eq!(fold(name), name, "{line} is compared with folded names");
                }
            }
        }
    }
}
