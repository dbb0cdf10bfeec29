//! `view_diff` beside `git diff`, over a generated history.

use std::fmt::Write as _;

use serde_json::json;

use crate::support::Folder;
use crate::view_diff::{commit_all, view};

/// Numbers that look random, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// Code as people write it: lines that repeat, blank ones, and some that stand once.
fn line(numbers: &mut Numbers) -> String {
    let indent = "    ".repeat(numbers.below(3));
    match numbers.below(8) {
        0 => "\n".to_owned(),
        1 => format!("{indent}}}\n"),
        2 => format!("{indent}return value;\n"),
        3 => format!("fn name_{}() {{\n", numbers.below(30)),
        _ => format!("{indent}let item_{} = call({});\n", numbers.below(40), numbers.below(9)),
    }
}

/// One to six edits: lines that come, go, change or move.
fn edit(lines: &mut Vec<String>, numbers: &mut Numbers) {
    for _ in 0..=numbers.below(6) {
        let at = numbers.below(lines.len());
        let count = numbers.below(6).min(lines.len() - at);
        match numbers.below(4) {
            0 => drop(lines.drain(at..at + count)),
            1 => drop(lines.splice(at..at, (0..count).map(|_| line(numbers)).collect::<Vec<_>>())),
            2 => lines[at] = line(numbers),
            _ => {
                let moved: Vec<_> = lines.drain(at..at + count).collect();
                let to = numbers.below(lines.len());
                drop(lines.splice(to..to, moved));
            }
        }
        if lines.is_empty() {
            lines.push(line(numbers));
        }
    }
}

/// The names and hunks of a diff, without what we leave out (`index`, the function after `@@`)
/// and with every count spelt out.
fn hunks(diff: &str) -> String {
    let mut text = String::new();
    for line in diff.lines().filter(|line| !line.starts_with("index ") && !line.starts_with('(')) {
        let Some(places) = line.strip_prefix("@@ ").and_then(|rest| rest.split_once(" @@")) else {
            writeln!(text, "{line}").unwrap();
            continue;
        };
        let counted = places
            .0
            .split(' ')
            .map(|place| if place.contains(',') { place.to_owned() } else { format!("{place},1") });
        writeln!(text, "@@ {} @@", counted.collect::<Vec<_>>().join(" ")).unwrap();
    }
    text
}

#[test]
fn f21_the_hunks_are_those_of_git() {
    let mut numbers = Numbers(5);
    let folder = Folder::new();
    folder.git(&["init", "--quiet", "--initial-branch=main"]);
    folder.git(&["config", "diff.algorithm", "histogram"]);
    let mut files: Vec<Vec<String>> =
        (0..6).map(|_| (0..60).map(|_| line(&mut numbers)).collect()).collect();
    let write = |files: &[Vec<String>]| {
        for (number, lines) in files.iter().enumerate() {
            folder.write(&format!("file_{number}.rs"), lines.concat());
        }
    };
    write(&files);
    commit_all(&folder, "first");
    for round in 0..20 {
        let context = [0, 1, 3, 10][round % 4];
        let unified = format!("--unified={context}");
        for (scope, arguments) in [
            ("unstaged", vec!["diff"]),
            ("staged", vec!["diff", "--cached"]),
            ("all", vec!["diff", "HEAD"]),
        ] {
            if scope == "unstaged" {
                for lines in &mut files {
                    edit(lines, &mut numbers);
                }
                write(&files);
                folder.git(&["add", "file_0.rs", "file_1.rs", "file_2.rs"]);
                for lines in &mut files {
                    edit(lines, &mut numbers);
                }
                write(&files);
            }
            let ours = view(
                &folder,
                json!({"scope": scope, "context": context, "max_lines_per_file": 10_000}),
            );
            let theirs = folder.git(&[&arguments[..], &[&unified]].concat());
            assert_eq!(hunks(&ours), hunks(&theirs), "round {round}, {scope}");
        }
        commit_all(&folder, "round");
    }
    for back in [1, 7, 20] {
        let base = format!("HEAD~{back}");
        let ours = view(&folder, json!({"base": base, "max_lines_per_file": 10_000}));
        assert_eq!(hunks(&ours), hunks(&folder.git(&["diff", &base])), "{base}");
    }
}
