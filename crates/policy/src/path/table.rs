//! The tables of paths: text with a reason for each group of patterns.
//!
//! A line `= reason` starts a group, the lines after it are its [patterns](super::pattern), a
//! `!` before one takes out of that group what it matches, and `#` starts a comment.

use std::sync::LazyLock;

use super::name_pattern::NamePattern;
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

impl Tables {
    /// Every table with the question that it answers.
    pub(super) fn all(&self) -> [(Question, &Table); 7] {
        [
            (Question::Sensitive, &self.sensitive),
            (Question::System, &self.system),
            (Question::Installed, &self.installed),
            (Question::Startup, &self.startup),
            (Question::Versions, &self.versions),
            (Question::Steering, &self.steering),
            (Question::Protected, &self.protected),
        ]
    }
}

/// What a table is asked; see [`Tables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    Sensitive,
    System,
    Installed,
    Startup,
    Versions,
    Steering,
    Protected,
}

/// A table, read.
#[derive(Debug, Default)]
pub(super) struct Table {
    groups: Vec<Group>,
}

/// Patterns that have one reason.
#[derive(Debug)]
pub(super) struct Group {
    reason: &'static str,
    patterns: Vec<Pattern>,
    except: Vec<Pattern>,
}

impl Table {
    fn parse(text: &'static str) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        let lines = text.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(reason) = line.strip_prefix("= ") {
                groups.push(Group { reason, patterns: Vec::new(), except: Vec::new() });
            } else if let Some(group) = groups.last_mut() {
                match line.strip_prefix('!') {
                    Some(except) => group.except.push(Pattern::parse(except)),
                    None => group.patterns.push(Pattern::parse(line)),
                }
            }
        }
        Self { groups }
    }

    /// Every pattern with its group, in the order of the table.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&Group, &Pattern)> {
        self.groups.iter().flat_map(|group| group.patterns.iter().map(move |row| (group, row)))
    }

    fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.rows().map(|(_, pattern)| pattern)
    }

    /// The first name of every pattern.
    pub(super) fn first_names(&self) -> impl Iterator<Item = &NamePattern> {
        self.patterns().filter_map(Pattern::first_name)
    }

    /// The last name of every pattern.
    pub(super) fn last_names(&self) -> impl Iterator<Item = &NamePattern> {
        self.patterns().filter_map(Pattern::last_name)
    }

    /// How many names the longest pattern has.
    pub(super) fn longest(&self) -> usize {
        self.patterns().map(Pattern::len).max().unwrap_or(0)
    }
}

impl Group {
    /// Why a path that one of its patterns matches is what it is, unless it is an exception.
    pub(super) fn reason_for(&self, path: &Names, folder: bool) -> Option<&'static str> {
        let is_meant = |except: &&Pattern| except.may_mean(folder);
        let excepted =
            self.except.iter().filter(is_meant).any(|except| except.matches_somewhere(path));
        (!excepted).then_some(self.reason)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::names::fold;

    pub(in crate::path) const TEXTS: [&str; 7] = [
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
