//! What the model reads: the paths, how many there are in all, and what was left out.

use dogu_tool::FileKind;

use super::finder::{Found, Totals};
use super::input::{MAX_REACH, Query};
use super::newest::Hit;
use crate::names;
use crate::notes::{number, unreadable};

/// How many bytes of paths one answer has at the most.
const MAX_TEXT_BYTES: usize = 80_000;

/// The answer to a query.
pub(super) fn text(query: &Query, found: &Found) -> String {
    if found.totals.matched == 0 {
        return nothing(query, found);
    }
    let page: Vec<String> = found
        .hits
        .iter()
        .skip(query.offset)
        .take(query.limit)
        .map(|hit| line(&found.prefix, hit))
        .scan(0, |bytes, line| {
            *bytes += line.len();
            (*bytes <= MAX_TEXT_BYTES).then_some(line)
        })
        .collect();
    let mut notes = vec![place(query, found, page.len())];
    notes.extend(left_out(query, found));
    page.concat() + &notes.join("\n") + "\n"
}

fn line(prefix: &str, hit: &Hit) -> String {
    let end = match hit.kind {
        FileKind::Folder => "/",
        FileKind::Link => "@",
        _ => "",
    };
    format!("{}{end}\n", names::shown(prefix, &hit.path))
}

/// Which part of all matches is shown, and how to go on.
fn place(query: &Query, found: &Found, shown: usize) -> String {
    let total = found.totals.matched;
    let (one, many) = words(query);
    let all = number(total, one, many);
    let (first, next) = (query.offset, query.offset + shown);
    if first as u64 >= total {
        return format!("(offset {first} is past the end: {all} in all)");
    }
    if shown == 0 {
        return format!(
            "(offset {first} is further than the {MAX_REACH} newest; narrow it with path or a longer pattern)"
        );
    }
    if first == 0 && next as u64 >= total {
        return format!("({all}, newest first)");
    }
    let part = format!("{many} {}-{next} of {total}, newest first", first + 1);
    if next as u64 >= total {
        format!("({part})")
    } else if query.pages {
        format!("({part}; the same call with \"offset\": {next} goes on)")
    } else {
        format!("({part}; narrow the pattern, or use glob, which can go on from an offset)")
    }
}

fn words(query: &Query) -> (&'static str, &'static str) {
    if query.pattern.ends_with('/') { ("folder", "folders") } else { ("file", "files") }
}

/// What is said where nothing matches.
fn nothing(query: &Query, found: &Found) -> String {
    let (_, many) = words(query);
    let seen = number(found.totals.seen, "name", "names");
    let (pattern, path) = (&query.pattern, &query.path);
    let mut notes = vec![format!("No {many} match {pattern:?} in {path} ({seen} looked at).")];
    if found.totals.folders > 0 {
        notes.push(format!(
            "({} of that name: {:?} finds what is in it, {:?} the folder itself)",
            number(found.totals.folders, "folder is", "folders are"),
            format!("{}{pattern}/**", if pattern.contains('/') { "" } else { "**/" }),
            format!("{pattern}/")
        ));
    } else if pattern.trim_end_matches('/').contains('/') && !pattern.contains("**") {
        notes.push(format!(
            "(with / in it a pattern begins at path; {:?} finds it at any depth)",
            format!("**/{}", pattern.trim_start_matches("./").trim_start_matches('/'))
        ));
    }
    notes.extend(left_out(query, found));
    notes.join("\n") + "\n"
}

/// What was not looked at, or not shown, and why.
fn left_out(query: &Query, found: &Found) -> Vec<String> {
    let mut notes: Vec<String> = ignored(query, &found.totals).into_iter().collect();
    let Totals { secret, shut_out, closed_folders, .. } = found.totals;
    if secret > 0 {
        notes.push(format!(
            "({} that may hold secrets left out; a call that names one asks)",
            number(secret, "match", "matches")
        ));
    }
    if shut_out > 0 {
        notes.push(format!(
            "({} left out, because an ignore file shuts agents out)",
            number(shut_out, "match", "matches")
        ));
    }
    if closed_folders > 0 {
        notes.push(format!(
            "({} not entered, because of secrets or because an ignore file shuts agents out)",
            number(closed_folders, "folder", "folders")
        ));
    }
    notes.extend(unreadable(&found.walked));
    notes
}

fn ignored(query: &Query, totals: &Totals) -> Option<String> {
    let Totals { ignored, ignored_folders, .. } = *totals;
    let matches =
        (ignored > 0).then(|| format!("{} left out", number(ignored, "match", "matches")));
    let folders = (ignored_folders > 0)
        .then(|| format!("{} not entered", number(ignored_folders, "folder", "folders")));
    let parts: Vec<String> = matches.into_iter().chain(folders).collect();
    if parts.is_empty() {
        return None;
    }
    let how = if query.pages { "; \"include_ignored\": true finds them" } else { "" };
    Some(format!("(ignored by git: {}{how})", parts.join(", ")))
}
