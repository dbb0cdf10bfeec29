//! The supervisor by itself, for programs that embed dogu and have no command for it.

use std::process::ExitCode;

fn main() -> ExitCode {
    match dogu_process::supervise_stdin() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
