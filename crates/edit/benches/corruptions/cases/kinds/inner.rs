//! White space and characters within lines, and where lines are broken.

use super::super::draft::Draft;
use super::super::language::Language;
use super::super::random::Random;
use super::super::text::{indent, is_blank, words};

/// Blanks within a line doubled, or taken away around signs.
pub(super) fn intra_space(draft: &mut Draft, random: &mut Random) -> bool {
    let mut any = false;
    for _ in 0..random.between(1, 3) {
        let spaced = |line: &str, random: &mut Random| {
            let depth = indent(line);
            let body = &line[depth.len()..];
            let made = match random.below(3) {
                0 => body.replacen(" = ", "=", 1),
                1 => body.replace(", ", ","),
                _ => body.replacen(' ', "  ", 1),
            };
            Some(format!("{depth}{made}"))
        };
        if let Some((at, text)) = draft.shared_as(random, spaced) {
            draft.send(at, &text);
            any = true;
        }
    }
    any
}

/// The quotes that a word processor makes.
fn curly(line: &str) -> String {
    let mut open = true;
    let mut made = String::new();
    for c in line.chars() {
        match c {
            '"' => {
                made.push(if open { '\u{201c}' } else { '\u{201d}' });
                open = !open;
            }
            '\'' => made.push('\u{2019}'),
            _ => made.push(c),
        }
    }
    made
}

pub(super) fn smart_quotes_in_old(draft: &mut Draft, random: &mut Random) -> bool {
    if !draft.old.iter().any(|line| line.text.contains(['"', '\''])) {
        return false;
    }
    if random.percent(50) {
        for line in &mut draft.old {
            line.text = curly(&line.text);
        }
    } else {
        draft.send_each(curly);
        draft.accept_also(curly);
    }
    true
}

/// The file has typographic characters where the model writes plain ones.
pub(super) fn unicode_in_file(draft: &mut Draft, random: &mut Random) -> bool {
    let typographic = |line: &str, random: &mut Random| {
        Some(match random.below(4) {
            0 => curly(line),
            1 => line.replacen('-', "\u{2013}", 1),
            2 => line.replacen("...", "\u{2026}", 1),
            _ => {
                let depth = indent(line);
                format!("{depth}{}", line[depth.len()..].replacen(' ', "\u{a0}", 1))
            }
        })
    };
    draft.drift_one(random, typographic)
}

/// Accents as signs of their own.
pub(super) fn nfd_in_old(draft: &mut Draft, random: &mut Random) -> bool {
    const FORMS: [(&str, &str, &str); 4] = [
        ("e", "\u{e9}", "e\u{301}"),
        ("a", "\u{e4}", "a\u{308}"),
        ("o", "\u{f6}", "o\u{308}"),
        ("n", "\u{f1}", "n\u{303}"),
    ];
    let (plain, composed, decomposed) = FORMS[random.below(4)];
    let found = draft.shared_as(random, |line, _| Some(line.replacen(plain, composed, 2)));
    let Some((at, text)) = found else { return false };
    if draft.old[at].at.is_none_or(|line| draft.block[line] != draft.old[at].text) {
        return false;
    }
    draft.send(at, &text.replace(composed, decomposed));
    draft.drift(at, &text)
}

/// The wide forms of signs, as models write that were taught much Chinese.
pub(super) fn fullwidth_in_old(draft: &mut Draft, random: &mut Random) -> bool {
    let wide = |line: &str, _: &mut Random| {
        let signs = [(',', '\u{ff0c}'), ('(', '\u{ff08}'), (')', '\u{ff09}'), (':', '\u{ff1a}')];
        let made = signs
            .iter()
            .fold(line.to_owned(), |line, (narrow, wide)| line.replace(*narrow, &wide.to_string()));
        Some(made)
    };
    let Some((at, text)) = draft.shared_as(random, wide) else { return false };
    draft.send(at, &text);
    true
}

/// A sign that is not seen.
pub(super) fn zero_width_in_old(draft: &mut Draft, random: &mut Random) -> bool {
    let hidden = |line: &str, random: &mut Random| {
        let found = words(line);
        let (from, to) = *random.pick(&found)?;
        let at = if random.percent(50) { from } else { to };
        let sign = ["\u{200b}", "\u{feff}", "\u{2060}"][random.below(3)];
        Some(format!("{}{sign}{}", &line[..at], &line[at..]))
    };
    let Some((at, text)) = draft.shared_as(random, hidden) else { return false };
    draft.send(at, &text);
    true
}

/// A long line broken in two, the rest deeper.
pub(super) fn wrapped_line(draft: &mut Draft, random: &mut Random) -> bool {
    let long: Vec<usize> =
        draft.shared().into_iter().filter(|at| draft.old[*at].text.trim().len() > 45).collect();
    let Some(at) = random.pick(&long).copied() else { return false };
    let text = draft.old[at].text.clone();
    let depth = indent(&text).len();
    let gaps = text.match_indices(' ').map(|(gap, _)| gap);
    let Some(gap) =
        gaps.filter(|gap| *gap > depth + 15).min_by_key(|gap| gap.abs_diff(text.len() * 2 / 3))
    else {
        return false;
    };
    let rest = text[gap..].trim_start();
    if rest.is_empty() {
        return false;
    }
    let second = format!("{}{}{rest}", &text[..depth], draft.unit);
    draft.splice(at, 1, 0, &[text[..gap].to_owned(), second])
}

/// Two lines written as one.
pub(super) fn joined_lines(draft: &mut Draft, random: &mut Random) -> bool {
    if draft.old.len() < 3 {
        return false;
    }
    let at = random.below(draft.old.len() - 1);
    let (first, second) = (draft.old[at].text.clone(), draft.old[at + 1].text.clone());
    if is_blank(&first) || is_blank(&second) {
        return false;
    }
    let joined = format!("{} {}", first.trim_end(), second.trim_start());
    draft.splice(at, 2, 0, &[joined])
}

/// What stands before the words of a line of prose: its indent and, of a comment, the sign.
fn prose(line: &str, language: Language) -> Option<&str> {
    let depth = indent(line).len();
    let body = &line[depth..];
    let signs = ["/// ", "//! ", "// ", "# ", "* "];
    let sign = match language {
        Language::Markdown => "",
        _ => signs.iter().find(|sign| body.starts_with(**sign))?,
    };
    let starts_with_letter = body[sign.len()..].starts_with(|c: char| c.is_alphabetic());
    (starts_with_letter && line.len() > 30).then(|| &line[..depth + sign.len()])
}

/// A paragraph broken at other words.
pub(super) fn text_reflowed(draft: &mut Draft, random: &mut Random) -> bool {
    let prefix = |at: usize| prose(&draft.old[at].text, draft.language);
    let count = draft.old.len();
    let runs: Vec<(usize, usize)> = (0..count)
        .filter(|at| prefix(*at).is_some() && (*at == 0 || prefix(at - 1) != prefix(*at)))
        .map(|at| (at, (at..count).take_while(|next| prefix(*next) == prefix(at)).count()))
        .filter(|(_, length)| *length >= 2)
        .collect();
    let Some((at, length)) = random.pick(&runs).copied() else { return false };
    let begin = prefix(at).unwrap_or_default().to_owned();
    let all =
        draft.old[at..at + length].iter().flat_map(|line| line.text[begin.len()..].split(' '));
    let all: Vec<&str> = all.filter(|word| !word.is_empty()).collect();
    let width = random.between(40, 70);
    let mut lines = vec![begin.clone()];
    for word in all {
        let last = lines.len() - 1;
        if lines[last].len() > begin.len() && lines[last].len() + word.len() + 1 > width {
            lines.push(format!("{begin}{word}"));
        } else {
            let gap = if lines[last].len() > begin.len() { " " } else { "" };
            lines[last].push_str(&format!("{gap}{word}"));
        }
    }
    let same = lines.len() == length
        && lines.iter().zip(&draft.old[at..]).all(|(line, old)| *line == old.text);
    !same && draft.splice(at, length, 0, &lines)
}
