//! Which files refer to which, and what is worth to be known first.
//!
//! A file points at the files that define the names which it mentions. A mention counts by the
//! square root of how often it is made, is split among all files that define the name, and counts
//! little where the name is one that anybody could have meant. `PageRank` over that graph gives
//! each file a weight, and each definition gets what flows to it.
//!
//! Files are taken by path and sums are made in that order, so the result is the same whatever
//! the order in which the files were parsed.

use std::collections::HashMap;

use super::Outline;
use super::definition::Kind;

/// How often a reader follows a mention instead of starting anew.
const DAMPING: f64 = 0.85;
/// Enough for the ranks to settle within a thousandth.
const ROUNDS: usize = 30;
/// How much of a start is at what was asked for, where something was.
const FOCUSED: f64 = 0.9;
/// What a definition gets of its file's rank although nobody mentions it.
const UNMENTIONED: f64 = 0.05;
/// How much more a name counts that was asked for.
const ASKED_FOR: f64 = 10.0;
/// What definitions that were asked for by name get before all others.
const FIRST: f64 = 1.0;

/// A file with its outline.
#[derive(Clone, Copy, Debug)]
pub struct MappedFile<'a> {
    /// Below the folder that is mapped, with `/`.
    pub path: &'a str,
    /// What it says.
    pub outline: &'a Outline,
}

/// What the reader is about to work on.
#[derive(Clone, Debug, Default)]
pub struct Focus {
    /// Files, folders (by path) and names of definitions.
    pub words: Vec<String>,
}

impl Focus {
    fn is_file(&self, path: &str) -> bool {
        self.words.iter().any(|word| {
            let word = word.trim_start_matches("./").trim_end_matches('/');
            let rest = path.strip_prefix(word);
            !word.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// The words that stand for no file and no definition among these.
    pub fn unknown(&self, files: &[MappedFile<'_>]) -> Vec<&String> {
        let known = |word: &String| {
            let one = Self { words: vec![word.clone()] };
            let defines = |file: &MappedFile<'_>| {
                file.outline.definitions.iter().any(|own| one.is_name(&own.name))
            };
            files.iter().any(|file| one.is_file(file.path) || defines(file))
        };
        self.words.iter().filter(|word| !known(word)).collect()
    }

    fn is_name(&self, name: &str) -> bool {
        self.words.iter().any(|word| {
            // `Type::method` and `package.function` ask for the last part.
            word == name || word.rsplit([':', '.', '#']).next() == Some(name)
        })
    }
}

/// What the files and their definitions are worth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// For each file.
    pub files: Vec<f64>,
    /// For each file, for each of its definitions.
    pub definitions: Vec<Vec<f64>>,
}

/// Ranks files, which must come sorted by path.
pub fn rank(files: &[MappedFile<'_>], focus: &Focus) -> Ranking {
    let names = Names::new(files, focus);
    let edges = names.edges(files);
    let start = start(files, &names, focus);
    let ranks = page_rank(&edges, &start);
    let definitions = names.definitions(files, &edges, &ranks);
    let files = definitions.iter().map(|values| values.iter().sum()).collect();
    Ranking { files, definitions }
}

/// A name that is defined.
struct Name {
    /// The files that define it, each with the places of its definitions.
    files: Vec<(u32, Vec<u32>)>,
    /// How much a mention counts.
    weight: f64,
    asked_for: bool,
}

struct Names<'a>(HashMap<&'a str, Name>);

impl<'a> Names<'a> {
    fn new(files: &[MappedFile<'a>], focus: &Focus) -> Self {
        let mut names: HashMap<&'a str, Name> = HashMap::new();
        for (at, file) in (0..).zip(files) {
            for (place, definition) in (0..).zip(&file.outline.definitions) {
                if definition.kind == Kind::Implementation {
                    continue;
                }
                let name = names.entry(&definition.name).or_insert_with(|| {
                    let asked_for = focus.is_name(&definition.name);
                    let weight = distinctness(&definition.name);
                    let weight = if asked_for { weight.max(1.0) * ASKED_FOR } else { weight };
                    Name { files: Vec::new(), weight, asked_for }
                });
                match name.files.last_mut() {
                    Some((last, places)) if *last == at => places.push(place),
                    _ => name.files.push((at, vec![place])),
                }
            }
        }
        Self(names)
    }

    /// For each file the mentions of names that others define: the name, and how much it counts.
    fn edges(&self, files: &[MappedFile<'a>]) -> Vec<Vec<(&Name, f64)>> {
        let of = |(at, file): (u32, &MappedFile<'a>)| {
            let known = file.outline.mentions.iter().filter_map(|(mentioned, count)| {
                let name = self.0.get(&**mentioned)?;
                let elsewhere = name.files.iter().any(|(file, _)| *file != at);
                elsewhere.then(|| (name, name.weight * f64::from(*count).sqrt()))
            });
            known.collect()
        };
        (0..).zip(files).map(of).collect()
    }

    /// What flows to each definition, and a little of its file's rank.
    fn definitions(
        &self,
        files: &[MappedFile<'a>],
        edges: &[Vec<(&Name, f64)>],
        ranks: &[f64],
    ) -> Vec<Vec<f64>> {
        let mut values: Vec<Vec<f64>> =
            files.iter().zip(ranks).map(|(file, rank)| unmentioned(file, *rank)).collect();
        for (at, own) in (0..).zip(edges) {
            each_flow(at, own, ranks[at as usize], |file, places, flow| {
                let share = flow / count(places.len());
                for place in places {
                    values[file as usize][*place as usize] += share;
                }
            });
        }
        for name in self.0.values().filter(|name| name.asked_for) {
            for (file, places) in &name.files {
                for place in places {
                    values[*file as usize][*place as usize] += FIRST;
                }
            }
        }
        values
    }
}

fn unmentioned(file: &MappedFile<'_>, rank: f64) -> Vec<f64> {
    let definitions = &file.outline.definitions;
    let share = UNMENTIONED * rank / count(definitions.len().max(1));
    let depth = |parent: Option<u32>| if parent.is_some() { 0.5 } else { 1.0 };
    definitions.iter().map(|own| share * own.kind.weight() * depth(own.parent)).collect()
}

/// Hands a file's rank on, to each definer of each name that it mentions.
fn each_flow(at: u32, own: &[(&Name, f64)], rank: f64, mut flow: impl FnMut(u32, &[u32], f64)) {
    let all: f64 = own.iter().map(|(_, weight)| weight).sum();
    for (name, weight) in own {
        let others = name.files.iter().filter(|(file, _)| *file != at);
        let share = rank * weight / all / count(others.clone().count());
        others.for_each(|(file, places)| flow(*file, places, share));
    }
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// How sure it is that a mention of this name means what is defined by it: names of several words
/// and of types are, `get` and `x1` are not.
fn distinctness(name: &str) -> f64 {
    let letters = name.trim_start_matches('_');
    let length = letters.chars().count();
    let capital = letters.starts_with(char::is_uppercase);
    let inner = letters.chars().skip(1);
    let words = letters.contains(['_', '-']) || (!capital && inner.clone().any(char::is_uppercase));
    let by_form = match length {
        0..=2 => 0.02,
        3 => 0.1,
        _ if capital || (words && length >= 6) => 1.0,
        6.. => 0.4,
        _ => 0.1,
    };
    if letters.len() < name.len() { by_form * 0.2 } else { by_form }
}

/// Where a reader starts.
fn start(files: &[MappedFile<'_>], names: &Names<'_>, focus: &Focus) -> Vec<f64> {
    let even = 1.0 / count(files.len().max(1));
    let mut wanted: Vec<f64> =
        files.iter().map(|file| if focus.is_file(file.path) { 1.0 } else { 0.0 }).collect();
    for name in names.0.values().filter(|name| name.asked_for) {
        name.files.iter().for_each(|(file, _)| wanted[*file as usize] = 1.0);
    }
    let all: f64 = wanted.iter().sum();
    if all == 0.0 {
        return vec![even; files.len()];
    }
    wanted.iter().map(|own| FOCUSED * own / all + (1.0 - FOCUSED) * even).collect()
}

fn page_rank(edges: &[Vec<(&Name, f64)>], start: &[f64]) -> Vec<f64> {
    let flows = flows(edges);
    let mut ranks = start.to_vec();
    for _ in 0..ROUNDS {
        let mut next = vec![0.0; ranks.len()];
        let mut lost = 0.0;
        for (own, rank) in flows.iter().zip(&ranks) {
            if own.is_empty() {
                lost += rank;
            }
            for (file, share) in own {
                next[*file as usize] += rank * share;
            }
        }
        for (next, start) in next.iter_mut().zip(start) {
            *next = DAMPING * (*next + lost * start) + (1.0 - DAMPING) * start;
        }
        ranks = next;
    }
    ranks
}

/// For each file, which part of its rank goes to which others, by their place.
fn flows(edges: &[Vec<(&Name, f64)>]) -> Vec<Vec<(u32, f64)>> {
    let mut sums = vec![0.0; edges.len()];
    let of = |(at, own): (u32, &Vec<(&Name, f64)>)| {
        let mut reached = Vec::new();
        each_flow(at, own, 1.0, |file, _, share| {
            if sums[file as usize] == 0.0 {
                reached.push(file);
            }
            sums[file as usize] += share;
        });
        reached.sort_unstable();
        reached.into_iter().map(|file| (file, std::mem::take(&mut sums[file as usize]))).collect()
    };
    (0..).zip(edges).map(of).collect()
}
