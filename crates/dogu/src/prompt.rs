//! Asking at the terminal: what would happen, why it asks, yes or no.

mod dialog;
mod page;
mod tty;

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use dogu_runtime::{Answer, ApproveAll, PermissionDelegate, Question};
use dogu_tool::BoxFuture;

use crate::args::Approve;
use crate::problem::Problem;
use crate::sandbox;
use tty::Tty;

/// Who approves calls.
pub(crate) struct Approver {
    /// Whom the runtime asks.
    pub(crate) delegate: Option<Arc<dyn PermissionDelegate>>,
    /// It is a person at the terminal, who can be asked about other things too.
    pub(crate) is_person: bool,
}

impl Approver {
    /// Nobody is there, or the answer is known.
    pub(crate) fn of(delegate: Option<Arc<dyn PermissionDelegate>>) -> Self {
        Self { delegate, is_person: false }
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
        Some(Approve::All) => Approver::of(Some(Arc::new(ApproveAll))),
        Some(Approve::Ask) | None if there && !sandbox::is_inside() => {
            Approver { delegate: Some(Arc::new(Terminal::default())), is_person: true }
        }
        Some(Approve::Ask | Approve::None) | None => Approver::of(None),
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
