//! What a started command tells, and how it is written into a pipe.
//!
//! A report is one write of at most [`LONGEST`] bytes, which a pipe takes whole or not at all:
//!
//! ```text
//! kind: u8 | stage or "by signal": u8 | length of the path: u16 | number: i32 | path
//! ```

use std::fmt;
use std::path::PathBuf;

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// Its program was started.
    Running,
    /// Its program was not started. Nothing of it has run.
    Failed(Failure),
    /// Its program ended, and everything that it left behind was killed.
    Ended {
        /// What it exited with.
        exit_code: Option<i32>,
        /// The signal that ended it instead.
        signal: Option<i32>,
    },
}

/// A step on the way to a running program that did not work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which step.
    pub stage: Stage,
    /// The kernel's answer.
    pub errno: i32,
    /// What it was about.
    pub path: Option<PathBuf>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.stage.text())?;
        if let Some(path) = &self.path {
            write!(f, " {}", path.display())?;
        }
        write!(f, ": {}", std::io::Error::from_raw_os_error(self.errno))
    }
}

macro_rules! stages {
    ($($name:ident = $number:literal, $text:literal;)+) => {
        /// The steps on the way to a running program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Stage {
            $(#[doc = concat!("It could not ", $text, ".")] $name = $number,)+
        }

        impl Stage {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// What could not be done, as the rest of "could not".
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            fn from_number(number: u8) -> Option<Self> {
                Self::ALL.iter().copied().find(|stage| *stage as u8 == number)
            }
        }
    };
}

stages! {
    Parent = 1, "tie it to the process that started it";
    Identity = 2, "map its user";
    Network = 3, "bring up its own loopback";
    Writable = 4, "prepare the writable folder";
    ReadOnly = 5, "make the system read-only";
    Private = 6, "make the private folder";
    Devices = 7, "make its devices";
    Processes = 8, "mount its view of the processes";
    Home = 9, "empty the home folder";
    Shown = 10, "show";
    Fixed = 11, "fix";
    Hidden = 12, "hide";
    Sockets = 13, "hide the socket";
    Start = 14, "start its process";
    Session = 15, "open its session";
    Terminal = 16, "give it its terminal";
    Descriptors = 17, "pass its descriptors";
    Limits = 18, "set its limits";
    Folder = 19, "enter the folder";
    Capabilities = 20, "take its capabilities";
    Landlock = 21, "apply Landlock";
    Seccomp = 22, "filter its system calls";
    Program = 23, "start the program";
    Watch = 24, "watch over its connections";
    Overlay = 25, "lay a folder over another";
}

const RUNNING: u8 = 1;
const FAILED: u8 = 2;
const ENDED: u8 = 3;
const HEAD: usize = 8;

/// Bytes of the longest report: what a pipe takes in one piece.
pub const LONGEST: usize = 4096;

impl Report {
    /// The bytes of this report. A path that is too long is cut.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Running => message(RUNNING, 0, 0, b""),
            Self::Ended { exit_code: Some(code), .. } => message(ENDED, 0, *code, b""),
            Self::Ended { signal, .. } => message(ENDED, 1, signal.unwrap_or(0), b""),
            Self::Failed(failure) => {
                let path = failure.path.as_ref();
                let path = path.map_or(&b""[..], |path| path.as_os_str().as_encoded_bytes());
                message(FAILED, failure.stage as u8, failure.errno, path)
            }
        }
    }
}

fn message(kind: u8, detail: u8, number: i32, path: &[u8]) -> Vec<u8> {
    let path = &path[..path.len().min(LONGEST - HEAD)];
    let length = u16::try_from(path.len()).unwrap_or(0);
    let mut bytes = Vec::with_capacity(HEAD + path.len());
    bytes.extend([kind, detail]);
    bytes.extend(length.to_le_bytes());
    bytes.extend(number.to_le_bytes());
    bytes.extend(path);
    bytes
}

/// Puts reports together from the bytes of the pipe, however they are cut.
///
/// ```
/// use dogu_sandbox::{Report, Reports};
/// let mut reports = Reports::default();
/// let bytes = Report::Running.encode();
/// assert_eq!(reports.push(&bytes[..3]), []);
/// assert_eq!(reports.push(&bytes[3..]), [Report::Running]);
/// ```
#[derive(Debug, Default)]
pub struct Reports {
    pending: Vec<u8>,
}

impl Reports {
    /// Takes more bytes and gives the reports that are whole now. What is no report is skipped.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Report> {
        self.pending.extend_from_slice(bytes);
        let mut found = Vec::new();
        let mut rest = &self.pending[..];
        while let Some((report, length)) = first(rest) {
            found.extend(report);
            rest = &rest[length..];
        }
        self.pending = rest.to_vec();
        found
    }
}

/// The first message of these bytes and its length; `None` if it is not whole.
fn first(bytes: &[u8]) -> Option<(Option<Report>, usize)> {
    let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
    let [kind, detail, low, high, a, b, c, d] = *head;
    let length = usize::from(u16::from_le_bytes([low, high]));
    let path = rest.get(..length)?;
    let report = decode(kind, detail, i32::from_le_bytes([a, b, c, d]), path);
    Some((report, HEAD + length))
}

fn decode(kind: u8, detail: u8, number: i32, path: &[u8]) -> Option<Report> {
    match (kind, detail) {
        (RUNNING, _) => Some(Report::Running),
        (ENDED, 0) => Some(Report::Ended { exit_code: Some(number), signal: None }),
        (ENDED, _) => Some(Report::Ended { exit_code: None, signal: Some(number) }),
        (FAILED, stage) => Some(Report::Failed(Failure {
            stage: Stage::from_number(stage)?,
            errno: number,
            path: (!path.is_empty()).then(|| path_of(path)),
        })),
        _ => None,
    }
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_report() -> impl Strategy<Value = Report> {
        let failed = (0..Stage::ALL.len(), any::<i32>(), proptest::option::of("[a-z/]{1,5000}"));
        prop_oneof![
            Just(Report::Running),
            any::<i32>().prop_map(|code| Report::Ended { exit_code: Some(code), signal: None }),
            any::<i32>().prop_map(|signal| Report::Ended { exit_code: None, signal: Some(signal) }),
            failed.prop_map(|(stage, errno, path)| {
                let path = path.map(|mut path| {
                    path.truncate(LONGEST - HEAD);
                    PathBuf::from(path)
                });
                Report::Failed(Failure { stage: Stage::ALL[stage], errno, path })
            }),
        ]
    }

    proptest! {
        #[test]
        fn reports_come_back_however_they_are_cut(
            reports in proptest::collection::vec(any_report(), 0..6),
            piece in 1_usize..64,
        ) {
            let bytes: Vec<u8> = reports.iter().flat_map(Report::encode).collect();
            let mut reader = Reports::default();
            let found: Vec<_> = bytes.chunks(piece).flat_map(|piece| reader.push(piece)).collect();
            prop_assert_eq!(found, reports);
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            Reports::default().push(&bytes);
        }
    }

    #[test]
    fn no_report_is_longer_than_a_pipe_takes() {
        let path = Some(PathBuf::from("x".repeat(70_000)));
        let failure = Failure { stage: Stage::Fixed, errno: 1, path };
        assert_eq!(Report::Failed(failure).encode().len(), LONGEST);
    }

    #[test]
    fn a_failure_says_what_could_not_be_done() {
        let path = Some(PathBuf::from("/w/.git"));
        let failure = Failure { stage: Stage::Fixed, errno: 13, path };
        assert_eq!(failure.to_string(), "fix /w/.git: Permission denied (os error 13)");
    }
}
