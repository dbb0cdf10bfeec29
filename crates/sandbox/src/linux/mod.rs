//! All of it on Linux.

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
