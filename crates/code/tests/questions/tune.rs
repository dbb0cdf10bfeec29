//! How the weights came about: each is moved up and down in turn, and what finds more is kept.

use dogu_code::index::Weights;

use crate::corpus::Corpus;
use crate::{AMONG, QUESTIONS, TUNED_ON};

/// What is tuned.
type Weight = fn(&mut Weights) -> &mut f32;

const WEIGHTS: &[(&str, Weight)] = &[
    ("name", |all| &mut all.fields[0]),
    ("container", |all| &mut all.fields[1]),
    ("header", |all| &mut all.fields[2]),
    ("path", |all| &mut all.fields[3]),
    ("comment", |all| &mut all.fields[4]),
    ("length of name", |all| &mut all.length[0]),
    ("length of header", |all| &mut all.length[2]),
    ("length of body", |all| &mut all.length[5]),
    ("saturation", |all| &mut all.saturation),
    ("abbreviation", |all| &mut all.abbreviation),
    ("joined", |all| &mut all.joined),
    ("half", |all| &mut all.half),
    ("beginning", |all| &mut all.beginning),
    ("synonym", |all| &mut all.synonym),
    ("learned", |all| &mut all.learned),
    ("coverage", |all| &mut all.coverage),
    ("name fit", |all| &mut all.name_fit),
    ("not a function", |all| &mut all.not_function),
    ("fulfils", |all| &mut all.fulfils),
    ("lines", |all| &mut all.lines),
];

#[test]
#[ignore = "takes minutes, and is for whoever changes the ranking"]
fn tune() {
    let samples = Corpus::all(TUNED_ON, 2 * QUESTIONS, 3);
    // Nearer to the front is better, and among the first is what counts.
    let found = |weights: &Weights| -> usize {
        let places = samples.iter().flat_map(|sample| sample.places(weights, 2 * AMONG));
        places.flatten().map(|place| if place < AMONG { 10 - place } else { 2 }).sum()
    };
    let mut best = Weights::default();
    let mut most = found(&best);
    println!("begin: {most}");
    for round in 0..3 {
        for (name, weight) in WEIGHTS {
            for factor in [0.6, 0.8, 1.25, 1.6] {
                let mut other = best.clone();
                *weight(&mut other) *= factor;
                let count = found(&other);
                if count > most {
                    (most, best) = (count, other);
                    println!("{round} {name} × {factor}: {most}");
                }
            }
        }
    }
    println!("{best:#?}");
    assert!(most >= found(&Weights::default()));
}

#[test]
#[ignore = "for whoever changes the ranking"]
fn misses() {
    for corpus in Corpus::all(TUNED_ON, QUESTIONS, 1) {
        corpus.print_misses(&Weights::default(), AMONG);
    }
}

#[test]
#[ignore = "for whoever changes the ranking"]
fn measure() {
    let samples = Corpus::all(TUNED_ON, 3 * QUESTIONS, 2);
    let print = |name: &str, weights: &Weights| {
        let places = samples.iter().flat_map(|sample| sample.places(weights, 2 * AMONG));
        let places: Vec<Option<usize>> = places.collect();
        let among = |count| places.iter().flatten().filter(|place| **place < count).count();
        let (first, five, ten) = (among(1), among(AMONG), among(2 * AMONG));
        println!("{name}: of {}: first {first}, among 5 {five}, among 10 {ten}", places.len());
    };
    print("default", &Weights::default());
}
