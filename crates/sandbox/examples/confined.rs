//! Runs one command confined and prints what became of it, as JSON: the small process with one
//! thread that the tests of this crate start commands from.
//!
//! `confined '{"argv": ["id"], "cwd": "/", "confinement": {}}'`

#[cfg(target_os = "linux")]
#[path = "confined/run.rs"]
mod run;

#[cfg(target_os = "linux")]
fn main() {
    run::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {}
