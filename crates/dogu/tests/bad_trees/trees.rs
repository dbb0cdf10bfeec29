//! The workspaces.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crate::world::World;

const PLAIN: &str = "/// Where the needle is found.\npub fn needle() -> bool {\n    true\n}\n";

/// Everything that is no file, and one that is.
pub(crate) fn special_files(world: &World) {
    world.write("plain.rs", PLAIN);
    nix::unistd::mkfifo(&world.path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    drop(UnixListener::bind(world.path("socket")).unwrap());
    symlink("loop", world.path("loop")).unwrap();
    symlink("/dev/null", world.path("to-null")).unwrap();
    symlink("/dev/zero", world.path("to-zero")).unwrap();
    symlink("/proc/self/environ", world.path("to-proc")).unwrap();
    fs::create_dir(world.path("down")).unwrap();
    symlink("..", world.path("down/up")).unwrap();
    symlink("/", world.path("root")).unwrap();
}

/// Names that no terminal should see.
pub(crate) fn strange_names(world: &World) {
    world.write("plain.rs", PLAIN);
    let names: [&[u8]; 7] = [
        b"\xff\xfe.rs",
        b"caf\xe9.rs",
        b"a\nneedle.rs",
        b"\x1b[2Jclear.rs",
        b"tab\there.rs",
        "turned\u{202e}txt.rs".as_bytes(),
        b"\xf0\x9f\x92\xa9.rs",
    ];
    for name in names {
        fs::write(world.path("").join(OsStr::from_bytes(name)), PLAIN).unwrap();
    }
    let long = "x".repeat(250);
    let mut deep = world.path("");
    for _ in 0..14 {
        deep.push(&long);
        fs::create_dir(&deep).unwrap();
    }
}

/// One folder with a million files, beside an ordinary one.
pub(crate) fn a_million_entries(world: &World) {
    world.write("plain.rs", PLAIN);
    world.write("many/f0", "");
    let folder = world.path("many");
    let make = |from: usize| {
        for n in (from..1_000_000).step_by(2) {
            File::create(folder.join(format!("f{n}"))).unwrap();
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| make(1));
        make(0);
    });
}

/// A file of one line, of 500 MB that are really there.
pub(crate) fn one_long_line(world: &World) {
    world.write("plain.rs", PLAIN);
    let mut file = File::create(world.path("long.txt")).unwrap();
    let piece = vec![b'a'; 1 << 20];
    for _ in 0..500 {
        file.write_all(&piece).unwrap();
    }
    file.write_all(b"needle").unwrap();
}

/// A file of 10 GB with a line at its end; the rest is a hole, which reads as NULs but for its
/// beginning.
pub(crate) fn ten_gigabytes(world: &World) {
    world.write("plain.rs", PLAIN);
    let mut file = File::create(world.path("huge.log")).unwrap();
    file.write_all(&vec![b'a'; 64 * 1024]).unwrap();
    file.seek(SeekFrom::Start(10 << 30)).unwrap();
    file.write_all(b"\nthe last line\n").unwrap();
}

/// Text that makes backtracking matchers think.
pub(crate) fn for_patterns(world: &World) {
    world.write("plain.rs", PLAIN);
    world.write("a.txt", "a".repeat(200_000));
    world.write("b.txt", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n".repeat(1_000));
}

/// Changes, removes and makes files until it is told to end.
pub(crate) fn keep_changing(world: &World) -> Changing {
    let (ended, folder) = (Arc::new(AtomicBool::new(false)), world.path(""));
    let until = Arc::clone(&ended);
    let thread = std::thread::spawn(move || {
        let mut round = 0_usize;
        while !until.load(Ordering::Relaxed) {
            round += 1;
            let _ = fs::write(folder.join("changing.txt"), "needle\n".repeat(round % 5_000));
            let _ = fs::create_dir(folder.join("coming"));
            let _ = fs::write(folder.join("coming/a.rs"), PLAIN);
            let _ = fs::remove_dir_all(folder.join("coming"));
            if round.is_multiple_of(3) {
                let _ = fs::remove_file(folder.join("changing.txt"));
            }
        }
    });
    Changing { ended, thread }
}

/// A thread that changes files.
pub(crate) struct Changing {
    ended: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Changing {
    pub(crate) fn end(self) {
        self.ended.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
    }
}
