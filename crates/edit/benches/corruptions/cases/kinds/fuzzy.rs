//! A line or two that say something else than the file, without touching what is meant.

use super::super::draft::Draft;
use super::super::random::Random;
use super::super::text::{indent, numbers, replaced, words};

/// What must be there for one wrong line to be no doubt.
fn is_enough(draft: &Draft) -> bool {
    let letters: usize = draft.old.iter().map(|line| line.text.trim().len()).sum();
    draft.filled() >= 3 && letters >= 60
}

/// Whether the old text now ends within a line of the file: then it is meant as it is.
fn ends_early(draft: &Draft, at: usize) -> bool {
    let (was, is) = (&draft.original[at], &draft.block[at]);
    !draft.newline && was != is && is.starts_with(was)
}

/// Sends one line that both texts have in another form.
fn misremember(
    draft: &mut Draft,
    random: &mut Random,
    make: impl Fn(&str, &mut Random) -> Option<String>,
) -> bool {
    let found = if is_enough(draft) { draft.shared_as(random, make) } else { None };
    let Some((at, text)) = found else { return false };
    // A text that ends within a line of the file is meant as it is.
    let ends_early = draft.old[at].text.starts_with(&text) && !draft.newline;
    if ends_early && at + 1 == draft.old.len() {
        return false;
    }
    draft.send(at, &text);
    true
}

/// Somebody else changed one line that both texts have.
fn outdate(
    draft: &mut Draft,
    random: &mut Random,
    make: impl Fn(&str, &mut Random) -> Option<String>,
) -> bool {
    let last = draft.old.last().and_then(|line| line.at);
    is_enough(draft)
        && draft.drift_one(random, make)
        && !last.is_some_and(|at| ends_early(draft, at))
}

/// A letter doubled, lost, or in the place of its neighbour, in a word of some length.
pub(super) fn typo(line: &str, random: &mut Random) -> Option<String> {
    let long: Vec<(usize, usize)> =
        words(line).into_iter().filter(|(from, to)| to - from >= 4).collect();
    let (from, to) = *random.pick(&long).filter(|_| line.trim().len() >= 10)?;
    let at = random.between(from + 1, to - 2);
    let by = match random.below(3) {
        0 => line[at..=at].repeat(2),
        1 => String::new(),
        _ => {
            return Some(format!(
                "{}{}{}{}",
                &line[..at],
                &line[at + 1..at + 2],
                &line[at..=at],
                &line[at + 2..]
            ));
        }
    };
    Some(replaced(line, (at, at + 1), &by))
}

pub(super) fn typo_one(draft: &mut Draft, random: &mut Random) -> bool {
    misremember(draft, random, typo)
}

/// A word of the line is another one now, or the line got a remark.
pub(super) fn drift_line(draft: &mut Draft, random: &mut Random) -> bool {
    let comment = draft.language.comment();
    outdate(draft, random, |line, random| {
        let long: Vec<(usize, usize)> =
            words(line).into_iter().filter(|(from, to)| to - from >= 4).collect();
        if line.trim().len() < 12 {
            return None;
        }
        if let Some(comment) = comment.filter(|_| random.percent(30)) {
            return Some(format!("{line} {comment} see below"));
        }
        let place = *random.pick(&long)?;
        Some(replaced(line, place, &format!("{}_now", &line[place.0..place.1])))
    })
}

pub(super) fn stale_number(draft: &mut Draft, random: &mut Random) -> bool {
    outdate(draft, random, |line, random| {
        let found = numbers(line);
        let place = *random.pick(&found).filter(|_| line.trim().len() >= 8)?;
        let number: usize = line[place.0..place.1].parse().ok()?;
        Some(replaced(line, place, &(number + random.between(1, 9)).to_string()))
    })
}

pub(super) fn trailing_comma_dropped(draft: &mut Draft, random: &mut Random) -> bool {
    misremember(draft, random, |line, _| line.strip_suffix(',').map(str::to_owned))
}

pub(super) fn semicolon_dropped(draft: &mut Draft, random: &mut Random) -> bool {
    misremember(draft, random, |line, _| line.strip_suffix(';').map(str::to_owned))
}

pub(super) fn word_case(draft: &mut Draft, random: &mut Random) -> bool {
    misremember(draft, random, |line, random| {
        let long: Vec<(usize, usize)> =
            words(line).into_iter().filter(|(from, to)| to - from >= 3).collect();
        let (from, to) = *random.pick(&long)?;
        let word = &line[from..to];
        let first = word.chars().next()?;
        let swapped = if first.is_ascii_lowercase() {
            first.to_ascii_uppercase()
        } else {
            first.to_ascii_lowercase()
        };
        Some(replaced(line, (from, from + 1), &swapped.to_string()))
    })
}

/// Other quotes around a text.
pub(super) fn quote_style(draft: &mut Draft, random: &mut Random) -> bool {
    misremember(draft, random, |line, _| {
        match (line.matches('"').count(), line.matches('\'').count()) {
            (2, 0) => Some(line.replace('"', "'")),
            (0, 2) => Some(line.replace('\'', "\"")),
            _ => None,
        }
    })
}

/// A comment of which the last words are left out.
pub(super) fn comment_shortened(draft: &mut Draft, random: &mut Random) -> bool {
    let Some(sign) = draft.language.comment() else { return false };
    misremember(draft, random, |line, _| {
        let begin = line.find(&format!("{sign} "))?;
        let said: Vec<&str> = line[begin..].split(' ').collect();
        (said.len() >= 7 && !said.contains(&""))
            .then(|| format!("{}{}", &line[..begin], said[..said.len() * 2 / 3].join(" ")))
    })
}

/// A long line that ends in dots.
pub(super) fn cut_off_line(draft: &mut Draft, random: &mut Random) -> bool {
    misremember(draft, random, |line, random| {
        let depth = indent(line).len();
        let body = line[depth..].trim_end();
        let end = body.len() * random.between(55, 80) / 100;
        (body.len() >= 40 && body.is_char_boundary(end))
            .then(|| format!("{}{}...", &line[..depth], body[..end].trim_end()))
    })
}
