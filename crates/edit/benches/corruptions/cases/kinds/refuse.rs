//! What must not be done: it is meant for several places, or for none.

use super::super::draft::{Draft, Old};
use super::super::random::Random;
use super::super::sound::{has_rival, stands_nearly};
use super::super::text::{common, indent, is_blank, renamed, squashed, words};
use super::fuzzy::typo;
use super::lines::{elision, place};
use super::space::dedent_all;

pub(super) fn ambiguous_exact(draft: &mut Draft, random: &mut Random) -> bool {
    let copy = draft.block.clone();
    place(draft, &copy, random);
    true
}

/// Two places that differ in their indent, and a text that has neither.
pub(super) fn ambiguous_dedented(draft: &mut Draft, random: &mut Random) -> bool {
    if draft.block.len() < 2 {
        return false;
    }
    let deeper: Vec<String> = draft
        .block
        .iter()
        .map(|line| if is_blank(line) { line.clone() } else { format!("{}{line}", draft.unit) })
        .collect();
    place(draft, &deeper, random);
    dedent_all(draft, random)
}

/// Two places that are the same, and a text that is nearly so.
pub(super) fn same_function_twice(draft: &mut Draft, random: &mut Random) -> bool {
    let copy = draft.block.clone();
    place(draft, &copy, random);
    if random.percent(50) {
        for line in &mut draft.old {
            line.text.push(' ');
        }
        return true;
    }
    let Some((at, text)) = draft.shared_as(random, typo) else { return false };
    draft.send(at, &text);
    true
}

/// Two places that differ from the text, and from one another, by a word in the same line.
pub(super) fn ambiguous_fuzzy_siblings(draft: &mut Draft, random: &mut Random) -> bool {
    let word = |line: &str, random: &mut Random| {
        let found = words(line);
        let (from, to) = *random.pick(&found).filter(|(from, to)| to - from >= 4)?;
        Some(renamed(line, &line[from..to], &format!("{}_a", &line[from..to])))
    };
    let Some((at, first)) = draft.shared_as(random, word) else { return false };
    let Some(place_of) = draft.old[at].at else { return false };
    let original = draft.old[at].text.clone();
    let (prefix, suffix) = common(&original, &first);
    let insert = &first[prefix..first.len() - suffix];
    let second = format!(
        "{}{}{}",
        &first[..prefix],
        insert.replace("_a", "_b"),
        &first[first.len() - suffix..]
    );
    let mut copy = draft.block.clone();
    copy[place_of].clone_from(&second);
    draft.drift(at, &first);
    place(draft, &copy, random);
    draft.filled() >= 3 && second != first
}

/// Right at both ends and invented between.
pub(super) fn hallucinated_middle(draft: &mut Draft, random: &mut Random) -> bool {
    let count = draft.old.len();
    if count < 6 {
        return false;
    }
    let filled: Vec<String> =
        draft.other.lines.iter().filter(|line| line.trim().len() > 8).cloned().collect();
    if filled.len() < count {
        return false;
    }
    let begin = random.below(filled.len() - count + 1);
    let known: Vec<String> = draft.file().map(|line| squashed(line)).collect();
    for at in 1..count - 1 {
        let text = &filled[begin + at];
        if known.contains(&squashed(text)) {
            return false;
        }
        draft.send(at, text);
        draft.old[at].text.clone_from(text);
    }
    true
}

/// Two pieces that lie apart, as if they were one.
pub(super) fn non_contiguous(draft: &mut Draft, random: &mut Random) -> bool {
    // Neither piece may be so small that it looks like a line or two that were misremembered.
    if !(2..=8).contains(&draft.old.len()) || draft.after.len() < 12 {
        return false;
    }
    let from = random.between(6, draft.after.len() - 5);
    let piece: Vec<String> = draft.after[from..from + draft.old.len().div_ceil(2).max(2)].to_vec();
    // A remark more or less would be no reason to refuse.
    let sign = draft.language.comment();
    let is_code = |line: &&String| {
        let text = line.trim();
        text.len() > 6 && !sign.is_some_and(|sign| text.starts_with(sign)) && !text.starts_with('*')
    };
    if piece.iter().filter(is_code).count() < 2 || draft.block.iter().filter(is_code).count() < 2 {
        return false;
    }
    let end = draft.old.len();
    for (step, text) in piece.into_iter().enumerate() {
        draft.old.push(Old { text: text.clone(), at: None });
        let from = Some(end + step);
        draft.new.push(super::super::draft::New { text, from, made_of: None });
    }
    // A third place may have nearly what the two pieces have together.
    let sent: Vec<String> = draft.old.iter().map(|line| line.text.clone()).collect();
    !stands_nearly(draft, &sent)
}

/// The file is already as it is wanted.
pub(super) fn stale_already_applied(draft: &mut Draft, _: &mut Random) -> bool {
    let done: Vec<String> = draft.want.iter().map(|want| want.texts[0].clone()).collect();
    let filled = |lines: &[String]| -> Vec<String> {
        lines.iter().map(|line| squashed(line)).filter(|line| !line.is_empty()).collect()
    };
    let (old, now) = (filled(&draft.block), filled(&done));
    // Where the old text is a part of the new one it can be done again.
    if now.windows(old.len()).any(|window| window == old) {
        return false;
    }
    draft.block = done;
    true
}

/// The block is gone, and what looks like it differs in most of its lines.
pub(super) fn target_removed_decoy(draft: &mut Draft, random: &mut Random) -> bool {
    let mut differing = 0;
    let mut decoy = draft.block.clone();
    for line in &mut decoy {
        let found = words(line);
        let Some((from, to)) = random.pick(&found).copied() else { continue };
        let word = line[from..to].to_owned();
        *line = renamed(line, &word, &format!("{word}2"));
        differing += 1;
    }
    if differing < 2 || differing * 2 < draft.filled() {
        return false;
    }
    draft.block = Vec::new();
    place(draft, &decoy, random);
    // A place that is nearly the one that is gone could be it, changed.
    !has_rival(draft)
}

/// A block of another file.
pub(super) fn not_in_file(draft: &mut Draft, random: &mut Random) -> bool {
    let count = draft.old.len();
    if draft.other.lines.len() <= count {
        return false;
    }
    let begin = random.below(draft.other.lines.len() - count);
    let known: Vec<String> = draft.file().map(|line| squashed(line)).collect();
    let lines = draft.other.lines[begin..begin + count].to_vec();
    let same = lines.iter().filter(|line| known.contains(&squashed(line))).count();
    if same * 4 > count || is_blank(&lines[0]) {
        return false;
    }
    for (at, text) in lines.iter().enumerate() {
        draft.send(at, text);
    }
    true
}

/// What the change is about has been changed to something else.
pub(super) fn conflicting_change(draft: &mut Draft, random: &mut Random) -> bool {
    let Some((old, new)) = draft.modified() else { return false };
    let (was, is) = (draft.old[old].text.clone(), draft.new[new].text.clone());
    let number = super::super::text::numbers(&was);
    let (prefix, _) = common(&was, &is);
    let Some((from, to)) = number.into_iter().find(|(from, to)| (from..=to).contains(&&prefix))
    else {
        return false;
    };
    let Ok(value) = was[from..to].parse::<usize>() else { return false };
    let third = super::super::text::replaced(
        &was,
        (from, to),
        &(value + random.between(100, 199)).to_string(),
    );
    if third == is || third == was {
        return false;
    }
    draft.drift(old, &third) && !has_rival(draft)
}

/// The line that the change is about has been taken out of the file.
pub(super) fn target_line_removed(draft: &mut Draft, _: &mut Random) -> bool {
    let Some((old, _)) = draft.modified() else { return false };
    let Some(at) = draft.old[old].at else { return false };
    draft.block.remove(at);
    // A place that is nearly the same and still has the line could be the one that is meant.
    draft.filled() >= 4 && draft.old[old].text.trim().len() > 6 && !has_rival(draft)
}

/// Dots in the old text, and none in the new one: what stands for the lines between?
pub(super) fn unpaired_elision(draft: &mut Draft, random: &mut Random) -> bool {
    let before = draft.new.len();
    if !elision(draft, random) || draft.new.len() >= before {
        return false;
    }
    let Some(dots) = draft.old.iter().position(|line| line.at.is_none()) else { return false };
    draft.new.retain(|line| line.from != Some(dots));
    true
}

/// Dots between two pieces that stand together in two places.
pub(super) fn ambiguous_elision(draft: &mut Draft, random: &mut Random) -> bool {
    let copy = draft.block.clone();
    elision(draft, random) && {
        place(draft, &copy, random);
        true
    }
}

/// A word that stands in many places.
pub(super) fn word_many_times(draft: &mut Draft, random: &mut Random) -> bool {
    let line = &draft.block[0];
    let found = words(line);
    let Some((from, to)) = random.pick(&found).copied() else { return false };
    let word = line[from..to].to_owned();
    let content: Vec<&str> = draft.file().map(String::as_str).collect();
    if word.len() < 4 || content.join("\n").matches(&word).count() < 3 || !indent(&word).is_empty()
    {
        return false;
    }
    draft.old = vec![Old { text: word.clone(), at: None }];
    draft.new =
        vec![super::super::draft::New { text: format!("{word}_x"), from: None, made_of: None }];
    draft.newline = false;
    true
}
