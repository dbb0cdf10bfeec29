//! Unix sockets that have a path: which one an address means, and whether a command may use it.

use std::ffi::{CString, OsStr};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::super::sys::{Errno, Sys, files};
use super::caller::Caller;

/// Bytes of the longest address, and of its family.
const LONGEST: usize = 110;
const FAMILY: usize = 2;

/// Ways to name a descriptor of one's own by a path.
const DESCRIPTORS: [&[u8]; 3] = [b"/proc/self/fd/", b"/proc/thread-self/fd/", b"/dev/fd/"];

/// Which sockets with a path a command may use: those in places that it may write to. All others
/// are of somebody else.
#[derive(Clone, Debug)]
pub(crate) enum Places {
    /// Whatever is on a mount that is not read-only.
    WritableMounts,
    /// Whatever is below these, where everybody has the same mounts.
    Below(Vec<PathBuf>),
}

impl Places {
    fn hold(&self, place: &OwnedFd) -> Sys<bool> {
        match self {
            Self::WritableMounts => files::is_read_only(place.as_fd()).map(|fixed| !fixed),
            Self::Below(folders) => {
                let path = std::fs::read_link(in_proc(place))?;
                Ok(folders.iter().any(|folder| path.starts_with(folder)))
            }
        }
    }
}

/// Where a call is to go: an address, and what keeps it from meaning something else meanwhile.
#[derive(Debug, Default)]
pub(super) struct Target {
    pub(super) address: Vec<u8>,
    place: Option<OwnedFd>,
}

impl Target {
    /// An address as the command gave it.
    pub(super) fn plain(address: Vec<u8>) -> Self {
        Self { address, place: None }
    }

    /// A socket with a path.
    fn at(place: OwnedFd) -> Self {
        let mut address = u16::try_from(libc::AF_UNIX).unwrap_or(1).to_ne_bytes().to_vec();
        address.extend(in_proc(&place).as_os_str().as_bytes());
        address.push(0);
        Self { address, place: Some(place) }
    }

    /// It is a socket with a path: nothing tells when that takes a message again.
    pub(super) fn is_place(&self) -> bool {
        self.place.is_some()
    }
}

/// A path that leads to an open file, whatever happens to its name.
fn in_proc(place: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", place.as_raw_fd()))
}

/// What an address of a Unix socket says.
#[derive(Debug, PartialEq, Eq)]
enum Name<'a> {
    Path(&'a [u8]),
    /// A name of a network, without a file.
    Abstract,
    /// Nothing that leads anywhere; the kernel has an answer to it.
    Nowhere,
}

impl<'a> Name<'a> {
    fn of(address: &'a [u8]) -> Self {
        let family = address.first_chunk().map(|family| u16::from_ne_bytes(*family));
        if family.map(i32::from) != Some(libc::AF_UNIX) || address.len() > LONGEST {
            return Self::Nowhere;
        }
        match &address[FAMILY..] {
            [] => Self::Nowhere,
            [0, ..] => Self::Abstract,
            path => Self::Path(path.split(|byte| *byte == 0).next().unwrap_or(path)),
        }
    }
}

/// Where an address of a Unix socket leads a caller to, if it may go there.
pub(super) fn target(
    address: Vec<u8>,
    caller: &Caller,
    places: &Places,
    abstract_names: bool,
) -> Sys<Target> {
    match Name::of(&address) {
        Name::Path(path) => {
            let place = open(path, caller)?;
            if !files::facts(place.as_fd())?.is_socket() {
                return Err(Errno(libc::ECONNREFUSED));
            }
            if places.hold(&place)? { Ok(Target::at(place)) } else { Err(Errno(libc::EACCES)) }
        }
        Name::Abstract if !abstract_names => Err(Errno(libc::EACCES)),
        Name::Abstract | Name::Nowhere => Ok(Target::plain(address)),
    }
}

/// What a path leads its caller to. This process's own descriptors and folders never count, so that
/// of all links to such things in `/proc` only those to the caller's own descriptors lead anywhere.
fn open(path: &[u8], caller: &Caller) -> Sys<OwnedFd> {
    let (folder, path) = match start(path) {
        Start::Descriptor(number, []) => return caller.descriptor(number),
        Start::Descriptor(number, rest) => (Some(caller.descriptor(number)?), rest),
        Start::Root => (None, path),
        Start::Folder => (Some(caller.folder()?), path),
    };
    let path = CString::new(path).map_err(|_| Errno(libc::EINVAL))?;
    let folder = folder.as_ref().map_or(libc::AT_FDCWD, AsRawFd::as_raw_fd);
    match files::place_from(folder, &path) {
        Err(Errno(libc::ELOOP)) => Err(Errno(libc::EACCES)),
        place => place,
    }
}

/// What a path starts from.
#[derive(Debug, PartialEq, Eq)]
enum Start<'a> {
    Root,
    Folder,
    Descriptor(i32, &'a [u8]),
}

fn start(path: &[u8]) -> Start<'_> {
    if let Some(rest) = DESCRIPTORS.iter().find_map(|prefix| path.strip_prefix(*prefix)) {
        let end = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
        let (number, rest) = rest.split_at(end);
        if let Some(number) = std::str::from_utf8(number).ok().and_then(|text| text.parse().ok()) {
            let below = rest.iter().position(|byte| *byte != b'/').unwrap_or(rest.len());
            return Start::Descriptor(number, &rest[below..]);
        }
    }
    if Path::new(OsStr::from_bytes(path)).is_absolute() { Start::Root } else { Start::Folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(path: &[u8]) -> Vec<u8> {
        [&1_u16.to_ne_bytes()[..], path].concat()
    }

    #[test]
    fn a_name_is_read_as_the_kernel_reads_it() {
        assert_eq!(Name::of(&address(b"/a/b")), Name::Path(b"/a/b"));
        assert_eq!(Name::of(&address(b"a\0/b")), Name::Path(b"a"));
        assert_eq!(Name::of(&address(b"\0/a")), Name::Abstract);
        assert_eq!(Name::of(&address(b"\0")), Name::Abstract);
        assert_eq!(Name::of(&address(b"")), Name::Nowhere);
        assert_eq!(Name::of(&address(&[b'a'; 108])), Name::Path(&[b'a'; 108]));
        assert_eq!(Name::of(&address(&[b'a'; 109])), Name::Nowhere);
        assert_eq!(Name::of(&[0, 0, b'/', b'a']), Name::Nowhere);
        assert_eq!(Name::of(&[1]), Name::Nowhere);
        assert_eq!(Name::of(&[]), Name::Nowhere);
    }

    #[test]
    fn only_paths_to_own_descriptors_start_from_one() {
        assert_eq!(start(b"/proc/self/fd/7"), Start::Descriptor(7, b""));
        assert_eq!(start(b"/proc/self/fd/7/a/b"), Start::Descriptor(7, b"a/b"));
        assert_eq!(start(b"/dev/fd/12//../x"), Start::Descriptor(12, b"../x"));
        assert_eq!(start(b"/proc/self/fd/7x"), Start::Root);
        assert_eq!(start(b"/proc/self/fd/"), Start::Root);
        assert_eq!(start(b"/proc/self/fd/99999999999"), Start::Root);
        assert_eq!(start(b"/proc/1/fd/7"), Start::Root);
        assert_eq!(start(b"proc/self/fd/7"), Start::Folder);
    }

    #[test]
    fn a_place_is_named_by_its_descriptor() {
        let file = OwnedFd::from(std::fs::File::open("/dev/null").unwrap());
        let number = file.as_raw_fd();
        let target = Target::at(file);
        assert_eq!(target.address, address(format!("/proc/self/fd/{number}\0").as_bytes()));
        assert_eq!(
            std::fs::read_link(format!("/proc/self/fd/{number}")).unwrap(),
            Path::new("/dev/null")
        );
    }

    #[test]
    fn a_file_is_in_a_place_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        std::fs::write(path.join("f"), "").unwrap();
        let file = || OwnedFd::from(std::fs::File::open(path.join("f")).unwrap());
        assert!(Places::Below(vec![path.clone()]).hold(&file()).unwrap());
        assert!(!Places::Below(vec![path.join("other")]).hold(&file()).unwrap());
        assert!(!Places::Below(Vec::new()).hold(&file()).unwrap());
        assert!(Places::WritableMounts.hold(&file()).unwrap());
    }
}
