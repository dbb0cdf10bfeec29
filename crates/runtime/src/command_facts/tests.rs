use std::fs;
use std::os::unix::fs::symlink;

use dogu_policy::Risk;
use tempfile::TempDir;

use super::*;

/// `ws` is the workspace, `out` is not.
struct World {
    base: TempDir,
    roots: Roots,
}

impl World {
    fn new(files: &[&str]) -> Self {
        let base = TempDir::new().unwrap();
        fs::create_dir_all(base.path().join("ws")).unwrap();
        for file in files {
            let path = base.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let roots = Roots::open(&[base.path().join("ws")]).unwrap();
        Self { base, roots }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.base.path().canonicalize().unwrap().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn link(&self, target: impl AsRef<Path>, name: &str) {
        symlink(target, self.path(name)).unwrap();
    }

    fn gather(&self, access: Access, place: FilePlace) -> Vec<NamedFile> {
        let file = UsedFile { access, named: "named".to_owned(), redirected: false, place };
        let analysis = analysis(vec![file], &[]);
        gather(&self.roots, &Places::default(), analysis).files
    }

    fn matching(&self, pattern: &str) -> Vec<String> {
        let place = FilePlace::Matching { pattern: self.text(pattern), exact: true };
        let files = self.gather(Access::Read, place);
        let mut names: Vec<_> = files.iter().map(|file| self.name(file)).collect();
        names.sort();
        names
    }

    /// Where a file leads, relative to the world.
    fn name(&self, file: &NamedFile) -> String {
        let real = &file.path.as_ref().unwrap().real;
        real.strip_prefix(self.path("")).unwrap().to_str().unwrap().to_owned()
    }

    fn secrets(&self, access: Access, place: FilePlace) -> Result<Vec<String>, String> {
        let file = self.gather(access, place).remove(0);
        file.path?;
        let base = self.path("ws");
        let short = |path: &PathBuf| path.strip_prefix(&base).unwrap().to_str().unwrap().to_owned();
        let mut names: Vec<_> = file.secrets_below.iter().map(short).collect();
        names.sort();
        Ok(names)
    }

    fn in_tree(&self, name: &str) -> Result<Vec<String>, String> {
        self.secrets(Access::Tree, FilePlace::At(self.text(name)))
    }

    fn listed(&self, exact: bool) -> Result<Vec<String>, String> {
        let folders = vec![self.text("ws")];
        self.secrets(Access::Read, FilePlace::Below { folders, exact })
    }
}

fn analysis(files: Vec<UsedFile>, steered_by: &[&str]) -> Analysis {
    Analysis {
        understood: Ok(()),
        commands: Vec::new(),
        files,
        folders: Vec::new(),
        starts: Vec::new(),
        addresses: Vec::new(),
        steered_by: steered_by.iter().map(|&name| name.to_owned()).collect(),
        risk: Risk::Safe,
    }
}

#[test]
fn a_named_file_is_judged_where_it_leads() {
    let world = World::new(&["ws/a.txt", "out/secret"]);
    world.link(world.path("out/secret"), "ws/innocent");
    let file = world.gather(Access::Write, FilePlace::At(world.text("ws/innocent"))).remove(0);
    assert_eq!((file.access, file.named.as_str()), (Access::Write, "named"));
    let facts = file.path.unwrap();
    assert_eq!((facts.real, facts.root), (world.path("out/secret"), None));
    let file = world.gather(Access::Read, FilePlace::At("relative".to_owned())).remove(0);
    assert!(file.path.unwrap_err().contains("not absolute"));
}

#[test]
fn what_is_unknown_is_an_error() {
    let file = World::new(&[]).gather(Access::Read, FilePlace::Unknown).remove(0);
    assert_eq!(file.path, Err("its name is known only when it runs".to_owned()));
}

#[test]
fn streams_are_what_they_are_called() {
    let world = World::new(&[]);
    for name in ["/dev/stdout", "/dev/stderr", "/dev/null"] {
        let file = world.gather(Access::Write, FilePlace::At(name.to_owned())).remove(0);
        assert_eq!(file.path.unwrap().real, Path::new(name));
    }
    let file = world.gather(Access::Read, FilePlace::At("/proc/self/fd/1".to_owned())).remove(0);
    assert!(file.path.is_err());
}

#[test]
fn patterns_are_expanded_as_the_shell_does() {
    let world = World::new(&["ws/a.rs", "ws/b.rs", "ws/.env", "ws/c.txt", "ws/d/e.rs", "ws/x*y"]);
    assert_eq!(world.matching("ws/*.rs"), ["ws/a.rs", "ws/b.rs"]);
    assert_eq!(world.matching("ws/*/*.rs"), ["ws/d/e.rs"]);
    assert_eq!(world.matching("ws/[ac].*"), ["ws/a.rs", "ws/b.rs", "ws/c.txt"]);
    assert_eq!(world.matching("ws/.e*"), ["ws/.env"]);
    assert!(!world.matching("ws/*").contains(&"ws/.env".to_owned()));
    assert_eq!(world.matching("ws/.*"), ["", "ws", "ws/.env"], "older shells match `..`");
    assert_eq!(world.matching(r"ws/x\*y"), ["ws/x*y"]);
    assert_eq!(world.matching("ws/*.none"), ["ws/*.none"], "it is passed on as it is");
    assert_eq!(world.matching("ws/d/../*.txt"), ["ws/c.txt"]);
}

#[test]
fn a_pattern_follows_links_and_its_matches_are_judged() {
    let world = World::new(&["out/id_rsa", "ws/a"]);
    world.link(world.path("out"), "ws/link");
    assert_eq!(world.matching("ws/l*/id_*"), ["out/id_rsa"]);
    assert_eq!(world.matching("ws/[l]ink/*"), ["out/id_rsa"]);
}

#[test]
fn a_literal_name_that_looks_like_a_pattern_is_judged_too() {
    let world = World::new(&["ws/[ab]", "ws/a"]);
    assert_eq!(world.matching("ws/[ab]"), ["ws/[ab]", "ws/a"]);
}

#[test]
fn too_many_matches_cannot_be_told() {
    let world = World::new(&[]);
    for n in 0..=glob::MAX_MATCHES {
        fs::write(world.path(&format!("ws/{n}")), "").unwrap();
    }
    let files = world
        .gather(Access::Read, FilePlace::Matching { pattern: world.text("ws/*"), exact: true });
    assert_eq!(files.len(), 1);
    assert!(files[0].path.as_ref().unwrap_err().contains("too many"));
}

#[test]
fn secrets_below_a_tree_are_found() {
    let world = World::new(&["ws/src/main.rs", "ws/src/tokenizer.rs", "ws/.env.example"]);
    assert_eq!(world.in_tree("ws"), Ok(vec![]));
    let world = World::new(&["ws/a/b/.env", "ws/.ssh/config", "ws/x.rs", "out/id_rsa"]);
    assert_eq!(world.in_tree("ws").unwrap(), [".ssh", "a/b/.env"]);
    assert_eq!(world.in_tree("ws/a").unwrap(), ["a/b/.env"]);
    assert_eq!(world.in_tree("ws/x.rs").unwrap(), [""; 0], "a file has nothing below it");
    assert_eq!(world.listed(true).unwrap(), [".ssh", "a/b/.env"]);
    let place = FilePlace::At(world.text("ws"));
    assert!(world.gather(Access::Read, place)[0].secrets_below.is_empty(), "a listing shows names");
    let by_pattern = world
        .gather(Access::Tree, FilePlace::Matching { pattern: world.text("ws/?"), exact: true });
    assert_eq!(by_pattern[0].secrets_below, [world.path("ws/a/b/.env")]);
}

#[test]
fn ignored_files_below_are_found() {
    let world = World::new(&["ws/a/plans.txt", "ws/private/x", "ws/b"]);
    fs::write(world.path("ws/.doguignore"), "private/\n").unwrap();
    fs::write(world.path("ws/a/.rooignore"), "plans.*\n").unwrap();
    assert_eq!(world.in_tree("ws").unwrap(), ["a/plans.txt", "private"]);
}

#[test]
fn links_below_are_judged_and_not_followed() {
    let world = World::new(&["ws/a", "out/id_rsa", "out/notes"]);
    world.link(".", "ws/loop");
    world.link("a", "ws/fine");
    world.link("/usr/bin/env", "ws/tool");
    world.link("nowhere", "ws/broken");
    assert_eq!(world.in_tree("ws").unwrap(), [""; 0]);
    world.link("../out/id_rsa", "ws/key");
    world.link("../out/notes", "ws/notes");
    world.link("../out", "ws/out");
    assert_eq!(world.in_tree("ws").unwrap(), ["key", "notes", "out"]);
}

#[test]
fn few_secrets_are_named_and_packed_history_is_not_searched() {
    let world = World::new(&["ws/.git/objects/a.pem", "ws/objects/b.pem"]);
    assert_eq!(world.in_tree("ws").unwrap(), ["objects/b.pem"]);
    let files: Vec<_> = (0..20).map(|n| format!("ws/{n}/.env")).collect();
    let world = World::new(&files.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(world.in_tree("ws").unwrap().len(), below::MAX_SECRETS);
}

#[test]
fn names_that_would_be_split() {
    for (file, why) in [
        ("ws/a b/c", "folder"),
        ("ws/a\"b/c", "folder"),
        ("ws/a\\b/c", "folder"),
        ("ws/a\nb/c", "folder"),
        ("ws/x .env", "file"),
        ("ws/x -delete", "file"),
        ("ws/x *", "file"),
        ("ws/my notes.txt", "file"),
        ("ws/it's", "file"),
    ] {
        let world = World::new(&[file]);
        let error = world.listed(false).unwrap_err();
        assert!(error.starts_with(&format!("a {why}'s name would be split")), "{file:?}: {error}");
        assert!(world.listed(true).is_ok(), "{file:?}");
        assert!(world.in_tree("ws").is_ok(), "{file:?}");
    }
    assert_eq!(World::new(&["ws/my-notes.txt", "ws/a/[id].ts"]).listed(false), Ok(vec![]));
}

#[test]
fn the_search_has_a_bound_for_the_whole_line() {
    let world = World::new(&["ws/a", "ws/b"]);
    let places = Places::default();
    let mut search = Search::new(&world.roots, &places);
    search.limit(3);
    assert_eq!(search.below(&world.path("ws"), true), Ok(vec![]));
    let second = search.below(&world.path("ws"), true);
    assert_eq!(second, Err("too many files to look for secrets".to_owned()));
}

#[test]
fn steering_files_are_looked_for_up_to_the_root() {
    let world = World::new(&["ws/Makefile", "ws/a/b/.git/config", "ws/a/x", "conf", "out/conf"]);
    let steered = |cwd: &str, names: &[&str]| {
        let folders = vec![world.text(cwd)];
        let line = Analysis { folders, ..analysis(Vec::new(), names) };
        gather(&world.roots, &Places::default(), line).steered_by
    };
    assert_eq!(steered("ws/a/b", &["Makefile", "none"]), [world.path("ws/Makefile")]);
    assert_eq!(steered("ws/a/b", &[".git/config"]), [world.path("ws/a/b/.git/config")]);
    assert!(steered("ws/a", &[".git/config", "conf"]).is_empty());
    assert_eq!(steered("out", &["conf"]), [world.path("out/conf"), world.path("conf")]);
}

#[test]
fn a_repository_that_makes_git_run_programs_steers_it() {
    let world =
        World::new(&["ws/.git/HEAD", "ws/a/HEAD", "ws/a/objects/x", "ws/a/refs/x", "ws/b/x"]);
    let steered = |cwd: &str| {
        let folders = vec![world.text(cwd)];
        let line = Analysis { folders, ..analysis(Vec::new(), &["HEAD"]) };
        gather(&world.roots, &Places::default(), line).steered_by
    };
    let config = world.path("ws/.git/config");
    std::fs::write(&config, "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = x\n").unwrap();
    assert!(steered("ws/b").is_empty());
    assert_eq!(steered("ws/a"), [world.path("ws/a/HEAD")], "a bare repository in the workspace");
    std::fs::write(&config, "[core]\n\tfsMonitor = ./evil\n").unwrap();
    assert_eq!(steered("ws/b"), [config]);
}
