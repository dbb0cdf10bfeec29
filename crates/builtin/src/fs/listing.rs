//! A walk that keeps the nearest names.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use dogu_tool::{
    Ctx, FileKind, LeftOut, Onward, ToolError, Visitor, WalkEntry, WalkOptions, Walked,
};

use super::nearest::{Below, Nearest, Node, Row, Wanted};
use crate::progress::Progress;

/// What is in a folder.
pub(super) struct Listing {
    /// The nearest names, the nearest first.
    pub(super) rows: Vec<Row>,
    /// All there is.
    pub(super) all: Below,
    pub(super) walked: Walked,
}

/// Lists a folder and what is below it, so many names deep. What is left out of other walks is
/// shown, marked and not entered.
pub(super) fn list(
    path: &Path,
    wanted: Wanted,
    max_depth: Option<usize>,
    ctx: &Ctx,
) -> Result<Listing, ToolError> {
    let shared =
        Shared { wanted, gathered: Mutex::new(Nearest::new(wanted)), progress: Progress::new(ctx) };
    let options = WalkOptions { show_left_out: true, max_depth, ..WalkOptions::default() };
    let visitors = || Box::new(Lister::new(&shared)) as Box<dyn Visitor>;
    let walked = ctx.files().walk(path, &options, ctx.cancel(), &visitors)?;
    let nearest = shared.gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Listing { all: nearest.all(), rows: nearest.into_rows(), walked })
}

struct Shared<'a> {
    wanted: Wanted,
    gathered: Mutex<Nearest>,
    progress: Progress<'a>,
}

/// What one thread comes by; handed over when it is dropped.
struct Lister<'a> {
    shared: &'a Shared<'a>,
    nearest: Nearest,
}

impl<'a> Lister<'a> {
    fn new(shared: &'a Shared<'a>) -> Self {
        Self { shared, nearest: Nearest::new(shared.wanted) }
    }
}

impl Visitor for Lister<'_> {
    fn visit(&mut self, entry: &dyn WalkEntry) -> Onward {
        self.nearest.offer(entry);
        self.shared.progress.count(self.nearest.all().names(), "names listed");
        Onward::Go
    }
}

impl Drop for Lister<'_> {
    fn drop(&mut self) {
        let own = std::mem::replace(&mut self.nearest, Nearest::new(self.shared.wanted));
        self.shared.gathered.lock().unwrap_or_else(PoisonError::into_inner).merge(own);
    }
}

/// What stands after a name without a space: what kind of thing it is.
pub(super) fn mark(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Folder => "/",
        FileKind::Link => "@",
        FileKind::File | FileKind::Other => "",
    }
}

/// Why a name is closed, in a few words.
pub(super) fn closed(node: &Node) -> Option<&'static str> {
    match node.left_out? {
        LeftOut::GitIgnored => Some("ignored by git"),
        LeftOut::ShutOut => Some("ignored"),
        LeftOut::Secret => Some("may hold secrets"),
        LeftOut::VersionControl => None,
    }
}
