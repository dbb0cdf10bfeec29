//! What it costs to start `true` confined, against `bash -c true` and bubblewrap: medians of
//! interleaved rounds in one process with one thread. `cargo bench -p dogu-sandbox [rounds]`

#[cfg(target_os = "linux")]
#[path = "spawn/measure.rs"]
mod measure;

#[cfg(target_os = "linux")]
fn main() {
    measure::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {}
