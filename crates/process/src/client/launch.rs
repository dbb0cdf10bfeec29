//! From what shall be started to an order with its descriptors.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::sync::Arc;

use dogu_output::{Log, Stream};
use dogu_sandbox::Confinement;
use rustix::fs::{Mode, OFlags};
use rustix::pipe::{PipeFlags, pipe_with};

use super::Supervisor;
use super::child::{Child, Shared};
use super::reactor::{Reactor, Source, Watched};
use super::terminal;
use crate::wire::{Order, Parting, Start, frame};

/// Larger pipes mean fewer turns for whoever writes much; the kernel's own limit for those who
/// are not root.
const PIPE_BYTES: usize = 1024 * 1024;

/// The kernel takes at most a quarter of the stack, 2 MB, of words and environment.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// What shall be started.
pub struct Launch {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// The whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The folder that it starts in.
    pub folder: PathBuf,
    /// What it may do; nothing holds it where there is none.
    pub confinement: Option<Confinement>,
    /// Where nothing holds it: its processes get numbers of their own, if the kernel can do that,
    /// and see only each other. Whatever they do, none outlives the first, and none the supervisor.
    pub apart: bool,
    /// How it ends when nobody needs it any more, or when dogu ends; at once where there is none.
    pub parting: Option<Parting>,
    /// What it reads.
    pub input: Input,
    /// What it writes goes there.
    pub log: Arc<Log>,
}

/// What a command reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Nothing: the end at once.
    Nothing,
    /// What is sent to it, through a pipe.
    Sent,
    /// What is sent to it, at a terminal of its own.
    Terminal(TerminalSize),
}

/// How much a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSize {
    /// Lines.
    pub rows: u16,
    /// Characters of a line.
    pub columns: u16,
}

impl Default for TerminalSize {
    fn default() -> Self {
        Self { rows: 40, columns: 120 }
    }
}

impl Launch {
    /// A program without environment, input and confinement.
    pub fn new<Word: Into<OsString>>(
        words: impl IntoIterator<Item = Word>,
        folder: impl Into<PathBuf>,
    ) -> Self {
        Self {
            words: words.into_iter().map(Into::into).collect(),
            environment: Vec::new(),
            folder: folder.into(),
            confinement: None,
            apart: false,
            parting: None,
            input: Input::Nothing,
            log: Arc::new(Log::new()),
        }
    }
}

/// Why a command does not run.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no supervisor.
    #[error("the process that starts programs cannot be reached")]
    Supervisor(#[source] io::Error),
    /// A path of its confinement is no text.
    #[error("what holds it cannot be told to the process that starts programs")]
    Order(#[source] io::Error),
    /// There are no descriptors left, or no terminals.
    #[error("its input and output cannot be made")]
    Descriptors(#[source] io::Error),
    /// A word, the environment or the folder has a NUL in it, which the kernel takes for its end.
    #[error("{0} has a NUL byte in it")]
    Nul(&'static str),
    /// The kernel would not take it either.
    #[error("the command and its environment are longer than any program can be given")]
    TooLong,
    /// The supervisor could not start it.
    #[error("could not {0}")]
    Failed(String),
}

/// The input and the output of a program that speaks with whoever started it. What they are
/// is for the holder to read and write, without waiting: both are non-blocking.
#[derive(Debug)]
pub struct Pipes {
    /// What is written here, the program reads. Closing it is the end of its input.
    pub input: OwnedFd,
    /// What the program writes to its standard output.
    pub output: OwnedFd,
}

/// Orders a start. The answer comes to the child that this gives back.
pub(super) fn start(
    launch: Launch,
    id: u64,
    reactor: &Arc<Reactor>,
    supervisor: &Supervisor,
) -> Result<Child, StartError> {
    let ends = Ends::open(launch.input).map_err(StartError::Descriptors)?;
    start_with(launch, ends, id, reactor, supervisor)
}

/// The same for a program that is spoken with: only its errors go to the log.
pub(super) fn start_piped(
    launch: Launch,
    id: u64,
    reactor: &Arc<Reactor>,
    supervisor: &Supervisor,
) -> Result<(Child, Pipes), StartError> {
    let (ends, pipes) = Ends::piped().map_err(StartError::Descriptors)?;
    let launch = Launch { input: Input::Nothing, ..launch };
    Ok((start_with(launch, ends, id, reactor, supervisor)?, pipes))
}

fn start_with(
    launch: Launch,
    ends: Ends,
    id: u64,
    reactor: &Arc<Reactor>,
    supervisor: &Supervisor,
) -> Result<Child, StartError> {
    let bytes = bytes_of(&launch)?;
    let shared = Arc::new(Shared::new(id, launch.log));
    let start = Start {
        id,
        words: launch.words.len(),
        terminal: matches!(launch.input, Input::Terminal(_)),
        confinement: launch.confinement,
        apart: launch.apart,
        parting: launch.parting,
    };
    // What cannot be written down is known before anything is watched.
    let order = frame(&Order::Start(Box::new(start)), &bytes).map_err(StartError::Order)?;
    if !reactor.watch(Watched { shared: Arc::clone(&shared), sources: ends.sources }) {
        return Err(StartError::Supervisor(io::ErrorKind::BrokenPipe.into()));
    }
    // Where this fails the supervisor is gone, and with it everything that is watched.
    let theirs: Vec<BorrowedFd<'_>> = ends.theirs.iter().map(|fd| fd.as_fd()).collect();
    reactor.send(&order, &theirs).map_err(StartError::Supervisor)?;
    Ok(Child::new(shared, Arc::clone(reactor), ends.input, supervisor.clone()))
}

/// Words, environment, folder, each with a NUL behind it.
fn bytes_of(launch: &Launch) -> Result<Vec<u8>, StartError> {
    let mut bytes = Vec::new();
    let mut add = |what, text: &[u8]| {
        if text.contains(&0) {
            return Err(StartError::Nul(what));
        }
        bytes.extend_from_slice(text);
        bytes.push(0);
        Ok(())
    };
    for word in &launch.words {
        add("the command", word.as_bytes())?;
    }
    for (name, value) in &launch.environment {
        let mut entry = name.clone().into_vec();
        entry.push(b'=');
        entry.extend(value.as_bytes());
        add("the environment", &entry)?;
    }
    add("the folder", launch.folder.as_os_str().as_bytes())?;
    if bytes.len() > MAX_BYTES {
        return Err(StartError::TooLong);
    }
    Ok(bytes)
}

/// Both ends of a command's input and output.
struct Ends {
    /// What the command gets.
    theirs: Vec<OwnedFd>,
    /// What is read here.
    sources: Vec<Source>,
    /// What is written to here.
    input: Option<OwnedFd>,
}

impl Ends {
    fn open(input: Input) -> io::Result<Self> {
        if let Input::Terminal(size) = input {
            return Self::terminal(size);
        }
        let (stdin, sent) = match input {
            Input::Sent => {
                let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
                rustix::io::ioctl_fionbio(&ours, true)?;
                (theirs, Some(ours))
            }
            _ => (nothing()?, None),
        };
        let (out, stdout) = output(Stream::Out)?;
        let (err, stderr) = output(Stream::Err)?;
        Ok(Self { theirs: vec![stdin, stdout, stderr], sources: vec![out, err], input: sent })
    }

    fn piped() -> io::Result<(Self, Pipes)> {
        let (stdin, input) = pipe_with(PipeFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&input, true)?;
        let (out, stdout) = output(Stream::Out)?;
        let (err, stderr) = output(Stream::Err)?;
        let ends = Self { theirs: vec![stdin, stdout, stderr], sources: vec![err], input: None };
        Ok((ends, Pipes { input, output: out.descriptor }))
    }

    fn terminal(size: TerminalSize) -> io::Result<Self> {
        let (ours, theirs) = terminal::open(size)?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        let input = rustix::io::fcntl_dupfd_cloexec(&ours, 0)?;
        let theirs = vec![theirs.try_clone()?, theirs.try_clone()?, theirs];
        let source = Source { descriptor: ours, stream: Stream::Out };
        Ok(Self { theirs, sources: vec![source], input: Some(input) })
    }
}

fn nothing() -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    Ok(rustix::fs::open("/dev/null", flags, Mode::empty())?)
}

fn output(stream: Stream) -> io::Result<(Source, OwnedFd)> {
    let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&ours, true)?;
    // A wish: a user's pipes may be used up.
    let _ = rustix::pipe::fcntl_setpipe_size(&ours, PIPE_BYTES);
    Ok((Source { descriptor: ours, stream }, theirs))
}
