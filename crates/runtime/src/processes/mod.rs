//! Commands: who started them, what holds them, what they wrote.
//!
//! ```text
//! tool ── ProcessRequest ──► Granted       was exactly this line granted?      granted.rs
//!                               │  Service  one for the runtime                 service.rs
//!                               │  confine  profile, grants, places → what it may do   confine.rs
//!                               ▼  dogu_process::Supervisor
//!                            Running        what a tool can know and do         running.rs
//!                               │  Table    by caller, bounded                  table.rs
//!                               ▼  outputs  what ended commands wrote           outputs.rs
//! ```
//!
//! What the sandbox refused is told from what a command wrote (`refused.rs`); what was changed, and
//! what was made that steers others, from a look before and one after it (`seen.rs`, `steering.rs`).

mod caches;
mod confine;
mod granted;
mod outputs;
mod profiles;
mod refused;
mod running;
mod seen;
mod service;
mod steering;
mod table;

pub(crate) use granted::Granted;
pub use service::ProcessService;
pub(crate) use service::outputs_of;
