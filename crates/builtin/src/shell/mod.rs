//! Commands and processes.
//!
//! - `line`: what a call wants to run, as one line and its actions.
//! - `run`: a command to its end, its time-out, or its cancellation; `report`: what is told of it.
//! - `execute_command`, `read_command_output`; `shapes`: what other systems call the same.
//! - `process_*`: commands that outlive their calls; `show`: how they are shown.

mod execute_command;
mod line;
mod process_list;
mod process_logs;
mod process_send;
mod process_start;
mod process_status;
mod process_stop;
mod process_wait;
mod read_command_output;
mod report;
mod run;
mod shapes;
mod show;
mod steering;

pub use execute_command::ExecuteCommand;
pub use process_list::ProcessList;
pub use process_logs::ProcessLogs;
pub use process_send::ProcessSend;
pub use process_start::ProcessStart;
pub use process_status::ProcessStatus;
pub use process_stop::ProcessStop;
pub use process_wait::ProcessWait;
pub use read_command_output::ReadCommandOutput;
pub use shapes::{Bash, BashExec, BashScript, RunTerminalCommand};
