//! What paths are: a suite by family, the rules about roots and links, and Roo's own cases.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::{Path, PathBuf};

use dogu_policy::facts::PathFacts;
use dogu_policy::path::{PathClass, Places, classify, is_stream, sensitive};
use dogu_tool::FileKind;
use proptest::prelude::*;

const SUITE: &str = include_str!("paths.txt");
const ROOT: &str = "/home/u/ws";

fn places() -> Places {
    Places {
        home: Some(PathBuf::from("/home/u")),
        private: vec![PathBuf::from("/home/u/.local/state/dogu")],
        shown: vec![PathBuf::from("/home/u/.local/state/dogu/spills")],
    }
}

/// Facts of a path that leads where it says.
fn facts(path: &str, root: Option<&str>) -> PathFacts {
    let kind = if path.ends_with('/') { FileKind::Folder } else { FileKind::File };
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

/// Facts of a path that leads elsewhere.
fn leading(declared: &str, real: &str, root: Option<&str>) -> PathFacts {
    PathFacts { declared: PathBuf::from(declared), ..facts(real, root) }
}

fn class(path: &str, root: Option<&str>) -> PathClass {
    classify(&facts(path, root), &places())
}

fn in_words(class: &PathClass) -> String {
    let words =
        [("sensitive", class.sensitive), ("system", class.system), ("protected", class.protected)];
    let named: Vec<_> = words.iter().filter(|word| word.1.is_some()).map(|word| word.0).collect();
    if named.is_empty() { "plain".to_owned() } else { named.join(" ") }
}

/// `\u{…}` as the character that it stands for.
fn unescape(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('}').unwrap();
        plain.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
        plain.push_str(rest);
    }
    plain
}

fn cases() -> Vec<(String, &'static str)> {
    let lines = SUITE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let cases = lines.map(|line| {
        let (path, expected) = line.rsplit_once(" | ").unwrap();
        (unescape(path), expected)
    });
    cases.collect()
}

fn judged_in_suite(path: &str) -> PathClass {
    if path.starts_with('/') || path.starts_with("C:") {
        let inside = path.starts_with("/home/u/ws/") && !path.contains("/../");
        return class(path, inside.then_some(ROOT));
    }
    class(&format!("{ROOT}/{path}"), Some(ROOT))
}

#[test]
fn suite_by_family() {
    let cases = cases();
    assert!(cases.len() >= 150, "{}", cases.len());
    let wrong: Vec<_> = cases
        .iter()
        .map(|(path, expected)| (path, expected, in_words(&judged_in_suite(path))))
        .filter(|(_, expected, found)| *expected != found)
        .map(|(path, expected, found)| format!("{path:?} is {found}, not {expected}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn s2_env_is_sensitive_and_a_tokenizer_is_not() {
    assert!(class("/home/u/ws/.env", Some(ROOT)).read_asks().is_some());
    assert!(class("/home/u/ws/.env", Some(ROOT)).write_refused().is_some());
    assert!(class("/home/u/ws/src/tokenizer.rs", Some(ROOT)).is_plain());
}

#[test]
fn s2_either_name_counts() {
    let into = leading("/home/u/ws/keys/id", "/home/u/.ssh/id", None);
    assert!(classify(&into, &places()).sensitive.is_some());
    let renamed = leading("/home/u/ws/.env", "/home/u/ws/vault/a.txt", Some(ROOT));
    assert!(classify(&renamed, &places()).sensitive.is_some());
    let example = leading("/home/u/ws/.env.example", "/home/u/ws/.env", Some(ROOT));
    assert!(classify(&example, &places()).sensitive.is_some());
}

#[test]
fn s3_system_files_refuse_writes_with_a_reason() {
    assert_eq!(class("/etc/passwd", None).write_refused(), Some("is a setting of this machine"));
    let link = leading("/home/u/ws/hosts", "/etc/hosts", None);
    assert!(classify(&link, &places()).system.is_some());
}

#[test]
fn s3_a_workspace_is_not_system_unless_its_root_is() {
    for (path, root) in [
        ("/opt/app/src/main.c", "/opt/app"),
        ("/var/www/site/index.html", "/var/www/site"),
        ("/usr/src/app/index.js", "/usr/src/app"),
        ("/root/ws/a.txt", "/root/ws"),
    ] {
        assert_eq!(class(path, Some(root)).system, None, "{path} in {root}");
        assert!(class(path, None).system.is_some(), "{path}");
    }
    for (path, root) in [
        ("/etc/passwd", "/"),
        ("/etc/passwd", "/etc"),
        ("/etc/nginx/nginx.conf", "/etc/nginx"),
        ("/usr/bin/env", "/usr"),
        ("/opt/app/a", "/"),
        ("/opt/app/a", "/opt"),
        ("/var/lib/x", "/var"),
    ] {
        assert!(class(path, Some(root)).system.is_some(), "{path} in {root}");
    }
    assert_eq!(class("/home/u/a.txt", Some("/")).system, None);
}

#[test]
fn s3_a_root_that_is_declared_through_a_link_is_no_system_folder() {
    let linked = leading("/opt/ws/a.rs", "/home/u/ws/a.rs", Some(ROOT));
    assert!(classify(&linked, &places()).is_plain());
}

#[test]
fn s3_the_home_of_root_is_system_for_others_only() {
    assert!(class("/root/a.txt", None).system.is_some());
    let at_home = Places { home: Some(PathBuf::from("/root")), ..Places::default() };
    assert_eq!(classify(&facts("/root/a.txt", None), &at_home).system, None);
    assert!(classify(&facts("/root/.bashrc", None), &at_home).system.is_some());
    // A home folder that is no one's own does not open the machine.
    for home in ["/", "/var", "/etc"] {
        let odd = Places { home: Some(PathBuf::from(home)), ..Places::default() };
        assert!(classify(&facts("/var/lib/a", None), &odd).system.is_some(), "{home}");
        assert!(classify(&facts("/etc/a", None), &odd).system.is_some(), "{home}");
    }
}

#[test]
fn s3_start_up_files_in_and_out_of_the_workspace() {
    let home_as_root = class("/home/u/.bashrc", Some("/home/u"));
    assert!(home_as_root.system.is_some());
    let collection = class("/home/u/.config/fish/config.fish", Some("/home/u/.config/fish"));
    assert_eq!((collection.system, collection.protected.is_some()), (None, true));
    // Written through the link that a shell reads.
    let linked = leading("/home/u/.zshrc", "/home/u/dotfiles/zshrc", None);
    assert!(classify(&linked, &places()).system.is_some());
    // Homes elsewhere.
    let odd = Places { home: Some(PathBuf::from("/data/me")), ..Places::default() };
    assert!(classify(&facts("/data/me/.bashrc", None), &odd).system.is_some());
    assert!(classify(&facts("/data/you/.bashrc", None), &odd).system.is_none());
}

#[test]
fn names_above_the_workspace_protect_nothing_in_it() {
    let root = "/home/u/.claude/worktrees/a";
    assert!(class("/home/u/.claude/worktrees/a/src/main.rs", Some(root)).is_plain());
    assert!(class("/home/u/.claude/worktrees/a/.claude/x", Some(root)).protected.is_some());
    let hooks = class("/home/u/ws/.git/hooks/pre-commit", Some("/home/u/ws/.git/hooks"));
    assert!(hooks.protected.is_some());
}

#[test]
fn own_folders_are_private_wherever_they_are() {
    let places = Places {
        home: None,
        private: vec![PathBuf::from("/data/state")],
        shown: vec![PathBuf::from("/data/state/spills")],
    };
    for path in ["/data/state/anything", "/data/state", "/data/STATE/x", "/a/../data/state/x"] {
        let own = classify(&facts(path, None), &places);
        assert!(own.sensitive.is_some() && own.system.is_some(), "{path}");
    }
    assert!(classify(&facts("/data/statement", None), &places).is_plain());
    assert!(sensitive(Path::new("/data/state/a"), false, &places).is_some());
    let spilled = classify(&facts("/data/state/spills/1.txt", None), &places);
    assert_eq!((spilled.read_asks(), spilled.write_refused().is_some()), (None, true));
    let linked = leading("/data/state/spills/1.txt", "/data/state/record.db", None);
    assert!(classify(&linked, &places).sensitive.is_some());
}

#[test]
fn streams_are_known_by_their_names() {
    for path in ["/dev/null", "/dev/stdout", "/dev/fd/2"] {
        assert!(is_stream(Path::new(path)) && class(path, None).is_plain(), "{path}");
    }
    for path in ["/dev/tty", "/dev/fd/3", "/dev/sda", "/tmp/dev/null"] {
        assert!(!is_stream(Path::new(path)), "{path}");
    }
    let led = leading("/dev/stdout", "/proc/self/fd/1", None);
    assert!(classify(&led, &places()).is_plain());
}

/// The folder of recorded cases, if this machine has it.
fn vectors() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = here.ancestors().map(|folder| folder.join("shared/vectors"));
    found.into_iter().find(|folder| folder.is_dir())
}

#[test]
fn roo_protects_nothing_that_is_not_protected_here() {
    let Some(folder) = vectors() else {
        println!("not run: there is no shared/vectors above this crate");
        return;
    };
    let text = std::fs::read_to_string(folder.join("modes/roo-protected-files.json")).unwrap();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let mut compared = 0;
    for row in rows.iter().filter(|row| row["result"].is_boolean()) {
        let path = row["args"][0].as_str().unwrap();
        let root = row["ctor"][0].as_str().unwrap();
        let full = Path::new(root).join(path);
        let inside = full.starts_with(root).then_some(root);
        let found = class(full.to_str().unwrap(), inside).protected.is_some();
        assert_eq!(Some(found), row["result"].as_bool(), "{path}");
        compared += 1;
    }
    let patterns = rows.iter().filter_map(|row| row["result"].as_array()).flatten();
    for pattern in patterns.filter_map(serde_json::Value::as_str) {
        let path = pattern.replace("**", "a/b").replace('*', "-x");
        assert!(class(&format!("/w/{path}"), Some("/w")).protected.is_some(), "{pattern}");
        compared += 1;
    }
    assert!(compared >= 20, "{compared}");
}

proptest! {
    #[test]
    fn no_path_panics(declared in ".{0,60}", real in "(/[.a-z~*\\\\:\u{200c}\u{ff47} ]{0,9}){0,8}") {
        let facts = leading(&declared, &real, None);
        let _ = classify(&facts, &places());
        let rooted = PathFacts { root: Some(PathBuf::from(&declared)), ..facts };
        let _ = classify(&rooted, &Places::default());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn case_never_matters(upper in prop::collection::vec(any::<bool>(), 64)) {
        for (path, _) in cases().iter().filter(|case| case.0.is_ascii()) {
            let cased: String = path
                .chars()
                .zip(upper.iter().cycle())
                .map(|(letter, up)| if *up { letter.to_ascii_uppercase() } else { letter })
                .collect();
            let root = Some(ROOT);
            let (plain, other) = (format!("{ROOT}/{path}"), format!("{ROOT}/{cased}"));
            prop_assert_eq!(class(&plain, root), class(&other, root));
        }
    }

    #[test]
    fn a_deeper_folder_hides_nothing(folders in "([a-z]{1,6}/){0,6}") {
        for name in [".env", ".git/config", "id_rsa", "AGENTS.md", ".ssh/config"] {
            let shallow = class(&format!("{ROOT}/{name}"), Some(ROOT));
            let deep = class(&format!("{ROOT}/{folders}{name}"), Some(ROOT));
            prop_assert_eq!(shallow, deep);
        }
    }
}
