//! The same files as ripgrep finds by the same globs.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use serde_json::json;

use super::found_with;
use crate::support::Folder;

const FOLDERS: [&str; 8] = ["", "a/", "a/b/", "a/b/c/", "b/", "foo/", ".hid/", "a/foo/bar/"];
const FILES: [&str; 13] = [
    "a.txt", "b.log", "foo", "bar", "x.rs", ".dot", "a b", "!bang", "foo.txt", "A.TXT", "a{b",
    "[b", "a,b",
];

fn grown() -> Folder {
    let folder = Folder::new();
    for at in FOLDERS {
        std::fs::create_dir_all(folder.path(at)).unwrap();
    }
    for at in FOLDERS {
        let names = FILES.map(|name| format!("{at}{name}"));
        // Some have the names of folders.
        names
            .iter()
            .filter(|name| !folder.path(name).is_dir())
            .for_each(|name| folder.write(name, ""));
    }
    folder
}

/// What ripgrep finds; none where it refuses the glob.
fn ripgrep(folder: &Path, globs: &[&str], more: &[&str]) -> Option<BTreeSet<String>> {
    let mut command = Command::new("rg");
    command.args(["--files", "--hidden", "--no-ignore", "--no-config"]).args(more);
    command.args(globs.iter().flat_map(|glob| ["-g", glob])).current_dir(folder);
    let done = command.output().unwrap();
    if done.status.code() == Some(2) {
        return None;
    }
    let text = String::from_utf8(done.stdout).unwrap();
    Some(text.lines().map(str::to_owned).collect())
}

fn pattern() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "a",
        "foo",
        "bar",
        "*.log",
        "*.txt",
        "a.txt",
        "foo*",
        "*",
        "?",
        "[ab]*",
        "[!a]*",
        ".*",
        ".dot",
        "*.{txt,rs}",
        "{foo,bar}",
        "a\\{b",
        "[[]b",
        "*o*",
        "A.TXT",
        "**",
        "a,b",
        "{a,b}.*",
        "a b",
    ]);
    let middle = prop::sample::select(vec!["", "", "**/", "a/", "a/**/", "*/", "{a,b}/", "/"]);
    let start = prop::sample::select(vec!["", "", "", "!"]);
    let end = prop::sample::select(vec!["", "", "", "/**", "/*"]);
    (start, middle, name, end).prop_map(|(a, b, c, d)| format!("{a}{b}{c}{d}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "needs rg; `make test` installs it"]
    fn f19_the_same_files_as_ripgrep_finds(pattern in pattern(), ignore_case in any::<bool>()) {
        thread_local!(static FOLDER: Folder = grown());
        FOLDER.with(|folder| -> Result<(), TestCaseError> {
            let more: &[&str] = if ignore_case { &["--glob-case-insensitive"] } else { &[] };
            let expected = ripgrep(folder.root(), &[&pattern], more);
            let input = json!({
                "pattern": pattern, "ignore_case": ignore_case, "limit": 10_000, "include_ignored": true,
            });
            let found: BTreeSet<String> = found_with(folder, input).into_iter().collect();
            prop_assert_eq!(Some(found), expected, "{}", pattern);
            Ok(())
        })?;
    }
}

/// The sources of this workspace, which has ignore files and folders of its own.
#[test]
#[ignore = "needs rg; `make test` installs it"]
fn f19_the_same_sources_as_ripgrep_finds() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for pattern in ["*.rs", "**/*.toml", "*/src/*.rs", "builtin/**", "{tool,runtime}/**/w*.rs"] {
        let expected = ripgrep(&crates, &[pattern], &[]).unwrap();
        let tool = crate::support::tool("glob");
        let input = json!({"pattern": pattern, "limit": 10_000, "include_ignored": true});
        let output = crate::support::tokio()
            .block_on(dogu_runtime::RuntimeContext::bare(&crates, &tool, input))
            .unwrap();
        let text = dogu_tool::ToolResult::ok("c", "glob", output).to_text();
        let found: BTreeSet<String> = super::paths(&text).into_iter().map(str::to_owned).collect();
        assert_eq!(found, expected, "{pattern}");
        assert!(found.len() > 5, "{pattern}");
    }
}
