//! Texts with headings: a section goes to the next heading.

use super::Kind;
use super::outline::{Item, Outline};

/// Finds the sections of a text.
pub(super) fn scan(outline: &mut Outline<'_>) {
    let mut fence: Option<&str> = None;
    // The headings above, with their levels.
    let mut above: Vec<(usize, usize)> = Vec::new();
    for line in 0..outline.lines.len() {
        let range = outline.range(line, line);
        let text = outline.text[range.clone()].trim();
        match fence {
            Some(mark) if text.starts_with(mark) => fence = None,
            Some(_) => continue,
            None if text.starts_with("```") => fence = Some("```"),
            None if text.starts_with("~~~") => fence = Some("~~~"),
            None => {}
        }
        let level = text.bytes().take_while(|byte| *byte == b'#').count();
        if !(1..=6).contains(&level) || !text[level..].starts_with(' ') {
            continue;
        }
        let name = text[level..].trim().trim_end_matches('#').trim();
        while above.pop_if(|(outer, _)| *outer >= level).is_some() {}
        let container = above.last().map_or(0, |(_, container)| *container);
        if let Some(last) = outline.items.last_mut() {
            last.last_line = line.saturating_sub(1).max(last.first_line);
        }
        outline.items.push(Item {
            kind: Kind::Section,
            name: name.to_owned(),
            container,
            first_line: line,
            last_line: outline.lines.len() - 1,
            comment: range.start..range.start,
            inner_comment: 0..0,
            header: range.start..range.start,
            test: false,
            joinable: false,
        });
        let inner = outline.container(container, name, false);
        above.push((level, inner));
    }
}
