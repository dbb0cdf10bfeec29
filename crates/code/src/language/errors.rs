//! Where a text stops to be code of its language.

use tree_sitter::{Node, Tree};

use super::{Language, parsed};

/// How much of what stands at an error is shown, in characters.
const SHOWN: usize = 40;

/// The first place that the grammar does not understand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

/// The first syntax error of a text; none where there is none, or the text cannot be judged
/// within bounds.
pub fn errors(text: &str, language: Language) -> Option<SyntaxError> {
    parsed(text, language, &|| false, |tree| first(tree, text)).ok()?
}

fn first(tree: &Tree, text: &str) -> Option<SyntaxError> {
    let node = first_error(tree)?;
    let start = node.start_byte().min(text.len());
    let place = node.start_position();
    let line_start = start.saturating_sub(place.column);
    let before = text.get(line_start..start).unwrap_or_default();
    Some(SyntaxError {
        line: place.row + 1,
        column: before.chars().count() + 1,
        message: message(node, text),
    })
}

/// Goes only where errors are, without recursion: trees can be as deep as their text is long.
fn first_error(tree: &Tree) -> Option<Node<'_>> {
    let mut cursor = tree.walk();
    if !cursor.node().has_error() {
        return None;
    }
    loop {
        let node = cursor.node();
        if node.is_missing() {
            return Some(node);
        }
        if node.is_error() {
            return Some(innermost(node));
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(tree.root_node());
            }
        }
    }
}

/// An error node can hold the rest of the file. What was not expected is the first error inside
/// it; where there is none, something that was opened is not closed.
fn innermost(error: Node<'_>) -> Node<'_> {
    let mut cursor = error.walk();
    let mut open = Vec::new();
    let mut more = cursor.goto_first_child();
    while more {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            return node;
        }
        match node.kind() {
            "(" | "[" | "{" => open.push(node),
            ")" | "]" | "}" => drop(open.pop()),
            _ => {}
        }
        more = cursor.goto_next_sibling();
    }
    open.pop().unwrap_or(error)
}

fn message(node: Node<'_>, text: &str) -> String {
    if node.is_missing() {
        return format!("missing {}", quoted(node.kind()));
    }
    if matches!(node.kind(), "(" | "[" | "{") && !node.is_error() {
        return format!("{} is not closed", quoted(node.kind()));
    }
    let bytes = node.byte_range();
    let found = text.get(bytes.start.min(text.len())..).unwrap_or_default();
    let found = found.trim_start();
    if found.is_empty() {
        return "the text ends too early".to_owned();
    }
    let line = found.lines().next().unwrap_or_default();
    let shown: String = line.chars().take(SHOWN).collect();
    format!("not understood: {}", quoted(shown.trim_end()))
}

fn quoted(text: &str) -> String {
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, language: Language) -> Option<(usize, usize, String)> {
        errors(text, language).map(|error| (error.line, error.column, error.message))
    }

    #[test]
    fn sound_texts_have_none() {
        assert_eq!(at("", Language::Python), None);
        assert_eq!(at("def f():\n    return 1\n", Language::Python), None);
        assert_eq!(at("const f = (): number => 1;\n", Language::TypeScript), None);
    }

    #[test]
    fn the_first_error_is_told_with_its_place() {
        let missing = at("int f(void) {\n  int x = 1\n}\n", Language::C);
        assert_eq!(missing, Some((2, 12, "missing `;`".to_owned())));
        let open = at("fn main() {\n    a(;\n}\n", Language::Rust).unwrap();
        assert_eq!(open.0, 2, "{open:?}");
        let unclosed = at("int g;\nint f(void) {\n  if (x) {\n  return 1;\n}\n", Language::C);
        assert!(unclosed.is_some());
        let letters = at("const ä = 1 +;\n", Language::JavaScript).unwrap();
        assert_eq!(letters.0, 1, "{letters:?}");
    }

    #[test]
    fn deep_texts_end() {
        for language in Language::ALL {
            // Whatever it says, it says it.
            let _ = errors(&"(".repeat(20_000), language);
            let _ = errors(&"{[".repeat(10_000), language);
        }
    }
}
