//! The terminal itself.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Error, ErrorKind, Read as _, Result, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcdrain, tcflush};

use super::dialog::Console;

/// How long an answer may be, in bytes.
const LONGEST_ANSWER: u64 = 16 * 1024;

/// How often it looks whether the answer is still wanted.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// The controlling terminal, for one question.
pub(super) struct Tty {
    terminal: File,
    gone: Arc<AtomicBool>,
}

impl Tty {
    /// Opens it; an error if nobody waits for the answer any more.
    pub(super) fn open(gone: Arc<AtomicBool>) -> Result<Self> {
        let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        let tty = Self { terminal, gone };
        tty.check()?;
        Ok(tty)
    }

    fn check(&self) -> Result<()> {
        if self.gone.load(Ordering::Relaxed) {
            return Err(Error::from(ErrorKind::Interrupted));
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<()> {
        loop {
            let mut waited = [PollFd::new(&self.terminal, PollFlags::IN)];
            match poll(&mut waited, Some(&LOOK)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
            if let Err(gone) = self.check() {
                writeln!(self.terminal, "\n(the call has ended, nothing is asked any more)")?;
                return Err(gone);
            }
        }
    }
}

impl Console for Tty {
    fn say(&mut self, text: &str) -> Result<()> {
        self.terminal.write_all(text.as_bytes())
    }

    fn hear(&mut self, asked: &str) -> Result<Option<String>> {
        // Keys that were hit before the question could be read are no answer to it. They are
        // dropped before the last line is written, so that whoever has seen it is heard.
        tcdrain(&self.terminal)?;
        tcflush(&self.terminal, QueueSelector::IFlush)?;
        self.say(asked)?;
        self.wait()?;
        let mut line = Vec::new();
        BufReader::new((&self.terminal).take(LONGEST_ANSWER)).read_until(b'\n', &mut line)?;
        Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned()))
    }
}
