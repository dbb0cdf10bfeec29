//! Which files a search looks into: globs as `rg -g` reads them, and types of files.

use std::path::{Path, PathBuf};

use dogu_tool::{Ctx, ToolError};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use super::query::Query;

/// How many globs a call may carry.
const MAX_GLOBS: usize = 200;
/// How many bytes a glob may have.
const MAX_GLOB_BYTES: usize = 2_000;
/// How many types are named to whoever asked for one that does not exist.
const MAX_NEAR_TYPES: usize = 6;

/// Which files a search looks into.
pub(super) struct Filter {
    globs: Option<Override>,
    types: Option<Types>,
    /// The folder that is searched, as seen from the working folder, where globs begin; none
    /// where it is that folder itself or lies elsewhere.
    prefix: Option<PathBuf>,
}

impl Filter {
    /// The filter of a query, whose folder is `folder`.
    pub(super) fn new(query: &Query, folder: &Path, ctx: &Ctx) -> Result<Self, ToolError> {
        let below = folder.strip_prefix(ctx.scope().workdir()).ok();
        let prefix = below.filter(|below| !below.as_os_str().is_empty()).map(Path::to_path_buf);
        let globs = if query.globs.is_empty() { None } else { Some(globs(&query.globs)?) };
        let types = query.file_type.as_deref().map(types).transpose()?;
        Ok(Self { globs, types, prefix })
    }

    /// Whether a file is searched.
    pub(super) fn takes(&self, path: &Path) -> bool {
        self.globs_take(path, false)
            && self.types.as_ref().is_none_or(|types| !types.matched(path, false).is_ignore())
    }

    /// Whether a folder is entered.
    pub(super) fn enters(&self, path: &Path) -> bool {
        self.globs_take(path, true)
    }

    fn globs_take(&self, path: &Path, is_folder: bool) -> bool {
        let Some(globs) = &self.globs else { return true };
        let here = globs.matched(path, is_folder);
        let Some(prefix) = &self.prefix else { return !here.is_ignore() };
        // A glob with a slash in it begins at the working folder, as ripgrep has it; but whoever
        // names a folder to search often means that folder, so either will do.
        let there = globs.matched(prefix.join(path), is_folder);
        if globs.num_whitelists() > 0 && !is_folder {
            return here.is_whitelist() || there.is_whitelist();
        }
        !here.is_ignore() && !there.is_ignore()
    }
}

fn globs(globs: &[String]) -> Result<Override, ToolError> {
    if globs.len() > MAX_GLOBS {
        return Err(ToolError::invalid(format!("{} globs; {MAX_GLOBS} are the most", globs.len())));
    }
    let mut builder = OverrideBuilder::new(".");
    for glob in globs {
        if glob.len() > MAX_GLOB_BYTES {
            let message = format!("a glob has more than {MAX_GLOB_BYTES} bytes");
            return Err(ToolError::invalid(message).suggest("Use a shorter one."));
        }
        builder.add(glob).map_err(|error| bad_glob(glob, &error))?;
    }
    builder.build().map_err(|error| bad_glob(&globs.join(" "), &error))
}

fn bad_glob(glob: &str, error: &ignore::Error) -> ToolError {
    let text = error.to_string();
    let reason = text.rsplit(": ").next().unwrap_or(&text);
    ToolError::invalid(format!("the glob `{glob}` is not valid: {reason}"))
        .suggest("Globs are such as `*.rs`, `src/**`, `*.{ts,tsx}`, `!target`; put a backslash before [ ] { } * ? that stand for themselves.")
}

fn types(name: &str) -> Result<Types, ToolError> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    // `all` means every type there is to the builder; that is no type of file.
    builder.select(name).build().map_err(|_| unknown_type(name, &builder))
}

fn unknown_type(name: &str, builder: &TypesBuilder) -> ToolError {
    let definitions = builder.definitions();
    let wanted = name.trim_start_matches(['.', '*']).to_lowercase();
    let of_extension = format!("*.{wanted}");
    let mut near: Vec<(usize, &str)> = definitions
        .iter()
        .map(|definition| {
            let own = definition.globs().contains(&of_extension);
            let far = strsim::damerau_levenshtein(&wanted, definition.name());
            (if own { 0 } else { far }, definition.name())
        })
        .filter(|(far, own)| *far <= 1 + wanted.len() / 3 || own.starts_with(&wanted))
        .collect();
    near.sort_unstable();
    let names: Vec<&str> = near.iter().take(MAX_NEAR_TYPES).map(|(_, name)| *name).collect();
    let error = ToolError::invalid(format!("there is no file type `{name}`"));
    if names.is_empty() {
        return error.suggest("Types are such as rust, py, ts, js, go, java, c, cpp, md, json; or use glob, such as `*.ext`.");
    }
    error.suggest(format!("Near ones: {}. Or use glob, such as `*.ext`.", names.join(", ")))
}
