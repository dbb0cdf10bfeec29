//! Indentation, line endings, and white space at the ends of lines.

use super::super::draft::{Draft, Ends};
use super::super::random::Random;
use super::super::text::{indent, is_blank};

/// Nothing at all.
pub(super) fn nothing(_: &mut Draft, _: &mut Random) -> bool {
    true
}

/// What all lines of both texts begin with.
fn common_indent(draft: &Draft) -> String {
    let texts =
        draft.old.iter().map(|line| &line.text).chain(draft.new.iter().map(|line| &line.text));
    let mut filled = texts.filter(|text| !is_blank(text)).map(|text| indent(text));
    let mut common = filled.next().unwrap_or_default();
    for indent in filled {
        let same = common.bytes().zip(indent.bytes()).take_while(|(a, b)| a == b).count();
        common = &common[..same];
    }
    common.to_owned()
}

fn dedent(draft: &mut Draft, by: usize) {
    draft.send_each(|line| {
        line.get(by..).filter(|_| !is_blank(line)).unwrap_or_default().to_owned()
    });
}

/// Whether the old text stands in the file as it is now, from within a line on: then it may be
/// meant as that piece, and nothing tells that its indent was lost.
fn stands_within_lines(draft: &Draft) -> bool {
    let content: String = draft.file().map(|line| format!("{line}\n")).collect();
    let old: Vec<&str> = draft.old.iter().map(|line| line.text.as_str()).collect();
    content.contains(&old.join("\n"))
}

pub(super) fn dedent_all(draft: &mut Draft, _: &mut Random) -> bool {
    let common = common_indent(draft);
    dedent(draft, common.len());
    !common.is_empty() && !stands_within_lines(draft)
}

pub(super) fn dedent_partial(draft: &mut Draft, random: &mut Random) -> bool {
    let common = common_indent(draft);
    if common.len() < 2 {
        return false;
    }
    dedent(draft, random.between(1, common.len() - 1));
    !stands_within_lines(draft)
}

/// The first line begins where its text begins, as in a text that was trimmed.
pub(super) fn first_line_unindented(draft: &mut Draft, _: &mut Random) -> bool {
    let first = draft.old[0].text.clone();
    let depth = indent(&first);
    let rest: Vec<&str> = draft.old[1..]
        .iter()
        .filter(|line| !is_blank(&line.text))
        .map(|line| indent(&line.text))
        .collect();
    // A line that is new must be as deep as one that is seen with its own depth, or its depth
    // could be meant relative to either.
    let known =
        draft.fresh().all(|line| line.made_of == Some(0) || rest.contains(&indent(&line.text)));
    let made_of_first = draft.new[0].from == Some(0) || draft.new[0].made_of == Some(0);
    if depth.is_empty() || rest.is_empty() || rest.contains(&"") || !known || !made_of_first {
        return false;
    }
    first.trim_start().clone_into(&mut draft.old[0].text);
    let new = &mut draft.new[0];
    new.text = new.text.trim_start().to_owned();
    true
}

/// Tabs shown as blanks, or the other way round.
pub(super) fn tabs_spaces(draft: &mut Draft, random: &mut Random) -> bool {
    let texts: Vec<&str> = draft.old.iter().map(|line| indent(&line.text)).collect();
    if texts.iter().all(|depth| depth.is_empty()) {
        return false;
    }
    if draft.unit == "\t" && texts.iter().all(|depth| !depth.contains(' ')) {
        let width = " ".repeat([2, 4, 8][random.below(3)]);
        draft.send_each(|line| {
            format!("{}{}", indent(line).replace('\t', &width), &line[indent(line).len()..])
        });
        return true;
    }
    let width = draft.unit.len();
    let even = |depth: &&str| !depth.contains('\t') && depth.len().is_multiple_of(width);
    if draft.unit == "\t"
        || !texts.iter().all(even)
        || !draft.fresh().all(|line| even(&indent(&line.text)))
    {
        return false;
    }
    draft.send_each(|line| {
        let depth = indent(line);
        format!("{}{}", "\t".repeat(depth.len() / width), &line[depth.len()..])
    });
    true
}

/// Steps of two blanks for steps of four, or the other way round.
pub(super) fn indent_width(draft: &mut Draft, _: &mut Random) -> bool {
    let (from, to) = match draft.unit.as_str() {
        "  " => (2, 4),
        "    " => (4, 2),
        _ => return false,
    };
    let mut texts =
        draft.old.iter().map(|line| &line.text).chain(draft.new.iter().map(|line| &line.text));
    if !texts.all(|text| !indent(text).contains('\t') && indent(text).len().is_multiple_of(from)) {
        return false;
    }
    // Without a line that is indented nothing tells the width.
    let indented = draft.shared().iter().any(|at| !indent(&draft.old[*at].text).is_empty());
    draft.send_each(|line| {
        let depth = indent(line).len();
        format!("{}{}", " ".repeat(depth / from * to), &line[depth..])
    });
    indented && !stands_within_lines(draft)
}

pub(super) fn trailing_ws_in_file(draft: &mut Draft, random: &mut Random) -> bool {
    let mut any = false;
    let kept: Vec<(usize, String)> =
        draft.kept().into_iter().map(|(at, text)| (at, text.to_owned())).collect();
    for (at, text) in kept {
        if random.percent(40) {
            let text = format!("{text}{}", [" ", "  ", "\t"][random.below(3)]);
            any |= draft.drift(at, &text);
        }
    }
    any
}

pub(super) fn trailing_ws_in_old(draft: &mut Draft, random: &mut Random) -> bool {
    let tail = [" ", "   ", "\t"][random.below(3)];
    if random.percent(50) {
        let mut any = false;
        for line in &mut draft.old {
            if random.percent(50) {
                line.text.push_str(tail);
                any = true;
            }
        }
        return any;
    }
    draft.send_each(|line| format!("{line}{tail}"));
    draft.accept_also(|line| format!("{line}{tail}"));
    true
}

pub(super) fn crlf_file(draft: &mut Draft, _: &mut Random) -> bool {
    draft.ends = Ends::CrLf;
    true
}

pub(super) fn mixed_eol_file(draft: &mut Draft, _: &mut Random) -> bool {
    draft.ends = Ends::Mixed;
    draft.old.len() > 1 && draft.fresh().count() <= 4
}

/// Both texts, or only the old one, with CRLF.
pub(super) fn crlf_old(draft: &mut Draft, random: &mut Random) -> bool {
    let (old, new) = &mut draft.sent;
    let any = old.contains('\n');
    *old = old.replace('\n', "\r\n");
    if random.percent(60) {
        *new = new.replace('\n', "\r\n");
    }
    any
}

/// A file that begins with the byte order mark, edited in its first lines.
pub(super) fn bom_file(draft: &mut Draft, _: &mut Random) -> bool {
    draft.mark = true;
    draft.before.is_empty()
}
