//! Unified diffs, as `git diff` and `diff -u` print them and as models write them.

mod body;
mod head;
mod section;

pub(super) use head::numbers;

use super::Patch;
use super::cursor::Cursor;
use super::error::{Fault, PatchError};
use section::Section;

/// Reads the changes of all files; text before, between and behind them is passed over.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Patch, PatchError> {
    let mut files = Vec::new();
    // Behind a file's hunks, a line with a mark belongs to none, and would be lost.
    let mut is_behind = false;
    while let Some(line) = cursor.peek() {
        let number = cursor.number();
        if line.starts_with("diff --cc ") || line.starts_with("diff --combined ") {
            let why =
                "a combined diff of a merge cannot be applied; send a diff against one parent";
            return Err(Fault::NotDone(why).at(number));
        }
        if is_binary(line) {
            return Err(binary().at(number));
        }
        if line.starts_with("diff --git ") || section::at_names(cursor) {
            files.push(Section::read(cursor)?.file(number)?);
            is_behind = true;
        } else if line.starts_with("@@") {
            let why = "no file is named before it; `--- a/path` and `+++ b/path` come first";
            return Err(Fault::unexpected(line, why).at(number));
        } else if is_behind && line.starts_with(['+', '-']) && !body::is_signature(cursor, 0) {
            let why = "it is in no hunk; the line before it has no mark, or a `@@` is missing";
            return Err(Fault::unexpected(line, why).at(number));
        } else {
            is_behind &= !line.starts_with("From ") && !line.starts_with("commit ");
            cursor.skip(1);
        }
    }
    if files.is_empty() { Err(Fault::NoPatch.at(1)) } else { Ok(Patch { files }) }
}

fn is_binary(line: &str) -> bool {
    line == "GIT binary patch" || line.starts_with("Binary files ") && line.ends_with(" differ")
}

fn binary() -> Fault {
    Fault::NotDone("a binary file cannot be patched as text; write the file instead")
}
