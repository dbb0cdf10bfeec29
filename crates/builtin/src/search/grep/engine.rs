//! A search from its query to all that was found.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use dogu_tool::{Ctx, FileKind, ToolError, WalkOptions, Walked};

use super::filter::Filter;
use super::kept::{FileHits, Kept};
use super::pattern;
use super::query::Query;
use super::totals::Totals;
use super::visitor::{Finder, Shared};
use crate::progress::Progress;

/// What a search found.
pub(crate) struct Found {
    /// The files of the first entries, by path, and what was found in them.
    pub(super) files: Vec<(Box<[u8]>, FileHits)>,
    pub(crate) totals: Totals,
    pub(super) walked: Walked,
    /// How the folder that was searched is shown, with a slash; or the file.
    pub(super) prefix: String,
}

/// Searches.
pub(crate) fn search(query: &Query, ctx: &Ctx) -> Result<Found, ToolError> {
    let matcher = pattern::compile(query)?;
    let path = ctx.scope().resolve(&query.path);
    let filter = Filter::new(query, &path, ctx)?;
    let kind = kind(&path, query, ctx)?;
    let prefix = prefix(&path, kind, ctx);
    let shared = Shared {
        query,
        ctx,
        matcher: &matcher,
        filter: &filter,
        prefix: &prefix,
        big: Mutex::new(()),
        gathered: Mutex::new((Kept::new(query.needed()), Totals::default())),
        progress: Progress::new(ctx),
    };
    let walked = match kind {
        FileKind::File => search_named(&path, &shared),
        _ => walk(&path, &shared),
    }?;
    ctx.cancel().check()?;
    let (kept, totals) = shared.gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Found { files: kept.into_files(), totals, walked, prefix })
}

fn walk(folder: &Path, shared: &Shared<'_>) -> Result<Walked, ToolError> {
    let options = WalkOptions {
        git_ignores: !shared.query.include_ignored,
        hidden: shared.query.hidden,
        ..WalkOptions::default()
    };
    shared
        .ctx
        .files()
        .walk(folder, &options, shared.ctx.cancel(), &|| Box::new(Finder::new(shared, false)))
}

fn search_named(path: &Path, shared: &Shared<'_>) -> Result<Walked, ToolError> {
    let file = shared.ctx.files().open(path)?;
    let size = file.metadata().map_or(0, |facts| facts.len());
    Finder::new(shared, true).search(&file, size, Path::new(""));
    Ok(Walked::default())
}

fn kind(path: &Path, query: &Query, ctx: &Ctx) -> Result<FileKind, ToolError> {
    let shown = &query.path;
    match ctx.files().facts(path)?.map(|facts| facts.kind) {
        Some(kind @ (FileKind::Folder | FileKind::File)) => Ok(kind),
        Some(_) => Err(ToolError::failed(format!("{shown} is neither a file nor a folder"))
            .suggest("Search the folder that it is in: what is not a file is left out.")),
        None => Err(ToolError::failed(format!("there is no {shown}"))
            .suggest("list_files shows what is there; `.` is the working folder.")),
    }
}

fn prefix(path: &Path, kind: FileKind, ctx: &Ctx) -> String {
    let shown = crate::names::shown("", ctx.scope().display(path).as_bytes());
    match (kind, shown.as_str()) {
        (FileKind::File, _) => shown,
        (_, "." | "") => String::new(),
        (_, folder) => format!("{}/", folder.trim_end_matches('/')),
    }
}
