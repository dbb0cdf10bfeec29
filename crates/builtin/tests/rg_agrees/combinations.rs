//! What is searched for, and how.

use serde_json::{Value, json};

/// Patterns: plain words, rare and common, classes, anchors, alternatives, Unicode, empty
/// matches, and some that span lines.
const PATTERNS: [&str; 14] = [
    "String",
    "unsafe",
    "deny_unknown_fields",
    r"fn [a-z_]+\(",
    r"[A-Z]{3,}[0-9]+",
    r"^\s*(?:pub )?use ",
    r"\bself\b.*\?;$",
    "TODO|FIXME|XXX",
    r"\p{Greek}|é|→",
    r"[[:digit:]]{4}-[[:digit:]]{2}",
    "x*",
    "}$",
    r"(?i)license",
    "use std",
];

/// Patterns that span lines.
const ACROSS_LINES: [&str; 5] = [
    r"\{\n\s*\}",
    r"impl .*? for .*?\{",
    r"\n\n\n",
    r"(?s)#\[test\].{0,40}fn",
    r"use [^;]*\n[^;]*;",
];

/// Texts that mean something else as an expression.
const TEXTS: [&str; 5] = ["f(x)", "Vec<u8>", "[0]", "&self.", "a.b"];

const GLOBS: [&str; 6] =
    ["*.rs", "!*.rs", "vendored/**/src/*", "*.{toml,md}", "/crates/*/src/**", "!vendored"];
const TYPES: [&str; 5] = ["rust", "toml", "c", "py", "json"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Files,
    Content,
    Count,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Sensitive,
    Insensitive,
    Smart,
}

const MODES: [Mode; 3] = [Mode::Files, Mode::Content, Mode::Count];
const CASES: [Case; 3] = [Case::Sensitive, Case::Insensitive, Case::Smart];
const CONTEXTS: [(usize, usize); 4] = [(0, 0), (2, 0), (0, 3), (1, 1)];
const PAGES: [(usize, usize); 4] = [(0, 0), (0, 25), (40, 0), (7, 60)];

/// One search.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the search")]
pub(crate) struct Combination {
    pub(crate) pattern: &'static str,
    pub(crate) mode: Mode,
    pub(crate) case: Case,
    pub(crate) fixed: bool,
    pub(crate) word: bool,
    pub(crate) invert: bool,
    pub(crate) multi_line: bool,
    pub(crate) before: usize,
    pub(crate) after: usize,
    pub(crate) glob: Option<&'static str>,
    pub(crate) file_type: Option<&'static str>,
    pub(crate) offset: usize,
    pub(crate) limit: usize,
}

impl Combination {
    /// The call of our tool that asks for the same, from an entry on.
    pub(crate) fn input(&self, offset: usize, limit: usize) -> Value {
        let case = match self.case {
            Case::Sensitive => "sensitive",
            Case::Insensitive => "insensitive",
            Case::Smart => "smart",
        };
        json!({
            "pattern": self.pattern, "output_mode": self.mode.name(), "case": case,
            "fixed_strings": self.fixed, "word": self.word, "invert": self.invert,
            "multiline": self.multi_line, "before": self.before, "after": self.after,
            "glob": self.glob, "type": self.file_type, "offset": offset, "head_limit": limit,
        })
    }
}

/// Every pattern in every mode and case; the other options go round at lengths that have no
/// common factor, so that each meets each.
pub(crate) fn all() -> Vec<Combination> {
    let mut all = Vec::new();
    let plain = PATTERNS.map(|pattern| (pattern, false, false));
    let across = ACROSS_LINES.map(|pattern| (pattern, true, false));
    let fixed = TEXTS.map(|pattern| (pattern, false, true));
    for (pattern, multi_line, fixed) in plain.into_iter().chain(across).chain(fixed) {
        for mode in MODES {
            for case in CASES {
                for again in 0..2 {
                    all.push(one(all.len(), pattern, (multi_line, fixed), (mode, case), again));
                }
            }
        }
    }
    let unlike = |at: usize| !all[..at].contains(&all[at]);
    assert!((0..all.len()).all(unlike), "no combination is there twice");
    all
}

fn one(
    turn: usize,
    pattern: &'static str,
    (multi_line, fixed): (bool, bool),
    (mode, case): (Mode, Case),
    again: usize,
) -> Combination {
    // The second of two differs in where it looks, so no two are the same.
    let filter = turn / 2 % 12 + again * 6;
    let glob = GLOBS.get(filter % 12).copied();
    let file_type = if filter % 12 < 6 { None } else { TYPES.get(turn % 7).copied() };
    let (before, after) = CONTEXTS[turn / 3 % CONTEXTS.len()];
    let (offset, limit) = PAGES[turn / 5 % PAGES.len()];
    let content = mode == Mode::Content;
    Combination {
        pattern,
        mode,
        case,
        fixed,
        word: turn % 5 == 1,
        invert: turn % 11 == 3 && !multi_line,
        multi_line: multi_line || turn % 13 == 5,
        before: if content { before } else { 0 },
        after: if content { after } else { 0 },
        glob,
        file_type,
        offset,
        limit,
    }
}
