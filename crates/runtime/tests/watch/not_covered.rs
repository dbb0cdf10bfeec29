//! What is not covered is not stored, and is named.

use std::fs;
use std::time::{Duration, Instant};

use dogu_runtime::journal::ChangeKind::{Changed, Created, Deleted};
use dogu_runtime::journal::{Bounds, Which, Why};
use dogu_tool::{CancelFlag, ErrorCode};

use crate::support::{World, assert_refused, by};

fn one(name: &str, why: Why) -> Vec<(String, Why)> {
    vec![(name.to_owned(), why)]
}

#[test]
fn a_large_file_is_named() {
    let world = World::new();
    world.shell("head -c 2000000 /dev/zero > big");
    assert_eq!(world.before().not_covered().get(&Why::TooLarge), Some(&1));
    for line in ["echo more >> big", "chmod 600 big", "rm big"] {
        let changes = world.run(&format!("{line}; echo '{line}' > a"));
        assert_eq!(world.named(&changes), one("big", Why::TooLarge), "{line}");
        assert_eq!(world.changed(&changes), [("a".to_owned(), Changed)]);
        assert_eq!(changes.not_covered.files.get(&Why::TooLarge), Some(&1));
        let entry = world.journal.entries().unwrap().pop().unwrap();
        assert_eq!(entry.beside.not_covered, changes.not_covered.named);
    }
    assert_eq!(world.named(&world.run("echo new > a")), []);
}

#[test]
fn secrets_are_never_stored_and_a_change_of_them_is_named() {
    let world = World::new();
    let secret = "TOKEN=hunter2-hunter2";
    fs::write(world.at(".env"), secret).unwrap();
    fs::write(world.at("id_rsa"), secret).unwrap();
    // The same file under an innocent name.
    fs::hard_link(world.at(".env"), world.at("notes.txt")).unwrap();
    let before = world.before();
    assert_eq!(before.not_covered().get(&Why::Secret), Some(&3));
    world
        .shell("echo more >> .env; rm id_rsa; echo TOKEN=hunter3-hunter3 > .env.local; echo 1 > a");
    let changes = before.finish(&by("call")).unwrap();
    let named: Vec<_> = [".env", ".env.local", "id_rsa", "notes.txt"]
        .map(|name| (name.to_owned(), Why::Secret))
        .into();
    assert_eq!(world.named(&changes), named);
    assert_eq!(world.changed(&changes), [("a".to_owned(), Changed)]);
    assert!(!world.stored("hunter2") && !world.stored("hunter3"));
    world.undo(&Which::Last).unwrap();
    assert_eq!(fs::read_to_string(world.at(".env")).unwrap(), format!("{secret}more\n"));
}

#[test]
fn a_secret_that_gets_another_name_is_not_stored() {
    let world = World::new();
    fs::write(world.at(".env"), "TOKEN=hunter2").unwrap();
    let changes = world.run("mv .env plain");
    let expected = [".env", "plain"].map(|name| (name.to_owned(), Why::Secret));
    assert_eq!(world.named(&changes), expected);
    assert!(!world.stored("hunter2"));
}

#[test]
fn what_git_ignores_is_not_covered_and_counted() {
    let world = World::new();
    world.shell("mkdir .git target; echo target > .gitignore; echo x > target/o; echo x > .git/c");
    let before = world.before();
    assert_eq!(before.not_covered().get(&Why::Ignored), Some(&1));
    assert_eq!(before.covered(), 4);
    world.shell("echo more > target/o; echo more > target/n; echo more > .git/c");
    let changes = before.finish(&by("call")).unwrap();
    assert_eq!((world.changed(&changes), world.named(&changes)), (vec![], vec![]));
    assert_eq!(changes.not_covered.files.get(&Why::Ignored), Some(&1));
}

#[test]
fn a_change_of_what_is_ignored_is_no_change_of_files() {
    let world = World::new();
    world.shell("mkdir .git; echo b > .gitignore; echo x > n");
    std::thread::sleep(Duration::from_millis(50));
    // `n` and `a` are ignored from now on, `b` is not any more; nobody touched them.
    let changes = world.run("printf 'n\\na\\n' > .gitignore");
    assert_eq!(world.changed(&changes), [(".gitignore".to_owned(), Changed)]);
    assert_eq!(world.named(&changes), []);
    // What was ignored and is changed is not known.
    world.shell("echo b > .gitignore");
    let changes = world.run("echo '' > .gitignore; echo new > b; rm a; echo new > n");
    let expected = [(".gitignore", Changed), ("a", Deleted), ("n", Changed)];
    assert_eq!(world.changed(&changes), expected.map(|(name, how)| (name.to_owned(), how)));
    assert_eq!(world.named(&changes), one("b", Why::Ignored));
    // The rules go with the repository.
    world.shell("echo b > .gitignore");
    std::thread::sleep(Duration::from_millis(50));
    let changes = world.run("rmdir .git");
    assert_eq!((world.changed(&changes), world.named(&changes)), (vec![], vec![]));
}

#[test]
fn what_agents_are_shut_out_of_is_not_stored() {
    let world = World::new();
    world.shell("echo private > .doguignore; echo for-nobody > private");
    let changes = world.run("echo also-for-nobody > private");
    assert_eq!(changes.not_covered.files.get(&Why::ShutOut), Some(&1));
    assert_eq!(world.changed(&changes), []);
    assert!(!world.stored("for-nobody"));
}

#[test]
fn pipes_are_counted_and_do_not_hang() {
    let world = World::new();
    world.shell("mkfifo pipe");
    let changes = world.run("rm a; mkfifo a; mkfifo other");
    assert_eq!(changes.not_covered.files.get(&Why::Special), Some(&1));
    assert_eq!(world.named(&changes), one("a", Why::Special));
    assert_eq!(changes.entry, None);
}

#[test]
fn more_files_than_are_watched_are_counted() {
    let world = World::bounded(Bounds { watched_files: 50, ..Bounds::default() });
    world.shell("mkdir many; for n in $(seq 60); do echo $n > many/$n; done");
    let before = world.before();
    assert_eq!(before.covered(), 50);
    assert_eq!(before.not_covered().get(&Why::TooMany), Some(&13));
    std::thread::sleep(Duration::from_millis(50));
    world.shell("for n in $(seq 60); do echo new $n > many/$n; done; echo new > many/n");
    let changes = before.finish(&by("call")).unwrap();
    let (seen, missed) = (changes.changed.len(), changes.not_covered.changes[&Why::TooMany]);
    // Whether the last one was there before nobody knows.
    assert_eq!(seen as u64 + missed, 61);
    assert!((47..=50).contains(&seen), "{seen}");
    assert_eq!(changes.not_covered.named.len() as u64, missed.min(20));
    // The same ones are covered the next time.
    let before = world.before();
    assert_eq!((before.covered(), before.not_covered()[&Why::TooMany]), (50, 14));
}

#[test]
fn sixty_thousand_files_are_too_many() {
    let world = World::new();
    for folder in 0..60 {
        let folder = world.at(&format!("many/{folder}"));
        fs::create_dir_all(&folder).unwrap();
        for file in 0..1_000 {
            fs::write(folder.join(file.to_string()), "x").unwrap();
        }
    }
    let before = world.before();
    assert_eq!(before.covered(), 50_000);
    assert_eq!(before.not_covered()[&Why::TooMany], 10_003);
}

#[test]
fn what_does_not_fit_is_not_covered() {
    let world = World::bounded(Bounds { watched_bytes: 102_000, ..Bounds::default() });
    world.shell("mkdir many; for n in $(seq 40); do head -c 5000 /dev/zero > many/$n; done");
    let before = world.before();
    let missed = before.not_covered()[&Why::NoRoom];
    assert_eq!(missed, 20);
    world.shell("rm -r many");
    let changes = before.finish(&by("call")).unwrap();
    assert_eq!(changes.not_covered.changes[&Why::NoRoom], missed);
    world.undo(&Which::Last).unwrap();
    assert_eq!(fs::read_dir(world.at("many")).unwrap().count() as u64, 40 - missed);
}

#[test]
fn it_returns_in_time_and_says_what_it_did_not_reach() {
    let world = World::new();
    world.shell("mkdir many; for n in $(seq 2000); do echo $n > many/$n; done");
    std::thread::sleep(Duration::from_millis(50));
    let flag = CancelFlag::new();
    let begun = Instant::now();
    let before = world.journal.watch_before(&world.roots, Duration::ZERO, &flag).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!((before.covered(), before.not_covered()[&Why::NoTime]), (0, 1));
    world.shell("echo new > a; rm b");
    let changes = before.finish(&by("call")).unwrap();
    // That `b` was there nobody knows.
    assert_eq!(world.named(&changes), one("a", Why::NoTime));
    assert_eq!(changes.entry, None);
    assert_refused(world.undo(&Which::Last), "no change of this workspace is left");
    flag.cancel();
    let canceled = world.journal.watch_before(&world.roots, Duration::from_secs(9), &flag);
    assert_eq!(canceled.unwrap_err().code(), ErrorCode::Canceled);
}

#[test]
fn a_file_that_is_made_and_too_large_to_be_kept_is_not_removed() {
    let world = World::bounded(Bounds { file_bytes: 1_000, ..Bounds::default() });
    let changes = world.run("head -c 2000 /dev/zero > n; echo new > m");
    assert_eq!(world.named(&changes), one("n", Why::TooLarge));
    assert_eq!(world.changed(&changes), [("m".to_owned(), Created)]);
    world.undo(&Which::Last).unwrap();
    assert!(world.at("n").exists() && !world.at("m").exists());
}
