//! What steers others in a workspace: which files, folders and repositories there are, and which
//! came to exist while a command ran.
//!
//! The look that is made for the journal sees them by name, so that they cost nothing of their own.
//! What lies in folders that git ignores is not looked at.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dogu_tool::{CancelFlag, FileStamp, ToolError};

use super::look::{Bound, Sight, look};
use super::read::BEHIND;
use crate::command_facts::armed_files;
use crate::files::{Roots, facts_of, stat_real};

/// What steers others, at one time.
#[derive(Clone, Debug, Default)]
pub struct Steering {
    found: HashMap<PathBuf, Place>,
    /// Nothing was left out for want of time.
    complete: bool,
}

/// Where a name led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    is_repository: bool,
    own: Identity,
    /// The folder that it is in.
    above: Identity,
}

/// Device and inode.
type Identity = (u64, u64);

/// Something that came to exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) path: PathBuf,
    pub(super) is_repository: bool,
}

impl Steering {
    pub(super) fn of(sight: &Sight, roots: &Roots) -> Self {
        let files = sight.steering.iter().map(|path| (path, false));
        let all = files.chain(sight.stores.iter().map(|path| (path, true)));
        let place = |(path, is_repository): (&PathBuf, bool)| {
            let (own, above) = (stamp(roots, path)?, stamp(roots, path.parent()?)?);
            let place = Place { is_repository, own: identity(own), above: identity(above) };
            Some((path.clone(), place))
        };
        Self { found: all.filter_map(place).collect(), complete: sight.all_names }
    }

    /// Nothing was left out for want of time.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// All of it that is in nothing else of it, those first that fewer folders are above.
    pub(crate) fn outermost(&self) -> Vec<PathBuf> {
        let inside = |path: &Path| path.ancestors().skip(1).any(|up| self.found.contains_key(up));
        let mut all: Vec<PathBuf> =
            self.found.keys().filter(|path| !inside(path)).cloned().collect();
        all.sort_by_cached_key(|path| (path.components().count(), path.clone()));
        all
    }

    /// What is there now and was not, by path; only what is in nothing else of it. Repositories in
    /// which nothing runs by itself are left out.
    pub(crate) fn new_since(&self, now: &Self) -> Vec<PathBuf> {
        let armed = |(path, place): &(&PathBuf, &Place)| {
            !place.is_repository || !armed_files(path).is_empty()
        };
        let mut new: Vec<PathBuf> =
            self.new_in(now).filter(armed).map(|(path, _)| path.clone()).collect();
        let all: HashSet<PathBuf> = new.iter().cloned().collect();
        new.retain(|path| !path.ancestors().skip(1).any(|up| all.contains(up)));
        new.sort();
        new
    }

    /// What is there now and was not, nor was anywhere else.
    fn new_in<'n>(&self, now: &'n Self) -> impl Iterator<Item = (&'n PathBuf, &'n Place)> {
        let is_there = |(path, was): &(&PathBuf, &Place)| {
            now.found.get(*path).is_some_and(|place| place.own == was.own)
        };
        let moved: HashSet<Identity> =
            self.found.iter().filter(|was| !is_there(was)).map(|(_, was)| was.own).collect();
        now.found.iter().filter(move |(path, place)| match self.found.get(*path) {
            // Who replaces a file that a command cannot replace is somebody else, as long as it is
            // in the same folder.
            Some(was) => was.own != place.own && was.above != place.above,
            None => !moved.contains(&place.own),
        })
    }
}

/// How well it is known what was there before a command.
pub(super) struct Known<'a> {
    pub(super) roots: &'a Roots,
    pub(super) steering: &'a Steering,
    pub(super) folders: &'a HashSet<PathBuf>,
    /// What is looked at and what is not is said by the same rules as before.
    pub(super) same_rules: bool,
    /// When the look before began, in nanoseconds since 1970.
    pub(super) begun: i128,
}

impl Known<'_> {
    /// What came to exist, by path; only what is in nothing else of it.
    pub(super) fn made(&self, now: &Steering) -> Vec<Made> {
        let is_sure = self.steering.complete && self.same_rules;
        let new = self.steering.new_in(now).filter(|(path, _)| is_sure || self.is_recent(path));
        let new: HashMap<&PathBuf, &Place> = new.collect();
        let inside =
            |path: &Path| path.ancestors().skip(1).any(|up| new.contains_key(&up.to_path_buf()));
        let outermost = new.iter().filter(|(path, _)| !inside(path));
        let mut made: Vec<Made> = outermost
            .map(|(path, place)| Made { path: (*path).clone(), is_repository: place.is_repository })
            .collect();
        made.sort_by(|one, other| one.path.cmp(&other.path));
        made
    }

    /// Something happened to it, or to a folder above it that was not there, since the look before.
    fn is_recent(&self, path: &Path) -> bool {
        let unknown = path.ancestors().skip(1).take_while(|up| {
            !self.folders.contains(*up) && !self.roots.real_paths().any(|root| root == *up)
        });
        std::iter::once(path).chain(unknown).any(|path| {
            stamp(self.roots, path).is_some_and(|stamp| stamp.changed >= self.begun - BEHIND)
        })
    }
}

/// What steers others now, by a look of its own that reads nothing but names. Blocks.
pub(crate) fn look_for_steering(
    roots: &Roots,
    limit: Duration,
    cancel: &CancelFlag,
) -> Result<Steering, ToolError> {
    let bound = Bound { unknown: 0, end: Instant::now() + limit, cancel };
    let sight = look(roots, &|_| None, &bound)?;
    Ok(Steering::of(&sight, roots))
}

fn stamp(roots: &Roots, path: &Path) -> Option<FileStamp> {
    stat_real(roots, path).ok().map(|stat| facts_of(&stat).stamp)
}

fn identity(stamp: FileStamp) -> Identity {
    (stamp.device, stamp.inode)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steering(places: &[(&str, u64, u64)]) -> Steering {
        let place = |(path, own, above): &(&str, u64, u64)| {
            let is_repository = Path::new(path).ends_with(".git");
            (PathBuf::from(path), Place { is_repository, own: (1, *own), above: (1, *above) })
        };
        Steering { found: places.iter().map(place).collect(), complete: true }
    }

    fn new(before: &[(&str, u64, u64)], now: &[(&str, u64, u64)]) -> Vec<String> {
        let (before, now) = (steering(before), steering(now));
        let mut new: Vec<String> =
            before.new_in(&now).map(|(path, _)| path.display().to_string()).collect();
        new.sort();
        new
    }

    #[test]
    fn what_is_new_is_told_from_what_was_moved_or_saved() {
        let before = [("/w/a/CLAUDE.md", 1, 10), ("/w/b/.git", 2, 11)];
        assert_eq!(new(&before, &before), [""; 0]);
        assert_eq!(new(&before, &[("/w/c/CLAUDE.md", 3, 12)]), ["/w/c/CLAUDE.md"]);
        // The folder was renamed.
        assert_eq!(new(&before, &[("/w/c/CLAUDE.md", 1, 10), before[1]]), [""; 0]);
        // Somebody saved it.
        assert_eq!(new(&before, &[("/w/a/CLAUDE.md", 4, 10), before[1]]), [""; 0]);
        // The folder was renamed, and another one made in its place.
        let both = [("/w/c/CLAUDE.md", 1, 10), ("/w/a/CLAUDE.md", 4, 13)];
        assert_eq!(new(&before, &both), ["/w/a/CLAUDE.md"]);
        // The same file by another name is another one as long as the first is there.
        let linked = [before[0], before[1], ("/w/AGENTS.md", 1, 9)];
        assert_eq!(new(&before, &linked), ["/w/AGENTS.md"]);
    }

    #[test]
    fn what_lies_in_something_else_is_not_named() {
        let all =
            steering(&[("/w/.claude", 1, 9), ("/w/.claude/agents.md", 2, 1), ("/w/x.md", 3, 9)]);
        assert_eq!(all.outermost(), [Path::new("/w/.claude"), Path::new("/w/x.md")]);
    }
}
