//! Who is asked about calls.

use std::sync::Arc;

use dogu_runtime::process::Supervisor;
use dogu_runtime::{PermissionDelegate, Settings};
use tokio::sync::Mutex;

use crate::problem::Problem;
use crate::prompt::{Approver, Otherwise, Program};

/// Who was chosen by whoever started dogu, or else who the user's settings name.
pub(super) fn of(
    approver: Approver,
    settings: &Settings,
    supervisor: Option<&Supervisor>,
) -> Result<Option<Arc<dyn PermissionDelegate>>, Problem> {
    if approver.delegate.is_some() || approver.otherwise == Otherwise::Refused {
        return Ok(approver.delegate);
    }
    let (Some(set), Some(supervisor)) = (&settings.delegate, supervisor) else { return Ok(None) };
    if set.command.first().is_none_or(String::is_empty) {
        return Err(Problem::wrong_use("`delegate.command` in your settings names no program")
            .hint("write it as a list: the program, then its arguments"));
    }
    Ok(Some(Arc::new(Program {
        supervisor: supervisor.clone(),
        words: set.command.clone(),
        environment: std::env::vars_os().collect(),
        folder: std::env::home_dir().filter(|home| home.is_dir()).unwrap_or_else(|| "/".into()),
        asking: Mutex::new(()),
    })))
}
