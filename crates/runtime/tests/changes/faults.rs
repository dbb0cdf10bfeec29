//! Full disks, and others who change the same files without asking.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use dogu_tool::{ChangeOptions, FileChange, Files as _};
use tempfile::TempDir;

use crate::support::{World, assert_refused, snapshot};

/// Set for tests that another test starts.
const CHILD: &str = "DOGU_TEST_CHILD";

/// This program, started by `command`, which gets it as `$0` and `argument` as `$1`.
fn run_child(command: &mut Command, argument: &Path) -> (Option<i32>, String) {
    command.arg(std::env::current_exe().unwrap()).arg(argument).env(CHILD, "1");
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The second file does not fit; the first one is not changed.
fn write_too_much(world: &World, words: &str) {
    let before = world.snapshot();
    let large = "x".repeat(1_000_000);
    let changes = [
        FileChange::write(world.at("a"), "new a"),
        FileChange::write(world.at("x/n"), large),
        FileChange::remove(world.at("b")),
    ];
    assert_refused(world.change(&changes), words);
    assert_eq!(world.snapshot(), before);
    assert_refused(world.journaled("large", &changes), "nothing was written");
    assert_eq!(world.snapshot(), before);
    assert!(world.journal.entries().unwrap().is_empty());
    assert_eq!(fs::read_dir(world.base.join("state/journal/begun")).unwrap().count(), 0);
    world.journaled("small", &[FileChange::write(world.at("a"), "new a")]).unwrap();
    assert_eq!(world.text("a"), "new a");
}

#[test]
fn a_file_that_may_not_be_so_large_changes_nothing() {
    let limited = "trap '' XFSZ; ulimit -f 8
        exec \"$0\" --exact faults::limited_change --ignored";
    let (code, text) = run_child(Command::new("sh").args(["-c", limited]), Path::new(""));
    assert!(code == Some(0) && text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "started by another test, with a limit on the size of files"]
fn limited_change() {
    if std::env::var_os(CHILD).is_some() {
        write_too_much(&World::new(), "larger than a file may be here");
    }
}

/// A change of many files needs no descriptor for each of them.
#[test]
fn many_files_change_with_few_descriptors() {
    let limited = "ulimit -n 64; exec \"$0\" --exact faults::change_of_many_files --ignored";
    let (code, text) = run_child(Command::new("sh").args(["-c", limited]), Path::new(""));
    assert!(code == Some(0) && text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "started by another test, with few descriptors"]
fn change_of_many_files() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    // As many as there are folders and locks are needed, and a few more.
    let (files, world) = (0..30, World::new());
    for name in files.clone() {
        fs::write(world.at(&format!("d/{name}")), "old").unwrap();
    }
    let write = |name| FileChange::write(world.at(&format!("d/{name}")), "new");
    let mut changes: Vec<_> = files.map(write).collect();
    changes.extend((0..500).map(|name| FileChange::write(world.at(&format!("n/{name}")), "new")));
    // Without a journal: there are as many as 256 files to lock.
    world.granted(&changes).without_sync().change(&changes, ChangeOptions::default()).unwrap();
    assert_eq!((world.text("d/29"), world.text("n/499")), ("new".into(), "new".into()));
}

/// Where this user may mount one, a real full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_changes_nothing() {
    let may_mount = Command::new("unshare").args(["--map-root-user", "--mount", "true"]).status();
    if !may_mount.is_ok_and(|status| status.success()) {
        println!("did not run: no disk can be mounted here");
        return;
    }
    let folder = TempDir::new().unwrap();
    let mounted = "mount -t tmpfs -o size=200k none \"$1\" || exit 77
        TMPDIR=\"$1\" exec \"$0\" --exact faults::full_disk_change --ignored";
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", mounted]);
    let (code, text) = run_child(&mut command, folder.path());
    assert!(code == Some(0) && text.contains("1 passed"), "{code:?} {text}");
}

#[test]
#[ignore = "started by another test, on a small disk"]
fn full_disk_change() {
    if std::env::var_os(CHILD).is_some() {
        write_too_much(&World::new(), "the disk is full; what was there is unchanged");
    }
}

/// Does something again and again while a closure runs.
fn meanwhile(again: impl Fn() + Sync, run: impl FnOnce()) {
    let end = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !end.load(Ordering::Relaxed) {
                again();
            }
        });
        run();
        end.store(true, Ordering::Relaxed);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_is_swapped_for_a_link_meanwhile_leads_nowhere() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    const LEAST: usize = 3_000;
    const MOST: usize = 300_000;
    for world in World::both_ways() {
        let out = world.base.join("out");
        fs::write(out.join("e"), "outside").unwrap();
        symlink(&out, world.at("link")).unwrap();
        let before = snapshot(&out);
        let (folder, link) = (world.at("d"), world.at("link"));
        let (mut done, mut refused) = (0, 0);
        let swap = || {
            let _ = renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE);
        };
        meanwhile(swap, || {
            for number in 0..MOST {
                // Who gets to run is not ours to say: a busy machine needs more tries.
                if number >= LEAST && done > 0 && refused > 0 {
                    break;
                }
                let changes = [
                    FileChange::write(world.at("a"), format!("{number}")),
                    FileChange::write(world.base.join("proj/d/e"), format!("{number}")),
                    FileChange::write(world.base.join("proj/d/sub/n"), format!("{number}")),
                ];
                let actions =
                    changes.each_ref().map(|change| dogu_tool::Action::write(&change.path));
                let Ok(judged) = world.roots.judge_all(&actions) else { continue };
                if !judged.iter().all(dogu_runtime::JudgedAction::inside_workspace) {
                    continue;
                }
                let files = dogu_runtime::files::GrantedFiles::new(world.roots.clone(), judged)
                    .without_sync()
                    .journaled(world.journal.clone(), crate::support::by("race"));
                match files.change(&changes, ChangeOptions::default()) {
                    Ok(_) => done += 1,
                    Err(_) => refused += 1,
                }
            }
        });
        assert_eq!(snapshot(&out), before);
        assert!(done > 0 && refused > 0, "{done} {refused}");
        let left: Vec<_> = world.snapshot().into_keys().collect();
        let left: Vec<_> =
            left.iter().filter(|path| path.to_string_lossy().contains(".dogu-")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

/// Somebody saves the file as editors do, by a rename, again and again. Whatever was saved is
/// there, or a change that was made to exactly that.
#[cfg(target_os = "linux")]
#[test]
fn what_another_program_saves_meanwhile_is_not_lost() {
    use std::sync::Mutex;
    let world = World::new();
    let (path, beside) = (world.at("a"), world.at("beside"));
    fs::write(&path, "0").unwrap();
    let (saved, lost) = (Mutex::new(0_usize), Mutex::new(Vec::new()));
    let save = || {
        let mut saved = saved.lock().unwrap();
        // For a moment a change may be there that is about to go back.
        let is_there = || {
            std::thread::sleep(std::time::Duration::from_micros(50));
            fs::read_to_string(&path).unwrap().trim_end_matches('+') == saved.to_string()
        };
        if !(0..200).any(|_| is_there()) {
            lost.lock().unwrap().push(*saved);
        }
        *saved += 1;
        fs::write(&beside, saved.to_string()).unwrap();
        fs::rename(&beside, &path).unwrap();
    };
    let (mut done, mut stale) = (0, 0);
    meanwhile(save, || {
        for _ in 0..5_000 {
            let text = fs::read_to_string(&path).unwrap();
            let more = format!("{}+", text.trim_end_matches('+'));
            let change = FileChange::write(&path, more).expecting(crate::support::content(&text));
            let files = world.granted(std::slice::from_ref(&change)).without_sync();
            match files.change(&[change], ChangeOptions::default()) {
                Ok(_) => done += 1,
                Err(_) => stale += 1,
            }
        }
    });
    let lost = lost.into_inner().unwrap();
    assert!(lost.is_empty(), "{} of {} were lost: {lost:?}", lost.len(), saved.lock().unwrap());
    assert!(done > 0 && stale > 0, "{done} {stale}");
}
