//! Judging names from folder to folder gives what judging each whole path gives.

use std::path::{Path, PathBuf};

use dogu_policy::path::{Places, SecretsBelow, sensitive};
use proptest::prelude::*;

const TABLE: &str = include_str!("../src/path/tables/sensitive.txt");

/// The patterns of the table, exceptions too.
fn patterns() -> Vec<&'static str> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '=']));
    lines.map(|line| line.trim_start_matches('!')).collect()
}

/// A path that a pattern matches, with this in place of each `*`.
fn instance(pattern: &str, star: &str) -> String {
    let pattern = pattern.replace("/**", "/in/side");
    pattern.replace('*', star).replace('~', "/home/me").trim_start_matches('/').to_owned()
}

fn places() -> Places {
    Places {
        home: Some("/home/me".into()),
        private: vec!["/home/me/.local/state/dogu".into(), "/w/own".into()],
        shown: vec!["/w/own/shown".into()],
    }
}

/// Walks from a start down to a path; every step must agree with the plain answer.
fn check(start: &Path, below: &Path) {
    let places = places();
    let mut at = start.to_path_buf();
    let mut walked = SecretsBelow::folder(start, &places);
    for name in below {
        at.push(name);
        for folder in [true, false] {
            let plain = sensitive(&at, folder, &places);
            assert_eq!(walked.sensitive(&at, folder, &places), plain, "{}", at.display());
        }
        walked = walked.child(&at, &places);
        assert_eq!(
            walked.sensitive(&at.join("x"), false, &places),
            sensitive(&at.join("x"), false, &places)
        );
    }
}

#[test]
fn s2_every_pattern_is_met_on_a_walk_as_by_its_path() {
    for pattern in patterns() {
        for star in ["", "x", "a.b"] {
            let path = instance(pattern, star);
            for start in ["/", "/w", "/home", "/home/me", "/private", "/home/me/work/deep"] {
                check(Path::new(start), Path::new(&path));
                check(Path::new(start), Path::new(&path.to_uppercase()));
            }
            if let Some(parent) = Path::new(&path).parent() {
                check(&Path::new("/").join(parent), Path::new("a/id_rsa"));
            }
        }
    }
}

fn name() -> impl Strategy<Value = String> {
    let words: Vec<String> = patterns()
        .into_iter()
        .flat_map(|pattern| {
            instance(pattern, "x").split('/').map(str::to_owned).collect::<Vec<_>>()
        })
        .filter(|word| !word.is_empty())
        .collect();
    prop_oneof![
        3 => prop::sample::select(words),
        2 => prop::sample::select(vec!["src", "own", "shown", "w", "home", "me", "users", "root"])
            .prop_map(str::to_owned),
        1 => "[a-zA-Z._ :~\\\\é\u{200b}-]{1,8}".prop_filter("a name", |name| name != "." && name != ".."),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s2_a_walk_agrees_with_whole_paths(
        start in prop::collection::vec(name(), 0..4),
        below in prop::collection::vec(name(), 1..6),
    ) {
        let start: PathBuf = std::iter::once("/".to_owned()).chain(start).collect();
        let below: PathBuf = below.into_iter().collect();
        check(&start, &below);
    }
}
