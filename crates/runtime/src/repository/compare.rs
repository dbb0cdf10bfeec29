//! Two sides, path by path: what is only on one of them, and what differs.

use std::collections::HashMap;

use dogu_tool::{CancelFlag, Change, ChangeKind, NotCompared, Side, ToolError};
use gix_hash::ObjectId;
use gix_index::entry::Flags;

use super::SUBMODULE;
use super::trees::{Staged, Stored};
use super::worktree::{Closed, OnDisk, WorkingTree};

/// How a path is on the new side.
struct Now {
    mode: u32,
    /// Known where the content is stored, or was read.
    id: Option<ObjectId>,
    on_disk: bool,
    untracked: bool,
}

/// A change, and where its new content is.
pub(super) struct Found {
    pub(super) change: Change,
    pub(super) old: Option<(u32, ObjectId)>,
    /// The mode, and the id where the content is stored; none where it is on the disk.
    pub(super) new: Option<(u32, Option<ObjectId>)>,
    /// What is staged of the path: line ends are kept as they are there.
    pub(super) staged: Option<ObjectId>,
}

/// What differs between a list of files and what is staged or on the disk.
pub(super) struct Comparer<'a> {
    pub(super) tree: &'a WorkingTree<'a>,
    /// Looks at the disk; otherwise at what is staged.
    pub(super) on_disk: bool,
    pub(super) found: Vec<Found>,
    pub(super) left_out: NotCompared,
}

impl Comparer<'_> {
    /// Compares what is staged with what is on the disk.
    pub(super) fn unstaged(
        &mut self,
        staged: &[Staged],
        untracked: Vec<Vec<u8>>,
        cancel: &CancelFlag,
    ) -> Result<(), ToolError> {
        for group in staged.chunk_by(|one, next| one.stored.path == next.stored.path) {
            cancel.check()?;
            let added = group[0].flags.contains(Flags::INTENT_TO_ADD);
            let stored = (!added).then(|| group[0].stored.clone());
            self.take(stored.as_ref(), Some(group))?;
        }
        for path in untracked {
            self.take_untracked(path, None);
        }
        self.sort();
        Ok(())
    }

    /// Compares the files of a commit with what is staged, or with the disk.
    pub(super) fn against(
        &mut self,
        commit: &[Stored],
        staged: &[Staged],
        untracked: Vec<Vec<u8>>,
        cancel: &CancelFlag,
    ) -> Result<(), ToolError> {
        let mut untracked: std::collections::BTreeSet<Vec<u8>> = untracked.into_iter().collect();
        let mut commit = commit.iter().peekable();
        for group in staged.chunk_by(|one, next| one.stored.path == next.stored.path) {
            cancel.check()?;
            let path = &group[0].stored.path;
            while let Some(gone) = commit.next_if(|stored| stored.path < *path) {
                self.take_unstaged(gone, &mut untracked)?;
            }
            let old = commit.next_if(|stored| stored.path == *path);
            self.take(old, Some(group))?;
        }
        for gone in commit {
            self.take_unstaged(gone, &mut untracked)?;
        }
        for path in untracked {
            self.take_untracked(path, None);
        }
        self.sort();
        self.pair_renames();
        Ok(())
    }

    fn sort(&mut self) {
        self.found.sort_by(|a, b| a.change.path.cmp(&b.change.path));
    }

    /// A file of the commit that is no longer staged: gone, or still on the disk.
    fn take_unstaged(
        &mut self,
        old: &Stored,
        untracked: &mut std::collections::BTreeSet<Vec<u8>>,
    ) -> Result<(), ToolError> {
        if self.on_disk && untracked.remove(&old.path) {
            self.take_untracked(old.path.clone(), Some(old));
            return Ok(());
        }
        self.take(Some(old), None)
    }

    fn take_untracked(&mut self, path: Vec<u8>, old: Option<&Stored>) {
        let stat = self.tree.stat(&path).ok().flatten();
        let mode = stat.and_then(|stat| self.tree.mode(&stat, old.map_or(0, |old| old.mode)));
        let Some(mode) = mode else { return };
        let now = Now { mode, id: None, on_disk: true, untracked: true };
        self.push(path, old, Some(now), false, None);
    }

    /// A path that is staged, or was.
    fn take(&mut self, old: Option<&Stored>, group: Option<&[Staged]>) -> Result<(), ToolError> {
        let Some(group) = group else {
            if let Some(old) = old {
                self.push(old.path.clone(), Some(old), None, false, None);
            }
            return Ok(());
        };
        let unmerged = group[0].stage != 0;
        // Of a conflict, our side is what the working tree began with.
        let staged = group.iter().find(|one| one.stage == 2).unwrap_or(&group[0]);
        let old = if unmerged { ours(group) } else { old };
        let now = if self.on_disk || unmerged {
            self.on_disk(staged)?
        } else if staged.flags.contains(Flags::INTENT_TO_ADD) {
            None
        } else {
            let Stored { mode, id, .. } = staged.stored;
            Some(Now { mode, id: Some(id), on_disk: false, untracked: false })
        };
        self.push(staged.stored.path.clone(), old, now, unmerged, Some(staged.stored.id));
        Ok(())
    }

    fn on_disk(&mut self, staged: &Staged) -> Result<Option<Now>, ToolError> {
        Ok(match self.tree.look(staged)? {
            OnDisk::Gone => None,
            OnDisk::Same => {
                let Stored { mode, id, .. } = staged.stored;
                Some(Now { mode, id: Some(id), on_disk: false, untracked: false })
            }
            OnDisk::Other { mode, id } => Some(Now { mode, id, on_disk: true, untracked: false }),
        })
    }

    fn push(
        &mut self,
        path: Vec<u8>,
        old: Option<&Stored>,
        now: Option<Now>,
        unmerged: bool,
        staged: Option<ObjectId>,
    ) {
        let old = old.map(|old| (old.mode, old.id));
        let same = match (&old, &now) {
            (None, None) => true,
            (Some((mode, id)), Some(now)) => *mode == now.mode && now.id == Some(*id),
            _ => false,
        };
        if same && !unmerged {
            return;
        }
        match self.tree.closed(&path) {
            Some(Closed::Secret) => self.left_out.secret += 1,
            Some(Closed::ShutOut) => self.left_out.shut_out += 1,
            None => {
                let change = self.change(path, old, now.as_ref(), unmerged);
                let new = now.map(|now| (now.mode, now.id.filter(|_| !now.on_disk)));
                self.found.push(Found { change, old, new, staged });
            }
        }
    }

    fn change(
        &self,
        path: Vec<u8>,
        old: Option<(u32, ObjectId)>,
        now: Option<&Now>,
        unmerged: bool,
    ) -> Change {
        let kind = match (&old, now) {
            _ if unmerged => ChangeKind::Unmerged,
            (None, Some(now)) if now.untracked => ChangeKind::Untracked,
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Deleted,
            _ => ChangeKind::Modified,
        };
        Change {
            kind,
            old: old.map(|(mode, id)| Side { mode, id: Some(id.to_hex().to_string()) }),
            new: now
                .map(|now| Side { mode: now.mode, id: now.id.map(|id| id.to_hex().to_string()) }),
            binary: self.tree.attributes.of(&path).binary,
            path,
        }
    }

    /// A file that is gone and one that is new with exactly its content are one that was renamed.
    fn pair_renames(&mut self) {
        let mut gone: HashMap<ObjectId, Vec<usize>> = HashMap::new();
        for (at, found) in self.found.iter().enumerate().rev() {
            if let (ChangeKind::Deleted, Some((mode, id))) = (&found.change.kind, found.old)
                && mode != SUBMODULE
                && !id.is_empty_blob()
            {
                gone.entry(id).or_default().push(at);
            }
        }
        let mut paired = Vec::new();
        for (at, found) in self.found.iter().enumerate() {
            let added = found.change.kind == ChangeKind::Added;
            let id = found.new.and_then(|(_, id)| id).filter(|_| added);
            if let Some(from) = id.and_then(|id| gone.get_mut(&id)?.pop()) {
                paired.push((from, at));
            }
        }
        for (from, to) in &paired {
            let (old, side, path) = {
                let gone = &self.found[*from];
                (gone.old, gone.change.old.clone(), gone.change.path.clone())
            };
            let renamed = &mut self.found[*to];
            renamed.old = old;
            renamed.change.old = side;
            renamed.change.kind = ChangeKind::Renamed { from: path };
        }
        let mut at = 0;
        self.found.retain(|_| {
            at += 1;
            !paired.iter().any(|(from, _)| *from == at - 1)
        });
    }
}

/// Our side of a conflict.
fn ours(group: &[Staged]) -> Option<&Stored> {
    group.iter().find(|one| one.stage == 2).map(|one| &one.stored)
}
