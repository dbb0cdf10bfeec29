//! What is said beside the entries: how much there is, how to read on, and what was left out.

use super::engine::Found;
use super::input::OutputMode;
use super::line::MAX_LINE_CHARS;
use super::page::Page;
use super::query::Query;
use crate::notes::number;

/// The lines after a page.
pub(crate) fn summary(query: &Query, found: &Found, page: &Page) -> String {
    let mut notes = vec![counts(query, found)];
    notes.extend(place(query, found, page));
    if page.cut > 0 {
        notes.push(format!(
            "({} cut to {MAX_LINE_CHARS} characters, marked with …)",
            number(page.cut, "long line", "long lines")
        ));
    }
    if page.replaced > 0 {
        notes.push("(bytes that are not UTF-8 are shown as \u{fffd})".to_owned());
    }
    notes.extend(left_out(found));
    notes.join("\n") + "\n"
}

/// What is said where nothing matches.
pub(crate) fn nothing(query: &Query, found: &Found) -> String {
    let searched = number(found.totals.searched, "file", "files");
    let mut notes = vec![format!(
        "No matches for {:?} in {} ({searched} searched).",
        query.pattern, query.path
    )];
    let filtered = !query.globs.is_empty() || query.file_type.is_some();
    if found.totals.searched == 0 && filtered {
        notes.push("(no file passed glob and type; a glob with `/` in it begins at the working folder or at path)".to_owned());
    }
    notes.extend(left_out(found));
    if found.walked.git_ignored > 0 {
        notes.push(format!(
            "({} that git ignores left out; include_ignored: true searches them)",
            number(found.walked.git_ignored, "name", "names")
        ));
    }
    notes.join("\n") + "\n"
}

fn counts(query: &Query, found: &Found) -> String {
    let totals = &found.totals;
    let searched = number(totals.searched, "file", "files");
    let files = number(totals.files, "file", "files");
    match query.mode {
        OutputMode::FilesWithMatches => {
            let verb = if totals.files == 1 { "matches" } else { "match" };
            format!("({files} of {} searched {verb})", totals.searched)
        }
        _ if query.multi_line => {
            let matches = number(totals.matches, "match", "matches");
            format!("({matches} in {files}; {searched} searched)")
        }
        _ => {
            let matches = number(totals.matches, "matching line", "matching lines");
            format!("({matches} in {files}; {searched} searched)")
        }
    }
}

/// Which part of all entries the page is, and how to go on.
fn place(query: &Query, found: &Found, page: &Page) -> Option<String> {
    let (total, first) = (found.totals.entries, query.offset);
    let next = first + page.shown;
    let (one, many) =
        if query.mode == OutputMode::Content { ("line", "lines") } else { ("file", "files") };
    if first >= total {
        return Some(format!(
            "(offset {first} is past the end: {} in all)",
            number(total, one, many)
        ));
    }
    if page.shown == 0 {
        return Some(format!(
            "(offset {first} is further than can be paged; narrow the search with path, glob or type)"
        ));
    }
    if first == 0 && next >= total {
        return None;
    }
    let shown = format!("{many} {}-{next} of {total} shown", first + 1);
    Some(if next >= total {
        format!("({shown})")
    } else if query.pages {
        format!("({shown}; the same call with \"offset\": {next} goes on)")
    } else {
        format!("({shown}; narrow the search, or use grep, which can go on from an offset)")
    })
}

/// What was not searched, and why.
fn left_out(found: &Found) -> Vec<String> {
    let (totals, walked) = (&found.totals, &found.walked);
    let mut notes = Vec::new();
    let mut named = |names: &crate::names::Names, what: &str| {
        if names.count() > 0 {
            notes.push(format!("({what}: {})", names.text()));
        }
    };
    named(&totals.binary, "binary, not searched");
    named(&totals.binary_later, "binary from some place on, and not shown from there");
    named(&totals.too_large, "larger than max_file_size, not searched");
    named(
        &totals.long_lines,
        "not searched to the end, because too much of it would have to be in memory at once",
    );
    named(&totals.unreadable, "could not be read");
    if walked.unreadable > 0 {
        let examples = walked.first_unreadable.join(", ");
        notes.push(format!("(could not be read: {} in the tree: {examples})", walked.unreadable));
    }
    if walked.secret > 0 {
        notes.push(format!(
            "({} that may hold secrets not searched; a call that names one asks)",
            number(walked.secret, "file or folder", "files or folders")
        ));
    }
    if walked.shut_out > 0 {
        notes.push(format!(
            "({} not searched, because an ignore file shuts agents out)",
            number(walked.shut_out, "file or folder", "files or folders")
        ));
    }
    notes
}
