//! `.gitattributes`: how a file is kept and shown.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gix_attributes::search::{MetadataCollection, Outcome};
use gix_attributes::{Search, StateRef};

use super::disk;
use super::layout::Layout;
use crate::files::Roots;

/// No list of attributes that a person wrote is longer, in bytes.
const MAX_BYTES: usize = 1_000_000;
/// What is known to every repository.
const BUILT_IN: &[u8] = b"[attr]binary -diff -merge -text";
/// The attributes that count here.
const NAMES: [&str; 7] =
    ["text", "crlf", "eol", "filter", "ident", "working-tree-encoding", "diff"];

/// What the attributes say of a file: `set`, `unset` or a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) text: Option<String>,
    pub(super) eol: Option<String>,
    /// A program converts it, or its encoding is converted.
    pub(super) filter: Option<String>,
    pub(super) ident: bool,
    /// It is not shown as text.
    pub(super) binary: bool,
}

/// The lists of attributes of a working tree, read as they are needed.
pub(super) struct AttributeFiles<'a> {
    roots: &'a Roots,
    top: PathBuf,
    /// The list that belongs to the repository and to no folder.
    own: PathBuf,
    lists: RefCell<HashMap<PathBuf, Option<Vec<u8>>>>,
    /// The rules for the folder that was asked about last.
    last: RefCell<Option<(PathBuf, Rules)>>,
}

struct Rules {
    search: Search,
    names: MetadataCollection,
}

impl<'a> AttributeFiles<'a> {
    pub(super) fn new(roots: &'a Roots, layout: &Layout) -> Self {
        Self {
            roots,
            top: layout.top.clone(),
            own: layout.shared.join("info/attributes"),
            lists: RefCell::default(),
            last: RefCell::default(),
        }
    }

    /// What the lists say of a path of the repository.
    pub(super) fn of(&self, path: &[u8]) -> Attributes {
        use std::os::unix::ffi::OsStrExt as _;
        let folder = Path::new(std::ffi::OsStr::from_bytes(path)).parent().unwrap_or(Path::new(""));
        let mut last = self.last.borrow_mut();
        if last.as_ref().is_none_or(|(known, _)| known != folder) {
            *last = Some((folder.to_path_buf(), self.rules(folder)));
        }
        match &*last {
            Some((_, rules)) => rules.of(path),
            None => Attributes::default(),
        }
    }

    fn rules(&self, folder: &Path) -> Rules {
        let mut rules = Rules { search: Search::default(), names: MetadataCollection::default() };
        rules.add(BUILT_IN, PathBuf::from("[builtin]"), None);
        let top = self.top.as_path();
        let mut at = self.top.clone();
        self.add_list(&mut rules, &at.join(".gitattributes"), Some(top));
        for part in folder {
            at.push(part);
            self.add_list(&mut rules, &at.join(".gitattributes"), Some(top));
        }
        self.add_list(&mut rules, &self.own, None);
        rules
    }

    fn add_list(&self, rules: &mut Rules, path: &Path, top: Option<&Path>) {
        let mut lists = self.lists.borrow_mut();
        let list = lists.entry(path.to_path_buf()).or_insert_with(|| {
            // One that cannot be read, or is a link, says nothing: so does git.
            disk::read(self.roots, path, MAX_BYTES).ok().flatten()
        });
        if let Some(list) = list {
            rules.add(list, path.to_path_buf(), top);
        }
    }
}

impl Rules {
    fn add(&mut self, list: &[u8], source: PathBuf, top: Option<&Path>) {
        // It fails for nothing but input and output, of which there is none.
        let _ = self.search.add_patterns_buffer(list, source, top, &mut self.names, true);
    }

    fn of(&self, path: &[u8]) -> Attributes {
        let mut outcome = Outcome::default();
        outcome.initialize_with_selection(&self.names, NAMES);
        let case = gix_attributes::glob::pattern::Case::Sensitive;
        self.search.pattern_matching_relative_path(path.into(), case, Some(false), &mut outcome);
        let mut found = Attributes::default();
        for one in outcome.iter_selected() {
            found.take(one.assignment.name.as_str(), one.assignment.state);
        }
        found
    }
}

impl Attributes {
    fn take(&mut self, name: &str, state: StateRef<'_>) {
        let value = match state {
            StateRef::Set => "set".to_owned(),
            StateRef::Unset => "unset".to_owned(),
            StateRef::Value(value) => value.as_bstr().to_string(),
            StateRef::Unspecified => return,
        };
        let is_set = value != "unset";
        match name {
            "text" => self.text = Some(value),
            // The old name of it; the new one comes first in the list and decides.
            "crlf" => self.text = self.text.take().or(Some(value)),
            "eol" => self.eol = Some(value),
            "filter" if is_set => self.filter = Some(value),
            "working-tree-encoding" if is_set => {
                self.filter.get_or_insert(format!("working-tree-encoding={value}"));
            }
            "ident" => self.ident = is_set,
            "diff" => self.binary = !is_set,
            _ => {}
        }
    }
}
