//! One pattern of a table.
//!
//! | written | means |
//! | --- | --- |
//! | `a/b` | a file `b` in a folder `a`, anywhere |
//! | `/a/b` | exactly there |
//! | `~/a/b` | in a home folder |
//! | `a/**` | the folder `a` and all that is below it |
//! | `*` in a name | any characters |

use super::name_pattern::NamePattern;
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
    names: Vec<NamePattern>,
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
        Self { start, names: rest.split('/').map(NamePattern::parse).collect(), tree }
    }

    /// Its first name, by which it is looked up.
    pub(super) fn first_name(&self) -> Option<&NamePattern> {
        self.names.first()
    }

    /// Its last name.
    pub(super) fn last_name(&self) -> Option<&NamePattern> {
        self.names.last()
    }

    /// How many names it has.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// It may begin at this folded name.
    pub(super) fn may_begin(&self, name: &str) -> bool {
        self.names.first().is_some_and(|first| first.matches(name))
    }

    /// It takes in a folder and all that is below it.
    pub(super) fn is_tree(&self) -> bool {
        self.tree
    }

    /// It is the name of a file, wherever that is.
    pub(super) fn is_one_name(&self) -> bool {
        self.names.len() == 1 && !self.tree
    }

    /// What is known to be a folder is not the file that a pattern without `/**` means: `.env`
    /// may be a virtual environment.
    pub(super) fn may_mean(&self, folder: bool) -> bool {
        self.tree || !folder
    }

    /// It matches when it starts at the name number `at`, if it [may mean](Self::may_mean) what
    /// is there.
    pub(super) fn matches(&self, path: &Names, at: usize) -> bool {
        let rest = path.len().saturating_sub(at);
        let fits = if self.tree { rest >= self.len() } else { rest == self.len() };
        fits && self.may_start(path, at)
            && self.names.iter().zip(path.from(at)).all(|(pattern, name)| pattern.matches(name))
    }

    /// It matches wherever it starts.
    pub(super) fn matches_somewhere(&self, path: &Names) -> bool {
        (0..path.len()).any(|at| self.matches(path, at))
    }

    fn may_start(&self, path: &Names, at: usize) -> bool {
        match self.start {
            Start::Anywhere => true,
            Start::Top => at == 0,
            Start::Home => path.homes().any(|home| home == at),
        }
    }
}
