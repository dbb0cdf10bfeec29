//! From a path to the outlines of all files below it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dogu_code::map::{Content, Outline, StoredFile};
use dogu_tool::{Ctx, FileKind, ToolError, WalkOptions, Walked};

use super::kept::Known;
use super::totals::Totals;
use super::visitor::{Found, Mapper, Shared};

/// All that is known of what is mapped.
pub(super) struct Gathered {
    /// Outlines by the path that a call names the file by, sorted.
    pub(super) code: Vec<(String, Arc<Outline>)>,
    pub(super) totals: Totals,
    pub(super) walked: Walked,
}

/// Walks and parses what is not known yet, or not any more.
pub(super) fn gather(path: &str, ctx: &Ctx) -> Result<Gathered, ToolError> {
    // Without `.` and doubled slashes, so that a file has one name in the cache.
    let start: PathBuf = ctx.scope().resolve(path).components().collect();
    check_kind(path, &start, ctx)?;
    let known = Known::load(ctx);
    let shared = Shared::new(ctx, &known, &start);
    let walked = ctx
        .files()
        .walk(&start, &WalkOptions::default(), ctx.cancel(), &|| Box::new(Mapper::new(&shared)));
    let Found { files, totals } = shared.into_found();
    let code = code(&files, ctx);
    // What was parsed until a call was canceled is not parsed again, and nothing is forgotten.
    let whole = walked.as_ref().is_ok_and(|walked| !walked.stopped);
    // Odd names stand in quotes.
    let is_walked = |path: &str| whole && Path::new(path.trim_matches('"')).starts_with(&start);
    known.save(files, is_walked, ctx);
    ctx.cancel().check()?;
    Ok(Gathered { code, totals, walked: walked? })
}

fn check_kind(path: &str, start: &Path, ctx: &Ctx) -> Result<(), ToolError> {
    match ctx.files().facts(start)?.map(|facts| facts.kind) {
        Some(FileKind::Folder | FileKind::File) => Ok(()),
        Some(_) => Err(ToolError::failed(format!("{path} is neither a file nor a folder"))
            .suggest("Map the folder that it is in: what is not a file is left out.")),
        None => Err(ToolError::failed(format!("there is no {path}"))
            .suggest("list_files shows what is there; `.` is the working folder.")),
    }
}

fn code(files: &[StoredFile], ctx: &Ctx) -> Vec<(String, Arc<Outline>)> {
    let outlines = files.iter().filter_map(|file| match &file.content {
        Content::Code(outline) => {
            Some((ctx.scope().display(Path::new(&file.path)), Arc::clone(outline)))
        }
        _ => None,
    });
    let mut code: Vec<_> = outlines.collect();
    code.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    code
}
