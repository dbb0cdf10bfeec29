//! The pipeline: a tool call goes in, exactly one result comes out.
//!
//! The way of a call is in [`dispatch`](Step::dispatch): catalog, middleware, schema, prepare,
//! policy, approval, run, limits, and back out; the record sees it all.
//!
//! | what | where |
//! | --- | --- |
//! | all that can run; what a step offers | `registry`, `catalog`, `step` |
//! | onions around calls, steps and turns | `onion`, `middleware`, `extension` |
//! | may it run, who is asked | `gate`, `policy`, `approval`, `paths` |
//! | what a tool holds while it runs | `context`, `files` |
//! | no tool can hurt another | `contain`, `flight`, `input`, `shaping`, `counters` |
//! | a quick first call | `warm_up` |
//! | what is known afterwards | `events`, `record`, `redact`, `crash`, `state` |

mod approval;
mod catalog;
mod contain;
mod context;
mod counters;
mod crash;
mod dispatch;
mod events;
mod extension;
pub mod files;
mod flight;
mod gate;
mod input;
mod middleware;
mod onion;
pub mod paths;
mod policy;
pub mod record;
pub mod redact;
mod registry;
mod runtime;
mod schema;
mod settings;
mod shaping;
mod state;
mod step;
mod warm_up;

pub use approval::{Answer, AnsweredElsewhere, ApproveAll, PermissionDelegate, Question};
pub use catalog::Catalog;
pub use context::RuntimeContext;
pub use crash::redact_panics;
pub use dispatch::Dispatch;
pub use events::{EVENT_BACKLOG, Event, EventKind, Heard, Listener};
pub use extension::{Extension, ExtensionApi, ExtensionTools};
pub use input::MAX_INPUT_DEPTH;
pub use middleware::{
    CallMiddleware, CallNext, CallRequest, StepMiddleware, StepNext, StepReply, StepRequest,
    TurnMiddleware, TurnNext, TurnReply, TurnRequest,
};
pub use onion::{Middleware, Next, Onion, Reply, Request};
pub use paths::{JudgedAction, PathFacts};
pub use policy::{Decision, PermissionStatus, Policy, PolicyRequest, WorkspaceReads};
pub use registry::{Entry, RegisterError, Registry, Source, ToolSet};
pub use runtime::{BuildError, Runtime, RuntimeBuilder};
pub use schema::MAX_VIOLATIONS_SHOWN;
pub use settings::{Audit, Limits, ProtocolSettings, Settings, SettingsError, ToolSettings};
pub use state::StateDir;
pub use step::Step;
pub use warm_up::warm_up;
