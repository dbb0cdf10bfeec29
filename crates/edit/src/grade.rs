//! Which level a place belongs to: the most that had to be ignored there.

use crate::Level;
use crate::fold::is_invisible;
use crate::spans::Source;
use crate::view::View;

/// What the gap between two visible characters is made of.
struct Gap<'a> {
    /// Before the first line break, or all of it.
    trail: &'a str,
    /// Line breaks in it.
    breaks: usize,
    /// After the last line break.
    indent: &'a str,
}

impl<'a> Gap<'a> {
    fn new(text: &'a str) -> Self {
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).count();
        let (trail, rest) = text.split_once('\n').unwrap_or((text, ""));
        let trail = if breaks > 0 { trail.strip_suffix('\r').unwrap_or(trail) } else { trail };
        let indent = rest.rsplit_once('\n').map_or(rest, |(_, last)| last);
        Self { trail, breaks, indent }
    }
}

/// The level at which `old` stands in the file, its view beginning at byte `hit` of the file's.
pub(crate) fn grade(
    old: &str,
    old_view: &View,
    source: &Source<'_>,
    file_view: &View,
    hit: usize,
) -> Level {
    let mut level = Level::Exact;
    let mut eol_differs = false;
    let text = source.text;
    let mut ends: Option<(usize, usize)> = None;
    for index in 0..old_view.len() {
        let (in_old, in_file) = (old_view.origin(index), file_view.origin(hit + index));
        if old_view.bytes[index] == b'\n' || ends.is_some_and(|(end, _)| end > in_old) {
            continue;
        }
        let (a, b) = (char_at(old, in_old), char_at(text, in_file));
        if a != b {
            level = level.max(Level::Unicode);
        }
        let Some((old_end, file_end)) =
            ends.replace((in_old + a.len_utf8(), in_file + b.len_utf8()))
        else {
            continue;
        };
        let (ours, theirs) = (text.get(file_end..in_file), &old[old_end..in_old]);
        let ours = ours.unwrap_or_default();
        if ours != theirs {
            let (found, eol) = compare(theirs, ours);
            level = level.max(found);
            eol_differs |= eol;
        }
    }
    level = level.max(edges(old, old_view, source, file_view, hit));
    if eol_differs && level == Level::Exact { Level::Crlf } else { level }
}

fn char_at(text: &str, at: usize) -> char {
    text[at..].chars().next().unwrap_or('\0')
}

/// What differs between two gaps, and whether a line ending does.
fn compare(theirs: &str, ours: &str) -> (Level, bool) {
    let seen = |gap: &str| gap.chars().filter(|c| !is_invisible(*c)).collect::<String>();
    if (!theirs.is_ascii() || !ours.is_ascii()) && seen(theirs) == seen(ours) {
        return (Level::Unicode, false);
    }
    let (a, b) = (Gap::new(theirs), Gap::new(ours));
    if a.breaks == 0 && b.breaks == 0 {
        let same_but_for_form = a.trail.chars().count() == b.trail.chars().count()
            && (!a.trail.is_ascii() || !b.trail.is_ascii());
        return (if same_but_for_form { Level::Unicode } else { Level::Squashed }, false);
    }
    let mut level = Level::Exact;
    if a.trail != b.trail {
        level = Level::LineSpace;
    }
    if a.indent != b.indent {
        level = level.max(Level::Indent);
    }
    if a.breaks != b.breaks {
        level = level.max(Level::BlankLines);
    }
    if level == Level::Exact && theirs.replace("\r\n", "\n") != ours.replace("\r\n", "\n") {
        level = Level::LineSpace;
    }
    (level, theirs.contains("\r\n") != ours.contains("\r\n") || level == Level::Exact)
}

/// Whether the white space around old is the file's.
fn edges(old: &str, old_view: &View, source: &Source<'_>, file_view: &View, hit: usize) -> Level {
    let (Some(last), true) = (old_view.len().checked_sub(1), old_view.len() > 0) else {
        return Level::Exact;
    };
    let first_in_old = old_view.origin(0);
    let lead = old[..first_in_old].replace("\r\n", "\n");
    let last_in_old = old_view.origin(last);
    let trail = old[last_in_old + char_at(old, last_in_old).len_utf8()..].replace("\r\n", "\n");
    let start = file_view.origin(hit);
    let end = file_view.origin(hit + last);
    let end = end + char_at(source.text, end).len_utf8();
    let before = source.text[..start].ends_like(&lead);
    let after = source.text[end..].starts_like(&trail);
    if before && after { Level::Exact } else { Level::Trimmed }
}

/// Comparisons at an edge that do not care how lines end.
trait Edge {
    fn ends_like(&self, tail: &str) -> bool;
    fn starts_like(&self, head: &str) -> bool;
}

impl Edge for str {
    fn ends_like(&self, tail: &str) -> bool {
        let mut rest = self;
        for c in tail.chars().rev() {
            let Some(shorter) = rest.strip_suffix(c) else { return false };
            rest = if c == '\n' { shorter.strip_suffix('\r').unwrap_or(shorter) } else { shorter };
        }
        true
    }

    fn starts_like(&self, head: &str) -> bool {
        let mut rest = self;
        for c in head.chars() {
            let plain = if c == '\n' { rest.strip_prefix('\r').unwrap_or(rest) } else { rest };
            let Some(shorter) = plain.strip_prefix(c) else { return false };
            rest = shorter;
        }
        true
    }
}
