//! Asking a person. A question is parked here until someone answers it, its deadline passes or
//! the call is canceled; the runtime owns it, not the connection that the call came over.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use dogu_tool::text::truncate_marked;
use dogu_tool::{BoxFuture, CancelFlag, Preview, Principal};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::oneshot;

use crate::policy::Asked;

/// How a yes is written, by how long it counts.
const ALLOW: [(&str, GrantScope); 3] = [
    ("allow_once", GrantScope::Once),
    ("allow_session", GrantScope::Session),
    ("allow_always", GrantScope::Permanent),
];
/// How a no is written.
const DENY: &str = "deny";
/// How many characters of a word to the model count.
const MOST_OF_WORD: usize = 1_000;

/// What a person is asked.
#[derive(Clone, Debug, Serialize)]
pub struct Question {
    /// The id under which it is answered.
    pub id: String,
    /// The call that waits.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// The tool's name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where the tool came from.
    pub source: String,
    /// The input, redacted.
    pub input: Value,
    /// All of it in a few words, where the actions say it best: `Read 2 file(s)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What the model says of its call. Nobody has checked that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said_by_model: Option<String>,
    /// What the call would do, one text an action.
    pub actions: Vec<String>,
    /// What the policy found, and which answers it could keep.
    #[serde(flatten)]
    pub asked: Asked,
    /// Why it asks.
    pub reasons: Vec<String>,
    /// What the tool shows of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
    /// When it was asked.
    #[serde(skip)]
    pub asked_at: SystemTime,
    #[serde(skip)]
    pub(crate) principal: Principal,
}

impl Question {
    /// A question about a tool of which nothing else is known: for tests of a delegate.
    pub fn new(tool: impl Into<String>, source: impl Into<String>) -> Self {
        Self {
            id: String::new(),
            call_id: String::new(),
            tool: tool.into(),
            title: None,
            source: source.into(),
            input: Value::Null,
            summary: None,
            said_by_model: None,
            actions: Vec::new(),
            asked: Asked::default(),
            reasons: Vec::new(),
            preview: None,
            asked_at: SystemTime::now(),
            principal: Principal::process(""),
        }
    }

    /// What an answer with this scope would store; nothing where such an answer is not offered.
    pub fn offer(&self, scope: GrantScope) -> Option<&Offer> {
        let stores = |offer: &&Offer| offer.scope == scope && !offer.rules.is_empty();
        self.asked.offers.iter().filter(|_| scope != GrantScope::Once).find(stores)
    }

    /// The answers that can be given, as programs and forms write them; the no is the last.
    pub fn answers(&self) -> Vec<&'static str> {
        let offered = ALLOW.iter().filter(|(_, scope)| self.is_offered(*scope));
        offered.map(|(word, _)| *word).chain([DENY]).collect()
    }

    /// What one of these words means, with a word to the model for a no. Only what is plainly
    /// one of the answers is one.
    pub fn meaning(&self, answer: &str, message: Option<&str>) -> Option<Answer> {
        if answer == DENY {
            let word = message.map(str::trim).filter(|word| !word.is_empty());
            return Some(match word {
                Some(word) => Answer::no_because(truncate_marked(word, MOST_OF_WORD)),
                None => Answer::no(),
            });
        }
        let (_, scope) = ALLOW.iter().find(|(word, _)| *word == answer)?;
        self.is_offered(*scope).then_some(Answer::Allow { scope: *scope })
    }

    fn is_offered(&self, scope: GrantScope) -> bool {
        scope == GrantScope::Once || self.offer(scope).is_some()
    }
}

/// How long an answer counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantScope {
    /// For this call.
    #[default]
    Once,
    /// Until the session ends.
    Session,
    /// For good.
    Permanent,
}

/// An answer that the policy could keep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// How long it would count.
    pub scope: GrantScope,
    /// The rules that would be stored, as they are written in settings.
    pub rules: Vec<String>,
}

/// What a person answers. A scope that was not offered counts as once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes.
    Allow {
        /// How long it counts.
        scope: GrantScope,
    },
    /// No, perhaps with a word to the model.
    Deny {
        /// What the model is told.
        message: Option<String>,
        /// How long it counts.
        scope: GrantScope,
    },
    /// Nobody could be asked after all. It is a refusal, but not a person's no.
    Unasked {
        /// Why not.
        why: String,
    },
}

impl Answer {
    /// Yes, this once.
    pub fn yes() -> Self {
        Self::Allow { scope: GrantScope::Once }
    }

    /// No, this once.
    pub fn no() -> Self {
        Self::Deny { message: None, scope: GrantScope::Once }
    }

    /// No, with a word to the model.
    pub fn no_because(message: impl Into<String>) -> Self {
        Self::Deny { message: Some(message.into()), scope: GrantScope::Once }
    }

    /// How long it counts.
    pub fn scope(&self) -> GrantScope {
        match self {
            Self::Allow { scope } | Self::Deny { scope, .. } => *scope,
            Self::Unasked { .. } => GrantScope::Once,
        }
    }

    /// Whether it is a yes.
    pub fn is_yes(&self) -> bool {
        matches!(self, Self::Allow { .. })
    }
}

/// Who asks the person: a terminal, an MCP client, a console.
pub trait PermissionDelegate: Send + Sync {
    /// Shows the question and waits for the answer.
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer>;
}

/// Says yes to everything that the policy would ask about; never passes a refusal.
#[derive(Clone, Copy, Debug, Default)]
pub struct ApproveAll;

impl PermissionDelegate for ApproveAll {
    fn ask<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(async { Answer::yes() })
    }
}

/// Asks nobody itself: the question stays parked until
/// [`Runtime::answer`](crate::Runtime::answer) is called from elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnsweredElsewhere;

impl PermissionDelegate for AnsweredElsewhere {
    fn ask<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(std::future::pending())
    }
}

/// How a question ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Answered(Answer),
    DeadlinePassed,
    Canceled,
}

/// The parked questions of a runtime.
#[derive(Default)]
pub(crate) struct Desk {
    parked: Mutex<HashMap<String, Parked>>,
}

struct Parked {
    question: Question,
    answer: oneshot::Sender<Answer>,
}

impl Desk {
    /// Parks a question and waits for whoever answers first.
    pub(crate) async fn ask(
        &self,
        question: Question,
        delegate: &dyn PermissionDelegate,
        deadline: Duration,
        cancel: &CancelFlag,
    ) -> Outcome {
        let (sender, elsewhere) = oneshot::channel();
        let _parked = self.park(question.clone(), sender);
        tokio::select! {
            biased;
            () = cancel.canceled() => Outcome::Canceled,
            Ok(answer) = elsewhere => Outcome::Answered(answer),
            answer = delegate.ask(&question) => Outcome::Answered(answer),
            () = tokio::time::sleep(deadline) => Outcome::DeadlinePassed,
        }
    }

    /// The questions of a principal, oldest first.
    pub(crate) fn pending(&self, principal: &Principal) -> Vec<Question> {
        let parked = self.lock();
        let own = parked.values().filter(|parked| parked.question.principal == *principal);
        let mut questions: Vec<Question> = own.map(|parked| parked.question.clone()).collect();
        questions.sort_by_key(|question| question.asked_at);
        questions
    }

    /// Answers a question; whether there was such a question of this principal.
    pub(crate) fn answer(&self, principal: &Principal, id: &str, answer: Answer) -> bool {
        let mut parked = self.lock();
        if parked.get(id).is_none_or(|parked| parked.question.principal != *principal) {
            return false;
        }
        parked.remove(id).is_some_and(|parked| parked.answer.send(answer).is_ok())
    }

    fn park(&self, question: Question, answer: oneshot::Sender<Answer>) -> Unpark<'_> {
        let id = question.id.clone();
        self.lock().insert(id.clone(), Parked { question, answer });
        Unpark { desk: self, id }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Parked>> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the question off the desk, however the waiting ends.
struct Unpark<'a> {
    desk: &'a Desk,
    id: String,
}

impl Drop for Unpark<'_> {
    fn drop(&mut self) {
        self.desk.lock().remove(&self.id);
    }
}
