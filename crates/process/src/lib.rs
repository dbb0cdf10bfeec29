//! Children of dogu: started by a small supervisor, watched, and gone when dogu is.
//!
//! ```text
//! dogu ── orders, descriptors ──► supervisor ── clone ──► init ──► the command
//!  │    ◄──── answers ──────────      │ (one thread)      (of its own namespaces)
//!  └── one thread reads all pipes and answers: `client/reactor`
//! ```
//!
//! - `wire`: what dogu and the supervisor say to each other.
//! - [`supervise`]: the supervisor's side.
//! - `client`: dogu's side: [`Supervisor`], [`Launch`], [`Child`].
//! - [`environment`]: what a command finds there.
//! - [`look`]: what a running command does: listens at a port, waits at a terminal.
//!
//! ```no_run
//! use dogu_output::Log;
//! use dogu_process::{Input, Launch, Supervisor};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let supervisor = Supervisor::new("dogu-supervise", Vec::<String>::new());
//! let launch = Launch::new(["echo", "hello"], "/tmp");
//! let child = supervisor.start(launch).await?;
//! assert_eq!(child.ended().await.exit_code, Some(0));
//! # Ok(()) }
//! ```

mod client;
pub mod environment;
pub mod look;
mod supervise;
mod wire;

pub use client::{Child, End, Input, Launch, Pipes, StartError, Supervisor, TerminalSize};
pub use dogu_sandbox as sandbox;
pub use supervise::{supervise, supervise_stdin};
pub use wire::Parting;
