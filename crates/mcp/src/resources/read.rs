//! The tools behind `resources/read` and completion. No model is offered them.

use std::fs::OpenOptions;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use dogu_tool::text::floor_boundary;
use dogu_tool::{
    Action, Category, Content, Ctx, Exposure, FileKind, Group, Onward, Output, Scope, Tool,
    ToolError, ToolSpec, TypedTool, Visitor, WalkEntry, WalkOptions, typed,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::mime;

/// The name of the tool that reads.
pub(crate) const READ: &str = "read_resource";
/// The name of the tool that completes.
pub(crate) const COMPLETE: &str = "complete_path";

/// The largest file that is passed on as bytes.
const MOST_BINARY: u64 = 3 * 1024 * 1024;
/// How many names of one folder are looked at.
const MOST_NAMES: usize = 10_000;
/// How many values a completion may have.
pub(crate) const MOST_VALUES: usize = 100;

pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    vec![typed(ReadResource), typed(CompletePath)]
}

fn hidden(mut spec: ToolSpec) -> ToolSpec {
    spec.exposure = Exposure::Hidden;
    spec.in_group(Category::Filesystem, Group::Read).read_only().polling().primary("path")
}

#[derive(Deserialize, JsonSchema)]
struct ReadInput {
    /// The file.
    path: String,
    /// Where to begin, in bytes.
    offset: u64,
    /// How much text at most, in bytes.
    most: usize,
}

/// Reads a file as it is: a page of text, or the bytes of what is none.
struct ReadResource;

impl TypedTool for ReadResource {
    type Input = ReadInput;

    fn spec(&self) -> ToolSpec {
        hidden(ToolSpec::of::<ReadInput>(READ, "Reads a resource.").title("Read a resource"))
    }

    fn actions(&self, input: &ReadInput, scope: &Scope) -> Vec<Action> {
        vec![Action::read(scope.resolve(&input.path))]
    }

    async fn run(&self, input: ReadInput, ctx: &Ctx) -> Result<Output, ToolError> {
        let path = ctx.scope().resolve(&input.path);
        let failed = |error| ToolError::io("read", &path, error);
        let mut file = ctx.files().open(&path)?;
        let size = file.metadata().map_err(failed)?.len();
        file.seek(SeekFrom::Start(input.offset)).map_err(failed)?;
        let mut bytes = Vec::new();
        // One character more, so that a page that is full is told from a file that ends there.
        file.by_ref().take(input.most as u64 + 4).read_to_end(&mut bytes).map_err(failed)?;
        let name = path.to_string_lossy();
        match page(&bytes, input.most) {
            Some(text) => {
                let end = input.offset + text.len() as u64;
                let next = (text.len() < bytes.len()).then_some(end);
                Ok(Output {
                    structured: Some(json!({ "mime": mime::of_name(&name), "next": next })),
                    ..Output::of(vec![Content::text(text)])
                })
            }
            None => binary(&mut file, size, &path),
        }
    }
}

/// A page of a spilled result, and where the next one begins.
pub(super) fn spilled(path: &Path, offset: u64, most: usize) -> Option<(String, Option<u64>)> {
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let mut file = OpenOptions::new().read(true).custom_flags(no_follow).open(path).ok()?;
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut bytes = Vec::new();
    file.take(most as u64 + 4).read_to_end(&mut bytes).ok()?;
    let text = page(&bytes, most)?;
    let next = (text.len() < bytes.len()).then(|| offset + text.len() as u64);
    Some((text, next))
}

/// As much text as fits, up to the end of a line where there is one; none where it is no text.
fn page(bytes: &[u8], most: usize) -> Option<String> {
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // A character that the page cuts in two is still text.
        Err(error) if error.error_len().is_none() && bytes.len() > most => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    if valid.contains('\0') {
        return None;
    }
    if bytes.len() <= most {
        return Some(valid.to_owned());
    }
    let fits = &valid[..floor_boundary(valid, most)];
    let end = fits.rfind('\n').map_or(fits.len(), |at| at + 1);
    Some(fits[..end].to_owned())
}

fn binary(file: &mut std::fs::File, size: u64, path: &Path) -> Result<Output, ToolError> {
    if size > MOST_BINARY {
        return Err(ToolError::failed(format!(
            "The file is not text and has {size} bytes; at most {MOST_BINARY} are passed on."
        )));
    }
    let failed = |error| ToolError::io("read", path, error);
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(MOST_BINARY).read_to_end(&mut bytes).map_err(failed)?;
    let mime = mime::of_binary(&path.to_string_lossy());
    let data = base64::engine::general_purpose::STANDARD.encode(bytes);
    Ok(Output {
        structured: Some(json!({ "mime": mime })),
        ..Output::of(vec![Content::Image { data, mime_type: mime.to_owned() }])
    })
}

#[derive(Deserialize, JsonSchema)]
struct CompleteInput {
    /// The folder, as far as it is written.
    path: String,
    /// How the name begins.
    begins: String,
}

/// Names the entries of a folder that a call could read.
struct CompletePath;

impl TypedTool for CompletePath {
    type Input = CompleteInput;

    fn spec(&self) -> ToolSpec {
        hidden(
            ToolSpec::of::<CompleteInput>(COMPLETE, "Completes a path.").title("Complete a path"),
        )
    }

    fn actions(&self, input: &CompleteInput, scope: &Scope) -> Vec<Action> {
        vec![Action::read_tree(scope.resolve(&input.path))]
    }

    async fn run(&self, input: CompleteInput, ctx: &Ctx) -> Result<Output, ToolError> {
        let folder = ctx.scope().resolve(&input.path);
        let found = Mutex::new(Vec::new());
        let options = WalkOptions {
            hidden: input.begins.starts_with('.'),
            max_depth: Some(1),
            threads: std::num::NonZeroUsize::new(1),
            ..WalkOptions::default()
        };
        let names = || -> Box<dyn Visitor + '_> {
            Box::new(Names { found: &found, begins: &input.begins })
        };
        ctx.files().walk(&folder, &options, ctx.cancel(), &names)?;
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort();
        let total = found.len();
        found.truncate(MOST_VALUES);
        Ok(json!({ "names": found, "total": total }).into())
    }
}

struct Names<'a> {
    found: &'a Mutex<Vec<String>>,
    begins: &'a str,
}

impl Visitor for Names<'_> {
    fn visit(&mut self, entry: &dyn WalkEntry) -> Onward {
        let Some(name) = entry.path().to_str().filter(|name| name.starts_with(self.begins)) else {
            return Onward::Skip;
        };
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.len() >= MOST_NAMES {
            return Onward::Stop;
        }
        let slash = if entry.kind() == FileKind::Folder { "/" } else { "" };
        found.push(format!("{name}{slash}"));
        Onward::Skip
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_page_ends_with_a_line_and_never_inside_a_character() {
        assert_eq!(page(b"a\nb\n", 10).unwrap(), "a\nb\n");
        assert_eq!(page(b"aaaa\nbbbb\n", 7).unwrap(), "aaaa\n");
        assert_eq!(page("한한한한".as_bytes(), 7).unwrap(), "한한");
        assert_eq!(page(b"a\0b", 10), None);
        assert_eq!(page(b"\xff\xfe", 10), None);
    }

    proptest! {
        #[test]
        fn pages_make_up_the_text(text in "(.|\n){0,300}", most in 4_usize..40) {
            prop_assume!(!text.contains('\0'));
            let (mut at, mut whole) = (0, String::new());
            while at < text.len() {
                let bytes = &text.as_bytes()[at..(at + most + 4).min(text.len())];
                let page = page(bytes, most).unwrap();
                prop_assert!(!page.is_empty());
                at += page.len();
                whole.push_str(&page);
            }
            prop_assert_eq!(whole, text);
        }
    }
}
