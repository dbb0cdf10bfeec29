//! Commands behind walls, tried from inside, in a real shell and a real Python.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod apart;
mod attacks;
mod life;
mod sockets;
mod work;
mod world;
