//! Where a server is in its life: at rest, starting, up, or left alone after a failure.

use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dogu_tool::BoxFuture;
use futures::FutureExt as _;
use futures::future::Shared;
use rmcp::model::ErrorCode;
use tokio::task::AbortHandle;

use super::{Server, WantedLogin};
use crate::session::{CallError, ConnectError, Handler, Heard, Listed, Session, listen};

/// How soon after it was asked for its tools a server is asked again, however often it says that
/// they changed.
const BETWEEN_LISTS: Duration = Duration::from_secs(1);
/// The longest that a server is left alone.
const MAX_REST: Duration = Duration::from_mins(1);

type Starting = Shared<BoxFuture<'static, Result<Arc<Session>, ConnectError>>>;

/// The state of a server.
#[derive(Default)]
pub(super) enum Link {
    /// Nobody has needed it yet.
    #[default]
    Idle,
    /// Whoever needs it now waits for the same start, which can be given up.
    Starting(Starting, AbortHandle),
    /// It can be asked.
    Up(Arc<Session>),
    /// It did not start.
    Failed { error: ConnectError, until: Instant, failures: u32 },
}

/// A session that is there, or on its way.
enum Begun {
    Up(Arc<Session>),
    Starting(Starting),
}

/// How a server stands, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Not started: nothing has needed it.
    Idle,
    /// Being started.
    Starting,
    /// It answers.
    Up {
        /// What it calls itself.
        server: Option<String>,
        /// The version of the protocol.
        protocol: Option<String>,
    },
    /// It was up and is gone.
    Lost,
    /// It did not start.
    Failed(String),
}

fn given_up() -> ConnectError {
    ConnectError::Session("its start was given up".to_owned())
}

impl Server {
    fn link(&self) -> MutexGuard<'_, Link> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it stands.
    pub(crate) fn standing(&self) -> Standing {
        match &*self.link() {
            Link::Idle => Standing::Idle,
            Link::Starting(..) => Standing::Starting,
            Link::Up(session) if session.is_over() => Standing::Lost,
            Link::Up(session) => {
                Standing::Up { server: session.says_it_is(), protocol: session.protocol() }
            }
            Link::Failed { error, .. } => Standing::Failed(error.to_string()),
        }
    }

    /// What it wrote to stderr, the end of it.
    pub(crate) fn stderr(&self, most: usize) -> Option<String> {
        match &*self.link() {
            Link::Up(session) => session.child().map(|child| child.log().result(most).text),
            _ => None,
        }
    }

    /// The session; begins one where there is none. However many ask, it is begun once, and goes
    /// on when the one who asked first has gone.
    pub(crate) async fn session(self: &Arc<Self>) -> Result<Arc<Session>, ConnectError> {
        match self.begun()? {
            Begun::Up(session) => Ok(session),
            Begun::Starting(starting) => starting.await,
        }
    }

    fn begun(self: &Arc<Self>) -> Result<Begun, ConnectError> {
        let mut link = self.link();
        let failures = match &*link {
            Link::Up(session) if !session.is_over() => return Ok(Begun::Up(Arc::clone(session))),
            Link::Starting(starting, _) => return Ok(Begun::Starting(starting.clone())),
            Link::Failed { error, until, failures } => {
                let left = until.saturating_duration_since(Instant::now());
                if !left.is_zero() {
                    let last = error.to_string();
                    return Err(ConnectError::Resting { last, again_in: left });
                }
                *failures
            }
            Link::Idle | Link::Up(_) => 0,
        };
        let server = Arc::clone(self);
        let task = tokio::spawn(async move { server.start(failures).await });
        let given_up_by = task.abort_handle();
        let starting: Starting =
            async move { task.await.unwrap_or_else(|_| Err(given_up())) }.boxed().shared();
        *link = Link::Starting(starting.clone(), given_up_by);
        Ok(Begun::Starting(starting))
    }

    /// Whether somebody has to log in, by what the server said last.
    pub(crate) fn wants_login(&self) -> bool {
        self.lock_login().is_some()
    }

    /// What the server said about a login; it is asked for once.
    pub(crate) fn take_challenge(&self) -> Option<String> {
        self.lock_login().take()?.challenge
    }

    /// Notes that a call needs a login. The next one opens a session with what is there then.
    pub(crate) fn note_call(&self, error: &CallError) {
        if let CallError::Login(challenge) = error {
            self.note_login(Some(challenge.clone()));
            let mut link = self.link();
            if matches!(*link, Link::Up(_)) {
                *link = Link::Idle;
            }
        }
    }

    fn note_login(&self, challenge: Option<String>) {
        if let Some(challenge) = &challenge {
            self.shared.around.keep_challenge(&self.name, &self.settings, challenge);
        }
        *self.lock_login() = Some(WantedLogin { challenge });
    }

    fn lock_login(&self) -> MutexGuard<'_, Option<WantedLogin>> {
        self.login.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the session; the next who needs it begins another.
    pub(crate) fn close(&self) {
        let before = std::mem::take(&mut *self.link());
        match before {
            Link::Starting(_, start) => start.abort(),
            Link::Up(session) => session.end(),
            Link::Idle | Link::Failed { .. } => {}
        }
    }

    async fn start(self: Arc<Self>, failures: u32) -> Result<Arc<Session>, ConnectError> {
        let opened = self.open().await;
        let mut link = self.link();
        match opened {
            // It was closed in the last moment, when the start could not be given up any more.
            Ok(_) if !matches!(*link, Link::Starting(..)) => Err(given_up()),
            Ok((session, listed)) => {
                let session = Arc::new(session);
                *link = Link::Up(Arc::clone(&session));
                drop(link);
                self.learn(&listed, session.era);
                self.watch(&session);
                Ok(session)
            }
            // That is no failure: it can be asked again as soon as somebody has logged in.
            Err(ConnectError::Login(challenge)) => {
                *link = Link::Idle;
                drop(link);
                self.note_login(challenge.clone());
                Err(ConnectError::Login(challenge))
            }
            Err(error) => {
                let failures = failures.saturating_add(1);
                let rest = self.shared.rest.saturating_mul(1 << (failures - 1).min(16));
                let until = Instant::now() + rest.min(MAX_REST);
                *link = Link::Failed { error: error.clone(), until, failures };
                Err(error)
            }
        }
    }

    async fn open(&self) -> Result<(Session, Listed), ConnectError> {
        let handler = Handler {
            server: Arc::clone(&self.name),
            elicitor: self.shared.elicitor.clone(),
            heard: Arc::new(Heard::default()),
        };
        let around = &self.shared.around;
        let session = Session::open(&self.settings, self.known_era(), handler, around).await?;
        let listed = match self.list(&session).await {
            Ok(listed) => listed,
            // It has other things than tools.
            Err(CallError::Refused(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                Listed::default()
            }
            Err(error) => {
                let why = match error {
                    CallError::Timeout(time) => {
                        format!("it did not list its tools within {} seconds", time.as_secs())
                    }
                    CallError::Refused(error) => {
                        format!(
                            "it does not list its tools: {}",
                            crate::clean::line(&error.message, 200)
                        )
                    }
                    CallError::Unreadable(why) => why.to_owned(),
                    CallError::Lost(why) => why,
                    CallError::Login(challenge) => {
                        return Err(ConnectError::Login(Some(challenge)));
                    }
                    CallError::Gone | CallError::Canceled => {
                        format!("it ended before it listed its tools{}", session.last_words().await)
                    }
                };
                return Err(ConnectError::Session(why));
            }
        };
        Ok((session, listed))
    }

    /// Asks for the tools again whenever the server says that they are others.
    fn watch(self: &Arc<Self>, session: &Arc<Session>) {
        let heard = Arc::clone(session.heard());
        tokio::spawn(listen(session.peer().clone(), session.era, Arc::clone(&heard)));
        let (server, session) = (self.weak(), Arc::downgrade(session));
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = heard.list_changed.notified() => {}
                    () = heard.over.notified() => return,
                }
                let (Some(server), Some(session)) = (server.upgrade(), session.upgrade()) else {
                    return;
                };
                server.refresh(&session).await;
                drop((server, session));
                tokio::time::sleep(BETWEEN_LISTS).await;
            }
        });
    }
}
