//! `view_diff`: what is compared with what, and how it is shown.

use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::Folder;

/// A repository with one commit of these files.
pub(crate) fn repository<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Folder {
    let folder = Folder::with(files);
    folder.git(&["init", "--quiet", "--initial-branch=main"]);
    commit_all(&folder, "first");
    folder
}

pub(crate) fn commit_all(folder: &Folder, message: &str) {
    folder.git(&["add", "--all"]);
    folder.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
}

pub(crate) fn view(folder: &Folder, input: Value) -> String {
    folder.text("view_diff", input)
}

const CHANGED: &str = "diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
 one
-two
+2
(1 file changed; +1 -1 lines)
";

#[test]
fn f21_an_unstaged_change_is_shown() {
    let folder = repository([("a.txt", "one\ntwo\n"), ("b.txt", "b\n")]);
    folder.write("a.txt", "one\n2\n");
    assert_eq!(view(&folder, json!({})), CHANGED);
    let result = folder.dispatch("view_diff", json!({"scope": "unstaged"}));
    assert_eq!(result.to_text(), CHANGED);
}

#[test]
fn f21_without_a_change_it_says_so_and_where_there_is_one() {
    let folder = repository([("a.txt", "one\ntwo\n")]);
    assert_eq!(view(&folder, json!({})), "No unstaged changes.\n");
    assert_eq!(view(&folder, json!({"scope": "staged"})), "No staged changes.\n");
    assert_eq!(view(&folder, json!({"scope": "all"})), "No changes.\n");
    folder.write("a.txt", "one\n2\n");
    assert_eq!(
        view(&folder, json!({"scope": "staged"})),
        "No staged changes; 1 file is changed but not staged: call with {\"scope\":\"unstaged\"}.\n"
    );
    folder.write("b", "b\n");
    folder.git(&["add", "."]);
    assert_eq!(
        view(&folder, json!({})),
        "No unstaged changes; 2 files are staged: call with {\"scope\":\"staged\"}.\n"
    );
    assert_eq!(
        view(&folder, json!({"path": "b"})),
        "No unstaged changes in b; 1 file is staged: call with {\"scope\":\"staged\",\"path\":\"b\"}.\n"
    );
}

#[test]
fn f21_a_folder_without_a_repository_is_told() {
    let folder = Folder::with([("a.txt", "")]);
    let error = folder.error("view_diff", json!({}));
    assert!(error.contains("is not in a git repository (no .git from there up"), "{error}");
}

#[test]
fn f21_staged_unstaged_and_all_are_told_apart() {
    let folder = repository([("a.txt", "one\ntwo\n")]);
    folder.write("a.txt", "one\n2\n");
    folder.git(&["add", "."]);
    folder.write("a.txt", "1\n2\n");
    assert_eq!(view(&folder, json!({"scope": "staged"})), CHANGED);
    let unstaged = view(&folder, json!({}));
    assert!(unstaged.contains("-one\n+1\n 2\n"), "{unstaged}");
    let all = view(&folder, json!({"scope": "all"}));
    assert!(all.contains("-one\n-two\n+1\n+2\n"), "{all}");
}

#[test]
fn new_gone_and_untracked_files_and_their_modes() {
    let folder = repository([("gone", "x\n"), ("run", "x\n"), ("empty", "")]);
    std::fs::remove_file(folder.path("gone")).unwrap();
    std::fs::set_permissions(folder.path("run"), PermissionsExt::from_mode(0o755)).unwrap();
    folder.write("new/a b.txt", "x");
    folder.write("staged", "s\n");
    folder.git(&["add", "staged"]);
    assert_eq!(
        view(&folder, json!({"scope": "all"})),
        "diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1,1 +0,0 @@
-x
diff --git a/new/a b.txt b/new/a b.txt
new file mode 100644
--- /dev/null
+++ b/new/a b.txt\t
@@ -0,0 +1,1 @@
+x
\\ No newline at end of file
diff --git a/run b/run
old mode 100644
new mode 100755
diff --git a/staged b/staged
new file mode 100644
--- /dev/null
+++ b/staged
@@ -0,0 +1,1 @@
+s
(4 files changed, 1 of them untracked; +2 -1 lines)
"
    );
    folder.git(&["config", "core.filemode", "false"]);
    assert!(!view(&folder, json!({})).contains("a/run"));
}

#[test]
fn links_are_shown_by_their_text_and_never_followed() {
    let outside = Folder::with([("secret", "do not show\n")]);
    let folder = repository([("file", "text\n")]);
    symlink("old", folder.path("link")).unwrap();
    commit_all(&folder, "link");
    std::fs::remove_file(folder.path("link")).unwrap();
    symlink(outside.path("secret"), folder.path("link")).unwrap();
    std::fs::remove_file(folder.path("file")).unwrap();
    symlink("link", folder.path("file")).unwrap();
    let text = view(&folder, json!({}));
    assert!(!text.contains("do not show"), "{text}");
    assert!(text.contains("-old\n\\ No newline at end of file\n+/"), "{text}");
    let typed = "diff --git a/file b/file
deleted file mode 100644
--- a/file
+++ /dev/null
@@ -1,1 +0,0 @@
-text
diff --git a/file b/file
new file mode 120000
--- /dev/null
+++ b/file
@@ -0,0 +1,1 @@
+link
\\ No newline at end of file
";
    assert!(text.contains(typed), "{text}");
}

#[test]
fn a_folder_that_became_a_link_hides_its_files_and_shows_no_others() {
    let outside = Folder::with([("a", "do not show\n")]);
    let folder = repository([("dir/a", "a\n")]);
    std::fs::rename(folder.path("dir"), folder.path("other")).unwrap();
    symlink(outside.root(), folder.path("dir")).unwrap();
    let text = view(&folder, json!({"scope": "all"}));
    assert!(text.contains("diff --git a/dir/a b/dir/a\ndeleted file mode"), "{text}");
    assert!(!text.contains("do not show"), "{text}");
}

#[test]
fn binary_and_large_files_are_told_by_their_size() {
    let folder = repository([("bin", "\0\u{1}"), ("attr", "text\n"), ("big", "x\n")]);
    folder.write(".gitattributes", "attr -diff\n");
    commit_all(&folder, "attributes");
    folder.write("bin", "\0\u{1}\u{2}");
    folder.write("attr", "other\n");
    folder.write("big", "line\n".repeat(1_000_000));
    let text = view(&folder, json!({}));
    for expected in [
        "Binary files a/attr and b/attr differ\n(5 bytes → 6 bytes)\n",
        "(too large to be compared line by line: 2 bytes → 5000000 bytes)\n",
        "Binary files a/bin and b/bin differ\n(2 bytes → 3 bytes)\n",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    // A sparse file of many gigabytes is not read into memory.
    std::fs::File::create(folder.path("huge")).unwrap().set_len(1 << 36).unwrap();
    let text = view(&folder, json!({"path": "huge"}));
    assert!(text.contains("nothing → 68719476736 bytes"), "{text}");
}

#[test]
fn renames_are_found_by_content() {
    let folder = repository([("old name", "the same content\n"), ("other", "o\n")]);
    folder.git(&["mv", "old name", "new name"]);
    let expected = "diff --git a/old name b/new name
similarity index 100%
rename from old name
rename to new name
(1 file changed; +0 -0 lines)
";
    assert_eq!(view(&folder, json!({"scope": "staged"})), expected);
    commit_all(&folder, "renamed");
    assert_eq!(view(&folder, json!({"base": "HEAD~1"})), expected);
}

#[test]
fn a_base_is_a_branch_a_tag_an_id_or_what_is_counted_from_them() {
    let folder = repository([("a.txt", "one\ntwo\n")]);
    folder.git(&["tag", "--annotate", "--message", "m", "v1"]);
    folder.git(&["branch", "topic/one"]);
    let first = folder.git(&["rev-parse", "HEAD"]).trim().to_owned();
    folder.write("a.txt", "one\n2\n");
    commit_all(&folder, "second");
    for base in
        ["v1", "topic/one", "refs/heads/topic/one", &first, &first[..8], "HEAD~1", "main^", "@~"]
    {
        assert_eq!(view(&folder, json!({"base": base})), CHANGED, "{base}");
        assert_eq!(view(&folder, json!({"base": base, "scope": "staged"})), CHANGED, "{base}");
    }
    assert_eq!(view(&folder, json!({"base": "main"})), "No changes against main.\n");
    for base in
        ["nope", "HEAD~9", "../../etc/passwd", "HEAD^3", "a b", "main:x", "config", "00000000", ""]
    {
        let error = folder.error("view_diff", json!({"base": base}));
        assert!(error.starts_with("there is no commit `"), "{base}: {error}");
    }
    folder.git(&["gc", "--quiet", "--prune=now"]);
    for base in ["v1", "topic/one", &first[..8]] {
        assert_eq!(view(&folder, json!({"base": base})), CHANGED, "{base} in packs");
    }
}

#[test]
fn a_base_with_dots_is_where_the_branches_parted() {
    let folder = repository([("a", "a\n"), ("b", "b\n")]);
    folder.git(&["checkout", "--quiet", "-b", "topic"]);
    folder.write("a", "topic\n");
    commit_all(&folder, "on topic");
    folder.git(&["checkout", "--quiet", "main"]);
    folder.write("b", "main\n");
    commit_all(&folder, "on main");
    folder.git(&["checkout", "--quiet", "topic"]);
    let both = view(&folder, json!({"base": "main"}));
    assert!(both.contains("a/a") && both.contains("a/b"), "{both}");
    let own = view(&folder, json!({"base": "main..."}));
    assert!(own.contains("+topic") && !own.contains("a/b"), "{own}");
    folder.git(&["checkout", "--quiet", "--orphan", "alone"]);
    commit_all(&folder, "alone");
    let error = folder.error("view_diff", json!({"base": "main..."}));
    assert!(error.starts_with("HEAD and main have no commit in common"), "{error}");
}

#[test]
fn a_path_limits_the_diff_to_a_file_or_a_folder() {
    let folder = repository([("a/x", "x\n"), ("a/y", "y\n"), ("ab", "z\n")]);
    for file in ["a/x", "a/y", "ab"] {
        folder.write(file, "changed\n");
    }
    folder.write("a/new", "new\n");
    let files = |input: Value| -> Vec<String> {
        let text = view(&folder, input);
        text.lines().filter_map(|line| line.strip_prefix("+++ b/")).map(str::to_owned).collect()
    };
    assert_eq!(files(json!({"path": "a"})), ["a/new", "a/x", "a/y"]);
    assert_eq!(files(json!({"path": "a", "scope": "all"})), ["a/new", "a/x", "a/y"]);
    assert_eq!(files(json!({"path": "a/x"})), ["a/x"]);
    assert_eq!(files(json!({"path": "ab", "scope": "all"})), ["ab"]);
    assert_eq!(files(json!({"path": "a/new"})), ["a/new"]);
    std::fs::remove_file(folder.path("ab")).unwrap();
    assert!(view(&folder, json!({"path": "ab"})).contains("deleted file mode"));
}

#[test]
fn a_long_diff_is_cut_and_can_be_read_to_its_end() {
    let folder = repository([("a", ""), ("b", "")]);
    let lines = |name: &str| -> String { (0..900).map(|n| format!("{name}{n}\n")).collect() };
    folder.write("a", lines("a"));
    folder.write("b", lines("b"));
    let text = view(&folder, json!({}));
    let call = "{\"scope\":\"unstaged\",\"path\":\"a\",\"max_lines_per_file\":901}";
    assert!(
        text.contains(&format!("+a498\n(... 401 more lines of this file: {call})\n")),
        "{text}"
    );
    assert!(view(&folder, serde_json::from_str(call).unwrap()).contains("+a899\n"));

    let long: String = (0..3_000).map(|n| format!("{n} {}\n", "x".repeat(90))).collect();
    folder.write("a", &long);
    let mut shown = String::new();
    let mut input = json!({"max_lines_per_file": 5_000});
    for _ in 0..20 {
        let text = view(&folder, input.clone());
        assert!(text.len() < 90_000, "{}", text.len());
        let lines = text.lines().filter(|line| !line.starts_with('('));
        shown.extend(lines.map(|line| format!("{line}\n")));
        let Some(next) = text.lines().find_map(|line| line.split_once("; go on with ")) else {
            break;
        };
        if shown.len() < 200_000 {
            assert!(text.contains("(left out: 1 file: b)\n"), "{}", &text[text.len() - 300..]);
        }
        input = serde_json::from_str(next.1.strip_suffix(')').unwrap()).unwrap();
    }
    for line in long.lines().chain(lines("b").lines()) {
        assert!(shown.contains(&format!("+{line}\n")), "{line}");
    }
    assert_eq!(shown.matches("+2500 ").count(), 1);
    let past = view(&folder, json!({"offset": 100_000}));
    assert!(past.contains("line 100000 is past its end"), "{past}");
}

#[test]
fn a_long_line_is_cut_and_odd_bytes_are_told() {
    let folder = repository([("a", "")]);
    folder.write("a", [b"caf\xe9 ".as_slice(), &b"x".repeat(5_000), b"\n"].concat());
    let text = view(&folder, json!({}));
    assert!(text.contains("[... line of 5006 bytes cut]\n"), "{text}");
    assert!(text.contains("(bytes that are not UTF-8 are shown as \u{fffd})\n"), "{text}");
}

#[test]
fn a_file_that_is_as_it_was_and_only_gone_from_the_index_has_no_diff() {
    let folder = repository([("a", "x\n"), ("b", "y\n")]);
    folder.git(&["rm", "--quiet", "--cached", "a"]);
    folder.write("b", "z\n");
    let text = view(&folder, json!({"scope": "all"}));
    assert!(!text.contains("a/a b/a") && text.contains("+z\n"), "{text}");
    assert!(text.contains("(1 file changed; +1 -1 lines)"), "{text}");
}

/// Applies a diff with git to what is staged or committed: what comes out is on the disk.
fn applied(folder: &Folder, diff: &str, to: &str) {
    let clean = tempfile::tempdir().unwrap();
    let prefix = format!("--prefix={}/", clean.path().display());
    let index = if to == "index" { ".git/index" } else { ".git/clean" };
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder.root()).args(arguments);
        command.env("GIT_INDEX_FILE", folder.path(index));
        assert!(command.status().unwrap().success(), "{arguments:?}");
    };
    if to != "index" {
        git(&["read-tree", to]);
    }
    git(&["checkout-index", "--all", &prefix]);
    if !diff.contains("diff --git") {
        assert_same(clean.path(), folder);
        return;
    }
    let mut command = Command::new("git");
    command.arg("apply").arg("--whitespace=nowarn").current_dir(clean.path());
    command.env("GIT_CEILING_DIRECTORIES", clean.path().parent().unwrap());
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(diff.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success(), "{}\n{diff}", String::from_utf8_lossy(&done.stderr));
    assert_same(clean.path(), folder);
}

/// Both folders hold the same files, but for the repository.
fn assert_same(one: &std::path::Path, other: &Folder) {
    let mut command = Command::new("diff");
    command.args(["--recursive", "--no-dereference", "--exclude=.git"]).arg(one).arg(other.root());
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}

fn lines() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["a\n", "b\n", "c\n", "d\r\n", "\n", "한글\n"]);
    let lines = prop::collection::vec(line, 0..12).prop_map(|lines| lines.concat());
    (lines, any::<bool>()).prop_map(|(mut text, cut)| {
        if cut {
            text.pop();
        }
        text
    })
}

/// What is done to a file: new content, or it is removed.
fn edit() -> impl Strategy<Value = Option<String>> {
    prop_oneof![5 => lines().prop_map(Some), 1 => Just(None)]
}

const FILES: [&str; 5] = ["a", "b c", "d/e", "d/\u{e9}", "f\"\\g"];

fn write_all(folder: &Folder, contents: &[Option<String>]) {
    for (name, content) in FILES.iter().zip(contents) {
        if let Some(content) = content {
            folder.write(name, content);
        } else {
            let path = folder.path(name);
            let _ = std::fs::remove_file(&path);
            // git keeps no empty folders.
            let _ = std::fs::remove_dir(path.parent().unwrap());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn git_makes_the_new_files_of_the_old_ones_by_our_diff(
        committed in prop::collection::vec(edit(), FILES.len()),
        staged in prop::collection::vec(edit(), FILES.len()),
        on_disk in prop::collection::vec(edit(), FILES.len()),
        context in 1_usize..4,
    ) {
        let folder = Folder::new();
        folder.git(&["init", "--quiet"]);
        write_all(&folder, &committed);
        commit_all(&folder, "committed");
        write_all(&folder, &staged);
        folder.git(&["add", "--all"]);
        write_all(&folder, &on_disk);
        let unstaged = view(&folder, json!({"context": context}));
        applied(&folder, &unstaged, "index");
        let all = view(&folder, json!({"scope": "all", "context": context}));
        applied(&folder, &all, "HEAD");
        for (scope, arguments) in [("unstaged", &["diff", "--name-only", "-z"][..]),
            ("staged", &["diff", "--cached", "--no-renames", "--name-only", "-z"][..])] {
            let names = folder.git(arguments);
            let text = view(&folder, json!({"scope": scope}));
            let untracked = folder.git(&["ls-files", "--others", "-z"]);
            let renames = text.matches("\nrename from ").count();
            let count = names.split_terminator('\0').count() - renames
                + if scope == "unstaged" { untracked.split_terminator('\0').count() } else { 0 };
            prop_assert_eq!(text.matches("diff --git ").count(), count, "{}\n{}", names, text);
        }
    }
}
