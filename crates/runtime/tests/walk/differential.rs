//! The same files as git and ripgrep list, on made-up trees and on a real one.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use dogu_runtime::files::Roots;
use dogu_tool::{Action, FileKind, WalkOptions};
use proptest::prelude::*;

use crate::support::{Tree, collect, granted};

fn output(folder: &Path, program: &str, args: &[&str]) -> Vec<u8> {
    let answer = Command::new(program)
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("RIPGREP_CONFIG_PATH")
        .output()
        .unwrap();
    // ripgrep says 1 for no files at all.
    assert!(
        answer.status.success() || program == "rg",
        "{program} {args:?}: {}",
        String::from_utf8_lossy(&answer.stderr)
    );
    answer.stdout
}

fn paths(text: &[u8]) -> BTreeSet<PathBuf> {
    let paths = text.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    paths.map(|path| PathBuf::from(OsStr::from_bytes(path))).collect()
}

fn ripgrep(folder: &Path, more: &[&str]) -> BTreeSet<PathBuf> {
    paths(&output(folder, "rg", &[&["--files", "-0", "--no-config"], more].concat()))
}

fn git(folder: &Path) -> BTreeSet<PathBuf> {
    let args = ["ls-files", "-z", "-co", "--exclude-standard"];
    paths(&output(folder, "git", &args))
}

fn ours(tree: &Tree, start: &str, hidden: bool) -> BTreeSet<PathBuf> {
    ours_at(&tree.path(start), hidden)
}

fn ours_at(start: &Path, hidden: bool) -> BTreeSet<PathBuf> {
    let options = WalkOptions { hidden, ..WalkOptions::default() };
    let roots = Arc::new(Roots::open(&[start.to_path_buf()]).unwrap());
    let files = granted(&roots, &Action::read_tree(start));
    let (all, _) = collect(&files, start, &options).unwrap();
    all.into_iter()
        .filter(|(_, shown)| shown.kind == FileKind::File)
        .map(|(path, _)| path)
        .collect()
}

fn init(tree: &Tree) {
    output(&tree.root, "git", &["init", "-q"]);
}

const FOLDERS: [&str; 9] =
    ["", "a/", "a/b/", "a/b/c/", "b/", "b/a/", "foo/", ".hid/", "a/foo/bar/"];
const FILES: [&str; 24] = [
    "a.txt",
    "b.log",
    "foo",
    "bar",
    "x.rs",
    ".dot",
    "a b",
    "#hash",
    "!bang",
    "foo.txt",
    "keep.log",
    "A.TXT",
    "foo ",
    "tab\t",
    "a{b,c}",
    "[b",
    "a]b",
    "a-b",
    "back\\slash",
    "é",
    "^",
    "!",
    "7",
    "a,b",
];

fn pattern() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "a", "b", "c", "foo", "bar", "*.log", "*.txt", "a.txt", "foo*", "*", "?", "[ab]", "[!a]*",
        "[a-c].*", ".*", ".dot", "x.rs", "keep.log", "a\\ b", "\\#hash", "\\!bang", "f[^x]o",
        "*o*",
    ]);
    let middle = prop::sample::select(vec!["", "**/", "a/", "a/**/", "b/", "*/", "foo/"]);
    let start = prop::sample::select(vec!["", "", "", "!", "/", "!/"]);
    let end = prop::sample::select(vec!["", "", "", "/", "/**", "/*"]);
    (start, middle, name, end).prop_map(|(a, b, c, d)| format!("{a}{b}{c}{d}"))
}

fn rules() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        8 => pattern(),
        1 => prop::sample::select(vec!["# text", "", "[z-a]", "  ", "foo  "]).prop_map(str::to_owned),
    ];
    prop::collection::vec(line, 0..6).prop_map(|lines| lines.join("\n") + "\n")
}

/// Lines as only git reads them: ripgrep takes braces for alternatives, and knows less of classes,
/// escapes and white space.
fn odd_rules() -> impl Strategy<Value = String> {
    let whole = prop::sample::select(vec![
        "foo ",
        "foo\\ ",
        "foo\\  ",
        "foo\\ \\ ",
        "foo\t",
        "tab\t",
        "tab?",
        " foo",
        "a{b,c}",
        "*.{txt,log}",
        "{a,b}",
        "a\\{*",
        "[b",
        "\\[b",
        "[[]b",
        "a[]]b",
        "a[\\]]b",
        "a[!x]b",
        "a[^-]b",
        "a[+--]b",
        "a[,-.]b",
        "[[:alpha:]].txt",
        "[[:upper:]]*",
        "[![:alnum:]]*",
        "[[:digit:]]",
        "[[:nope:]]",
        "[[:a]",
        "[!",
        "[",
        "]",
        "[\\!]",
        "[!^]",
        "[\\!^]",
        "[^!]",
        "[-^]*",
        "[a-]*",
        "[]-]*",
        "[z-a]*",
        "\\",
        "\\\\",
        "back\\\\slash",
        "back?slash",
        "a\\",
        "foo\\/",
        "\\foo",
        "\\*",
        "??",
        "?",
        "é",
        "[é]",
        "**",
        "**foo",
        "f**",
        "a**b",
        "a/**b",
        "**/**/foo",
        "a/**/**/foo",
        "/**",
        "**/",
        "/",
        "//",
        "//foo",
        "foo//",
        "a//b",
        "!",
        "!!bang",
        "!\\!bang",
        "!foo",
        "!/a/",
        "!a/b/**",
        "*/",
        "!*/",
        "/*",
        "!/a",
        "a/*",
        "!a/b",
        ".*",
        "!.dot",
        "A.txt",
        "a.TXT",
        "*.TXT",
        "a/./b",
        "./foo",
        "a/../b",
        "#hash",
        "\\#hash",
        "!#hash",
        "a[/]b",
        "a[.-0]b",
        "foo\\x",
        "x[.]rs",
        "*[.]*",
    ]);
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "foo",
        "*",
        "**",
        "?",
        "/",
        "[",
        "]",
        "[a-c]",
        "[!a]",
        "[^b-z]",
        "\\",
        "{",
        "}",
        ",",
        "-",
        "!",
        "^",
        " ",
        ".",
        ".txt",
        "[[:alpha:]]",
        "é",
        "[\\",
        "\\]",
    ]);
    let soup = prop::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat());
    // git cuts plain letters off the beginning of a pattern before it looks for `**/`, and takes
    // one that stands behind them for one at the beginning, against its own manual.
    let soup = soup.prop_filter("** behind letters", |line| {
        let starts = line.match_indices("**/").map(|(at, _)| line[..at].chars().next_back());
        starts.flatten().all(|before| matches!(before, '/' | '!'))
    });
    let line = prop_oneof![6 => whole.prop_map(str::to_owned), 3 => soup, 3 => pattern()];
    let end = prop::sample::select(vec!["\n", "\n", "\r\n", ""]);
    (prop::collection::vec(line, 0..6), end)
        .prop_map(|(lines, end)| lines.join(if end.is_empty() { "\n" } else { end }) + end)
}

fn ignore_files(name: &'static str) -> impl Strategy<Value = Vec<(String, String)>> {
    ignore_files_of(name, rules())
}

fn ignore_files_of(
    name: &'static str,
    rules: impl Strategy<Value = String>,
) -> impl Strategy<Value = Vec<(String, String)>> {
    let place = prop::sample::select(FOLDERS.to_vec());
    let file = (place, rules).prop_map(move |(at, rules)| (format!("{at}{name}"), rules));
    prop::collection::vec(file, 0..4)
}

fn grown(rules: &[(String, String)]) -> Tree {
    let tree = Tree::new();
    for folder in FOLDERS {
        tree.folder(folder);
    }
    let names = FOLDERS.iter().flat_map(|folder| FILES.map(|file| format!("{folder}{file}")));
    // Some have the names of folders.
    names.filter(|name| !tree.path(name).is_dir()).for_each(|name| tree.write(&name, ""));
    for (name, text) in rules {
        tree.write(name, text);
    }
    tree
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn f19_the_same_files_as_git_lists(
        rules in ignore_files(".gitignore"), exclude in rules(),
    ) {
        let tree = grown(&rules);
        init(&tree);
        tree.write(".git/info/exclude", &exclude);
        prop_assert_eq!(ours(&tree, "", true), git(&tree.root));
        // A folder that is ignored is walked where it is named; git lists nothing.
        let (shown, _) = tree.walk("", &WalkOptions::default());
        if shown.contains_key(Path::new("a")) {
            prop_assert_eq!(ours(&tree, "a", true), git(&tree.path("a")));
        }
    }

    #[test]
    fn f19_the_same_files_as_git_lists_by_odd_lines(
        rules in ignore_files_of(".gitignore", odd_rules()), exclude in odd_rules(),
    ) {
        let tree = grown(&rules);
        init(&tree);
        tree.write(".git/info/exclude", &exclude);
        prop_assert_eq!(ours(&tree, "", true), git(&tree.root));
    }

    #[test]
    #[ignore = "needs rg; `make test` installs it"]
    fn f19_the_same_files_as_ripgrep_lists(
        git_rules in ignore_files(".gitignore"),
        own_rules in ignore_files(".ignore"),
        repository in prop::sample::select(vec!["", "", "a", "none"]),
    ) {
        let tree = grown(&[git_rules, own_rules].concat());
        if repository != "none" {
            tree.folder(&Path::new(repository).join(".git").to_string_lossy());
        }
        let all = ["--hidden", "-g", "!.git"];
        // An override by -g beats ignore files, so this one only takes away.
        for start in ["", "a", "a/b"] {
            let folder = tree.path(start);
            prop_assert_eq!(ours(&tree, start, false), ripgrep(&folder, &[]), "visible, {}", start);
            prop_assert_eq!(ours(&tree, start, true), ripgrep(&folder, &all), "hidden, {}", start);
        }
    }
}

/// The tree that a second run of this binary walks, whose user has excludes of their own.
const TREE: &str = "DOGU_TEST_WALKED_TREE";

#[test]
fn f19_the_excludes_of_a_user_count_as_they_do_to_git() {
    if let Some(root) = std::env::var_os(TREE) {
        return walk_as_the_user(Path::new(&root));
    }
    let tree = grown(&[("a/.gitignore".to_owned(), "!foo.txt\n".to_owned())]);
    init(&tree);
    tree.write(".git/info/exclude", "!bar\n");
    for (settings, excludes) in
        [("[core]\n\texcludesFile = ~/mine\n", "home/mine"), ("", "home/.config/git/ignore")]
    {
        let user =
            Tree::with([("home/.gitconfig", settings), (excludes, "foo.txt\nbar\n*.{a,b}\n/b/\n")]);
        let mut again = Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", "differential::f19_the_excludes_of_a_user_count_as_they_do_to_git"]);
        again.env_remove("XDG_CONFIG_HOME").env("HOME", user.path("home")).env(TREE, &tree.root);
        let done = again.output().unwrap();
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success() && said.contains("1 passed"), "{excludes}: {said}");
    }
}

fn walk_as_the_user(root: &Path) {
    let listed = git(root);
    assert!(listed.contains(Path::new("a/foo.txt")) && !listed.contains(Path::new("foo.txt")));
    assert!(listed.contains(Path::new("bar")) && !listed.contains(Path::new("b/bar")));
    assert_eq!(ours_at(root, true), listed);
}
