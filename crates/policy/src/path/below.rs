//! Secrets among many names, for those who walk a tree from folder to folder.
//!
//! To judge a path, all of its names are folded and looked up. On a walk nearly every name is
//! plain, and its folder was judged before: what is left to ask is whether any pattern could
//! begin or end at this one name. Only where one could is the whole path judged.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::names::Names;
use super::table::{TABLES, Table};
use super::{Places, sensitive};

/// Longer names than this are judged as whole paths.
const MAX_NAME: usize = 128;

static FILTER: LazyLock<Filter> = LazyLock::new(|| Filter::of(&TABLES.sensitive));

/// What is known of the entries of a folder before their names are seen: gives the same answers
/// as [`sensitive`], at a small part of the price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretsBelow {
    /// So many levels down, a pattern that began above may still end.
    open: usize,
    /// A pattern takes in the whole tree, unless an exception says otherwise.
    inside: bool,
    /// dogu's own folders are above or below.
    near_private: bool,
}

impl SecretsBelow {
    /// Of a folder, by its real path.
    pub fn folder(path: &Path, places: &Places) -> Self {
        let names = path.as_os_str().as_encoded_bytes().split(|byte| *byte == b'/');
        let names = names.filter(|name| !name.is_empty());
        Self {
            open: names.fold(0, |open, name| step(open, FILTER.reach(name))),
            inside: in_tree(path, places),
            near_private: is_near(path, &places.private),
        }
    }

    /// Of a folder in this one, by its real path.
    pub fn child(&self, path: &Path, places: &Places) -> Self {
        let reach = FILTER.reach(last_name(path));
        // Only a pattern that goes on, or begins here, can end here.
        let may_end = self.open > 0 || reach > 0;
        Self {
            open: step(self.open, reach),
            inside: self.inside || (may_end && in_tree(path, places)),
            near_private: self.near_private && is_near(path, &places.private),
        }
    }

    /// Why an entry of the folder may hold secrets, if so; by its real path.
    pub fn sensitive(&self, path: &Path, folder: bool, places: &Places) -> Option<&'static str> {
        let judge = self.open > 0 || self.inside || self.near_private;
        (judge || FILTER.reach(last_name(path)) > 0)
            .then(|| sensitive(path, folder, places))
            .flatten()
    }
}

/// How many levels are open after a further name, at which patterns of so many names may begin.
fn step(open: usize, reach: usize) -> usize {
    open.max(reach).saturating_sub(1)
}

fn in_tree(path: &Path, places: &Places) -> bool {
    let home = places.home.as_deref().map(Names::of);
    TABLES.sensitive.holds_tree(&Names::with_home(path, home.as_ref()))
}

fn is_near(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder) || folder.starts_with(path))
}

fn last_name(path: &Path) -> &[u8] {
    let path = path.as_os_str().as_encoded_bytes();
    let start = path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    &path[start..]
}

/// Which names can be the first of a pattern, told by three bytes at first. Two would not do:
/// `.tfvars` ends as every source of Rust.
struct Filter {
    /// How many names the longest pattern has.
    longest: usize,
    /// The last three bytes of names that may match.
    tails: Triples,
    /// The first three bytes, for patterns with any ending.
    heads: Triples,
}

impl Filter {
    fn of(table: &Table) -> Self {
        let mut filter =
            Self { longest: table.longest(), tails: Triples::default(), heads: Triples::default() };
        for name in table.first_names() {
            let bytes = name.as_bytes();
            let literal = |part: &[u8]| !part.contains(&b'*');
            match (bytes.last_chunk(), bytes.first_chunk()) {
                (Some(tail), _) if literal(tail) => filter.tails.add(*tail),
                (_, Some(head)) if literal(head) => filter.heads.add(*head),
                // Names that are so short are looked up anyway.
                (None, _) if literal(bytes) => {}
                // So open that any name may be meant.
                _ => filter.tails.add_all(),
            }
        }
        filter
    }

    /// How many names the longest pattern has that may begin at this name of a path.
    fn reach(&self, name: &[u8]) -> usize {
        let mut folded = [0; MAX_NAME];
        let Some(folded) = folded.get_mut(..name.len()) else { return self.longest };
        let mut odd = false;
        for (to, from) in folded.iter_mut().zip(name) {
            *to = from.to_ascii_lowercase();
            // What folding does more to a name than lower its case.
            odd |= !from.is_ascii() || matches!(from, b'\\' | b':');
        }
        let folded = &*folded;
        if odd || matches!(folded.last(), Some(b'.' | b' ')) || folded.starts_with(b"git~") {
            return self.longest;
        }
        let likely = match (folded.last_chunk(), folded.first_chunk()) {
            (Some(tail), Some(head)) => self.tails.has(*tail) || self.heads.has(*head),
            _ => true,
        };
        if !likely {
            return 0;
        }
        std::str::from_utf8(folded).map_or(self.longest, |name| TABLES.sensitive.reach(name))
    }
}

/// A set of three bytes each, which may take in some that nobody added.
struct Triples(Box<[u64]>);

impl Default for Triples {
    fn default() -> Self {
        Self(vec![0; 65_536 / 64].into())
    }
}

impl Triples {
    fn place([first, second, third]: [u8; 3]) -> (usize, u64) {
        let spread = u16::from(first).wrapping_mul(0x2f1d);
        let number = usize::from(u16::from_be_bytes([second, third]) ^ spread);
        (number / 64, 1 << (number % 64))
    }

    fn add(&mut self, triple: [u8; 3]) {
        let (word, bit) = Self::place(triple);
        self.0[word] |= bit;
    }

    fn add_all(&mut self) {
        self.0.fill(u64::MAX);
    }

    fn has(&self, triple: [u8; 3]) -> bool {
        let (word, bit) = Self::place(triple);
        self.0[word] & bit != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_all_names_are_told_by_three_bytes() {
        for name in ["main.rs", "index.ts", "Makefile", "a.py", "README.md", "lib.c", "x.go"] {
            assert!(FILTER.reach(name.as_bytes()) == 0, "{name}");
        }
        for name in [".ssh", "a.pem", "ID_RSA", ".env.local", "a.pem.", "\u{ff0e}env", "GIT~1"] {
            assert!(FILTER.reach(name.as_bytes()) > 0, "{name}");
        }
    }

    #[test]
    fn names_of_sources_are_not_looked_up() {
        for name in
            ["main.rs", "a.ts", "a.tsx", "a.py", "a.go", "a.java", "a.c", "a.h", "src", "a.md"]
        {
            let tail = *name.as_bytes().last_chunk().unwrap();
            let head = *name.as_bytes().first_chunk().unwrap();
            assert!(!FILTER.tails.has(tail) && !FILTER.heads.has(head), "{name}");
        }
    }

    #[test]
    fn a_folder_is_as_far_open_as_its_patterns_reach() {
        let places = Places::default();
        let below = |path: &str| SecretsBelow::folder(Path::new(path), &places);
        let plain = SecretsBelow { open: 0, inside: false, near_private: false };
        // Files of one name are secret there, and nothing that is deeper.
        assert_eq!(below("/tmp"), SecretsBelow { open: 1, ..plain });
        assert_eq!(below("/tmp/work"), plain);
        assert_eq!(below("/srv/work/.ssh"), SecretsBelow { inside: true, ..plain });
        assert_eq!(
            below("/srv/.config/gcloud/x"),
            SecretsBelow { inside: true, open: below("/srv/.config/gcloud/x").open, ..plain }
        );
    }
}
