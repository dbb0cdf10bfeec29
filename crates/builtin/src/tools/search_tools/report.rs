//! What a model reads of the tools that were found.

use dogu_tool::{CALL_TOOL, ToolSpec, Toolbox};

/// Of so many tools the schema is shown, the best.
const WITH_SCHEMA: usize = 3;
/// A longer schema is not shown, in bytes; the names of its parameters are.
const MAX_SCHEMA: usize = 6 * 1024;
/// How many characters of a description are shown.
const MAX_LINE: usize = 200;
/// How many parameters are named.
const MAX_PARAMETERS: usize = 40;

pub(super) fn report(query: &str, found: &[&str], all: usize, tools: &dyn Toolbox) -> String {
    let query = one_line(query, 80);
    if found.is_empty() {
        return format!(
            "None of the {all} tools fits \"{query}\". Try other words for what it should do."
        );
    }
    let mut text = format!("Best of {all} tools for \"{query}\":\n");
    for (place, spec) in found.iter().filter_map(|name| tools.spec(name)).enumerate() {
        text.push_str(&format!("\n{}: {}\n", spec.name, one_line(&spec.description, MAX_LINE)));
        if place < WITH_SCHEMA {
            text.push_str(&schema(spec));
        }
    }
    text.push_str(&format!(
        "\nCall one by its name, or {CALL_TOOL} with its name and arguments if it is not listed.\n"
    ));
    text
}

fn schema(spec: &ToolSpec) -> String {
    let schema = spec.input_schema.to_string();
    if schema.len() <= MAX_SCHEMA {
        return format!("  arguments: {}\n", one_line(&schema, MAX_SCHEMA));
    }
    let names: Vec<&str> = spec.parameters().into_iter().take(MAX_PARAMETERS).collect();
    let required = spec.required();
    let required: Vec<&str> = required.into_iter().take(MAX_PARAMETERS).collect();
    let line = format!("{}; required: {}", names.join(", "), required.join(", "));
    format!("  arguments (its schema is long): {}\n", one_line(&line, 10 * MAX_LINE))
}

/// A text that others wrote, in one line, without what cannot be seen, cut to a length.
fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    for c in text.chars().filter(|c| !is_unseen(*c)) {
        let c = if c.is_whitespace() || c.is_control() { ' ' } else { c };
        if c == ' ' && (line.is_empty() || line.ends_with(' ')) {
            continue;
        }
        if length == most {
            line.push('…');
            break;
        }
        line.push(c);
        length += 1;
    }
    line.trim_end().to_owned()
}

/// Characters that are not seen or change the order of others.
fn is_unseen(c: char) -> bool {
    matches!(u32::from(c),
        0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f
        | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f
        | 0xfeff | 0xffa0 | 0xfff0..=0xfffb | 0xe_0000..=0xe_0fff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_is_one_visible_line() {
        let text = "a\u{1b}[31m \u{202e}b\r\n\n  # c\u{200b}\u{e0041} ";
        assert_eq!(one_line(text, 100), "a [31m b # c");
        assert_eq!(one_line("한국어 도구", 3), "한국어…");
        assert_eq!(one_line(&"x".repeat(1_000_000), 5), "xxxxx…");
    }
}
