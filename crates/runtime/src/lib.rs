//! The pipeline: a tool call goes in, exactly one result comes out.
//!
//! The way of a call is in [`dispatch`](Step::dispatch): catalog, middleware, schema, prepare,
//! policy, approval, run, limits, and back out; the record sees it all.
//!
//! | what | where |
//! | --- | --- |
//! | all that can run; what a step offers, and what was searched for | `registry`, `catalog`, `found`, `step` |
//! | onions around calls, steps and turns | `onion`, `middleware`, `extension` |
//! | may it run, who is asked | `gate`, `check`, `policy`, `engine`, `approval`, `refusals`, `paths`, `ignored`, `command_facts` |
//! | what was decided before | `grants`, `trust`, `pins`, `sealed` |
//! | what a tool holds while it runs | `context`, `files` |
//! | no tool can hurt another | `contain`, `flight`, `input`, `shaping`, `counters` |
//! | a quick first call | `warm_up` |
//! | what was changed, and taking it back | `journal` |
//! | what is known afterwards | `events`, `record`, `redact`, `crash`, `state` |

mod approval;
mod cache;
mod catalog;
mod check;
pub mod command_facts;
mod contain;
mod context;
mod counters;
mod crash;
mod dispatch;
mod embeddings;
pub mod engine;
mod events;
mod extension;
pub mod files;
mod flight;
mod found;
mod gate;
pub mod grants;
mod ignored;
mod input;
pub mod journal;
mod middleware;
mod onion;
pub mod paths;
pub mod pins;
mod policy;
mod processes;
mod reads;
pub mod record;
pub mod redact;
mod refusals;
mod registry;
mod repository;
mod runtime;
mod schema;
mod sealed;
mod settings;
mod shaping;
mod state;
mod step;
pub mod trust;
mod warm_up;
mod yaml;

pub use approval::{
    Answer, AnsweredElsewhere, ApproveAll, GrantScope, Offer, PermissionDelegate, Question,
};
pub use catalog::Catalog;
pub use context::RuntimeContext;
pub use crash::redact_panics;
pub use dispatch::Dispatch;
pub use dogu_policy::facts::{JudgedAction, PathFacts};
pub use dogu_process as process;
pub use dogu_tool::Source;
pub use events::{EVENT_BACKLOG, Event, EventKind, Heard, Listener};
pub use extension::{Extension, ExtensionApi, ExtensionTools};
pub use input::MAX_INPUT_DEPTH;
pub use middleware::{
    CallMiddleware, CallNext, CallRequest, StepMiddleware, StepNext, StepReply, StepRequest,
    TurnMiddleware, TurnNext, TurnReply, TurnRequest,
};
pub use onion::{Middleware, Next, Onion, Reply, Request};
pub use policy::{Asked, Decision, PermissionStatus, Policy, PolicyRequest};
pub use processes::ProcessService;
pub use registry::{Entry, RegisterError, Registry, ToolSet};
pub use runtime::{BuildError, Runtime, RuntimeBuilder};
pub use schema::MAX_VIOLATIONS_SHOWN;
pub use sealed::{SealError, SealProblem};
pub use settings::mcp;
pub use settings::{
    Audit, AutoApprove, CatalogSettings, ContinueLists, DelegateSettings, EmbeddingsSettings,
    Layering, Limits, Located, Login, Permissions, Profile, ProtocolSettings, RooLists, Rule,
    SandboxLimits, SandboxSettings, Settings, SettingsError, ShellSettings, ToolSettings,
    Unattended,
};
pub use state::{StateDir, StateError, random_hex};
pub use step::Step;
pub use warm_up::warm_up;
