//! One pattern of a table.
//!
//! | written | means |
//! | --- | --- |
//! | `a/b` | a file `b` in a folder `a`, anywhere |
//! | `/a/b` | exactly there |
//! | `~/a/b` | in a home folder |
//! | `a/**` | the folder `a` and all that is below it |
//! | `*` in a name | any characters |

use super::names::Names;

/// Where a pattern starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Anywhere,
    Top,
    Home,
}

/// A pattern, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    start: Start,
    names: Vec<&'static str>,
    tree: bool,
}

impl Pattern {
    pub(super) fn parse(text: &'static str) -> Self {
        let (start, rest) = if let Some(rest) = text.strip_prefix("~/") {
            (Start::Home, rest)
        } else if let Some(rest) = text.strip_prefix('/') {
            (Start::Top, rest)
        } else {
            (Start::Anywhere, text)
        };
        let (rest, tree) = rest.strip_suffix("/**").map_or((rest, false), |rest| (rest, true));
        Self { start, names: rest.split('/').collect(), tree }
    }

    /// Its first name, by which it is looked up; `None` if that has a `*`.
    pub(super) fn key(&self) -> Option<&'static str> {
        self.names.first().copied().filter(|name| !name.contains('*'))
    }

    /// Its first name, as it is written.
    pub(super) fn first_name(&self) -> Option<&'static str> {
        self.names.first().copied()
    }

    /// Its last name, as it is written.
    pub(super) fn last_name(&self) -> Option<&'static str> {
        self.names.last().copied()
    }

    /// How many names it has.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// It may begin at this folded name.
    pub(super) fn may_begin(&self, name: &str) -> bool {
        self.names.first().is_some_and(|first| matches_name(first, name))
    }

    /// It takes in a folder and all that is below it.
    pub(super) fn holds_tree(&self, path: &Names) -> bool {
        self.tree && self.matches_somewhere(path, true)
    }

    /// It is the name of a file, wherever that is.
    pub(super) fn is_one_name(&self) -> bool {
        self.names.len() == 1 && !self.tree
    }

    /// It matches when it starts at the name number `at`. What is known to be a folder is not
    /// the file that a pattern without `/**` means: `.env` may be a virtual environment.
    pub(super) fn matches(&self, path: &Names, at: usize, folder: bool) -> bool {
        let Some(rest) = path.as_slice().get(at..) else { return false };
        let long_enough = if self.tree {
            rest.len() >= self.names.len()
        } else {
            rest.len() == self.names.len() && !folder
        };
        long_enough
            && self.may_start(path, at)
            && self.names.iter().zip(rest).all(|(pattern, name)| matches_name(pattern, name))
    }

    /// It matches wherever it starts.
    pub(super) fn matches_somewhere(&self, path: &Names, folder: bool) -> bool {
        (0..path.len()).any(|at| self.matches(path, at, folder))
    }

    fn may_start(&self, path: &Names, at: usize) -> bool {
        match self.start {
            Start::Anywhere => true,
            Start::Top => at == 0,
            Start::Home => path.homes().contains(&at),
        }
    }
}

/// `*` stands for any characters. The first part must begin the name, the last one end it, and
/// those between are taken as early as they come, which never misses a match.
pub(super) fn matches_name(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return name.ends_with(part);
        }
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars() {
        for (pattern, name, matched) in [
            ("*", "", true),
            ("*.pem", "a.pem", true),
            ("*.pem", ".pem", true),
            ("*.pem", "a.pem.md", false),
            (".env.*", ".env.", true),
            (".env.*", ".env", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("*-sa.json", "visa.json", false),
        ] {
            assert_eq!(matches_name(pattern, name), matched, "{pattern} {name}");
        }
    }
}
