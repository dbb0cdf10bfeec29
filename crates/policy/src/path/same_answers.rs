//! Paths are what the plainest way of telling says they are.
//!
//! [`reference`] tries every pattern at every name; the answers must be the same for paths out of
//! all pieces that mean something to a table, or nearly do.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use dogu_tool::FileKind;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::names::Names;
use super::table::tests::TEXTS;
use super::{Places, classify, is_stream, reference, sensitive, steering_reason};
use crate::facts::PathFacts;

/// Stands for a byte that is no text, which a `String` cannot hold.
const NO_TEXT: char = '\u{e000}';

/// Where paths begin, near misses too.
const STARTS: &[&str] = &[
    "",
    "/",
    "/home/u",
    "/home/u/ws",
    "/HOME/U/Ws",
    "/home/u/wsx",
    "/home",
    "/Users/u",
    "/root",
    "/private",
    "/private/etc",
    "/PRIVATE/var",
    "/private/home/u",
    "/data/me",
    "/data/me/ws",
    "/data//ME/./x/..",
    "/data/state",
    "/data/State/spills",
    "/data/statement",
    "/opt/app",
    "/etc",
    "/var",
    "/usr/src",
    "/dev",
    "//dev",
    "/./dev",
    "/dev/fd",
    "/proc/1",
    "/tmp",
    "/tmp/x/work",
    "C:",
    "c:/windows",
    "C:\\Users",
    "/home/u/ws/.git",
    "/home/u/.claude/worktrees/a",
    "~",
    "ws",
];

/// Names that are none of a table's, or are something in another way.
const OTHER_NAMES: &[&str] = &[
    "src",
    "work",
    "x",
    "a.txt",
    "file3.txt",
    "main.rs",
    "README.md",
    "package.json",
    "deep",
    "u",
    "..",
    ".",
    "",
    "...",
    " ",
    "~",
    "c:",
    ":",
    "::$DATA",
    "a:b",
    "git~1",
    "GIT~23",
    "git~",
    "git~x",
    "a\\b",
    ".ssh\\id",
    "..\\..",
    ".git\\hooks",
    "\u{feff}",
    "a\u{ff0f}b",
    "\u{ff0f}",
    "\u{2024}env",
    "null",
    "stdin",
    "fd",
    "0",
    "2",
    "private",
    "etc",
    "hooks",
    "\u{e000}",
    ".env\u{e000}",
    "\0",
];

/// What stands for a `*`; some make a name that another pattern means too.
const STARS: &[&str] = &["", "x", "a.b", "x.pem", "x.opvault", "x-sa.json"];

const HOMES: &[&str] = &["/home/u", "/data/me", "/Data//ME/.", "/root", "/", "/var", "/tmp/x"];

/// The patterns of all tables, exceptions too.
fn patterns() -> impl Iterator<Item = &'static str> {
    let lines = TEXTS.iter().flat_map(|text| text.lines());
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with(['#', '=']));
    lines.map(|line| line.trim_start_matches('!'))
}

/// What a pattern matches where it may begin, with this in place of each `*`.
fn instance(pattern: &str, star: &str) -> String {
    pattern.replace("/**", "/in/side").replace('*', star).trim_start_matches(['~', '/']).to_owned()
}

/// Ways to spell a name, or to miss it by little.
const SPELLINGS: &[fn(&str) -> String] = &[
    str::to_owned,
    str::to_owned,
    str::to_uppercase,
    |name| name.replace('s', "\u{17f}").replace("fi", "\u{fb01}"),
    |name| name.replace('k', "\u{212a}").replace('.', "\u{ff0e}"),
    |name| name.replacen('i', "\u{200c}i", 1),
    |name| format!("{name}."),
    |name| format!("{name}. ."),
    |name| format!("{name}::$DATA"),
    |name| format!("{name}:x"),
    |name| format!("x{name}"),
    |name| format!("{name}x"),
    |name| name.chars().skip(1).collect(),
    |name| name.replace('/', "\\"),
    |name| name.replace('/', "//"),
    |name| name.replace('/', "/./"),
    |name| name.replace('/', "/x/../"),
];

fn piece() -> impl Strategy<Value = String> {
    let patterns: Vec<_> = patterns().collect();
    let meant = (select(patterns), select(STARS), select(SPELLINGS), any::<Index>());
    let meant = meant.prop_map(|(pattern, star, spell, part)| {
        let whole = spell(&instance(pattern, star));
        let names: Vec<&str> = whole.split('/').collect();
        // Half of the time all of it, else the names up to one of them.
        let many = part.index(2 * names.len());
        names.get(..=many).map_or_else(|| whole.clone(), |names| names.join("/"))
    });
    prop_oneof![
        3 => meant,
        3 => select(OTHER_NAMES).prop_map(str::to_owned),
        1 => "[a-zA-Z._ :~\\\\é\u{200b}\u{ff0f}-]{0,8}",
    ]
}

fn path() -> impl Strategy<Value = PathBuf> {
    let few = prop::collection::vec(piece(), 0..4);
    let many = prop::collection::vec(piece(), 12..24);
    let pieces = prop_oneof![9 => few, 1 => many];
    (select(STARTS), pieces, select(vec!["", "", "", "/", "/."]))
        .prop_map(|(start, pieces, end)| as_path(&format!("{start}/{}{end}", pieces.join("/"))))
}

fn as_path(text: &str) -> PathBuf {
    let parts: Vec<&[u8]> = text.split(NO_TEXT).map(str::as_bytes).collect();
    PathBuf::from(OsString::from_vec(parts.join(&0xff)))
}

/// A workspace: none, some folder, or one that holds the path.
fn root(real: &Path) -> impl Strategy<Value = Option<PathBuf>> + use<> {
    let above: Vec<PathBuf> = real.ancestors().map(Path::to_path_buf).collect();
    prop_oneof![
        1 => Just(None),
        1 => select(STARTS).prop_map(|start| Some(PathBuf::from(start))),
        3 => select(above).prop_map(Some),
    ]
}

fn places() -> impl Strategy<Value = Places> {
    let home = prop::option::weighted(0.9, select(HOMES).prop_map(PathBuf::from));
    let private = select(vec!["/data/STATE", "/data/x/../state", "/home/u/.dogu", "/", "/tmp/x/y"]);
    let private = prop::collection::vec(private.prop_map(PathBuf::from), 0..3);
    let shown = select(vec!["/data/state/spills", "/DATA/state/spills/", "/home/u/.dogu/x"]);
    let shown = prop::collection::vec(shown.prop_map(PathBuf::from), 0..2);
    (home, private, shown).prop_map(|(home, private, shown)| Places { home, private, shown })
}

fn facts() -> impl Strategy<Value = PathFacts> {
    let kinds = vec![None, Some(FileKind::File), Some(FileKind::Folder)];
    let paths = (path(), prop::option::of(path()), select(kinds));
    paths.prop_flat_map(|(real, declared, kind)| {
        root(&real).prop_map(move |root| PathFacts {
            declared: declared.clone().unwrap_or_else(|| real.clone()),
            real: real.clone(),
            root,
            exists: true,
            kind,
            ignored_by: None,
            other_names: false,
        })
    })
}

/// All questions about one path are answered as by the reference.
fn assert_same(facts: &PathFacts, places: &Places) {
    let folder = facts.kind == Some(FileKind::Folder);
    let (real, root) = (&facts.real, facts.root.as_deref().unwrap_or(Path::new("/home/u/ws")));
    assert_eq!(classify(facts, places), reference::classify(facts, places), "{facts:?}");
    assert_eq!(
        sensitive(real, folder, places),
        reference::sensitive(real, folder, places),
        "{facts:?}"
    );
    assert_eq!(
        steering_reason(real, folder, root),
        reference::steering_reason(real, folder, root),
        "{facts:?}"
    );
    assert_eq!(is_stream(real), reference::is_stream(real), "{facts:?}");
}

/// Facts of a path that leads where it says.
fn plain_facts(path: &str, root: Option<&str>, kind: FileKind) -> PathFacts {
    PathFacts {
        declared: PathBuf::from(path),
        real: PathBuf::from(path),
        root: root.map(PathBuf::from),
        exists: true,
        kind: Some(kind),
        ignored_by: None,
        other_names: false,
    }
}

#[test]
fn s2_s3_every_pattern_is_found_as_by_the_reference() {
    let places = Places { home: Some("/data/me".into()), ..Places::default() };
    for pattern in patterns() {
        for name in BTreeSet::from(["", "a.b", "x.pem"].map(|star| instance(pattern, star))) {
            for (start, root) in [("/", None), ("/data/me/", None), ("/w/deep/", Some("/w"))] {
                for kind in [FileKind::File, FileKind::Folder] {
                    let path = format!("{start}{name}");
                    assert_same(&plain_facts(&path, root, kind), &places);
                    assert_same(&plain_facts(&path.to_uppercase(), root, kind), &places);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s2_s3_paths_are_what_the_reference_says(facts in facts(), places in places()) {
        assert_same(&facts, &places);
    }

    #[test]
    fn names_are_those_of_the_reference(path in path(), other in path()) {
        let (names, plain) = (Names::of(&path), reference::names(&path));
        prop_assert_eq!(names.from(0).collect::<Vec<_>>(), plain.clone());
        let (others, other_plain) = (Names::of(&other), reference::names(&other));
        prop_assert_eq!(names.starts_with(&others), plain.starts_with(&other_plain));
        for above in path.ancestors() {
            let above_plain = reference::names(above);
            prop_assert_eq!(names.starts_with(&Names::of(above)), plain.starts_with(&above_plain));
        }
    }
}
