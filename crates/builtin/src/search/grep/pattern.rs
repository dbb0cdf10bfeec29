//! The pattern, compiled within bounds, or an error that points at the place.

use dogu_tool::ToolError;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ast::{self, Span};
use regex_syntax::{ParserBuilder, hir};

use super::query::{Case, Query};

/// How many bytes a pattern may have.
const MAX_PATTERN_BYTES: usize = 32 * 1024;
/// How many bytes a compiled pattern may take.
const MAX_COMPILED_BYTES: usize = 10 * 1024 * 1024;
/// How many bytes each thread may use to remember states of the pattern.
const MAX_STATES_BYTES: usize = 10 * 1024 * 1024;
/// How deeply groups may nest.
const MAX_NESTING: u32 = 200;
/// How many characters of a pattern are shown on each side of what is wrong.
const SHOWN_AROUND: usize = 60;

const AS_TEXT: &str = "To search for the text as it is, set fixed_strings to true, or put a backslash before ( ) [ ] { } . * + ? ^ $ | \\.";

/// Compiles the pattern of a query.
pub(super) fn compile(query: &Query) -> Result<RegexMatcher, ToolError> {
    let pattern = &query.pattern;
    if pattern.is_empty() {
        return Err(ToolError::invalid("the pattern is empty")
            .suggest("Send what to search for; `^` matches every line."));
    }
    if pattern.len() > MAX_PATTERN_BYTES {
        let message = format!(
            "the pattern has {} bytes; {MAX_PATTERN_BYTES} are the most that a search takes",
            pattern.len()
        );
        return Err(ToolError::invalid(message).suggest("Search for a shorter part of it."));
    }
    builder(query).build(pattern).map_err(|error| explain(query, &error))
}

fn builder(query: &Query) -> RegexMatcherBuilder {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .case_smart(query.case == Case::Smart)
        .case_insensitive(query.case == Case::Insensitive)
        .word(query.word)
        .fixed_strings(query.fixed_strings)
        .nest_limit(MAX_NESTING)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_STATES_BYTES);
    if query.multi_line {
        builder.dot_matches_new_line(true);
    } else {
        builder.line_terminator(Some(b'\n'));
    }
    builder
}

fn explain(query: &Query, error: &grep_regex::Error) -> ToolError {
    if let ErrorKind::NotAllowed(_) = error.kind() {
        return ToolError::invalid(
            "the pattern contains a line break, and lines are searched one by one",
        )
        .suggest("Set multiline to true to search across lines.");
    }
    if query.fixed_strings {
        return too_large();
    }
    match parse(&query.pattern) {
        Err(regex_syntax::Error::Parse(error)) => {
            let advice = advice(error.kind());
            refusal(&query.pattern, error.span(), &error.kind().to_string(), advice)
        }
        Err(regex_syntax::Error::Translate(error)) => {
            let advice = match error.kind() {
                hir::ErrorKind::UnicodePropertyNotFound
                | hir::ErrorKind::UnicodePropertyValueNotFound => {
                    "Names are such as \\p{Lu}, \\p{Greek}, \\p{Alphabetic}."
                }
                _ => AS_TEXT,
            };
            refusal(&query.pattern, error.span(), &error.kind().to_string(), advice)
        }
        _ => too_large(),
    }
}

#[expect(clippy::result_large_err, reason = "made once for a call")]
fn parse(pattern: &str) -> Result<hir::Hir, regex_syntax::Error> {
    let mut parser =
        ParserBuilder::new().multi_line(true).utf8(false).nest_limit(MAX_NESTING).build();
    parser.parse(pattern)
}

fn too_large() -> ToolError {
    ToolError::invalid("the pattern is too large once it is compiled")
        .suggest("Use smaller counts in {n,m}, or fewer alternatives, or search in several calls.")
}

fn advice(kind: &ast::ErrorKind) -> &'static str {
    match kind {
        ast::ErrorKind::UnsupportedLookAround => {
            "Look-around ((?=…), (?!…), (?<=…), (?<!…)) is not supported. Search without it and sift the lines that come back; word: true stands for \\b on both sides, and invert: true shows lines that do not match."
        }
        ast::ErrorKind::UnsupportedBackreference => {
            "Back-references (\\1) are not supported. Search for the part without it and sift the lines that come back."
        }
        ast::ErrorKind::NestLimitExceeded(_) => "Write it with fewer groups within groups.",
        _ => AS_TEXT,
    }
}

/// What is wrong, with the line of the pattern and a mark below the place.
fn refusal(pattern: &str, span: &Span, what: &str, advice: &str) -> ToolError {
    let start = span.start.offset.min(pattern.len());
    let line_start = pattern[..start].rfind('\n').map_or(0, |at| at + 1);
    let line = pattern[line_start..].split('\n').next().unwrap_or_default();
    let column = pattern[line_start..start].chars().count();
    let width = pattern
        .get(span.start.offset..span.end.offset)
        .map_or(1, |text| text.split('\n').next().unwrap_or_default().chars().count());
    let skipped = column.saturating_sub(SHOWN_AROUND);
    let shown: String = line.chars().skip(skipped).take(2 * SHOWN_AROUND).map(plain).collect();
    let marks = "^".repeat(width.clamp(1, SHOWN_AROUND));
    let indent = " ".repeat(column - skipped);
    let message = format!(
        "the pattern is not a valid regular expression: {what}\n    {shown}\n    {indent}{marks}"
    );
    ToolError::invalid(message).suggest(advice)
}

/// Every character takes one column, so that the mark stands below the place.
fn plain(character: char) -> char {
    if character.is_control() { ' ' } else { character }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn query(pattern: &str) -> Query {
        Query::lines(pattern.to_owned(), ".".to_owned())
    }

    proptest! {
        #[test]
        fn every_pattern_compiles_or_is_refused_with_words(pattern in "(?s).{0,40}") {
            if let Err(error) = compile(&query(&pattern)) {
                prop_assert!(error.info().suggestion.is_some(), "{:?}", error);
            }
        }

        #[test]
        fn every_soup_of_operators_compiles_or_is_refused_with_words(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "(", ")", "[", "]", "{", "}", "*", "+", "?", "|", "\\", "^", "$", "(?", "(?=",
                    "\\1", "\\p{", "a", "é", "\n", "{2,1}", "{99}", "[^", "-", "\\b", "(?i)", ":",
                ]),
                0..12,
            )
        ) {
            let pattern = pieces.concat();
            if let Err(error) = compile(&query(&pattern)) {
                prop_assert!(error.info().suggestion.is_some(), "{pattern:?}: {:?}", error);
            }
        }
    }
}
