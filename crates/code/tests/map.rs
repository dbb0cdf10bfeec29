//! Ranks, budgets, and outlines that are kept between calls.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::sync::Arc;

use dogu_code::language::Language;
use dogu_code::map::{
    Content, Focus, MappedFile, NamePool, Outline, Stored, StoredFile, rank, render, tokens,
};
use proptest::prelude::*;

fn outline(text: &str) -> Outline {
    Outline::of(text, Language::Rust, &|| false).unwrap()
}

/// The order of files on a map.
fn order(files: &[(&str, &str)], focus: &[&str]) -> Vec<String> {
    let outlines: Vec<_> = files.iter().map(|(path, text)| (*path, outline(text))).collect();
    let mapped: Vec<_> =
        outlines.iter().map(|(path, outline)| MappedFile { path, outline }).collect();
    let focus = Focus { words: focus.iter().map(|word| (*word).to_owned()).collect() };
    let map = render(&mapped, &rank(&mapped, &focus), 10_000);
    let paths = map.text.lines().filter(|line| !line.is_empty() && !line.starts_with(' '));
    paths.map(str::to_owned).collect()
}

const FILES: [(&str, &str); 4] = [
    ("a.rs", "fn main() { load_config(); run_server(load_config()); }"),
    ("b.rs", "pub fn load_config() -> Config { Config }"),
    ("c.rs", "pub struct Config; pub struct Unused;"),
    ("d.rs", "pub fn run_server(config: Config) {} pub fn x() {}"),
];

#[test]
fn what_others_refer_to_comes_first_and_what_they_refer_to_before_it() {
    assert_eq!(order(&FILES, &[]), ["c.rs", "b.rs", "d.rs", "a.rs"]);
}

#[test]
fn names_that_anybody_could_mean_count_little() {
    let files = [
        ("a.rs", "fn main() { get(); get(); get(); get(); parse_header(); }"),
        ("b.rs", "pub fn get() {}"),
        ("c.rs", "pub fn parse_header() {}"),
    ];
    assert_eq!(order(&files, &[])[0], "c.rs");
}

#[test]
fn what_is_in_focus_comes_first() {
    assert_eq!(order(&FILES, &["main"])[0], "a.rs");
    assert_eq!(order(&FILES, &["Server::run_server"])[0], "d.rs");
    assert_eq!(order(&FILES, &["no_such_name"]), order(&FILES, &[]));
}

#[test]
fn one_name_is_kept_once() {
    let mut pool = NamePool::default();
    let (mut one, mut other) = (outline("fn a() { shared(); }"), outline("fn shared() {}"));
    pool.share(&mut one);
    pool.share(&mut other);
    let mention = &one.mentions.iter().find(|(name, _)| &**name == "shared").unwrap().0;
    assert!(Arc::ptr_eq(mention, &other.definitions[0].name));
}

fn stored() -> Stored {
    let file = |path: &str, content| StoredFile {
        path: path.to_owned(),
        stamp: vec![1, 2, 200],
        hash: [7; 32],
        content,
    };
    let code = |text: &str| Content::Code(Arc::new(outline(text)));
    let mut files: Vec<_> = FILES.iter().map(|(path, text)| file(path, code(text))).collect();
    files.push(file("hard", Content::TooHard));
    files.push(file("binary \u{e9}", Content::Binary));
    files.push(StoredFile { stamp: Vec::new(), ..file("none", Content::NoLanguage) });
    Stored { files }
}

#[test]
fn outlines_are_read_back_as_they_were_kept() {
    assert_eq!(Stored::from_bytes(&stored().to_bytes()), Some(stored()));
    assert_eq!(Stored::from_bytes(&Stored::default().to_bytes()), Some(Stored::default()));
    assert_eq!(Stored::from_bytes(b""), None);
    let bytes = stored().to_bytes();
    for end in 0..bytes.len() {
        assert_eq!(Stored::from_bytes(&bytes[..end]), None, "{end}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_read_back_is_sound_or_nothing(
        at in any::<prop::sample::Index>(), byte in any::<u8>(), tail in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        let mut bytes = stored().to_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Some(read) = Stored::from_bytes(&bytes) {
            let outlines: Vec<_> = read.files.iter().filter_map(|file| match &file.content {
                Content::Code(outline) => Some((&*file.path, outline)),
                _ => None,
            }).collect();
            let mapped: Vec<_> = outlines.iter().map(|(path, outline)| MappedFile { path, outline }).collect();
            let _ = render(&mapped, &rank(&mapped, &Focus::default()), 1_000);
        }
        let _ = Stored::from_bytes(&[b"dogumap2".as_slice(), &tail].concat());
    }

    #[test]
    fn a_map_keeps_to_its_budget_and_a_larger_one_shows_no_less(
        sizes in prop::collection::vec((0_usize..12, 0_usize..12), 0..12), budget in 0_usize..600,
    ) {
        let texts = sizes.iter().enumerate().map(|(file, (count, called))| {
            let functions = (0..*count).map(|n| format!("impl T{file} {{ fn name_{file}_{n}(&self) {{ name_{n}_{called}(); }} }}\n"));
            (format!("src/file_{file}.rs"), outline(&functions.collect::<String>()))
        });
        let texts: Vec<_> = texts.collect();
        let mapped: Vec<_> = texts.iter().map(|(path, outline)| MappedFile { path, outline }).collect();
        let ranking = rank(&mapped, &Focus::default());
        let (small, large) = (render(&mapped, &ranking, budget), render(&mapped, &ranking, budget + 50));
        prop_assert!(tokens(&small.text) <= budget && tokens(&large.text) <= budget + 50);
        prop_assert!(small.definitions <= large.definitions);
        prop_assert_eq!(small.files, small.text.lines().filter(|line| line.starts_with("src/")).count());
    }
}
