//! `*** Begin Patch` … `*** End Patch`.

use super::cursor::Cursor;
use super::error::{Fault, NO_MARK, PatchError};
use super::path::checked;
use super::wrapper::{closes, here_document_word, is_fence};
use super::{FileChange, FilePatch, Hunk, HunkLine, Mark, Patch};
use crate::patch::unified::numbers;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const END_OF_FILE: &str = "*** End of File";
const MOVE: &str = "*** Move to:";
/// How many headers a hunk can have; each is looked for in the whole file.
const MAX_HEADERS: usize = 10;

/// The text has this form: its first line, but for what is around it.
pub(super) fn is_one(cursor: &Cursor<'_>) -> bool {
    let lines = cursor.rest();
    let is_diff = |at: usize| {
        lines[at].starts_with("diff --git ")
            || lines[at].starts_with("--- ")
                && lines.get(at + 1).is_some_and(|next| next.starts_with("+++ "))
    };
    let begin = lines.iter().position(|line| line.trim() == BEGIN);
    begin.is_some_and(|begin| !(0..begin).any(is_diff))
}

/// Reads all of it.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Patch, PatchError> {
    let is_closed = unwrap(cursor)?;
    let mut files = Vec::new();
    let mut is_complete = is_closed;
    loop {
        let number = cursor.number();
        match cursor.take().map(str::trim) {
            None if is_complete => break,
            None => return Err(Fault::NoEnd.at(number)),
            Some("") => {}
            Some(END) => match after_end(cursor)? {
                After::Nothing => break,
                After::Another => is_complete = is_closed,
            },
            Some(header) => {
                let file = file(cursor, header, number)?;
                is_complete = is_closed || ends_its_file(&file);
                files.push(file);
            }
        }
    }
    let end = cursor.number().saturating_sub(1);
    if files.is_empty() { Err(Fault::Empty.at(end)) } else { Ok(Patch { files }) }
}

/// The last hunk says that it is at the end of its file: nothing can be missing behind it.
fn ends_its_file(file: &FilePatch) -> bool {
    let FileChange::Update { hunks, .. } = &file.change else { return false };
    hunks.last().is_some_and(|hunk| hunk.end_of_file)
}

/// Steps over what stands before the patch and over its first line, and takes away what closes a
/// fence or a here-document around it. Tells whether something did: then all of the patch is there.
fn unwrap(cursor: &mut Cursor<'_>) -> Result<bool, PatchError> {
    let (mut word, mut has_fence) = (None, false);
    loop {
        let number = cursor.number();
        let line = cursor.take().ok_or_else(|| Fault::NoPatch.at(number))?;
        if line.trim() == BEGIN {
            return Ok(cursor.cut_tail(|line| closes(line.trim(), word, has_fence)));
        }
        if line.trim_start().starts_with("cd ") {
            let why = "a patch is applied in the working folder; write its paths from there and leave out `cd`";
            return Err(Fault::NotDone(why).at(number));
        }
        word = here_document_word(line).or(word);
        has_fence |= is_fence(line.trim());
    }
}

enum After {
    Nothing,
    Another,
}

/// What stands behind the end: nothing that could be meant as part of the patch.
fn after_end(cursor: &mut Cursor<'_>) -> Result<After, PatchError> {
    while let Some(line) = cursor.peek() {
        if line.trim() == BEGIN {
            cursor.skip(1);
            return Ok(After::Another);
        }
        if is_header(line.trim()) {
            let why = "it stands behind `*** End Patch`";
            return Err(Fault::unexpected(line, why).at(cursor.number()));
        }
        cursor.skip(1);
    }
    Ok(After::Nothing)
}

const HEADERS: [&str; 3] = ["*** Add File:", "*** Delete File:", "*** Update File:"];

fn is_header(line: &str) -> bool {
    HEADERS.iter().any(|header| line.starts_with(header))
}

fn file(cursor: &mut Cursor<'_>, header: &str, line: usize) -> Result<FilePatch, PatchError> {
    let path_after = |start: &str| header.strip_prefix(start).map(|path| checked(path.trim()));
    let made = |path: String, change| FilePatch { path, change, executable: None, line };
    if let Some(path) = path_after(HEADERS[0]) {
        let path = path.map_err(|fault| fault.at(line))?;
        return Ok(made(path, FileChange::Add { content: added(cursor)? }));
    }
    if let Some(path) = path_after(HEADERS[1]) {
        return Ok(made(path.map_err(|fault| fault.at(line))?, FileChange::Delete));
    }
    if let Some(path) = path_after(HEADERS[2]) {
        let path = path.map_err(|fault| fault.at(line))?;
        let change = update(cursor, &path, line)?;
        return Ok(made(path, change));
    }
    let why = "a file begins with `*** Add File: path`, `*** Update File: path` or `*** Delete File: path`";
    Err(Fault::unexpected(header, why).at(line))
}

/// The content of a new file. An empty line without its `+` is one, if more of the file follows.
fn added(cursor: &mut Cursor<'_>) -> Result<String, PatchError> {
    let mut content = String::new();
    let mut empty = 0;
    while let Some(line) = cursor.peek() {
        if let Some(line) = line.strip_prefix('+') {
            content.push_str(&"\n".repeat(std::mem::take(&mut empty)));
            content.push_str(line);
            content.push('\n');
        } else if line.is_empty() {
            empty += 1;
        } else if line.trim_start().starts_with("*** ") {
            break;
        } else {
            let why = "each line of a new file begins with `+`";
            return Err(Fault::unexpected(line, why).at(cursor.number()));
        }
        cursor.skip(1);
    }
    Ok(content)
}

fn update(cursor: &mut Cursor<'_>, path: &str, line: usize) -> Result<FileChange, PatchError> {
    let mut move_to = None;
    if let Some(target) = cursor.peek().and_then(|line| line.trim().strip_prefix(MOVE)) {
        move_to = Some(checked(target.trim()).map_err(|fault| fault.at(cursor.number()))?);
        cursor.skip(1);
    }
    let mut hunks = Vec::new();
    while let Some(hunk) = hunk(cursor)? {
        hunks.push(hunk);
    }
    if hunks.is_empty() && move_to.is_none() {
        return Err(Fault::EmptyUpdate(path.to_owned()).at(line));
    }
    Ok(FileChange::Update { hunks, move_to })
}

/// The next hunk of an update, if there is one.
fn hunk(cursor: &mut Cursor<'_>) -> Result<Option<Hunk>, PatchError> {
    let mut hunk = Hunk { line: cursor.number(), ..Hunk::default() };
    let mut old_count = None;
    let has_header = cursor.peek().is_some_and(|line| line.starts_with("@@"));
    while let Some(header) = cursor.peek().and_then(|line| line.strip_prefix("@@")) {
        let numbers = numbers(header);
        if let Some(numbers) = &numbers {
            (hunk.start, old_count) = (Some(numbers.start), numbers.count);
            hunk.heading.clone_from(&numbers.heading);
        } else {
            let text = header.trim().trim_end_matches("@@").trim_end();
            hunk.headers.extend((!text.is_empty() && text != "...").then(|| text.to_owned()));
            if hunk.headers.len() > MAX_HEADERS {
                let why = "too many headers follow each other; two or three are enough";
                return Err(Fault::unexpected(header, why).at(cursor.number()));
            }
        }
        cursor.skip(1);
    }
    while let Some(line) = cursor.peek().filter(|line| !line.starts_with("@@")) {
        if line.trim_end() == END_OF_FILE {
            hunk.end_of_file = true;
            cursor.skip(1);
            break;
        }
        let Some(line) = hunk_line(line, cursor)? else { break };
        hunk.lines.push(line);
        cursor.skip(1);
    }
    if hunk.lines.is_empty() && !has_header {
        return Ok(None);
    }
    if hunk.lines.is_empty() {
        let why = "the `@@` header has no lines after it";
        return Err(Fault::unexpected("@@", why).at(hunk.line));
    }
    hunk.settle_start(old_count);
    Ok(Some(hunk))
}

/// A line of a hunk; nothing where the hunk ends.
fn hunk_line(line: &str, cursor: &Cursor<'_>) -> Result<Option<HunkLine>, PatchError> {
    let (mark, text) = match line.as_bytes() {
        // Indented, it is a line of the file, unless nothing follows.
        [b' ', ..] if line.trim() == END && is_last(cursor) => return Ok(None),
        [] => (Mark::Context, ""),
        [b' ', ..] => (Mark::Context, &line[1..]),
        [b'-', ..] => (Mark::Removed, &line[1..]),
        [b'+', ..] => (Mark::Added, &line[1..]),
        _ if line.starts_with("*** ") => return Ok(None),
        _ => return Err(Fault::unexpected(line, NO_MARK).at(cursor.number())),
    };
    Ok(Some(HunkLine { mark, text: text.to_owned(), no_newline: false }))
}

/// Nothing follows.
fn is_last(cursor: &Cursor<'_>) -> bool {
    cursor.rest().iter().skip(1).all(|line| line.trim().is_empty())
}
