//! What comes around a text, or before each of its lines, on its way through other forms.

use super::super::draft::Draft;
use super::super::random::Random;

/// Numbers before lines, in the forms in which tools show files.
fn number(format: usize, number: usize, line: &str) -> String {
    match format {
        0 => format!("{number:>6}\t{line}"),
        1 => format!("{number}: {line}"),
        2 => format!("{number} | {line}"),
        3 => format!("{number:>5}\u{2192}{line}"),
        _ => format!("{number:>4}| {line}"),
    }
}

fn number_old(draft: &mut Draft, format: usize) -> usize {
    let first = draft.before.len() + 1;
    for (at, line) in draft.old.iter_mut().enumerate() {
        line.text = number(format, first + at, &line.text);
    }
    first
}

pub(super) fn line_numbers(draft: &mut Draft, random: &mut Random) -> bool {
    let format = random.below(5);
    let first = number_old(draft, format);
    for (at, line) in draft.new.iter_mut().enumerate() {
        line.text = number(format, first + at, &line.text);
    }
    draft.old.len() > 1 && !draft.new.is_empty()
}

pub(super) fn line_numbers_old_only(draft: &mut Draft, random: &mut Random) -> bool {
    let format = random.below(5);
    number_old(draft, format);
    draft.old.len() > 1
}

/// What a search prints before each line.
pub(super) fn grep_prefix(draft: &mut Draft, random: &mut Random) -> bool {
    let first = draft.before.len() + 1;
    let path =
        format!("src/{}/part.{}", ["core", "net", "ui"][random.below(3)], draft.language.fence());
    for (at, line) in draft.old.iter_mut().enumerate() {
        line.text = format!("{path}:{}:{}", first + at, line.text);
    }
    for (at, line) in draft.new.iter_mut().enumerate() {
        line.text = format!("{path}:{}:{}", first + at, line.text);
    }
    draft.old.len() > 1
}

/// Signs of a diff before each line.
pub(super) fn diff_prefix(draft: &mut Draft, _: &mut Random) -> bool {
    for at in 0..draft.old.len() {
        let kept = draft.new.iter().any(|line| line.from == Some(at));
        let line = &mut draft.old[at];
        line.text = format!("{}{}", if kept { " " } else { "-" }, line.text);
    }
    for line in &mut draft.new {
        line.text = format!("{}{}", if line.from.is_some() { " " } else { "+" }, line.text);
    }
    // Blanks alone would be an indent.
    draft.old.iter().any(|line| line.text.starts_with('-'))
        || draft.new.iter().any(|line| line.text.starts_with('+'))
}

pub(super) fn fenced(draft: &mut Draft, random: &mut Random) -> bool {
    let name = if random.percent(70) { draft.language.fence() } else { "" };
    let fence = |text: &str| {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        format!("```{name}\n{text}{end}```")
    };
    if draft.sent.0.contains("```") || draft.sent.1.contains("```") {
        return false;
    }
    draft.sent = (fence(&draft.sent.0), fence(&draft.sent.1));
    true
}

/// Written as in a program's string, in one line.
pub(super) fn escaped_newlines(draft: &mut Draft, _: &mut Random) -> bool {
    let escape = |text: &str| {
        text.replace('\r', "\\r").replace('\n', "\\n").replace('\t', "\\t").replace('"', "\\\"")
    };
    let (old, new) = &draft.sent;
    if old.contains('\\') || new.contains('\\') || !old.trim_end().contains('\n') {
        return false;
    }
    draft.sent = (escape(old), escape(new));
    true
}

/// A JSON string with its quotes.
pub(super) fn json_string(draft: &mut Draft, _: &mut Random) -> bool {
    let (old, new) = &draft.sent;
    let json = |text: &str| serde_json::Value::from(text).to_string();
    let fits = old.trim_end().contains('\n');
    draft.sent = (json(old), json(new));
    fits
}

/// Each backslash doubled.
pub(super) fn double_backslashes(draft: &mut Draft, _: &mut Random) -> bool {
    let (old, new) = &draft.sent;
    let fits = old.contains('\\');
    draft.sent = (old.replace('\\', "\\\\"), new.replace('\\', "\\\\"));
    fits
}

pub(super) fn html_entities(draft: &mut Draft, random: &mut Random) -> bool {
    let all = random.percent(50);
    let encode = |text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        if all { text.replace('"', "&quot;").replace('\'', "&#39;") } else { text }
    };
    // Where the file has entities of its own, which ones are meant cannot be told.
    let has_own = |line: &String| {
        ["&lt;", "&gt;", "&amp;", "&quot;", "&#39;", "&apos;"].iter().any(|own| line.contains(own))
    };
    if draft.file().any(has_own) {
        return false;
    }
    let (old, new) = (encode(&draft.sent.0), encode(&draft.sent.1));
    let changed = old != draft.sent.0;
    draft.sent = (old, new);
    changed
}

pub(super) fn cdata_wrapper(draft: &mut Draft, random: &mut Random) -> bool {
    let gap = if random.percent(50) { "\n" } else { "" };
    let wrap = |text: &str| format!("<![CDATA[{gap}{}{gap}]]>", text.trim_end_matches('\n'));
    draft.sent = (wrap(&draft.sent.0), wrap(&draft.sent.1));
    true
}

/// The tags of the call around its values.
pub(super) fn xml_tags(draft: &mut Draft, random: &mut Random) -> bool {
    let names = [("old_string", "new_string"), ("old_str", "new_str"), ("search", "replace")];
    let (old, new) = names[random.below(3)];
    let wrap = |tag: &str, text: &str| {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        format!("<{tag}>\n{text}{end}</{tag}>")
    };
    draft.sent = (wrap(old, &draft.sent.0), wrap(new, &draft.sent.1));
    true
}
