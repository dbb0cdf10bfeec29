//! The map as text, within a number of tokens.

use super::definition::Definition;
use super::graph::{MappedFile, Ranking};

/// How much further in a definition inside another stands.
const INDENT: &str = "  ";
/// What stands for definitions that are not shown.
const ELIDED: &str = "⋮";

/// A map, and how much of all there is it shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map {
    /// The map, a line each; empty where there is nothing to show.
    pub text: String,
    /// How many definitions it shows.
    pub definitions: usize,
    /// How many files it shows.
    pub files: usize,
}

/// About how many tokens a model needs for a text: four bytes each, right within a third for the
/// usual tokenizers.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// Shows as many of the best definitions as fit into `max_tokens`: files by rank, in each the
/// definitions in the order of the text, with those around them.
pub fn render(files: &[MappedFile<'_>], ranking: &Ranking, max_tokens: usize) -> Map {
    let order = by_value(files, ranking);
    // More definitions never make a shorter text, so the most that fit are found by halving.
    let (mut fits, mut too_many) = (Map::default(), order.len() + 1);
    let mut shown = 0;
    // A definition takes some tokens at the least: no need to try with all of a large tree.
    too_many = too_many.min(max_tokens + 1);
    while shown + 1 < too_many {
        let middle = usize::midpoint(shown, too_many);
        let map = Selection::of(files, &order[..middle]).show(files, ranking);
        if tokens(&map.text) <= max_tokens {
            (fits, shown) = (map, middle);
        } else {
            too_many = middle;
        }
    }
    fits
}

/// All definitions, the best first: by file and place.
fn by_value(files: &[MappedFile<'_>], ranking: &Ranking) -> Vec<(usize, usize)> {
    let mut order: Vec<_> = files
        .iter()
        .enumerate()
        .flat_map(|(at, file)| (0..file.outline.definitions.len()).map(move |place| (at, place)))
        .collect();
    let value = |(file, place): &(usize, usize)| ranking.definitions[*file][*place];
    order.sort_by(|one, other| value(other).total_cmp(&value(one)).then(one.cmp(other)));
    order
}

/// What is shown of each file.
struct Selection(std::collections::BTreeMap<usize, Vec<bool>>);

impl Selection {
    fn of(files: &[MappedFile<'_>], chosen: &[(usize, usize)]) -> Self {
        let mut selection = Self(std::collections::BTreeMap::new());
        for (file, place) in chosen {
            let definitions = &files[*file].outline.definitions;
            let shown = selection.0.entry(*file).or_insert_with(|| vec![false; definitions.len()]);
            let mut next = Some(*place);
            // Those around it come along: without them it could be anything.
            while let Some(place) = next.filter(|place| !shown[*place]) {
                shown[place] = true;
                next = definitions[place].parent.map(|parent| parent as usize);
            }
        }
        selection
    }

    fn show(&self, files: &[MappedFile<'_>], ranking: &Ranking) -> Map {
        let mut order: Vec<_> = self.0.iter().collect();
        let value = |file: &usize| ranking.files[*file];
        order
            .sort_by(|one, other| value(other.0).total_cmp(&value(one.0)).then(one.0.cmp(other.0)));
        let mut map = Map { files: order.len(), ..Map::default() };
        for (at, shown) in order {
            if !map.text.is_empty() {
                map.text.push('\n');
            }
            map.text.push_str(&format!("{}\n", files[*at].path));
            map.definitions += shown.iter().filter(|shown| **shown).count();
            lines(&files[*at].outline.definitions, shown, &mut map.text);
        }
        map
    }
}

fn lines(definitions: &[Definition], shown: &[bool], text: &mut String) {
    let mut depths: Vec<usize> = Vec::with_capacity(definitions.len());
    let mut elided = false;
    for (definition, shown) in definitions.iter().zip(shown) {
        let depth = definition.parent.map_or(0, |parent| depths[parent as usize] + 1);
        depths.push(depth);
        if !shown {
            elided = true;
            continue;
        }
        if std::mem::take(&mut elided) {
            text.push_str(&format!("{ELIDED}\n"));
        }
        let Definition { line, signature, .. } = definition;
        text.push_str(&format!("{line:>5}: {}{signature}\n", INDENT.repeat(depth.min(8))));
    }
    if elided {
        text.push_str(&format!("{ELIDED}\n"));
    }
}
