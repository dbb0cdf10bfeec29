//! What a path is judged to be.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use dogu_runtime::files::Roots;
use dogu_runtime::paths::{judge_actions, judge_path};
use dogu_runtime::{JudgedAction, PathFacts};
use dogu_tool::{Action, ErrorCode, FileKind, Scope, ToolError};
use proptest::prelude::*;
use tempfile::TempDir;

/// `proj` is the workspace; `proj-evil` and `out` are not.
struct World(TempDir);

impl World {
    fn new() -> Self {
        let base = TempDir::new().unwrap();
        for folder in ["proj/src", "proj-evil", "out"] {
            fs::create_dir_all(base.path().join(folder)).unwrap();
        }
        for file in ["proj/a.txt", "proj/src/b.txt", "proj-evil/a.txt", "out/secret"] {
            fs::write(base.path().join(file), file).unwrap();
        }
        Self(base)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn link(&self, target: impl AsRef<Path>, name: &str) {
        symlink(target, self.path(name)).unwrap();
    }

    fn scope(&self) -> Scope {
        Scope::new(self.path("proj"))
    }

    fn judge(&self, name: &str) -> Result<PathFacts, ToolError> {
        judge_path(&self.path(name), &self.scope())
    }

    fn facts(&self, name: &str) -> PathFacts {
        self.judge(name).unwrap()
    }

    /// Judged, and where it was found is given relative to the world.
    fn real(&self, name: &str) -> (String, bool) {
        let facts = self.facts(name);
        let real = facts.real.strip_prefix(self.path("")).unwrap().to_str().unwrap().to_owned();
        (real, facts.root.is_some())
    }
}

fn inside(real: &str) -> (String, bool) {
    (real.to_owned(), true)
}

fn outside(real: &str) -> (String, bool) {
    (real.to_owned(), false)
}

#[test]
fn a_file_in_the_workspace() {
    let world = World::new();
    let facts = world.facts("proj/src/b.txt");
    assert_eq!(
        facts,
        PathFacts {
            declared: world.path("proj/src/b.txt"),
            real: world.path("proj/src/b.txt"),
            root: Some(world.path("proj")),
            exists: true,
            kind: Some(FileKind::File),
            ignored_by: None,
            other_names: false,
        }
    );
    assert_eq!(world.facts("proj").kind, Some(FileKind::Folder));
    assert_eq!(world.real("proj"), inside("proj"));
}

#[test]
fn a_root_is_a_prefix_by_components() {
    let world = World::new();
    assert_eq!(world.real("proj-evil/a.txt"), outside("proj-evil/a.txt"));
    assert_eq!(world.real("proj/../proj-evil/a.txt"), outside("proj-evil/a.txt"));
}

#[test]
fn dots_are_resolved_as_the_kernel_does() {
    let world = World::new();
    fs::create_dir_all(world.path("out/deep/er")).unwrap();
    world.link("../out/deep/er", "proj/away");
    assert_eq!(world.real("proj/./src/.././a.txt"), inside("proj/a.txt"));
    assert_eq!(world.real("proj/src/../../out/secret"), outside("out/secret"));
    // Lexically this is proj/a.txt.
    assert_eq!(world.real("proj/away/../x"), outside("out/deep/x"));
    let error = world.judge("proj/a.txt/../src").unwrap_err();
    assert!(error.to_string().contains("is not a folder"), "{error}");
}

#[test]
fn dots_above_the_top_stay_at_the_top() {
    let world = World::new();
    let facts = judge_path(Path::new("/../../.."), &world.scope()).unwrap();
    assert_eq!((facts.real, facts.root), (PathBuf::from("/"), None));
}

#[test]
fn links_are_judged_where_they_lead() {
    let world = World::new();
    world.link("../out", "proj/out");
    world.link(world.path("out/secret"), "proj/secret");
    world.link("src", "proj/same");
    world.link("../proj/a.txt", "out/back");
    assert_eq!(world.real("proj/out/secret"), outside("out/secret"));
    assert_eq!(world.real("proj/out"), outside("out"));
    assert_eq!(world.real("proj/secret"), outside("out/secret"));
    assert_eq!(world.real("proj/same/b.txt"), inside("proj/src/b.txt"));
    assert_eq!(world.real("out/back"), inside("proj/a.txt"));
    assert_eq!(world.real("proj/out/new/file"), outside("out/new/file"));
}

#[test]
fn what_does_not_exist_is_judged_by_what_does() {
    let world = World::new();
    let facts = world.facts("proj/new/./deep/file");
    assert_eq!(facts.real, world.path("proj/new/deep/file"));
    assert_eq!((facts.exists, facts.kind), (false, None));
    assert!(facts.root.is_some());
    let error = world.judge("proj/new/../../out/secret").unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgs);
    assert!(error.to_string().contains("proj/new/../../out/secret"), "{error}");
    let error = world.judge("proj/a.txt/below").unwrap_err();
    assert!(error.to_string().contains("is not a folder"), "{error}");
}

#[test]
fn a_dangling_link_is_judged_where_it_would_lead() {
    let world = World::new();
    world.link("../out/nothing", "proj/dangling");
    world.link("src/nothing", "proj/dangling-inside");
    world.link("no/../../out/secret", "proj/sly");
    assert_eq!(world.real("proj/dangling"), outside("out/nothing"));
    assert_eq!(world.real("proj/dangling/more"), outside("out/nothing/more"));
    assert_eq!(world.real("proj/dangling-inside"), inside("proj/src/nothing"));
    assert!(!world.facts("proj/dangling").exists);
    assert_eq!(world.judge("proj/sly").unwrap_err().code(), ErrorCode::InvalidArgs);
}

#[test]
fn loops_are_refused() {
    let world = World::new();
    world.link("two", "proj/one");
    world.link("one", "proj/two");
    world.link("self/self", "proj/self");
    for name in ["proj/one", "proj/two/x", "proj/self"] {
        let error = world.judge(name).unwrap_err();
        assert!(error.to_string().contains("loop of symbolic links"), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn links_of_proc_are_refused() {
    let world = World::new();
    let inside = world.path("proj/a.txt");
    let held = fs::File::open(world.path("proj")).unwrap();
    let descriptor = std::os::fd::AsRawFd::as_raw_fd(&held);
    world.link("/proc/self/root", "proj/top");
    let paths = [
        format!("/proc/self/root{}", inside.display()),
        format!("/proc/{}/root{}", std::process::id(), inside.display()),
        format!("/proc/self/fd/{descriptor}/a.txt"),
        format!("/proc/thread-self/fd/{descriptor}/a.txt"),
        format!("/dev/fd/{descriptor}/a.txt"),
        "/proc/self/cwd/Cargo.toml".to_owned(),
        "/proc/self/exe".to_owned(),
        world.path(&format!("proj/top{}", inside.display())).display().to_string(),
    ];
    for path in paths {
        let error = judge_path(Path::new(&path), &world.scope()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Denied, "{error}");
        assert!(error.to_string().contains(&path), "{error}");
    }
}

#[test]
fn what_is_no_path_is_refused() {
    let world = World::new();
    for path in ["", "src/b.txt", "./a", "/proj/\0"] {
        let error = judge_path(Path::new(path), &world.scope()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgs, "{path:?}: {error}");
        assert!(!error.to_string().contains('\0'));
    }
}

#[test]
fn s4_ignore_files_count_by_where_a_path_leads() {
    let world = World::new();
    fs::write(world.path("proj/.doguignore"), "b.txt\nout-*\n").unwrap();
    world.link("src/b.txt", "proj/innocent");
    world.link("../proj/src", "out/way-in");
    let shut = Some(world.path("proj/.doguignore"));
    for name in ["proj/src/b.txt", "proj/innocent", "out/way-in/b.txt", "proj/out-new"] {
        assert_eq!(world.facts(name).ignored_by, shut, "{name}");
    }
    for name in ["proj/a.txt", "proj", "proj/.doguignore", "out/secret", "out/b.txt"] {
        assert_eq!(world.facts(name).ignored_by, None, "{name}");
    }
    // A root inside another does not shake off the outer one's file.
    let roots = Roots::open(&[world.path("proj"), world.path("proj/src")]).unwrap();
    assert_eq!(roots.judge(&world.path("proj/src/b.txt")).unwrap().ignored_by, shut);
}

#[test]
fn a_file_with_other_names_says_so() {
    let world = World::new();
    assert!(!world.facts("proj/a.txt").other_names);
    assert!(!world.facts("proj/src").other_names, "folders have many links by nature");
    fs::hard_link(world.path("out/secret"), world.path("proj/twin")).unwrap();
    world.link("twin", "proj/to-twin");
    for name in ["proj/twin", "proj/to-twin", "out/secret"] {
        assert!(world.facts(name).other_names, "{name}");
    }
}

#[test]
fn strange_names_do_not_panic() {
    let world = World::new();
    let odd = world.path("proj").join(OsStr::from_bytes(b"od\xffd"));
    assert!(!judge_path(&odd, &world.scope()).unwrap().exists);
    fs::write(&odd, "").unwrap();
    let facts = judge_path(&odd, &world.scope()).unwrap();
    assert_eq!((facts.real, facts.exists), (odd.clone(), true));
    symlink(&odd, world.path("proj/to-odd")).unwrap();
    assert_eq!(world.facts("proj/to-odd").real, odd);
    let error = world.judge(&format!("proj/{}", "n".repeat(300))).unwrap_err();
    assert!(error.to_string().contains("too long"), "{error}");
    let long = world.judge(&format!("proj/{}", "n/".repeat(4_000)));
    assert!(long.is_ok(), "what does not exist has no length yet");
    let error = world.judge("proj/a.txt/\n\x1b[2J").unwrap_err();
    assert!(!error.to_string().contains(char::is_control), "{error}");
}

#[test]
fn roots_may_be_links_and_may_be_nested() {
    let world = World::new();
    world.link("proj", "alias");
    let scope =
        Scope::new(world.path("alias")).with_roots([world.path("alias"), world.path("proj/src")]);
    let judge = |name: &str| judge_path(&world.path(name), &scope).unwrap();
    assert_eq!(judge("alias/a.txt").real, world.path("proj/a.txt"));
    assert_eq!(judge("alias/new").real, world.path("proj/new"));
    assert_eq!(judge("alias/a.txt").root, Some(world.path("proj")));
    assert_eq!(judge("proj/a.txt").root, Some(world.path("proj")));
    assert_eq!(judge("alias/src/b.txt").root, Some(world.path("proj/src")));
    assert_eq!(judge("alias/../out/secret").root, None);
}

#[test]
fn roots_must_be_folders_that_exist() {
    let world = World::new();
    for name in ["nothing", "out/secret"] {
        let error = Roots::open(&[world.path(name)]).unwrap_err();
        assert!(error.to_string().contains("workspace root"), "{error}");
    }
    assert_eq!(Roots::open(&["proj".into()]).unwrap_err().code(), ErrorCode::InvalidArgs);
    if cfg!(target_os = "linux") {
        Roots::open(&["/proc".into()]).unwrap_err();
    }
}

#[test]
fn a_replaced_root_is_still_the_old_one() {
    let world = World::new();
    world.link("proj", "alias");
    let roots = Roots::open(&[world.path("alias")]).unwrap();
    fs::remove_file(world.path("alias")).unwrap();
    world.link("out", "alias");
    let facts = roots.judge(&world.path("alias/a.txt")).unwrap();
    assert_eq!(facts.real, world.path("proj/a.txt"));
    assert_eq!(roots.judge(&world.path("alias/new")).unwrap().real, world.path("proj/new"));
}

#[test]
fn actions_keep_their_order_and_only_files_have_paths() {
    let world = World::new();
    let actions = [
        Action::Network { url: "https://docs.rs".into() },
        Action::read(world.path("proj/a.txt")),
        Action::write(world.path("out/new")),
    ];
    let judged = judge_actions(&actions, &world.scope()).unwrap();
    assert_eq!(judged.iter().map(|one| one.action.clone()).collect::<Vec<_>>(), actions);
    let inside: Vec<_> = judged.iter().map(JudgedAction::inside_workspace).collect();
    assert_eq!(inside, [false, true, false]);
    assert!(judged[0].path.is_none());
    judge_actions(&[Action::read("relative")], &world.scope()).unwrap_err();
}

/// What is made at a name of a random tree.
#[derive(Clone, Debug)]
enum Made {
    Folder,
    File,
    Link(String),
}

const NAMES: [&str; 4] = ["a", "b", "c", ".."];

fn some_path() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&NAMES[..]), 1..6).prop_map(|names| names.join("/"))
}

fn some_made() -> impl Strategy<Value = Made> {
    let link = (any::<bool>(), some_path())
        .prop_map(|(absolute, path)| Made::Link(if absolute { format!("/{path}") } else { path }));
    prop_oneof![3 => Just(Made::Folder), 1 => Just(Made::File), 3 => link]
}

/// Makes what can be made in `root`; what clashes with something else, or would get out of
/// `base` through links and `..`, is left out.
fn make(base: &Path, root: &Path, tree: &[(String, Made)]) {
    for (name, made) in tree {
        let path = root.join(name);
        let folder = path.parent().unwrap().canonicalize();
        if !folder.is_ok_and(|folder| folder.starts_with(base)) {
            continue;
        }
        let _ = match made {
            Made::Folder => fs::create_dir(&path),
            Made::File => fs::File::create_new(&path).map(|_| ()),
            Made::Link(target) => match target.strip_prefix('/') {
                Some(below) => symlink(root.join(below), &path),
                None => symlink(target, &path),
            },
        };
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn judged_as_canonicalize_resolves(
        tree in prop::collection::vec((some_path(), some_made()), 1..14),
        asked in prop::collection::vec(some_path(), 1..20),
    ) {
        let kept = TempDir::new().unwrap();
        let base = kept.path().canonicalize().unwrap();
        let root = base.join("1/2");
        fs::create_dir_all(&root).unwrap();
        make(&base, &root, &tree);
        let roots = Roots::open(std::slice::from_ref(&root)).unwrap();
        for path in asked.iter().map(|name| root.join(name)) {
            match (path.canonicalize(), roots.judge(&path)) {
                (Ok(real), Ok(facts)) => {
                    prop_assert_eq!(&facts.real, &real);
                    prop_assert_eq!(facts.exists, true);
                    prop_assert_eq!(facts.root.is_some(), real.starts_with(&root));
                    prop_assert_eq!(facts.kind == Some(FileKind::Folder), real.is_dir());
                }
                (Ok(real), Err(error)) => prop_assert!(false, "{} not judged: {error}", real.display()),
                (Err(_), Ok(facts)) => {
                    prop_assert!(!facts.exists, "{facts:?}");
                    // A parent that exists is real.
                    if let Some(Ok(parent)) = facts.real.parent().map(Path::canonicalize) {
                        prop_assert_eq!(Some(parent.as_path()), facts.real.parent());
                    }
                }
                (Err(_), Err(_)) => {}
            }
        }
    }
}
