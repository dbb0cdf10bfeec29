//! The commit where two lines of history parted.

use std::collections::{BinaryHeap, HashMap};

use dogu_tool::{CancelFlag, ToolError};
use gix_hash::ObjectId;

use super::refs::Refs;

/// How many commits are looked at.
const MAX_COMMITS: usize = 200_000;

const OURS: u8 = 1;
const THEIRS: u8 = 2;
/// Behind a commit that both have: nothing older is the place where they parted.
const STALE: u8 = 4;

/// The newest commit that both have; none where they have nothing in common. Commits are visited
/// from the newest to the oldest, each with whose history it belongs to.
pub(super) fn parted(
    refs: &Refs<'_>,
    ours: ObjectId,
    theirs: ObjectId,
    cancel: &CancelFlag,
) -> Result<Option<ObjectId>, ToolError> {
    let mut marks: HashMap<ObjectId, u8> = HashMap::new();
    let mut queue = BinaryHeap::new();
    for (commit, mark) in [(ours, OURS), (theirs, THEIRS)] {
        *marks.entry(commit).or_default() |= mark;
        queue.push((refs.time_of(commit)?, commit));
    }
    let mut common: Vec<ObjectId> = Vec::new();
    while let Some((_, commit)) = queue.pop() {
        cancel.check()?;
        let mut mark = marks.get(&commit).copied().unwrap_or_default();
        if mark & (OURS | THEIRS) == OURS | THEIRS && mark & STALE == 0 {
            if !common.contains(&commit) {
                common.push(commit);
            }
            mark |= STALE;
        }
        for parent in refs.parents(commit)? {
            let known = marks.entry(parent).or_default();
            if *known | mark != *known {
                *known |= mark;
                queue.push((refs.time_of(parent)?, parent));
            }
        }
        if marks.len() > MAX_COMMITS {
            return Err(ToolError::failed(format!(
                "the histories have nothing in common within {MAX_COMMITS} commits"
            )));
        }
        // All that is left is behind what was found.
        if !queue.iter().any(|(_, id)| marks.get(id).is_some_and(|mark| mark & STALE == 0)) {
            break;
        }
    }
    // What turned out to be behind another one is not where they parted.
    Ok(common.into_iter().find(|id| marks.get(id).is_some_and(|mark| mark & STALE == 0)))
}
