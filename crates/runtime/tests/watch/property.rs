//! Whatever commands do to a tree, undo gives it back.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use dogu_runtime::journal::Which;
use proptest::prelude::*;

use crate::support::{World, by};

/// What a program may do; where it cannot, it does not.
#[derive(Clone, Debug)]
enum Deed {
    Write(String, Vec<u8>),
    Append(String, Vec<u8>),
    Remove(String),
    Folder(String),
    Move(String, String),
    Link(String, String),
    Mode(String, u32),
}

impl Deed {
    fn run(&self, at: impl Fn(&str) -> std::path::PathBuf) {
        let above = |path: &Path| fs::create_dir_all(path.parent().unwrap());
        let _ = match self {
            Self::Write(path, content) => {
                above(&at(path)).and_then(|()| fs::write(at(path), content))
            }
            Self::Append(path, content) => {
                use std::io::Write as _;
                let file = fs::OpenOptions::new().append(true).open(at(path));
                file.and_then(|mut file| file.write_all(content))
            }
            Self::Remove(path) if at(path).is_dir() && !at(path).is_symlink() => {
                fs::remove_dir_all(at(path))
            }
            Self::Remove(path) => fs::remove_file(at(path)),
            Self::Folder(path) => fs::create_dir_all(at(path)),
            Self::Move(from, to) => fs::rename(at(from), at(to)),
            Self::Link(target, path) => std::os::unix::fs::symlink(target, at(path)),
            Self::Mode(path, mode) if at(path).is_file() && !at(path).is_symlink() => {
                fs::set_permissions(at(path), fs::Permissions::from_mode(*mode))
            }
            Self::Mode(..) => Ok(()),
        };
    }
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec("[a-d]", 1..4).prop_map(|names| names.join("/"))
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(vec![0_u8, b'a', b'\n', 255]), 0..6)
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (path(), content()).prop_map(|(path, content)| Deed::Write(path, content)),
        1 => (path(), content()).prop_map(|(path, content)| Deed::Append(path, content)),
        3 => path().prop_map(Deed::Remove),
        1 => path().prop_map(Deed::Folder),
        2 => (path(), path()).prop_map(|(from, to)| Deed::Move(from, to)),
        2 => (path(), path()).prop_map(|(target, path)| Deed::Link(target, path)),
        1 => (path(), prop::sample::select(vec![0o644, 0o755, 0o444, 0o600]))
            .prop_map(|(path, mode)| Deed::Mode(path, mode)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn whatever_was_done_is_taken_back(
        first in prop::collection::vec(deed(), 0..12),
        then in prop::collection::vec(deed(), 1..12),
    ) {
        let world = World::new();
        let at = |name: &str| world.at(name);
        for deed in &first {
            deed.run(at);
        }
        let old = world.snapshot();
        let before = world.before();
        for deed in &then {
            deed.run(at);
        }
        let new = world.snapshot();
        let changes = before.finish(&by("call")).unwrap();
        prop_assert!(changes.not_covered.changes.is_empty(), "{:?}", changes.not_covered);
        if changes.entry.is_none() {
            let files = |all: std::collections::BTreeMap<_, String>| {
                all.into_iter().filter(|(_, what)| what != "folder").collect::<Vec<_>>()
            };
            prop_assert_eq!(files(old), files(new));
            return Ok(());
        }
        let undone = world.undo(&Which::Last).unwrap();
        prop_assert_eq!(&world.snapshot(), &old);
        let redone = world.undo(&Which::Call(undone.id)).unwrap();
        prop_assert_eq!(&world.snapshot(), &new);
        world.undo(&Which::Call(redone.id)).unwrap();
        prop_assert_eq!(&world.snapshot(), &old);
    }
}
