//! Starts one child, confined by what the kernel offers.
//!
//! A small process with one thread calls [`spawn`] with a [`Command`] and gets the number of the
//! command's first process, a descriptor of it, and a pipe that tells what became of it. What the
//! command may change, see and reach is its [`Confinement`]; what this machine can hold it with is
//! a [`Machine`], which [`probe`] finds out by trying.
//!
//! ```text
//! caller ── fork into namespaces ──► init: walls, then reaps; its end is the end of everything
//!                                      └── fork, exec ──► the program, without any rights
//! ```
//!
//! # What holds
//!
//! With namespaces ([`Strength::Full`]) the command sees every mount read-only, without set-uid
//! programs and devices; a `/dev` with seven harmless devices; a `/proc` of its own processes; an
//! empty `/tmp`, `/var/tmp`, `/run` and `/dev/shm`; the writable folders at their places, what is
//! fixed in them read-only, what is hidden empty; a loopback of its own. It has no capability and
//! can get none. Landlock is a second wall against writing. seccomp refuses what no build needs:
//! tracing, mounting, new namespaces, modules, rings, keys, sockets of other families, calls of
//! other architectures.
//!
//! The command's first process connects and sends for it wherever that takes an address
//! ([`Machine::watched_connections`]): of Unix sockets with a path only those are reached that lie
//! where the command may write, whenever they were made; closed ports and addresses are not. Whoever
//! is connected to sees the same user, and the first process instead of the one that connected.
//!
//! Without namespaces ([`Strength::Partial`]) Landlock and seccomp hold what they can; see there.
//!
//! What does not hold in any mode: somebody outside who removes or renames something fixed takes
//! the wall away with it; sockets of others in a writable folder are reached; processors and disks
//! are not shared fairly.
//!
//! # An example
//!
//! A confinement is plain data and travels as JSON:
//!
//! ```
//! use dogu_sandbox::{Confinement, Network};
//!
//! let confinement = Confinement {
//!     writable: vec!["/home/u/project".into()],
//!     fixed: vec!["/home/u/project/.git".into()],
//!     hidden: vec!["/home/u/.ssh".into()],
//!     ..Confinement::default()
//! };
//! assert_eq!(confinement.network, Network::None);
//! let text = serde_json::to_string(&confinement)?;
//! assert_eq!(serde_json::from_str::<Confinement>(&text)?, confinement);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod apart;
#[cfg(unix)]
mod command;
mod confinement;
#[cfg(target_os = "linux")]
mod linux;
mod machine;
#[cfg(not(target_os = "linux"))]
mod other;
mod report;

pub use apart::Apart;
#[cfg(unix)]
pub use command::{Command, SpawnError, Spawned};
pub use confinement::{AddressRange, Confinement, Instead, Limits, Network, Overlay, Reads};
#[cfg(target_os = "linux")]
pub use linux::{
    apart::{probe_apart, spawn_apart},
    placeholder::Placeholders,
    probe::probe,
    spawn::spawn,
};
pub use machine::{Machine, Strength};
#[cfg(all(unix, not(target_os = "linux")))]
pub use other::{Placeholders, spawn, spawn_apart};
#[cfg(not(target_os = "linux"))]
pub use other::{probe, probe_apart};
pub use report::{Failure, LONGEST, Report, Reports, Stage};
