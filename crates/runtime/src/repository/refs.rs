//! Names of commits: branches, tags, ids, and what is counted back from them.

use std::path::{Component, Path};

use dogu_tool::ToolError;
use gix_hash::ObjectId;
use gix_object::{CommitRefIter, Kind, TagRefIter};

use super::layout::Layout;
use super::objects::{Found, Objects};
use super::{HASH, disk};
use crate::files::{Roots, words};

/// A file with a branch's commit has one line.
const MAX_REF_BYTES: usize = 4 * 1024;
/// The file with all packed branches and tags.
const MAX_PACKED_BYTES: usize = 64 * 1024 * 1024;
/// How many names lead to each other before it is called a loop.
const MAX_LINKS: usize = 8;
/// How far back a commit is counted.
const MAX_STEPS: usize = 10_000;

/// The names of a repository's commits.
pub(super) struct Refs<'a> {
    pub(super) roots: &'a Roots,
    pub(super) layout: &'a Layout,
    pub(super) objects: &'a Objects<'a>,
}

impl Refs<'_> {
    /// The last commit; none where there is none yet.
    pub(super) fn head(&self) -> Result<Option<ObjectId>, ToolError> {
        self.named("HEAD")
    }

    /// The commit that a person means.
    pub(super) fn commit(&self, text: &str) -> Result<ObjectId, ToolError> {
        let end = text.find(['~', '^']).unwrap_or(text.len());
        let (name, mut steps) = text.split_at(end);
        let mut at = self.peel(self.id(name, text)?)?;
        while let Some(mark) = steps.chars().next() {
            let rest = &steps[1..];
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let count = match &rest[..digits] {
                "" => 1,
                number => {
                    number.parse().ok().filter(|n| *n <= MAX_STEPS).ok_or_else(|| unknown(text))?
                }
            };
            at = match mark {
                '~' => self.back(at, count, text)?,
                '^' if count == 0 => at,
                '^' => self.parents(at)?.get(count - 1).copied().ok_or_else(|| unknown(text))?,
                _ => return Err(unknown(text)),
            };
            steps = &rest[digits..];
        }
        Ok(at)
    }

    fn back(&self, mut at: ObjectId, count: usize, text: &str) -> Result<ObjectId, ToolError> {
        for _ in 0..count {
            at = self.parents(at)?.first().copied().ok_or_else(|| unknown(text))?;
        }
        Ok(at)
    }

    /// The commits before a commit.
    pub(super) fn parents(&self, id: ObjectId) -> Result<Vec<ObjectId>, ToolError> {
        let bytes = self.objects.expect(&id, Kind::Commit)?;
        Ok(CommitRefIter::from_bytes(&bytes, HASH).parent_ids().collect())
    }

    fn id(&self, name: &str, text: &str) -> Result<ObjectId, ToolError> {
        let name = if name == "@" { "HEAD" } else { name };
        if let Some(id) = self.named(name)? {
            return Ok(id);
        }
        let hex =
            name.len() >= 4 && name.len() <= 40 && name.bytes().all(|b| b.is_ascii_hexdigit());
        if !hex {
            return Err(unknown(text));
        }
        let name = name.to_lowercase();
        if let Ok(id) = ObjectId::from_hex(name.as_bytes()) {
            return Ok(id);
        }
        let mut commits = Vec::new();
        for id in self.objects.with_prefix(&name)? {
            if matches!(self.objects.find(&id)?, Found::Object(Kind::Commit | Kind::Tag, _)) {
                commits.push(id);
            }
        }
        match commits.as_slice() {
            [id] => Ok(*id),
            [] => Err(unknown(text)),
            _ => Err(ToolError::invalid(format!("`{name}` is the beginning of several commits"))
                .suggest("Send more of its characters.")),
        }
    }

    /// What a name stands for, in the order in which git tries.
    fn named(&self, name: &str) -> Result<Option<ObjectId>, ToolError> {
        if !is_name(name) {
            return Ok(None);
        }
        let forms = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];
        let mut full: Vec<String> = forms.iter().map(|form| format!("{form}{name}")).collect();
        full.push(format!("refs/remotes/{name}/HEAD"));
        for name in full {
            // At the top of the store there is much that is no commit.
            let top = !name.contains('/');
            let shouted = name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
            if top && !shouted {
                continue;
            }
            if let Some(id) = self.exact(&name)? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    fn exact(&self, name: &str) -> Result<Option<ObjectId>, ToolError> {
        let mut name = name.to_owned();
        for _ in 0..MAX_LINKS {
            if !is_name(&name) {
                return Ok(None);
            }
            let Some(line) = self.line(&name) else { return self.packed(&name) };
            let line = String::from_utf8_lossy(&line);
            let Some(target) = line.strip_prefix("ref:") else {
                let hex = line.split_whitespace().next().unwrap_or_default();
                return Ok(ObjectId::from_hex(hex.as_bytes()).ok());
            };
            target.trim().clone_into(&mut name);
        }
        Ok(None)
    }

    fn line(&self, name: &str) -> Option<Vec<u8>> {
        // A folder of branches may have the name of a tag: what cannot be read is not there.
        [&self.layout.own, &self.layout.shared]
            .into_iter()
            .find_map(|store| disk::read(self.roots, &store.join(name), MAX_REF_BYTES).ok()?)
    }

    fn packed(&self, name: &str) -> Result<Option<ObjectId>, ToolError> {
        let path = self.layout.shared.join("packed-refs");
        let text = disk::read(self.roots, &path, MAX_PACKED_BYTES)?.unwrap_or_default();
        let found = text.split(|byte| *byte == b'\n').find_map(|line| {
            let (hex, rest) = line.split_at_checked(HASH.len_in_hex())?;
            (rest.strip_prefix(b" ")?.trim_ascii_end() == name.as_bytes()).then_some(hex)
        });
        Ok(found.and_then(|hex| ObjectId::from_hex(hex).ok()))
    }

    /// The commit that a tag stands for.
    fn peel(&self, mut id: ObjectId) -> Result<ObjectId, ToolError> {
        for _ in 0..MAX_LINKS {
            match self.objects.find(&id)? {
                Found::Object(Kind::Commit, _) => return Ok(id),
                Found::Object(Kind::Tag, bytes) => {
                    let target = TagRefIter::from_bytes(&bytes, HASH).target_id();
                    id = target.map_err(|_| not_a_commit(id))?;
                }
                Found::Object(..) | Found::TooLarge(_) => return Err(not_a_commit(id)),
                Found::Missing => return Err(ToolError::failed(self.objects.missing(&id))),
            }
        }
        Err(not_a_commit(id))
    }

    /// The files of a commit.
    pub(super) fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, ToolError> {
        let bytes = self.objects.expect(&commit, Kind::Commit)?;
        CommitRefIter::from_bytes(&bytes, HASH).tree_id().map_err(|_| not_a_commit(commit))
    }

    /// When a commit was made; 0 where it does not say.
    pub(super) fn time_of(&self, commit: ObjectId) -> Result<i64, ToolError> {
        let bytes = self.objects.expect(&commit, Kind::Commit)?;
        let committer = CommitRefIter::from_bytes(&bytes, HASH).committer();
        Ok(committer.map_or(0, |committer| committer.seconds()))
    }
}

/// A name that stays in the store: plain parts, as git allows them.
fn is_name(name: &str) -> bool {
    let plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let odd = |c: char| c.is_control() || " ~^:?*[\\".contains(c);
    plain && !name.is_empty() && !name.contains("..") && !name.contains(odd)
}

fn unknown(text: &str) -> ToolError {
    let shown = words::shown(Path::new(&dogu_tool::text::truncate_marked(text, 200)));
    ToolError::invalid(format!("there is no commit `{shown}` in this repository"))
        .suggest("Name a branch, a tag or a commit id, for example HEAD~1 or origin/main.")
}

fn not_a_commit(id: ObjectId) -> ToolError {
    ToolError::invalid(format!("{} is not a commit", id.to_hex()))
}
