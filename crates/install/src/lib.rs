//! Puts dogu into the settings of MCP clients, and takes it out again.
//!
//! A client keeps its servers in a file that belongs to its user: with comments, in an order,
//! with much else in it. So nothing here writes such a file anew. [`edit`] puts one entry into
//! the text and proves that all else means what it meant; [`Target`] keeps a backup and replaces
//! the file as a whole; what cannot be changed safely is left alone, and the caller says what to
//! paste.
//!
//! ```
//! use dogu_install::{Client, Server, Transport, edit};
//!
//! let program = "/usr/local/bin/dogu".to_owned();
//! let transport = Transport::Stdio { program, arguments: vec!["serve".to_owned()] };
//! let server = Server { name: "dogu".to_owned(), transport };
//! let entry = server.entry(Client::Zed)?;
//! let settings = "{\n  // mine\n  \"theme\": \"One Dark\",\n}\n";
//! let edited = edit::insert(Client::Zed.place(), settings, "dogu", &entry)?;
//! assert!(edited.starts_with("{\n  // mine\n  \"theme\": \"One Dark\",\n  \"context_servers\": {"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod client;
pub mod edit;
mod file;
mod machine;
mod server;
mod target;

pub use client::{Client, UnknownClient};
pub use file::FileError;
pub use machine::{Machine, Platform, Scope};
pub use server::{Server, ServerError, Transport, has_no_project, project_variable};
pub use target::{Change, Done, Outcome, Target, TargetError};
