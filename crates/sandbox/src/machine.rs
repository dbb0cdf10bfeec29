//! What the kernel of this machine offers.

use serde::{Deserialize, Serialize};

/// What was tried and works here. Made by [`probe`](crate::probe).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is there or not, whatever the others are")]
pub struct Machine {
    /// User, PID, mount and IPC namespaces, with everything that is mounted in them.
    pub namespaces: bool,
    /// Network namespaces. Without them no internet socket can be made where nothing is granted.
    pub network_namespaces: bool,
    /// A view of only the own processes. Without it the outside's processes are listed, read-only;
    /// being in another user namespace they cannot be looked into.
    pub own_processes_view: bool,
    /// Terminals of its own (`/dev/pts`).
    pub own_terminals: bool,
    /// The version of Landlock, 0 if there is none.
    pub landlock: u32,
    /// Filters of system calls.
    pub seccomp: bool,
    /// Connections can be made by whoever watches over a command, so that addresses and the Unix
    /// sockets of others can be closed to it. Without it only ports can, by Landlock, and of those
    /// sockets the ones that are there when it starts, by mounts.
    pub watched_connections: bool,
    /// [`Limits::processes`](crate::Limits) holds. For root it needs a kernel since 6.14.
    pub process_limit: bool,
}

/// How much a [`Confinement`](crate::Confinement) holds here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// Nothing is held.
    None,
    /// Landlock, seccomp, or both: writing is bounded, and the network closed, as far as these go.
    /// With Landlock the content of what is `hidden` outside of writable folders is held, and with
    /// [`Machine::watched_connections`] Unix sockets are. Not held are `fixed`, `reads`, the names
    /// of what is hidden, and the machine's `/tmp`, which is shared with all sockets in it.
    Partial,
    /// Everything that a confinement says.
    Full,
}

impl Machine {
    /// How much a confinement holds here.
    pub fn strength(&self) -> Strength {
        if self.namespaces && self.seccomp {
            Strength::Full
        } else if self.landlock > 0 || self.seccomp {
            Strength::Partial
        } else {
            Strength::None
        }
    }

    /// The same machine as if it had no namespaces.
    pub fn without_namespaces(self) -> Self {
        Self {
            namespaces: false,
            network_namespaces: false,
            own_processes_view: false,
            own_terminals: false,
            process_limit: false,
            ..self
        }
    }

    /// The same machine as if it had no network namespaces.
    pub fn without_network_namespaces(self) -> Self {
        Self { network_namespaces: false, ..self }
    }

    /// The same machine as if it could not mount `/proc`, as in most containers.
    pub fn without_own_processes_view(self) -> Self {
        Self { own_processes_view: false, ..self }
    }

    /// The same machine as if it had no Landlock.
    pub fn without_landlock(self) -> Self {
        Self { landlock: 0, ..self }
    }

    /// The same machine as if it had an older Landlock.
    pub fn with_landlock_at_most(self, version: u32) -> Self {
        Self { landlock: self.landlock.min(version), ..self }
    }

    /// The same machine as if it had no filters of system calls.
    pub fn without_seccomp(self) -> Self {
        Self { seccomp: false, watched_connections: false, ..self }
    }

    /// The same machine as if nobody could make connections for others.
    pub fn without_watched_connections(self) -> Self {
        Self { watched_connections: false, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strength_is_what_is_left() {
        let all = Machine { namespaces: true, landlock: 7, seccomp: true, ..Machine::default() };
        assert_eq!(all.strength(), Strength::Full);
        assert_eq!(all.clone().without_landlock().strength(), Strength::Full);
        let partial = all.without_namespaces();
        assert_eq!(partial.strength(), Strength::Partial);
        assert_eq!(partial.without_landlock().without_seccomp().strength(), Strength::None);
    }
}
