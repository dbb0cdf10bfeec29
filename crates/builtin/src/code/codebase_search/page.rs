//! What a search says: the pieces, and how much else there is.

use dogu_code::index::Catalog;
use dogu_code::pieces::{Kind, Unsuitable};
use dogu_code::words::{MAX_CONCEPTS, Question};
use dogu_tool::text::floor_boundary;
use dogu_tool::{Ctx, Output};
use serde::Serialize;

use super::Wanted;
use super::answer::Piece;
use super::area::Area;
use super::refresh::Refreshed;
use crate::names;
use crate::notes::number;

/// How many lines of a piece are shown.
const MAX_LINES: usize = 80;
/// How much of a line is shown, in bytes.
const MAX_LINE_BYTES: usize = 400;
/// How much text all pieces of a page have, in bytes; what comes later is only named.
const MAX_TEXT_BYTES: usize = 48 * 1024;
/// How much of a query is repeated, in bytes.
const MAX_QUERY_BYTES: usize = 200;

/// How much there is, and what is not in the index.
pub(super) struct Counts {
    files: usize,
    pub(super) pieces: usize,
    pub(super) matched: usize,
    /// Pieces of files that changed faster than they could be read.
    pub(super) unsteady: usize,
    /// The order is also that of the vectors.
    pub(super) by_meaning: bool,
    /// What the reader must know about the vectors.
    pub(super) note_on_meaning: Option<String>,
    /// Files by the reasons in [`Unsuitable::ALL`].
    unsuitable: [usize; 3],
    /// Files that were read because they may have changed.
    read: u64,
    beyond: u64,
    unreadable: u64,
    secret: u64,
    shut_out: u64,
}

impl Counts {
    pub(super) fn new(catalog: &Catalog, area: &Area, refreshed: &Refreshed) -> Self {
        let mut counts = Self {
            files: 0,
            pieces: 0,
            matched: 0,
            unsteady: 0,
            by_meaning: false,
            note_on_meaning: None,
            unsuitable: [0; 3],
            read: refreshed.read,
            beyond: refreshed.beyond,
            unreadable: refreshed.unreadable + refreshed.walked.unreadable,
            secret: refreshed.walked.secret,
            shut_out: refreshed.walked.shut_out,
        };
        for entry in
            catalog.paths().filter(|path| area.holds(path)).filter_map(|path| catalog.entry(path))
        {
            match entry.unsuitable() {
                None => counts.files += 1,
                Some(why) => {
                    let reason = Unsuitable::ALL.iter().position(|one| *one == why);
                    counts.unsuitable[reason.unwrap_or(0)] += 1;
                }
            }
        }
        counts
    }

    fn notes(&self) -> Vec<String> {
        let [too_large, binary, generated] = self.unsuitable.map(|count| count as u64);
        let left_out = [
            (too_large, "file", "files", "larger than a megabyte not searched"),
            (binary, "file", "files", "not in UTF-8 not searched"),
            (generated, "file", "files", "made by programs (minified, lock files) not searched"),
            (
                self.beyond,
                "file",
                "files",
                "not searched, because one index does not take so many; name a part with `path`",
            ),
            (self.unreadable, "file or folder", "files or folders", "could not be read"),
            (
                self.secret,
                "file or folder",
                "files or folders",
                "that may hold secrets not searched",
            ),
            (
                self.shut_out,
                "file or folder",
                "files or folders",
                "not searched, because an ignore file shuts agents out",
            ),
            (
                self.unsteady as u64,
                "piece",
                "pieces",
                "left out, because their files changed while they were read",
            ),
        ];
        let some = left_out.into_iter().filter(|(count, ..)| *count > 0);
        let notes =
            some.map(|(count, one, many, what)| format!("({} {what})", number(count, one, many)));
        notes.chain(self.note_on_meaning.clone()).collect()
    }
}

/// The same for programs.
#[derive(Serialize)]
struct Found<'a> {
    path: &'a str,
    first_line: u32,
    last_line: u32,
    score: f32,
    kind: &'static str,
    symbol: &'a str,
    text: &'a str,
}

/// The page.
pub(super) fn page(
    pieces: &[Piece],
    counts: &Counts,
    wanted: &Wanted<'_>,
    question: &Question,
    area: &Area,
    ctx: &Ctx,
) -> Output {
    let query = &wanted.query[..floor_boundary(wanted.query, MAX_QUERY_BYTES)];
    let dots = if query.len() < wanted.query.len() { "…" } else { "" };
    let searched = format!(
        "{} of {}",
        number(counts.pieces as u64, "piece", "pieces"),
        number(counts.files as u64, "file", "files")
    );
    let mut text = if pieces.is_empty() {
        format!(
            "Nothing fits \"{query}{dots}\" in {} ({searched} searched).\nTry other words for it, or grep for exact text.\n",
            wanted.path
        )
    } else if counts.by_meaning {
        format!(
            "{} nearest to \"{query}{dots}\" by words and vectors, best first ({searched} searched)\n",
            number(pieces.len() as u64, "piece", "pieces"),
        )
    } else {
        format!(
            "{} of {} with words of \"{query}{dots}\", best first ({searched} searched)\n",
            pieces.len(),
            number(counts.matched as u64, "piece", "pieces")
        )
    };
    let names: Vec<String> = pieces.iter().map(|piece| name(&piece.key, area, ctx)).collect();
    let mut left = MAX_TEXT_BYTES;
    for (at, (piece, path)) in pieces.iter().zip(&names).enumerate() {
        text.push_str(&format!("\n{}. {}\n", at + 1, heading(piece, path)));
        chunk(piece, path, &mut left, &mut text);
    }
    let mut notes = asked_notes(question);
    notes.extend(counts.notes());
    if !notes.is_empty() {
        text.push_str(&format!("\n{}\n", notes.join("\n")));
    }
    let found = pieces.iter().zip(&names).map(|(piece, path)| Found {
        path,
        first_line: piece.first_line,
        last_line: piece.last_line,
        score: piece.score,
        kind: piece.kind.word(),
        symbol: &piece.symbol,
        text: &piece.text,
    });
    let found: Vec<_> = found.collect();
    let structured = serde_json::json!({
        "results": found,
        "matched": counts.matched,
        "pieces": counts.pieces,
        "files": counts.files,
        "files_read": counts.read,
    });
    Output::with_structured(text, structured)
}

fn asked_notes(question: &Question) -> Vec<String> {
    let mut notes = Vec::new();
    if question.only_stop_words {
        notes.push(
            "(the query has only words that nearly every text has; say what the code does)"
                .to_owned(),
        );
    }
    if question.cut {
        notes.push(format!(
            "(the query is long: its first {MAX_CONCEPTS} different words were searched for)"
        ));
    }
    notes
}

fn name(key: &[u8], area: &Area, ctx: &Ctx) -> String {
    let path = ctx.scope().display(&area.path(key));
    // The text of a path that is no UTF-8 is not its name any more.
    if std::str::from_utf8(key).is_ok() {
        names::shown("", path.as_bytes())
    } else {
        names::shown("", key)
    }
}

fn heading(piece: &Piece, path: &str) -> String {
    let mut text = format!("{path}:{}-{}", piece.first_line, piece.last_line);
    if piece.kind != Kind::Lines {
        text.push_str(&format!(" {}", piece.kind.word()));
    }
    if !piece.symbol.is_empty() {
        text.push_str(&format!(" {}", piece.symbol));
    }
    text + &format!(" (score {:.2})", piece.score)
}

/// Adds the lines of a piece, with their numbers, as far as there is room.
fn chunk(piece: &Piece, path: &str, left: &mut usize, text: &mut String) {
    let lines: Vec<&str> = piece.text.lines().collect();
    let mut shown = 0;
    for (line, number) in lines.iter().zip(piece.first_line..).take(MAX_LINES) {
        let end = floor_boundary(line, MAX_LINE_BYTES);
        let dots = if end < line.len() { "…" } else { "" };
        let row = format!("{number:6}\t{}{dots}\n", &line[..end]);
        if row.len() > *left {
            *left = 0;
            break;
        }
        *left -= row.len();
        text.push_str(&row);
        shown += 1;
    }
    if shown < lines.len() {
        let next = piece.first_line as usize + shown;
        let rest = number((lines.len() - shown) as u64, "more line", "more lines");
        text.push_str(&format!(
            "({rest}; read_file with \"path\": {path:?}, \"start_line\": {next}, \"end_line\": {})\n",
            piece.last_line
        ));
    }
}
