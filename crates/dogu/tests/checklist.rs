//! `docs/CHECKLIST.md` says what is done, and by which test; this test says whether that is true.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Every area, and how many rows it has.
const AREAS: [(char, u32); 11] = [
    ('R', 30),
    ('P', 16),
    ('E', 15),
    ('A', 22),
    ('S', 7),
    ('F', 22),
    ('X', 15),
    ('M', 8),
    ('J', 12),
    ('Q', 3),
    ('B', 13),
];

/// One row of the table.
#[derive(Debug)]
struct Row {
    id: String,
    state: String,
    tests: Vec<String>,
}

#[test]
fn the_checklist_tells_the_truth() {
    let text = std::fs::read_to_string(root().join("docs/CHECKLIST.md")).unwrap();
    let problems = problems(&rows(&text), &tests_of_all_crates());
    assert!(problems.is_empty(), "docs/CHECKLIST.md:\n{}", problems.join("\n"));
}

#[test]
fn what_is_not_true_is_reported() {
    let known = BTreeMap::from([("dogu-tool".to_owned(), BTreeSet::from(["r1_x".to_owned()]))]);
    let all: String = AREAS
        .iter()
        .flat_map(|(area, count)| (1..=*count).map(move |n| format!("{area}{n}")))
        .map(|id| format!("| {id} | words | open | |\n"))
        .collect();
    let with = |old: &str, new: &str| problems(&rows(&all.replace(old, new)), &known);
    assert_eq!(with("nothing", "is wrong"), [""; 0]);
    let row = "| R1 | words | open | |";
    assert_eq!(with(row, "| R1 | words | done | `dogu-tool::r1_x` |"), [""; 0]);
    assert_eq!(
        with(row, "| R1 | words | done | `dogu-tool::r1_x`, `dogu-tool::r1_y` |"),
        ["R1: there is no test `dogu-tool::r1_y`"]
    );
    assert_eq!(
        with(row, "| R1 | words | done | `dogu-edit::r1_x` |"),
        ["R1: there is no test `dogu-edit::r1_x`"]
    );
    assert_eq!(with(row, "| R1 | words | done | |"), ["R1: done, and no test shows it"]);
    assert_eq!(with(row, "| R1 | words | half | |"), ["R1: `half` is no state"]);
    assert_eq!(with(row, ""), ["R1: has no row"]);
    assert_eq!(with(row, &format!("{row}\n{row}")), ["R1: has more than one row"]);
    assert_eq!(with(row, &format!("{row}\n| R31 | words | open | |")), ["R31: is not known"]);
}

#[test]
fn a_function_is_a_test_only_with_the_attribute() {
    let source = "
        #[test]
        #[ignore]
        fn plain() {}

        #[tokio::test(flavor = \"multi_thread\")]
        async fn with_tokio() {}

        proptest! {
            /// About it.
            #[test]
            fn property(text in \".*\") {}
        }

        #[expect(dead_code)]
        fn helper() {}
        // #[test]
        // fn commented() {}
    ";
    let found: Vec<_> = tests_in(source).collect();
    assert_eq!(found, ["plain", "with_tokio", "property"]);
}

fn problems(rows: &[Row], tests: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut problems: Vec<String> = rows.iter().filter_map(|row| problem(row, tests)).collect();
    let expected: BTreeSet<String> = AREAS
        .iter()
        .flat_map(|(area, count)| (1..=*count).map(move |n| format!("{area}{n}")))
        .collect();
    for id in &expected {
        match rows.iter().filter(|row| row.id == *id).count() {
            0 => problems.push(format!("{id}: has no row")),
            1 => {}
            _ => problems.push(format!("{id}: has more than one row")),
        }
    }
    let unknown = rows.iter().filter(|row| !expected.contains(&row.id));
    problems.extend(unknown.map(|row| format!("{}: is not known", row.id)));
    problems
}

fn problem(row: &Row, tests: &BTreeMap<String, BTreeSet<String>>) -> Option<String> {
    let exists = |test: &str| {
        let named = test.split_once("::");
        named.is_some_and(|(crate_name, name)| {
            tests.get(crate_name).is_some_and(|names| names.contains(name))
        })
    };
    let id = &row.id;
    if let Some(missing) = row.tests.iter().find(|test| !exists(test)) {
        return Some(format!("{id}: there is no test `{missing}`"));
    }
    match row.state.as_str() {
        "done" if row.tests.is_empty() => Some(format!("{id}: done, and no test shows it")),
        "done" | "open" => None,
        other => Some(format!("{id}: `{other}` is no state")),
    }
}

/// The lines that are rows: their first cell is a letter and a number.
fn rows(text: &str) -> Vec<Row> {
    text.lines().filter_map(row).collect()
}

fn row(line: &str) -> Option<Row> {
    let inner = line.strip_prefix('|')?.strip_suffix('|')?;
    let cells: Vec<&str> = inner.split('|').map(str::trim).collect();
    let [id, _, state, tests] = cells[..] else { return None };
    let mut letters = id.chars();
    letters.next().filter(char::is_ascii_uppercase)?;
    letters.as_str().parse::<u32>().ok()?;
    let tests = tests.split(',').map(|test| test.trim().trim_matches('`').to_owned());
    Some(Row {
        id: id.to_owned(),
        state: state.to_owned(),
        tests: tests.filter(|test| !test.is_empty()).collect(),
    })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The names of the tests of each crate; a crate is named after its folder.
fn tests_of_all_crates() -> BTreeMap<String, BTreeSet<String>> {
    let folders = std::fs::read_dir(root().join("crates")).unwrap();
    let mut all = BTreeMap::new();
    for folder in folders.map(|entry| entry.unwrap().path()) {
        let name = match folder.file_name().unwrap().to_str().unwrap() {
            "dogu" => "dogu".to_owned(),
            other => format!("dogu-{other}"),
        };
        let mut tests = BTreeSet::new();
        for part in ["src", "tests"] {
            for file in sources(&folder.join(part)) {
                tests.extend(tests_in(&std::fs::read_to_string(file).unwrap()));
            }
        }
        all.insert(name, tests);
    }
    all
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The functions with `#[test]` or `#[tokio::test]` above them; inside `proptest!` too.
fn tests_in(source: &str) -> impl Iterator<Item = String> {
    let mut marked = false;
    source.lines().map(str::trim_start).filter_map(move |line| {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            marked = true;
        }
        // Other attributes and comments may stand between the mark and the function.
        if line.starts_with('#') || line.starts_with("//") || line.is_empty() {
            return None;
        }
        let was_marked = std::mem::take(&mut marked);
        let rest = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ")?;
        let name = rest.split(['(', '<']).next()?;
        was_marked.then(|| name.to_owned())
    })
}
