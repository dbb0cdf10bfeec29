//! The signature of a definition: its text up to the body, as one line.

use std::ops::Range;

use tree_sitter::Node;

use crate::language::{Grammar, Wrapper};

/// A longer signature is cut, in bytes.
const MAX_LENGTH: usize = 200;
/// How much text of a definition is looked at; longer signatures are cut anyway.
const MAX_LOOKED_AT: usize = 4 * 1024;
/// What stands for something that is not shown.
const FOLDED: &str = "{…}";

/// A definition and what stands around it.
pub(super) struct Place<'a, 't> {
    pub(super) node: Node<'t>,
    /// The nodes around it that belong to it, outermost first.
    pub(super) wrappers: &'a [(Node<'t>, Wrapper)],
    /// Where the body begins, or the definition ends.
    pub(super) end: usize,
}

/// A piece of the text, or what is shown in its place.
enum Piece {
    Kept(Range<usize>),
    /// The word of a group, which can stand far above.
    Word(Range<usize>),
    Folded,
}

impl Place<'_, '_> {
    /// The signature, and the byte where it begins.
    pub(super) fn signature(&self, grammar: &Grammar, text: &str) -> (String, usize) {
        let mut pieces = Vec::new();
        let ends = self.wrappers.iter().skip(1).map(|(node, _)| node.start_byte());
        let ends = ends.chain([self.node.start_byte()]);
        for ((wrapper, how), end) in self.wrappers.iter().zip(ends) {
            let range = wrapper.start_byte()..end;
            match how {
                Wrapper::Whole => keep(*wrapper, range, grammar, &mut pieces),
                Wrapper::Word => pieces.push(Piece::Word(first_word(range, text))),
                Wrapper::Nothing => {}
            }
        }
        let start = self.node.start_byte();
        let end = self.end.clamp(start, self.node.end_byte());
        keep(self.node, start..end, grammar, &mut pieces);
        (one_line(&pieces, text), first_kept(&pieces, text).unwrap_or(start))
    }
}

fn first_word(range: Range<usize>, text: &str) -> Range<usize> {
    let shown = text.get(range.clone()).unwrap_or_default();
    let length = shown.find(|c: char| !c.is_alphanumeric()).unwrap_or(shown.len());
    range.start..range.start + length
}

/// Adds a range of a node's text without what does not belong to a signature.
fn keep(node: Node<'_>, range: Range<usize>, grammar: &Grammar, pieces: &mut Vec<Piece>) {
    let range = range.start..range.end.min(range.start + MAX_LOOKED_AT);
    let mut at = range.start;
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        pieces.push(Piece::Kept(range));
        return;
    }
    'walk: loop {
        let child = cursor.node();
        if child.start_byte() >= range.end {
            break;
        }
        let role = grammar.role(child.kind_id());
        if role.is_dropped || role.is_folded {
            pieces.push(Piece::Kept(at..child.start_byte().max(at)));
            at = child.end_byte().max(at);
            if role.is_folded {
                pieces.push(Piece::Folded);
            }
        } else if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() || cursor.depth() == 0 {
                break 'walk;
            }
        }
    }
    pieces.push(Piece::Kept(at..range.end.max(at)));
}

fn first_kept(pieces: &[Piece], text: &str) -> Option<usize> {
    pieces.iter().find_map(|piece| match piece {
        Piece::Kept(range) => {
            let kept = text.get(range.clone())?;
            let blank = kept.len() - kept.trim_start().len();
            (blank < kept.len()).then_some(range.start + blank)
        }
        Piece::Word(_) | Piece::Folded => None,
    })
}

/// The pieces with all white space made narrow, cut where it gets too long.
fn one_line(pieces: &[Piece], text: &str) -> String {
    let mut line = Line::default();
    for piece in pieces {
        match piece {
            Piece::Kept(range) | Piece::Word(range) => {
                line.push(text.get(range.clone()).unwrap_or_default());
            }
            Piece::Folded => line.push(FOLDED),
        }
        line.gap = true;
    }
    line.finish()
}

#[derive(Default)]
struct Line {
    text: String,
    /// White space stood here.
    gap: bool,
}

impl Line {
    fn push(&mut self, text: &str) {
        for letter in text.chars() {
            if letter.is_whitespace() || letter.is_control() {
                self.gap = true;
            } else if self.text.len() <= MAX_LENGTH {
                self.space_before(letter);
                self.text.push(letter);
            }
        }
    }

    /// Lists that were broken into lines are as if they had never been.
    fn space_before(&mut self, letter: char) {
        if !std::mem::take(&mut self.gap) || self.text.is_empty() {
            return;
        }
        if matches!(letter, ')' | ']') {
            if self.text.ends_with(',') {
                self.text.pop();
            }
        } else if !self.text.ends_with(['(', '[']) && !matches!(letter, ',' | ';') {
            self.text.push(' ');
        }
    }

    fn finish(mut self) -> String {
        if self.text.len() > MAX_LENGTH {
            self.text.truncate(self.text.floor_char_boundary(MAX_LENGTH));
            self.text.push('…');
            return self.text;
        }
        // Of a body with nothing in it only its end is left.
        let kept = self.text.strip_suffix(" end").unwrap_or(&self.text);
        let kept = kept.trim_end_matches(['{', '=', ':', ';', ',', ' ']);
        // An operator or a folded body may end in such a sign.
        let kept = if kept.is_empty() { self.text.as_str() } else { kept };
        kept.to_owned()
    }
}
