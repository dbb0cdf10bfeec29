//! Asking at the terminal: what would happen, why it asks, yes or no.

mod dialog;
mod page;
mod program;
mod tty;

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use dogu_runtime::{Answer, ApproveAll, PermissionDelegate, Question};
use dogu_tool::BoxFuture;

use crate::args::Approve;
use crate::problem::Problem;
use crate::sandbox;
pub(crate) use program::Program;
use tty::Tty;

/// Who approves calls.
pub(crate) struct Approver {
    /// Whom the runtime asks.
    pub(crate) delegate: Option<Arc<dyn PermissionDelegate>>,
    /// Who stands in where there is no delegate.
    pub(crate) otherwise: Otherwise,
    /// It is a person at the terminal, who can be asked about other things too.
    pub(crate) is_person: bool,
}

/// What happens to questions where nobody is there to whom they can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Otherwise {
    /// The settings say it: a program, or what becomes of what is unattended.
    Settings,
    /// They are refused, whatever the settings say.
    Refused,
}

impl Approver {
    /// Everything is approved that nothing refuses.
    pub(crate) fn all() -> Self {
        Self { delegate: Some(Arc::new(ApproveAll)), ..Self::by_settings() }
    }

    /// Nobody is there; the settings may name somebody.
    pub(crate) fn by_settings() -> Self {
        Self { delegate: None, otherwise: Otherwise::Settings, is_person: false }
    }

    /// Nothing is approved.
    pub(crate) fn nobody() -> Self {
        Self { otherwise: Otherwise::Refused, ..Self::by_settings() }
    }

    fn person() -> Self {
        let delegate: Arc<dyn PermissionDelegate> = Arc::new(Terminal::default());
        Self { delegate: Some(delegate), is_person: true, ..Self::by_settings() }
    }
}

/// Somebody reads what is said and can answer.
pub(crate) fn is_someone_there() -> bool {
    std::io::stderr().is_terminal() && std::io::stdin().is_terminal()
}

/// Shows a text and asks; only a plain yes is one. A terminal that cannot be read has not said
/// yes.
pub(crate) fn confirm(text: &str, asked: &str) -> bool {
    Tty::open(Arc::default())
        .and_then(|mut tty| dialog::confirm(&mut tty, text, asked))
        .unwrap_or(false)
}

/// Who approves, by flag or by whether someone is there.
pub(crate) fn approver(approve: Option<Approve>) -> Result<Approver, Problem> {
    chosen(approve, is_someone_there())
}

/// The same for a command that reads its work from stdin: someone who sees what it says is there.
pub(crate) fn approver_beside_stdin(approve: Option<Approve>) -> Result<Approver, Problem> {
    chosen(approve, std::io::stderr().is_terminal())
}

fn chosen(approve: Option<Approve>, there: bool) -> Result<Approver, Problem> {
    if matches!(approve, Some(Approve::All | Approve::Ask)) {
        sandbox::refuse("approve calls")?;
    }
    Ok(match approve {
        Some(Approve::All) => Approver::all(),
        Some(Approve::None) => Approver::nobody(),
        Some(Approve::Ask) | None if there && !sandbox::is_inside() => Approver::person(),
        Some(Approve::Ask) | None => Approver::by_settings(),
    })
}

/// Asks on the controlling terminal, one question at a time.
#[derive(Default)]
struct Terminal {
    asking: Arc<Mutex<()>>,
}

impl PermissionDelegate for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let question = question.clone();
        let asking = Arc::clone(&self.asking);
        let gone = Gone::default();
        Box::pin(async move {
            let flag = Arc::clone(&gone.0);
            let answer = tokio::task::spawn_blocking(move || {
                let _one_at_a_time = asking.lock().unwrap_or_else(PoisonError::into_inner);
                dialog::ask(&mut Tty::open(flag)?, &question)
            });
            // A terminal that cannot be read has not said yes.
            answer.await.ok().and_then(Result::ok).unwrap_or_else(Answer::no)
        })
    }
}

/// Tells the thread that asks when nobody waits for the answer any more: what is typed then
/// is an answer to nothing.
#[derive(Default)]
struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
