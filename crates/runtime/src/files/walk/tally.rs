//! What was left out of a walk, counted.

use std::path::Path;

use dogu_tool::{LeftOut, Walked};
use rustix::io::Errno;

use super::super::words;

/// How many folders that could not be read are named.
const MAX_NAMED: usize = 3;

/// What a thread counted.
#[derive(Debug, Default)]
pub(super) struct Tally(Walked);

impl Tally {
    pub(super) fn left_out(&mut self, why: LeftOut) {
        match why {
            LeftOut::GitIgnored => self.0.git_ignored += 1,
            LeftOut::ShutOut => self.0.shut_out += 1,
            LeftOut::Secret => self.0.secret += 1,
            LeftOut::VersionControl => {}
        }
    }

    pub(super) fn stopped(&mut self) {
        self.0.stopped = true;
    }

    /// A folder below the start could not be read.
    pub(super) fn unreadable(&mut self, path: &Path, errno: Errno) {
        self.0.unreadable += 1;
        let path = path.to_str().map_or(path, |text| Path::new(text.trim_end_matches('/')));
        self.name(format!("{}: {}", words::shown(path), words::why(errno)));
    }

    /// The first by name, so that it does not depend on which thread was faster.
    fn name(&mut self, text: String) {
        let named = &mut self.0.first_unreadable;
        let at = named.partition_point(|other| *other < text);
        if at < MAX_NAMED {
            named.insert(at, text);
            named.truncate(MAX_NAMED);
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        let Walked { git_ignored, shut_out, secret, unreadable, first_unreadable, stopped } =
            other.0;
        self.0.git_ignored += git_ignored;
        self.0.shut_out += shut_out;
        self.0.secret += secret;
        self.0.unreadable += unreadable;
        self.0.stopped |= stopped;
        for text in first_unreadable {
            self.name(text);
        }
    }

    /// All of it, and the secrets that were met only by opening them.
    pub(super) fn into_walked(self, secrets_met: u64) -> Walked {
        Walked { secret: self.0.secret + secrets_met, ..self.0 }
    }
}
