//! A catalog through changes, and as bytes.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::BTreeMap;

use dogu_code::index::{Catalog, Change, Content, Weights, digest};
use proptest::prelude::*;

const WORDS: [&str; 6] = ["walrus", "quokka", "zebra", "lizard", "magpie", "heron"];

/// A text of a few functions with these words.
fn text(words: &[usize]) -> String {
    words.iter().map(|at| format!("fn {}_it() {{\n    work();\n}}\n\n", WORDS[*at])).collect()
}

fn change(path: &str, text: &str) -> Change {
    let content = Content::New(digest(path, text));
    let path = path.as_bytes().into();
    Change { path, stamp: 1, hash: text.len() as u128, settled: true, content }
}

/// Where each word is found.
fn found(catalog: &Catalog) -> BTreeMap<&'static str, Vec<String>> {
    let place = |word: &&'static str| {
        let hits = catalog.search(word, 1_000, &Weights::default(), |_| true);
        let mut places: Vec<String> = hits
            .best
            .iter()
            .map(|hit| format!("{}:{}", String::from_utf8_lossy(hit.path), hit.piece.first_line))
            .collect();
        assert_eq!(hits.matched, places.len(), "{places:?}");
        places.sort();
        (*word, places)
    };
    WORDS.iter().map(place).collect()
}

/// A catalog of all of it at once.
fn fresh(files: &BTreeMap<String, String>) -> Catalog {
    let mut catalog = Catalog::new().unwrap();
    let changes = files.iter().map(|(path, text)| change(path, text)).collect();
    catalog.apply(changes).unwrap();
    catalog
}

/// The same after it was kept.
fn kept(catalog: &mut Catalog, store: &mut (Option<Vec<u8>>, Option<Vec<u8>>)) -> Catalog {
    store.0 = catalog.base_to_keep().or(store.0.take());
    store.1 = catalog.delta_to_keep().or(store.1.take());
    match &store.0 {
        Some(base) => Catalog::read(base.clone(), store.1.clone()).unwrap(),
        None => Catalog::new().unwrap(),
    }
}

#[derive(Clone, Debug)]
enum Step {
    Write(usize, Vec<usize>),
    Remove(usize),
    Touch(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let words = proptest::collection::vec(0..WORDS.len(), 0..4);
    prop_oneof![
        3 => (0..8_usize, words).prop_map(|(file, words)| Step::Write(file, words)),
        1 => (0..8_usize).prop_map(Step::Remove),
        1 => (0..8_usize).prop_map(Step::Touch),
    ]
}

proptest! {
    #[test]
    fn a_catalog_that_was_changed_finds_what_a_new_one_finds(
        steps in proptest::collection::vec(proptest::collection::vec(step(), 1..4), 1..12)
    ) {
        let (mut files, mut catalog) = (BTreeMap::new(), Catalog::new().unwrap());
        let mut store = (None, None);
        for batch in steps {
            let mut changes: BTreeMap<String, Change> = BTreeMap::new();
            for step in batch {
                match step {
                    Step::Write(file, words) => {
                        let path = format!("f{file}.rs");
                        let text = text(&words);
                        changes.insert(path.clone(), change(&path, &text));
                        files.insert(path, text);
                    }
                    Step::Remove(file) => {
                        let path = format!("f{file}.rs");
                        changes.remove(&path);
                        files.remove(&path);
                        catalog.forget([path.as_bytes().into()]).unwrap();
                    }
                    Step::Touch(file) => {
                        let path = format!("f{file}.rs");
                        let known = catalog.entry(path.as_bytes()).copied();
                        if let Some(known) = known && !changes.contains_key(&path) {
                            let path: Box<[u8]> = path.as_bytes().into();
                            let (stamp, hash) = (known.stamp + 1, known.hash);
                            catalog
                                .apply(vec![Change { path, stamp, hash, settled: true, content: Content::Same }])
                                .unwrap();
                        }
                    }
                }
            }
            catalog.apply(changes.into_values().collect()).unwrap();
            prop_assert_eq!(found(&catalog), found(&fresh(&files)));
            let again = kept(&mut catalog, &mut store);
            prop_assert_eq!(found(&again), found(&catalog));
        }
    }

    #[test]
    fn bytes_that_are_not_an_index_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        prop_assert!(Catalog::read(bytes, None).is_err());
    }

    #[test]
    fn damage_is_seen(at in any::<prop::sample::Index>(), by in 1..=255_u8, cut in any::<bool>()) {
        let files = BTreeMap::from([("a.rs".to_owned(), text(&[0, 1])), ("b.rs".to_owned(), text(&[2]))]);
        let mut bytes = fresh(&files).base_to_keep().unwrap();
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] ^= by;
        }
        prop_assert!(Catalog::read(bytes, None).is_err());
    }
}

#[test]
fn a_delta_of_another_base_is_nothing() {
    let files = |words: &[usize]| BTreeMap::from([("a.rs".to_owned(), text(words))]);
    let mut one = fresh(&files(&[0]));
    let mut other = fresh(&files(&[1]));
    let base = one.base_to_keep().unwrap();
    other.base_to_keep().unwrap();
    other.apply(vec![change("b.rs", &text(&[2]))]).unwrap();
    let delta = other.delta_to_keep().unwrap();
    let mixed = Catalog::read(base, Some(delta)).unwrap();
    assert_eq!(found(&mixed), found(&one));
}

#[test]
fn a_large_delta_becomes_a_part_of_the_base() {
    let mut catalog = fresh(&BTreeMap::from([("first.rs".to_owned(), text(&[0]))]));
    catalog.base_to_keep().unwrap();
    for batch in 0..5 {
        let file = |number: usize| change(&format!("f{batch}_{number}.rs"), &text(&[1, 2, 3]));
        catalog.apply((0..200).map(file).collect()).unwrap();
    }
    assert!(catalog.base_to_keep().is_some(), "3,000 pieces are too many for a delta");
    assert_eq!(found(&catalog)["quokka"].len(), 1_000);
}
