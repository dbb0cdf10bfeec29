//! Replacing text in a file, whatever shape it was asked in.

use dogu_edit::{Applied, Count, Edit, Level, Outcome, Refusal, Repair, apply};
use dogu_tool::{ReadFiles, Scope, ToolError};
use serde_json::{Value, json};

use super::opened::{open, refuse_redacted};
use super::plan::{Changed, Plan};

/// One replacement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replacement<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    pub(super) count: Count,
}

/// The plan of replacements in one file, each in what the one before it made.
pub(super) fn replaced(
    shown: &str,
    replacements: &[Replacement<'_>],
    scope: &Scope,
    files: &dyn ReadFiles,
) -> Result<Plan, ToolError> {
    for replacement in replacements {
        refuse_redacted(replacement.new)?;
    }
    let path = scope.resolve(shown);
    let opened = open(&path, shown, files)?;
    let (mut text, mut notes, mut done) = (opened.text.clone(), Vec::new(), Vec::new());
    for (at, replacement) in replacements.iter().enumerate() {
        let which = if replacements.len() > 1 {
            format!("edit {} of {}: ", at + 1, replacements.len())
        } else {
            String::new()
        };
        let edit = Edit {
            old: replacement.old,
            new: replacement.new,
            count: replacement.count,
            line: None,
        };
        match apply(&text, &edit) {
            Ok(Outcome::Applied(applied)) => {
                notes.extend(note(&applied).map(|note| format!("{which}{note}")));
                done.push(facts(&applied, &text));
                text = applied.text;
            }
            Ok(Outcome::AlreadyApplied { line }) => {
                notes.push(format!("{which}line {line} of {shown} has the new text already"));
            }
            Err(refusal) => return Err(refused(&refusal, &which, shown, replacements.len())),
        }
    }
    if done.is_empty() {
        return Ok(Plan { notes, ..Plan::default() });
    }
    let places: u64 = done.iter().filter_map(|one| one["replacements"].as_u64()).sum();
    let mut file = Changed::edited(path, shown, &opened, text)?;
    file.detail = if places == 1 { String::new() } else { format!(" in {places} places") };
    file.notes = notes;
    file.facts["edits"] = json!(done);
    Ok(Plan::of(file))
}

/// What programs are told of a replacement in a text.
fn facts(applied: &Applied, text: &str) -> Value {
    let (from, to) = match applied.spans.as_slice() {
        [] => (0, 0),
        [first, .., last] => (first.start, last.end),
        [only] => (only.start, only.end),
    };
    json!({
        "level": applied.level.name(),
        "repair": applied.repair.name(),
        "replacements": applied.spans.len(),
        "line": text[..from].matches('\n').count() + 1,
        "span": [from, to],
    })
}

fn refused(refusal: &Refusal, which: &str, shown: &str, count: usize) -> ToolError {
    let none = if count > 1 { "; none of the edits was made" } else { "; nothing was changed" };
    ToolError::failed(format!("{which}{refusal}\n({shown}{none})"))
}

/// How a place was found that is not exactly what was sent.
fn note(applied: &Applied) -> Option<String> {
    let found = how_found(applied.repair, applied.level);
    let hint = applied.by_line_hint.then(|| "of several places the line decided".to_owned());
    found.into_iter().chain(hint).reduce(|one, other| format!("{one}; {other}"))
}

/// The same of a repair and a level.
pub(super) fn how_found(repair: Repair, level: Level) -> Option<String> {
    let repaired = match repair {
        Repair::None => None,
        Repair::Fence => Some("what stood around the texts was taken off"),
        Repair::LineNumbers => Some("prefixes of lines were taken off"),
        Repair::Entities => Some("entities were read as characters"),
        Repair::Escapes => Some("escapes were read as characters"),
    };
    let parts: Vec<&str> = repaired.into_iter().chain(level_note(level)).collect();
    (!parts.is_empty()).then(|| format!("not exactly as sent: {}", parts.join("; ")))
}

fn level_note(level: Level) -> Option<&'static str> {
    Some(match level {
        Level::Exact | Level::Crlf => return None,
        Level::Trimmed => "white space around the text differed",
        Level::LineSpace => "white space at the ends of lines differed",
        Level::Unicode => "quotes, dashes or spaces were written in another way",
        Level::Indent => "the indentation differed, the file's was kept",
        Level::Squashed => "white space within lines differed",
        Level::BlankLines => "blank lines differed, the file's were kept",
        Level::Comments => "comments differed, the file's were kept",
        Level::Elision => "`...` stood for lines that were kept",
        Level::FuzzyLines => "a few characters differed, see the diff",
        Level::Tokens => "line breaks or signs differed, see the diff",
    })
}
