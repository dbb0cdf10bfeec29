//! What dogu does not do inside its own sandbox: whoever runs there is guarded by another dogu,
//! and must not answer that one's questions.

use crate::problem::Problem;

/// Set in everything that runs in a sandbox of dogu's.
const MARK: &str = "DOGU_SANDBOX";

/// Whether this process runs in one.
pub(crate) fn is_inside() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Refuses what must not be done in one; `what` goes on after "does not".
pub(crate) fn refuse(what: &str) -> Result<(), Problem> {
    if !is_inside() {
        return Ok(());
    }
    Err(Problem::wrong_use(format!("dogu does not {what} inside its own sandbox"))
        .hint("whoever started the sandbox can do it outside"))
}
