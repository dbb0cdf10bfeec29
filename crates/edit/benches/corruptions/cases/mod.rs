//! Edits of real files, corrupted in ways that can be told: the file, the two texts that are sent,
//! and which results are right.
//!
//! A case is decided by a seed and its number. A block of a file and a small change of it are the
//! truth ([`truth`]); the kind of the case ([`kinds`]) then changes what is sent, or the file, and
//! says with that which results are right. A case that does not mean what its kind says is thrown
//! away ([`sound`]) and made anew from another block.
//!
//! Nothing here knows how an engine works.

pub(crate) mod corpus;
mod draft;
pub(crate) mod judge;
pub(crate) mod kinds;
pub(crate) mod language;
pub(crate) mod random;
mod sound;
mod text;
mod truth;

use corpus::Corpus;
use draft::{Draft, Ends};
use kinds::{Class, KINDS, Kind, Origin, Touches};
use random::Random;

/// How many of the cases of a round are combinations.
const COMBINATIONS: usize = 15;
/// Blocks that are tried before a case is given up, and how many of them in one file.
const TRIES: usize = 6_000;
const TRIES_IN_FILE: usize = 6;
/// More right results than this are a question that nobody should be asked.
const MAX_RESULTS: usize = 64;

/// One edit, and what may come of it.
pub(crate) struct Case {
    pub(crate) id: usize,
    pub(crate) kind: String,
    pub(crate) class: Class,
    pub(crate) origin: Origin,
    pub(crate) path: String,
    pub(crate) content: String,
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) replace_all: bool,
    /// The results that are right; none where nothing may be done.
    pub(crate) accepted: Vec<String>,
    /// The lines of the file, from 0, that the edit is about.
    pub(crate) lines: std::ops::Range<usize>,
}

/// How many cases have each kind once.
pub(crate) fn round() -> usize {
    KINDS.len() + COMBINATIONS
}

/// The case of a number. None where no block was fit for its kind.
pub(crate) fn case(corpus: &Corpus, seed: u64, id: usize) -> Option<Case> {
    let mut random = Random::of(seed, id as u64);
    let slot = id % round();
    let mut kinds: Vec<&Kind> = KINDS.get(slot).into_iter().collect();
    let mut source = corpus.pick(&mut random);
    for attempt in 0..TRIES {
        if attempt % TRIES_IN_FILE == 0 {
            source = corpus.pick(&mut random);
            if slot >= KINDS.len() && attempt % (TRIES_IN_FILE * 10) == 0 {
                kinds = pair(&mut random);
            }
        }
        let Some(other) = corpus.pick_of(source.language, &mut random) else { continue };
        let draft =
            truth::draft(&source, &other, &mut random).filter(|_| source.path != other.path);
        let Some(mut draft) = draft else { continue };
        if let Some(case) = corrupted(&mut draft, &kinds, &mut random) {
            let path = source.path.to_string_lossy().into_owned();
            return Some(Case { id, path, ..case });
        }
    }
    None
}

/// Two kinds that can be combined, in the order of what they touch.
fn pair(random: &mut Random) -> Vec<&'static Kind> {
    let fit: Vec<&Kind> = KINDS
        .iter()
        .filter(|kind| kind.class == Class::Recoverable && kind.touches != Touches::All)
        .collect();
    loop {
        let (a, b) = (random.below(fit.len()), random.below(fit.len()));
        if fit[a].touches < fit[b].touches {
            return vec![fit[a], fit[b]];
        }
    }
}

/// Does what the kinds do, and writes the case down where it is sound.
fn corrupted(draft: &mut Draft, kinds: &[&Kind], random: &mut Random) -> Option<Case> {
    let steps = kinds.iter().flat_map(|kind| kind.lines);
    if !steps.into_iter().all(|step| step(draft, random)) {
        return None;
    }
    draft.write_texts();
    let steps = kinds.iter().flat_map(|kind| kind.texts);
    if !steps.into_iter().all(|step| step(draft, random)) {
        return None;
    }
    let class = kinds[0].class;
    if !sound::is_sound(draft, class, kinds.iter().any(|kind| kind.misremembers)) {
        return None;
    }
    let (content, accepted) = written(draft, random)?;
    let (old, new) = std::mem::take(&mut draft.sent);
    let accepted = if class == Class::Refuse { Vec::new() } else { accepted };
    let stands = content.contains(&old);
    let exact = kinds.iter().all(|kind| kind.exact);
    if stands != exact || old == new || accepted.contains(&content) {
        return None;
    }
    let once = draft.replace_all || class == Class::Refuse || content.matches(&old).count() < 2;
    if !once {
        return None;
    }
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
    let origin = if kinds.len() > 1 { Origin::Combination } else { kinds[0].origin };
    Some(Case {
        id: 0,
        kind: names.join("+"),
        class,
        origin,
        path: String::new(),
        content,
        old,
        new,
        replace_all: draft.replace_all,
        accepted,
        lines: draft.before.len()..draft.before.len() + draft.block.len(),
    })
}

/// The file before, and all of the right results.
fn written(draft: &Draft, random: &mut Random) -> Option<(String, Vec<String>)> {
    let mut end = || match draft.ends {
        Ends::Lf => "\n",
        Ends::CrLf => "\r\n",
        Ends::Mixed => ["\n", "\r\n"][random.below(2)],
    };
    let mut whole = |lines: &[String]| -> Vec<String> {
        lines.iter().map(|line| format!("{line}{}", end())).collect()
    };
    let mark = if draft.mark { "\u{feff}" } else { "" };
    let (before, block, after) = (whole(&draft.before), whole(&draft.block), whole(&draft.after));
    let content = format!("{mark}{}{}{}", before.concat(), block.concat(), after.concat());
    if let Some(results) = &draft.results {
        return Some((content, results.clone()));
    }
    let ends: &[&str] = match draft.ends {
        Ends::Lf => &["\n"],
        Ends::CrLf => &["\r\n"],
        Ends::Mixed => &["\n", "\r\n"],
    };
    let mut results = vec![format!("{mark}{}", before.concat())];
    for want in &draft.want {
        let forms: Vec<String> = match want.from.and_then(|at| block.get(at)) {
            Some(line) => vec![line.clone()],
            None => want
                .texts
                .iter()
                .flat_map(|text| ends.iter().map(move |end| format!("{text}{end}")))
                .collect(),
        };
        if results.len() * forms.len() > MAX_RESULTS {
            return None;
        }
        results = results
            .iter()
            .flat_map(|result| forms.iter().map(move |form| format!("{result}{form}")))
            .collect();
    }
    let after = after.concat();
    for result in &mut results {
        result.push_str(&after);
    }
    Some((content, results))
}
