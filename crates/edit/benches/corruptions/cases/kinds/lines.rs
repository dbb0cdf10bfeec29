//! Lines left out or added, pieces of lines, and places that look alike.

use super::super::draft::{Draft, Want};
use super::super::random::Random;
use super::super::text::{indent, is_blank, renamed, replaced, words};

pub(super) fn blank_line_dropped(draft: &mut Draft, random: &mut Random) -> bool {
    let blank: Vec<usize> =
        (0..draft.old.len()).filter(|at| is_blank(&draft.old[*at].text)).collect();
    random.pick(&blank).copied().is_some_and(|at| draft.splice(at, 1, 1, &[]))
}

/// A blank line that the file has not.
pub(super) fn blank_line_added(draft: &mut Draft, random: &mut Random) -> bool {
    if draft.old.len() < 3 {
        return false;
    }
    let at = random.between(1, draft.old.len() - 1);
    let beside_blank = is_blank(&draft.old[at - 1].text) || is_blank(&draft.old[at].text);
    !beside_blank && draft.splice(at, 0, 1, &[String::new()])
}

/// Blank lines around the texts.
pub(super) fn extra_blank_edges(draft: &mut Draft, random: &mut Random) -> bool {
    let beside = |line: Option<&String>| line.is_none_or(|line| is_blank(line));
    if beside(draft.before.last()) || beside(draft.after.first()) {
        return false;
    }
    let (begin, end) = [("\n", ""), ("", "\n\n"), ("\n", "\n"), ("\n\n", "\n\n")][random.below(4)];
    let both = random.percent(70);
    let content: String = draft.file().map(|line| format!("{line}\n")).collect();
    let (old, new) = &mut draft.sent;
    *old = format!("{begin}{old}{end}");
    // An end of a line that only the old text has, and that the file has too, is meant to go.
    if !both && content.contains(&*old) {
        return false;
    }
    if both {
        *new = format!("{begin}{new}{end}");
    }
    true
}

/// A line that is only a comment is not there.
pub(super) fn comment_dropped(draft: &mut Draft, random: &mut Random) -> bool {
    let Some(sign) = draft.language.comment() else { return false };
    // `#[…]` in a shell script is an attribute of a program within it: nobody could tell that a
    // line of code that neither text has is meant to stay.
    let is_comment = |at: &usize| {
        let said = draft.old[*at].text.trim_start().strip_prefix(sign);
        said.is_some_and(|said| !said.starts_with('['))
    };
    let comments: Vec<usize> = draft.shared().into_iter().filter(is_comment).collect();
    // What is left must be code enough to be found.
    if comments.len() * 2 > draft.filled() || draft.filled() < 3 {
        return false;
    }
    random.pick(&comments).copied().is_some_and(|at| draft.splice(at, 1, 1, &[]))
}

/// How a model writes that it left lines out.
fn dots(draft: &Draft, depth: &str, random: &mut Random) -> String {
    match draft.language.comment() {
        Some(sign) => {
            let said = ["...", "... existing code ...", "... rest unchanged ..."][random.below(3)];
            if random.percent(30) { format!("{depth}...") } else { format!("{depth}{sign} {said}") }
        }
        None => format!("{depth}..."),
    }
}

/// Where the piece before and the piece after the dots are, and that they can be found.
pub(super) fn elision(draft: &mut Draft, random: &mut Random) -> bool {
    let count = draft.old.len();
    if count < 7 {
        return false;
    }
    let head = random.between(2, 3);
    let tail = random.between(2, 3);
    let middle = head..count - tail;
    let depth = indent(&draft.old[head].text).to_owned();
    let line = dots(draft, &depth, random);
    let text = |at: usize| draft.old[at].text.trim();
    let solid = !is_blank(text(head - 1)) && !is_blank(text(count - tail));
    let file: Vec<&str> = draft.file().map(|line| line.trim()).collect();
    let begin: Vec<&str> = (0..head).map(text).collect();
    let end: Vec<&str> = (count - tail..count).map(text).collect();
    let once =
        |piece: &[&str]| file.windows(piece.len()).filter(|window| *window == piece).count() == 1;
    if !solid || !once(&begin) || !once(&end) || file.contains(&line.trim()) {
        return false;
    }
    draft.splice(middle.start, middle.len(), 0, &[line])
}

/// A piece of one line.
pub(super) fn mid_line_fragment(draft: &mut Draft, random: &mut Random) -> bool {
    let at = random.below(draft.block.len());
    let line = draft.block[at].clone();
    let found = words(&line);
    if found.len() < 3 {
        return false;
    }
    let first = random.below(found.len() - 1);
    let (from, to) = (found[first].0, found[random.between(first + 1, found.len() - 1)].1);
    let piece = &line[from..to];
    let content: Vec<&str> = draft.file().map(String::as_str).collect();
    if piece.len() < 8
        || piece.len() == line.len()
        || content.join("\n").matches(piece).count() != 1
    {
        return false;
    }
    let place = found[first];
    let name = format!("{}_other", &line[place.0..place.1]);
    let changed = replaced(piece, (0, place.1 - place.0), &name);
    let result = replaced(&line, (from, to), &changed);
    draft.old = vec![super::super::draft::Old { text: piece.to_owned(), at: Some(at) }];
    draft.new = vec![super::super::draft::New { text: changed, from: None, made_of: Some(0) }];
    draft.newline = false;
    let lines = draft.block.iter().enumerate();
    draft.want =
        lines.map(|(from, line)| Want { texts: vec![line.clone()], from: Some(from) }).collect();
    draft.want[at] = Want { texts: vec![result], from: None };
    true
}

/// Both texts begin within their first line and end within their last.
pub(super) fn partial_edges(draft: &mut Draft, _: &mut Random) -> bool {
    let last = draft.old.len() - 1;
    let shared =
        |old: usize, new: usize| draft.new.get(new).is_some_and(|line| line.from == Some(old));
    if last < 2 || !shared(0, 0) || !shared(last, draft.new.len() - 1) {
        return false;
    }
    let (first_words, last_words) = (words(&draft.old[0].text), words(&draft.old[last].text));
    if first_words.len() < 3 || last_words.len() < 3 {
        return false;
    }
    let begin = draft.old[0].text[first_words[1].0..].to_owned();
    let end = draft.old[last].text[..last_words[last_words.len() - 2].1].to_owned();
    draft.send(0, &begin);
    draft.send(last, &end);
    draft.newline = false;
    true
}

/// Every one of many places, and a replacement with signs that some engines take for commands.
pub(super) fn replace_all_dollar(draft: &mut Draft, random: &mut Random) -> bool {
    let line = &draft.block[0];
    let long: Vec<&str> =
        words(line).iter().map(|(a, b)| &line[*a..*b]).filter(|word| word.len() >= 4).collect();
    let Some(word) = random.pick(&long).map(|word| (*word).to_owned()) else { return false };
    let new = format!("{}{word}", ["$&", "$1", "$$", "\\1", "$`", "\\g<0>"][random.below(6)]);
    let content: String = draft.file().map(|line| format!("{line}\n")).collect();
    if content.matches(&word).count() < 2 {
        return false;
    }
    draft.results = Some(vec![content.replace(&word, &new)]);
    draft.replace_all = true;
    draft.old = vec![super::super::draft::Old { text: word, at: None }];
    draft.new = vec![super::super::draft::New { text: new, from: None, made_of: None }];
    draft.newline = false;
    true
}

/// The block, a little different, stands in another place too.
pub(super) fn decoy_sibling(draft: &mut Draft, random: &mut Random) -> bool {
    let Some(sibling) = sibling(draft, random) else { return false };
    place(draft, &sibling, random);
    true
}

/// The block with another word in one line that the change does not touch.
pub(super) fn sibling(draft: &Draft, random: &mut Random) -> Option<Vec<String>> {
    let (at, text) = draft.shared_as(random, |line, random| {
        let found = words(line);
        let (from, to) = *random.pick(&found).filter(|(from, to)| to - from >= 3)?;
        Some(renamed(line, &line[from..to], &format!("{}_twin", &line[from..to])))
    })?;
    let mut lines = draft.block.clone();
    lines[draft.old[at].at?] = text;
    Some(lines)
}

/// Puts lines into the file, away from the block.
pub(super) fn place(draft: &mut Draft, lines: &[String], random: &mut Random) {
    let side = if random.percent(50) { &mut draft.before } else { &mut draft.after };
    let at = if side.is_empty() { 0 } else { random.below(side.len()) };
    // One line of its own before and after, so that nothing grows together with the block.
    let apart = ["~~~~".to_owned()];
    let copy = [&apart, lines, &apart].concat();
    side.splice(at..at, copy);
}
