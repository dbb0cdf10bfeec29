//! May it run: what a call would do is analysed, judged by rules, and the decision says why.
//!
//! Pure: nothing here touches a disk. Whoever asks brings the facts about paths
//! ([`facts`]), and gets a decision with its reasons.

pub mod analysis;
pub mod auto_approval;
pub mod command;
pub mod compat;
pub mod engine;
pub mod facts;
pub mod grant;
pub mod mode;
pub mod path;
pub mod public_address;
pub mod risk;
pub mod rule;
mod shell;
pub mod tool_policy;

pub use analysis::{Analysis, analyse};
pub use engine::{Decision, Engine, Request};
pub use risk::Risk;
