//! `view_diff`: repositories of all kinds, and hostile ones.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use dogu_runtime::{Runtime, Source};
use dogu_tool::{Origin, Principal, Scope, ToolCall};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Folder, git};
use crate::view_diff::{commit_all, repository, view};

/// A call with these roots, in the first of them.
fn view_with(roots: &[&Path], input: Value) -> String {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let all: Vec<_> = roots.iter().map(|root| root.to_path_buf()).collect();
    tokio.block_on(async {
        let runtime = Runtime::builder(Scope::new(roots[0]).with_roots(all))
            .tools(&Source::Builtin, dogu_builtin::all())
            .unwrap()
            .build()
            .unwrap();
        let step = runtime.step(Arc::new(Origin::of(Principal::process("test"))));
        step.dispatch(ToolCall::new("c", "view_diff", input)).await.to_text()
    })
}

#[test]
fn a_repository_without_commits_and_one_that_is_on_no_branch() {
    let folder = Folder::with([("a", "a\n")]);
    folder.git(&["init", "--quiet"]);
    folder.git(&["add", "a"]);
    folder.write("b", "b\n");
    let staged = view(&folder, json!({"scope": "staged"}));
    assert!(staged.starts_with("diff --git a/a b/a\nnew file mode 100644\n"), "{staged}");
    let all = view(&folder, json!({"scope": "all"}));
    assert!(all.contains("+a\n") && all.contains("+b\n"), "{all}");
    commit_all(&folder, "first");
    folder.git(&["checkout", "--quiet", "--detach"]);
    folder.write("a", "changed\n");
    assert!(view(&folder, json!({"scope": "all"})).contains("-a\n+changed\n"));
}

#[test]
fn conflicts_are_named_and_shown_against_our_side() {
    let folder = repository([("a", "base\n"), ("b", "base\n")]);
    folder.git(&["checkout", "--quiet", "-b", "theirs"]);
    folder.write("a", "theirs\n");
    commit_all(&folder, "theirs");
    folder.git(&["checkout", "--quiet", "main"]);
    folder.write("a", "ours\n");
    folder.write("b", "ours\n");
    commit_all(&folder, "ours");
    let merge = std::panic::catch_unwind(|| folder.git(&["merge", "--quiet", "theirs"]));
    assert!(merge.is_err(), "there is a conflict");
    for scope in ["unstaged", "staged", "all"] {
        let text = view(&folder, json!({"scope": scope}));
        let named = "* Unmerged path a (ours against the working tree)\ndiff --git a/a b/a\n";
        assert!(text.contains(named), "{scope}: {text}");
        assert!(text.contains("+<<<<<<< HEAD\n ours\n+=======\n+theirs\n"), "{scope}: {text}");
        assert!(!text.contains("a/b"), "{scope}: {text}");
    }
}

#[test]
fn s4_what_may_hold_secrets_or_is_shut_out_comes_from_neither_side() {
    let files =
        [(".env", "KEY=one\n"), ("shut/x", "one\n"), ("open", "one\n"), ("gone.pem", "one\n")];
    let folder = repository(files);
    folder.write(".doguignore", "shut/\n");
    commit_all(&folder, "ignore");
    for (name, _) in files {
        folder.write(name, "two\n");
    }
    folder.write(".env.local", "KEY=new\n");
    std::fs::remove_file(folder.path("gone.pem")).unwrap();
    let check = |text: &str| {
        assert_eq!(text.matches("diff --git").count(), 1, "{text}");
        assert!(text.contains("a/open") && !text.contains("KEY"), "{text}");
        assert!(text.contains("changed files left out because they may hold secrets)"), "{text}");
        assert!(text.contains("(1 changed file left out by an ignore file for agents)"), "{text}");
    };
    check(&view(&folder, json!({})));
    check(&view(&folder, json!({"scope": "all"})));
    folder.git(&["add", "--all"]);
    check(&view(&folder, json!({"scope": "staged"})));
    commit_all(&folder, "second");
    check(&view(&folder, json!({"base": "HEAD~1"})));
    let named = folder.dispatch("view_diff", json!({"base": "HEAD~1", "path": ".env"})).to_text();
    assert!(!named.contains("KEY"), "{named}");
}

#[test]
fn line_ends_are_no_change_where_git_sees_none() {
    let folder = repository([("auto", "a\nb\n"), ("mixed", "a\r\nb\n"), ("crlf", "a\r\n")]);
    let crlf = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
    let rewrite = |names: &[&str]| {
        for name in names {
            folder.write(name, crlf(&folder.read(name)));
        }
    };
    rewrite(&["auto"]);
    assert!(view(&folder, json!({})).contains("-a\n-b\n+a\r\n+b\r\n"));
    for value in ["true", "input"] {
        folder.git(&["config", "core.autocrlf", value]);
        assert_eq!(view(&folder, json!({})), "No unstaged changes.\n", "{value}");
        agrees_with_git(&folder);
    }
    folder.git(&["config", "core.autocrlf", "false"]);
    for attributes in ["* text=auto\n", "auto text\n", "auto eol=crlf\n", "auto crlf\n"] {
        folder.write(".git/info/attributes", attributes);
        assert_eq!(view(&folder, json!({})), "No unstaged changes.\n", "{attributes}");
        rewrite(&["auto", "mixed", "crlf"]);
        agrees_with_git(&folder);
        folder.git(&["checkout", "--quiet", "crlf", "mixed"]);
    }
    folder.write(".git/info/attributes", "auto -text\n");
    assert!(view(&folder, json!({})).contains("+a\r\n"));
}

/// The same files are changed as git says.
fn agrees_with_git(folder: &Folder) {
    let numbers = folder.git(&["diff", "--numstat"]);
    let mut expected: Vec<&str> =
        numbers.lines().filter_map(|line| line.rsplit('\t').next()).collect();
    expected.sort_unstable();
    let text = view(folder, json!({}));
    let shown: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("+++ b/")).collect();
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn attributes_of_folders_and_ids() {
    let folder = repository([("a/x", "1\n"), ("b/x", "1\n"), ("id", "$Id$\n")]);
    folder.write("a/.gitattributes", "x text\n");
    folder.write(".gitattributes", "id ident\n");
    commit_all(&folder, "attributes");
    folder.write("a/x", "1\r\n");
    folder.write("b/x", "1\r\n");
    folder.write("id", "$Id: 0123 $\n");
    agrees_with_git(&folder);
    assert!(view(&folder, json!({})).contains("a/b/x"));
}

#[test]
fn filters_are_named_and_never_run() {
    let folder = repository([("big.bin", "version https://git-lfs.github.com/spec/v1\n")]);
    folder.write(".gitattributes", "*.bin filter=lfs diff=lfs\n");
    commit_all(&folder, "attributes");
    let trap = folder.path("ran");
    let command = format!("touch {}", trap.display());
    for name in [
        "filter.lfs.clean",
        "filter.lfs.process",
        "diff.lfs.textconv",
        "diff.external",
        "core.fsmonitor",
    ] {
        folder.git(&["config", name, &command]);
    }
    folder.write("big.bin", "the real content, which is long\n");
    let text = view(&folder, json!({}));
    let told = "(not compared: the filter `lfs` would have to run, and no program is started; 43 bytes in the repository, 32 bytes on disk)\n";
    assert!(text.contains(told), "{text}");
    assert!(!trap.exists());
}

#[test]
fn flags_that_hold_a_file_back_are_honoured() {
    let folder = repository([("a", "a\n"), ("b", "b\n"), ("new", ""), ("dir/c", "c\n")]);
    folder.git(&["update-index", "--assume-unchanged", "a"]);
    folder.git(&["update-index", "--skip-worktree", "b"]);
    folder.write("a", "changed\n");
    std::fs::remove_file(folder.path("b")).unwrap();
    assert_eq!(view(&folder, json!({})), "No unstaged changes.\n");
    folder.write("later", "later\n");
    folder.git(&["add", "--intent-to-add", "later"]);
    let text = view(&folder, json!({}));
    assert!(text.starts_with("diff --git a/later b/later\nnew file mode 100644\n"), "{text}");
    assert!(view(&folder, json!({"scope": "staged"})).starts_with("No staged changes; 1 file"));
}

#[test]
fn a_sparse_index_and_a_split_one() {
    let folder = repository([("in/a", "a\n"), ("out/b", "b\n"), ("out/deep/c", "c\n")]);
    folder.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    assert!(!folder.path("out").exists());
    assert_eq!(view(&folder, json!({"scope": "all"})), "No changes.\n");
    folder.write("in/a", "changed\n");
    assert!(view(&folder, json!({"scope": "all"})).contains("-a\n+changed\n"));
    let split = repository([("a", "a\n")]);
    split.git(&["update-index", "--split-index"]);
    let error = split.error("view_diff", json!({}));
    assert!(error.contains("its index is split"), "{error}");
}

#[test]
fn submodules_are_named_only() {
    let inner = repository([("x", "x\n")]);
    let folder = repository([("a", "a\n")]);
    let url = inner.root().to_str().unwrap();
    folder.git(&["submodule", "--quiet", "add", url, "sub"]);
    let text = view(&folder, json!({"scope": "staged"}));
    let id = inner.git(&["rev-parse", "HEAD"]);
    let expected = format!("diff --git a/sub b/sub\nnew file mode 160000\n+Subproject commit {id}");
    assert!(text.contains(&expected), "{text}");
    commit_all(&folder, "sub");
    folder.write("sub/x", "changed inside\n");
    assert_eq!(view(&folder, json!({})), "No unstaged changes.\n");
    // Its own store is inside of the workspace, so it can be looked at by itself.
    let text = view(&folder, json!({"path": "sub"}));
    assert!(text.contains("diff --git a/x b/x") && text.contains("+changed inside"), "{text}");
    let own = Folder::new();
    own.git(&["init", "--quiet"]);
    own.write("nested/file", "x\n");
    git(&own.path("nested"), &["init", "--quiet"]);
    let text = view(&own, json!({}));
    assert!(text.contains("(untracked repositories, not looked into: nested)"), "{text}");
}

#[test]
fn a_worktree_needs_its_store_in_the_workspace() {
    let folder = repository([("a", "a\n")]);
    folder.git(&["worktree", "add", "--quiet", "inside"]);
    folder.write("inside/a", "in the worktree\n");
    let text = view(&folder, json!({"path": "inside"}));
    assert!(text.contains("diff --git a/a b/a") && text.contains("+in the worktree"), "{text}");
    let place = tempfile::tempdir().unwrap();
    let other = place.path().join("other");
    folder.git(&["worktree", "add", "--quiet", other.to_str().unwrap()]);
    std::fs::write(other.join("a"), "elsewhere\n").unwrap();
    let refused = view_with(&[&other], json!({}));
    assert!(
        refused.contains("keeps its store in") && refused.contains("outside of the workspace"),
        "{refused}"
    );
    assert!(refused.contains("add that folder as another workspace root"), "{refused}");
    let text = view_with(&[&other, folder.root()], json!({}));
    assert!(text.contains("-a\n+elsewhere\n"), "{text}");
}

#[test]
fn a_store_outside_of_the_workspace_is_not_read() {
    let elsewhere = repository([("secret", "do not show\n")]);
    let store = elsewhere.path(".git");
    for way in ["file", "link", "relative"] {
        let folder = Folder::with([("secret", "other\n")]);
        match way {
            "file" => folder.write(".git", format!("gitdir: {}\n", store.display())),
            "relative" => {
                let name = elsewhere.root().file_name().unwrap().to_str().unwrap();
                folder.write(".git", format!("gitdir: ../{name}/.git\n"));
            }
            _ => symlink(&store, folder.path(".git")).unwrap(),
        }
        let text = folder.dispatch("view_diff", json!({"scope": "all"})).to_text();
        assert!(text.contains("E_TOOL_DENIED") && !text.contains("do not show"), "{way}: {text}");
    }
    for part in ["objects", "index", "refs", "objects/pack", "packed-refs"] {
        let folder = repository([("secret", "other\n")]);
        std::fs::write(elsewhere.path(".git/packed-refs"), "").unwrap();
        let target = folder.path(".git").join(part);
        let _ = std::fs::remove_dir_all(&target);
        let _ = std::fs::remove_file(&target);
        symlink(store.join(part), &target).unwrap();
        let head = elsewhere.git(&["rev-parse", "HEAD"]);
        folder.write(".git/HEAD", &head);
        let text = folder.dispatch("view_diff", json!({"scope": "all"})).to_text();
        assert!(!text.contains("do not show"), "{part}: {text}");
        assert!(text.contains("error") || text.contains("E_TOOL"), "{part}: {text}");
    }
}

#[test]
fn borrowed_objects_are_read_from_inside_of_the_workspace_only() {
    let lender = repository([("a", "lent\n")]);
    let place = tempfile::tempdir().unwrap();
    let clone = place.path().join("clone");
    let url = lender.root().to_str().unwrap();
    lender.git(&["clone", "--quiet", "--shared", url, clone.to_str().unwrap()]);
    std::fs::write(clone.join("a"), "changed\n").unwrap();
    let refused = view_with(&[&clone], json!({"scope": "all"}));
    assert!(refused.contains("borrows objects from") && !refused.contains("lent\n"), "{refused}");
    let text = view_with(&[&clone, lender.root()], json!({"scope": "all"}));
    assert!(text.contains("-lent\n+changed\n"), "{text}");
}

#[test]
fn packs_with_deltas_index_versions_and_other_names_of_objects() {
    let lines = |tag: &str| -> String { (0..400).map(|n| format!("{tag} line {n}\n")).collect() };
    let folder = repository([("a", &*lines("x"))]);
    for round in 0..20 {
        folder.write("a", lines("x").replace("line 7\n", &format!("round {round}\n")));
        commit_all(&folder, "round");
    }
    folder.git(&["gc", "--quiet", "--aggressive", "--prune=now"]);
    folder.git(&["update-index", "--index-version=4"]);
    for back in [1, 10, 20] {
        let text = view(&folder, json!({"base": format!("HEAD~{back}")}));
        let git = folder.git(&["diff", &format!("HEAD~{back}")]);
        let changed = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| line.starts_with(['+', '-']));
            lines.map(str::to_owned).collect()
        };
        assert_eq!(changed(&text), changed(&git), "{back}");
    }
    let sha256 = Folder::new();
    sha256.git(&["init", "--quiet", "--object-format=sha256"]);
    let error = sha256.error("view_diff", json!({}));
    assert!(error.contains("its objects are named by sha256"), "{error}");
    let moved = repository([("a", "a\n")]);
    moved.git(&["config", "core.worktree", "/"]);
    let error = moved.error("view_diff", json!({}));
    assert!(error.contains("put the working tree elsewhere"), "{error}");
}

#[test]
fn a_repository_above_the_working_folder_is_found_and_limited_to_it() {
    let folder = repository([("sub/a", "a\n"), ("b", "b\n")]);
    folder.write("sub/a", "changed\n");
    folder.write("b", "changed\n");
    let sub = folder.path("sub");
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let text = tokio.block_on(async {
        let scope = Scope::new(&sub).with_roots(vec![folder.root().to_path_buf()]);
        let runtime = Runtime::builder(scope)
            .tools(&Source::Builtin, dogu_builtin::all())
            .unwrap()
            .build()
            .unwrap();
        let step = runtime.step(Arc::new(Origin::of(Principal::process("test"))));
        step.dispatch(ToolCall::new("c", "view_diff", json!({}))).await.to_text()
    });
    assert!(text.contains("a/sub/a") && !text.contains("a/b b/b"), "{text}");
    assert!(text.contains("(only what is below the working folder)"), "{text}");
}

#[test]
fn special_files_in_place_of_tracked_ones_do_not_hang() {
    let folder = repository([("a", "a\n"), ("b/c", "c\n")]);
    std::fs::remove_file(folder.path("a")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.path("a")).status().unwrap();
    assert!(made.success());
    std::fs::remove_dir_all(folder.path("b")).unwrap();
    folder.write("b", "a file now\n");
    let text = view(&folder, json!({"scope": "all"}));
    assert!(text.contains("diff --git a/a b/a\ndeleted file mode 100644\n"), "{text}");
    assert!(text.contains("+a file now\n") && text.contains("-c\n"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_damaged_store_is_an_error_and_nothing_worse(
        which in 0_usize..6,
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<bool>(),
    ) {
        let folder = damaged_base();
        let store = folder.path(".git");
        let packs = std::fs::read_dir(store.join("objects/pack")).unwrap();
        let mut files: Vec<_> = packs.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.extend(["index", "HEAD", "packed-refs", "config"].map(|name| store.join(name)));
        let file = &files[which % files.len()];
        let mut content = std::fs::read(file).unwrap();
        let at = at.index(content.len());
        if cut { content.truncate(at); } else { content[at] = byte; }
        let _ = std::fs::remove_file(file);
        std::fs::write(file, content).unwrap();
        // Only a panic fails the test: what is read may be anything.
        for scope in ["unstaged", "staged", "all"] {
            let _ = folder.run("view_diff", json!({"scope": scope}));
        }
    }
}

/// A packed repository, copied from one that is made once.
fn damaged_base() -> Folder {
    static BASE: std::sync::OnceLock<Folder> = std::sync::OnceLock::new();
    let base = BASE.get_or_init(|| {
        let folder = repository([("a", "a\n"), ("d/b", "b\nc\n")]);
        folder.write("a", "second\n");
        commit_all(&folder, "second");
        folder.git(&["gc", "--quiet", "--prune=now"]);
        folder
    });
    let copy = Folder::new();
    let mut command = std::process::Command::new("cp");
    command.arg("-a").arg(format!("{}/.", base.root().display())).arg(copy.root());
    assert!(command.status().unwrap().success());
    copy.write("a", "third\n");
    copy
}
