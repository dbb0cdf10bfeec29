//! All of it on Linux.
//!
//! | who | what | where |
//! | --- | --- | --- |
//! | caller | works out what there is to do, holds placeholders | `job`, `plan`, `placeholder`, `sockets` |
//! | | forks into namespaces | `spawn` |
//! | init | identity, loopback, mounts, rules | `init`, `mounts`, `landlock` |
//! | | waits, passes signals on, ends everything | `init`, `descendants` |
//! | | makes its connections | `warden` |
//! | | a parent for a program that is not confined | `apart` |
//! | program | session, limits, capabilities, rules, filter, exec | `inside`, `limits`, `seccomp` |

pub(crate) mod apart;
mod descendants;
mod fault;
mod init;
mod inside;
mod job;
mod landlock;
mod limits;
mod mounts;
pub(crate) mod placeholder;
mod plan;
pub(crate) mod probe;
mod seccomp;
mod sockets;
pub(crate) mod spawn;
mod sys;
mod warden;
