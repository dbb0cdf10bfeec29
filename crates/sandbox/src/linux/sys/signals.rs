//! Signals: held back, waited for, and put back to what a new program expects.
#![expect(unsafe_code, reason = "system calls that the standard library does not have")]

use super::{Sys, done};

/// What the first process of a command gets when its parent has ended, where it has to end its
/// descendants itself.
pub(crate) const ORPHANED: libc::c_int = libc::SIGUSR2;

/// The signals that the first process of a command waits for, instead of being ended by them.
const WAITED_FOR: [libc::c_int; 6] =
    [libc::SIGCHLD, libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, ORPHANED];

/// A set of signals.
pub(crate) struct Signals(libc::sigset_t);

impl Signals {
    fn none() -> Self {
        // SAFETY: all fields are numbers, and the call makes the set empty.
        let mut set = unsafe { std::mem::zeroed() };
        // SAFETY: the set is filled by the call.
        unsafe { libc::sigemptyset(&raw mut set) };
        Self(set)
    }

    pub(super) fn waited_for() -> Self {
        let mut set = Self::none();
        for signal in WAITED_FOR {
            // SAFETY: the set was initialised above.
            unsafe { libc::sigaddset(&raw mut set.0, signal) };
        }
        set
    }

    pub(super) fn as_ptr(&self) -> *const libc::sigset_t {
        &raw const self.0
    }
}

/// Holds back what `next` waits for, and gives what was held back before.
pub(crate) fn hold() -> Signals {
    let mut before = Signals::none();
    let held = Signals::waited_for();
    // SAFETY: both sets live through the call.
    unsafe { libc::sigprocmask(libc::SIG_BLOCK, &raw const held.0, &raw mut before.0) };
    before
}

/// Puts back what `hold` gave.
pub(crate) fn restore(before: &Signals) {
    // SAFETY: the set lives through the call.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const before.0, std::ptr::null_mut()) };
}

/// The next signal of those held back, and who sent it (0 from outside of the namespace).
pub(crate) fn next() -> (i32, i32) {
    let set = Signals::waited_for();
    // SAFETY: all fields are numbers, for which zero is a value.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both structs live through the call.
        let signal = unsafe { libc::sigwaitinfo(&raw const set.0, &raw mut info) };
        if signal > 0 {
            // SAFETY: the signals of the set carry a sender.
            return (signal, unsafe { info.si_pid() });
        }
    }
}

/// Ends this process by a signal; comes back where the signal ends nothing.
pub(crate) fn end_by(signal: i32) {
    let mut only = Signals::none();
    // SAFETY: the set was initialised above and lives through the calls; the default needs no
    // handler.
    unsafe {
        libc::sigaddset(&raw mut only.0, signal);
        libc::signal(signal, libc::SIG_DFL);
        libc::sigprocmask(libc::SIG_UNBLOCK, &raw const only.0, std::ptr::null_mut());
        libc::kill(libc::getpid(), signal);
    }
}

/// What a new program expects: no signal ignored, none held back.
pub(crate) fn reset() -> Sys<()> {
    /// Those below it are all that a program may have set before an exec; the rest are real-time.
    const LAST: libc::c_int = 31;
    for signal in 1..=LAST {
        if signal != libc::SIGKILL && signal != libc::SIGSTOP {
            // SAFETY: the default needs no handler.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
    }
    let none = Signals::none();
    // SAFETY: the set lives through the call.
    done(libc::c_long::from(unsafe {
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none.0, std::ptr::null_mut())
    }))
}
