//! dogu (도구, "tool") is the layer between a language model and the world: it takes the tool calls
//! that a model makes, decides whether each may run, runs it, and answers so that the model can go on.
//!
//! This crate is the facade: one dependency for whoever builds an agent.
//!
//! ```
//! use std::sync::Arc;
//!
//! use dogu::runtime::{Runtime, Source};
//! use dogu::tool::{Origin, Principal, Scope, ToolCall};
//! use serde_json::json;
//!
//! # let folder = tempfile::tempdir()?;
//! # std::fs::write(folder.path().join("hello.txt"), "hi there\n")?;
//! # let folder = folder.path();
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let runtime = Runtime::builder(Scope::new(folder))
//!     .tools(&Source::Builtin, dogu::builtin::all())?
//!     .build()?;
//! let step = runtime.step(Arc::new(Origin::of(Principal::process("example"))));
//!
//! let result = step.dispatch(ToolCall::new("call_1", "read_file", json!({"path": "hello.txt"}))).await;
//! assert_eq!(result.to_text(), "     1\thi there\n");
//!
//! // Writing asks, and here nobody can be asked.
//! let call = ToolCall::new("call_2", "write_file", json!({"path": "new.txt", "content": ""}));
//! assert!(step.dispatch(call).await.to_text().contains("E_TOOL_DENIED"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[doc(inline)]
pub use dogu_builtin as builtin;
#[doc(inline)]
pub use dogu_edit as edit;
#[doc(inline)]
pub use dogu_gateway as gateway;
#[doc(inline)]
pub use dogu_mcp as mcp;
#[doc(inline)]
pub use dogu_policy as policy;
#[doc(inline)]
pub use dogu_protocol as protocol;
#[doc(inline)]
pub use dogu_runtime as runtime;
#[doc(inline)]
pub use dogu_tool as tool;

/// The README's examples are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
