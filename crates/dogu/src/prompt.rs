//! Asking at the terminal: what would happen, why it asks, yes or no. And the questions of servers,
//! which look and are answered differently.

mod dialog;
mod page;
mod program;
mod server;
mod tty;

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use dogu_gateway::{Elicitation, Elicitor, Reply};
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
    /// Who shows servers' questions.
    pub(crate) elicitor: Option<Arc<dyn Elicitor>>,
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
        Self { delegate: None, otherwise: Otherwise::Settings, elicitor: None, is_person: false }
    }

    /// Nothing is approved.
    pub(crate) fn nobody() -> Self {
        Self { otherwise: Otherwise::Refused, ..Self::by_settings() }
    }

    fn person() -> Self {
        let terminal = Arc::new(Terminal::default());
        let elicitor: Arc<dyn Elicitor> = Arc::clone(&terminal) as _;
        Self {
            delegate: Some(terminal),
            elicitor: Some(elicitor),
            is_person: true,
            ..Self::by_settings()
        }
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

/// Asks on the controlling terminal, one question at a time, whosever it is.
#[derive(Default)]
struct Terminal {
    asking: Arc<Mutex<()>>,
}

impl Terminal {
    /// Holds a talk, unless nobody waits for its end any more.
    async fn talk<T: Send + 'static>(
        &self,
        talk: impl FnOnce(&mut Tty) -> std::io::Result<T> + Send + 'static,
    ) -> Option<T> {
        let asking = Arc::clone(&self.asking);
        let gone = Gone::default();
        let flag = Arc::clone(&gone.0);
        let talk = tokio::task::spawn_blocking(move || {
            let _one_at_a_time = asking.lock().unwrap_or_else(PoisonError::into_inner);
            let _no_bar = crate::attend::quiet();
            talk(&mut Tty::open(flag)?)
        });
        talk.await.ok().and_then(Result::ok)
    }
}

impl PermissionDelegate for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let question = question.clone();
        Box::pin(async move {
            let answer = self.talk(move |tty| dialog::ask(tty, &question)).await;
            // A terminal that cannot be read has not said yes.
            answer.unwrap_or_else(Answer::no)
        })
    }
}

impl Elicitor for Terminal {
    fn elicit<'a>(&'a self, question: &'a Elicitation) -> BoxFuture<'a, Reply> {
        // One that belongs to no call, or to nobody knows which, was not asked for.
        if question.call.is_none() {
            return Box::pin(async { Reply::Decline });
        }
        let question = question.clone();
        Box::pin(async move {
            let reply = self.talk(move |tty| server::ask(tty, &question)).await;
            reply.unwrap_or(Reply::Cancel)
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
