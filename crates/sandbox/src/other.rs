//! Systems on which nothing is there yet.

use std::time::Duration;

use crate::{Apart, Machine};
#[cfg(unix)]
use crate::{Command, SpawnError, Spawned};

/// Nothing is offered here.
pub fn probe(_deadline: Duration) -> Machine {
    Machine::default()
}

/// Nothing can be started here.
#[cfg(unix)]
pub fn spawn(_command: Command, _machine: &Machine) -> Result<Spawned, SpawnError> {
    Err(SpawnError::Unsupported)
}

/// No command can be held together here.
pub fn probe_apart(_deadline: Duration) -> Option<Apart> {
    None
}

/// Nothing can be started here.
#[cfg(unix)]
pub fn spawn_apart(_command: Command, _apart: Apart) -> Result<Spawned, SpawnError> {
    Err(SpawnError::Unsupported)
}

/// There are none here.
#[cfg(unix)]
#[derive(Debug, Default)]
pub struct Placeholders(());

#[cfg(unix)]
impl Placeholders {
    /// There is nothing to remove.
    pub fn remove(self) {}

    /// There are none.
    pub fn len(&self) -> usize {
        0
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        true
    }
}
