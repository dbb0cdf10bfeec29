//! What can be done right, but need not be: who refuses it is not wrong.

use super::super::draft::{Draft, New};
use super::super::random::Random;
use super::super::text::{common, is_blank, replaced, squashed, words};
use super::fuzzy::typo;
use super::lines::elision;

/// Two lines in the other order; the file's order stays.
pub(super) fn swapped_lines(draft: &mut Draft, random: &mut Random) -> bool {
    if draft.old.len() < 5 {
        return false;
    }
    let at = random.between(1, draft.old.len() - 3);
    let (first, second) = (draft.old[at].text.clone(), draft.old[at + 1].text.clone());
    let fits = !is_blank(&first) && !is_blank(&second) && squashed(&first) != squashed(&second);
    fits && draft.splice(at, 2, 1, &[second, first])
}

/// A line from elsewhere in the file, in both texts.
pub(super) fn extra_line(draft: &mut Draft, random: &mut Random) -> bool {
    let far: Vec<&String> =
        draft.after.iter().skip(3).filter(|line| line.trim().len() > 8).collect();
    let Some(line) = random.pick(&far).map(|line| (*line).clone()) else { return false };
    if draft.old.len() < 4 {
        return false;
    }
    let at = random.between(1, draft.old.len() - 1);
    draft.splice(at, 0, 1, &[line])
}

/// A line of code that neither text has; the file keeps it.
pub(super) fn line_left_out(draft: &mut Draft, random: &mut Random) -> bool {
    if draft.old.len() < 5 {
        return false;
    }
    let at = random.between(1, draft.old.len() - 2);
    !is_blank(&draft.old[at].text) && draft.splice(at, 1, 1, &[])
}

/// A typo in the line that is to be changed: mended or kept.
pub(super) fn typo_in_changed_line(draft: &mut Draft, random: &mut Random) -> bool {
    let Some((old, new)) = draft.modified() else { return false };
    let (was, is) = (draft.old[old].text.clone(), draft.new[new].text.clone());
    let (prefix, _) = common(&was, &is);
    let Some(wrong) = typo(&was[..prefix], random).filter(|wrong| *wrong != was[..prefix]) else {
        return false;
    };
    draft.old[old].text = format!("{wrong}{}", &was[prefix..]);
    let kept = format!("{wrong}{}", &is[prefix..]);
    draft.accept_also(|_| kept.clone());
    draft.new[new].text = kept;
    draft.filled() >= 3
}

/// Somebody else changed another word of the line that is to be changed: both changes stay.
pub(super) fn change_on_drifted_line(draft: &mut Draft, random: &mut Random) -> bool {
    let Some((old, new)) = draft.modified() else { return false };
    let (was, is) = (draft.old[old].text.clone(), draft.new[new].text.clone());
    let (prefix, _) = common(&was, &is);
    let whole: Vec<(usize, usize)> =
        words(&was).into_iter().filter(|(from, to)| to - from >= 4 && to + 1 < prefix).collect();
    let Some(place) = random.pick(&whole).copied() else { return false };
    let name = format!("{}_now", &was[place.0..place.1]);
    let merged = replaced(&is, place, &name);
    for want in draft.want.iter_mut().filter(|want| want.from.is_none()) {
        want.texts = vec![merged.clone()];
    }
    draft.filled() >= 3 && draft.drift(old, &replaced(&was, place, &name))
}

/// The old text is whole, the new one has dots for what stays.
pub(super) fn elision_only_in_new(draft: &mut Draft, random: &mut Random) -> bool {
    let whole = draft.old.clone();
    if draft.language.comment().is_none() || !elision(draft, random) {
        return false;
    }
    // Three dots alone are code in some languages; these words are not.
    let said = draft
        .new
        .iter()
        .any(|line| line.text.contains("existing code ...") || line.text.contains("unchanged ..."));
    if !said {
        return false;
    }
    draft.old = whole;
    for line in &mut draft.new {
        // The lines of `new` no longer point at those of `old`.
        *line = New { text: line.text.clone(), from: None, made_of: None };
    }
    true
}
