//! Unix sockets of others: a read-only mount does not keep anybody from connecting to one. Where
//! nobody looks at connections, those that there are can at least be masked.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::plan::PRIVATE;

/// Sockets that have a path which is neither below a private nor below a writable folder.
pub(crate) fn outside(writable: &[PathBuf]) -> Vec<CString> {
    let table = std::fs::read("/proc/self/net/unix").unwrap_or_default();
    let seen = |path: &&Path| {
        let private = PRIVATE.iter().any(|folder| path.starts_with(folder));
        let own = writable.iter().any(|folder| path.starts_with(folder));
        !own && !private && !path.starts_with("/dev")
    };
    let paths: BTreeSet<&Path> = paths(&table).filter(seen).collect();
    paths.into_iter().filter_map(|path| CString::new(path.as_os_str().as_bytes()).ok()).collect()
}

/// The paths of the kernel's table of Unix sockets: what follows the seventh field of a line.
/// Names without a path begin with `@`; a relative one says nothing about where it is.
fn paths(table: &[u8]) -> impl Iterator<Item = &Path> {
    table.split(|byte| *byte == b'\n').skip(1).filter_map(|line| {
        let start = line.windows(2).position(|pair| pair == b" /")? + 1;
        Some(Path::new(std::ffi::OsStr::from_bytes(&line[start..])))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TABLE: &[u8] = b"Num       RefCount Protocol Flags    Type St Inode Path\n\
        00000000ccc5189c: 00000003 00000000 00000000 0001 03  1661\n\
        00000000ebe9d7bd: 00000002 00000000 00010000 0001 01  1660 /home/u/a b.sock\n\
        00000000ebe9d7be: 00000002 00000000 00010000 0001 01  1662 @/tmp/abstract\n\
        00000000ebe9d7bf: 00000002 00000000 00010000 0001 01  1663 relative.sock\n";

    #[test]
    fn only_absolute_paths_are_found() {
        assert_eq!(paths(TABLE).collect::<Vec<_>>(), [Path::new("/home/u/a b.sock")]);
    }

    proptest! {
        #[test]
        fn any_table_is_read_without_harm(table in proptest::collection::vec(any::<u8>(), 0..400)) {
            for path in paths(&table) {
                prop_assert!(path.is_absolute());
            }
        }
    }
}
