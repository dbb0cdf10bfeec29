//! A request that can take long and ask in the middle of it: most of all `tools/call`, which is a
//! step of its own with a single call in it.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use dogu_runtime::{Catalog, Runtime};
use dogu_tool::{BoxFuture, Origin, Principal, ToolCall, ToolResult};
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use rmcp::ErrorData;
use rmcp::model::{ClientCapabilities, CreateTaskResult, InputRequiredResult, InputResponses};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::ask::link::{AsksClient, Client, shows_forms};
use crate::ask::seal::Seal;
use crate::ask::want::Want;
use crate::calls::Entered;
use crate::connection::Requester;
use crate::error::ServeError;
use crate::options::ServeOptions;
use crate::rounds::{Done, Resumed, Retry, Rounds, Work};
use crate::tasks::Tasks;

/// Makes the calls of one principal.
pub(crate) struct Caller {
    pub(crate) runtime: Runtime,
    pub(crate) options: Arc<ServeOptions>,
    origin: Arc<Origin>,
    prefix: String,
    next: AtomicU64,
    rounds: Rounds,
    pub(crate) tasks: Tasks,
    /// Set when the server ends and no longer waits for anyone.
    pub(crate) closing: CancellationToken,
    /// How many streams of announcements the handler has open.
    pub(crate) listening: AtomicUsize,
}

/// What a request is answered with.
pub(crate) enum Reply {
    /// It is done; the second is what a tool needed of the client and did not find.
    Done(Done, Option<ClientCapabilities>),
    InputRequired(InputRequiredResult),
    Task(CreateTaskResult),
}

/// What became of a request in one round.
enum Round {
    Done(Done),
    Wants(Want),
    Long,
}

/// What is needed to begin some work.
pub(crate) struct Beginning {
    pub(crate) call: Arc<str>,
    pub(crate) request: blake3::Hash,
    wants: mpsc::UnboundedSender<Want>,
    heard: mpsc::UnboundedReceiver<Want>,
    pub(crate) client: Client,
    asks: bool,
}

impl Beginning {
    /// The work itself.
    pub(crate) fn work(self, future: BoxFuture<'static, Done>) -> Work {
        let Self { call, request, heard, client, .. } = self;
        Work { call, request, future, wants: heard, client }
    }
}

impl Caller {
    pub(crate) fn new(
        runtime: Runtime,
        origin: Origin,
        options: Arc<ServeOptions>,
        seal: Arc<Seal>,
        closing: CancellationToken,
    ) -> Result<Self, ServeError> {
        let mut unique = [0_u8; 4];
        getrandom::fill(&mut unique).map_err(|error| ServeError::Random(error.into()))?;
        let counts = runtime.settings().limits.approval();
        Ok(Self {
            prefix: format!("mcp-{:08x}", u32::from_be_bytes(unique)),
            origin: Arc::new(origin),
            next: AtomicU64::new(1),
            rounds: Rounds::new(seal, counts),
            tasks: Tasks::default(),
            listening: AtomicUsize::new(0),
            runtime,
            options,
            closing,
        })
    }

    pub(crate) fn principal(&self) -> &Principal {
        &self.origin.principal
    }

    /// Ids are unique in the record, which outlives the process and the client's own numbers.
    fn next_id(&self) -> Arc<str> {
        format!("{}-{}", self.prefix, self.next.fetch_add(1, Ordering::Relaxed)).into()
    }

    /// Serves a request: begins its work, or goes on with it where this is a retry.
    pub(crate) async fn serve(
        &self,
        request: blake3::Hash,
        retry: Retry,
        requester: &Requester<'_>,
        begin: impl FnOnce(Beginning) -> Work,
    ) -> Result<Reply, ErrorData> {
        let resumed = if requester.is_modern {
            self.rounds.resume(request, &retry, &self.runtime, self.principal())?
        } else {
            Resumed::New
        };
        let work = match resumed {
            Resumed::New => begin(self.beginning(request, retry, requester)),
            Resumed::Work(work) => work,
            Resumed::Wants(work, want) => match self.park(work, want) {
                Ok(asked) => return Ok(Reply::InputRequired(asked)),
                Err(work) => work,
            },
        };
        Ok(self.rounds(work, requester).await)
    }

    fn beginning(
        &self,
        request: blake3::Hash,
        retry: Retry,
        requester: &Requester<'_>,
    ) -> Beginning {
        let (wants, heard) = mpsc::unbounded_channel();
        let given = if requester.is_modern { retry.responses } else { InputResponses::new() };
        let client = Client::new(requester.capabilities.clone(), wants.clone(), given);
        let asks =
            self.options.ask_client && requester.can_ask && shows_forms(&requester.capabilities);
        Beginning { call: self.next_id(), request, wants, heard, client, asks }
    }

    /// A call as work; `finish` makes of its result what the request is answered with.
    pub(crate) fn begin_call(
        &self,
        beginning: Beginning,
        (name, input): (&str, Value),
        catalog: impl Into<Arc<Catalog>>,
        finish: impl FnOnce(ToolResult) -> Done + Send + 'static,
    ) -> Work {
        let here = (self.options.clients.as_ref())
            .map(|clients| clients.enter(&beginning.call, beginning.client.clone()));
        let mut step = self.runtime.step_with(Arc::clone(&self.origin), catalog);
        if beginning.asks {
            step = step.with_delegate(Arc::new(AsksClient(beginning.wants.clone())));
        }
        let dispatch = step.dispatch(ToolCall::new(&*beginning.call, name, input));
        beginning.work(Box::pin(async move {
            let _here = here;
            finish(dispatch.await)
        }))
    }

    fn park(&self, work: Work, want: Want) -> Result<InputRequiredResult, Work> {
        self.rounds.park(work, want, &self.runtime, self.principal())
    }

    /// Goes on with some work until it is done, or the client is to do something.
    async fn rounds(&self, mut work: Work, requester: &Requester<'_>) -> Reply {
        let entered =
            requester.connection.calls.enter(requester.context.id.clone(), Arc::clone(&work.call));
        // A cancellation that came before the call was written down would otherwise be lost.
        if requester.context.ct.is_cancelled() {
            self.runtime.cancel(self.principal(), &work.call);
            return Reply::Done(Done::Gone, None);
        }
        loop {
            match self.round(&mut work, &entered, requester).await {
                Round::Done(done) => return Reply::Done(done, work.client.missing().cloned()),
                Round::Wants(want) => match self.park(work, want) {
                    Ok(asked) => return Reply::InputRequired(asked),
                    Err(back) => work = back,
                },
                Round::Long => match self.tasks.begin(work, self) {
                    Ok(task) => return Reply::Task(task),
                    Err(back) => {
                        work = *back;
                        let requester = Requester { tasks: false, ..requester.clone() };
                        return Box::pin(self.rounds(work, &requester)).await;
                    }
                },
            }
        }
    }

    async fn round(&self, work: &mut Work, entered: &Entered, requester: &Requester<'_>) -> Round {
        let mut told = requester.told(&self.runtime, self.principal(), &work.call);
        let mut asked = FuturesUnordered::new();
        let mut long = pin!(tokio::time::sleep(self.options.task_after));
        let mut cancels = false;
        let round = {
            let mut forwarding = pin!(async {
                if let Some(told) = &mut told {
                    told.forward().await;
                }
                std::future::pending::<()>().await;
            });
            loop {
                tokio::select! {
                    // The work first: a call exists, and can be canceled, from its first poll on.
                    biased;
                    done = &mut work.future => break Round::Done(done),
                    Some(want) = work.wants.recv() => {
                        if requester.is_modern {
                            break Round::Wants(want);
                        }
                        asked.push(requester.ask(want, &self.runtime, self.principal()));
                    }
                    Some(()) = asked.next(), if !asked.is_empty() => {}
                    () = entered.cancel.cancelled(), if !cancels => {
                        cancels = true;
                        self.runtime.cancel(self.principal(), &entered.call);
                    }
                    () = self.closing.cancelled() => {
                        self.runtime.cancel(self.principal(), &entered.call);
                        return Round::Done(Done::Gone);
                    }
                    () = &mut long, if requester.tasks => break Round::Long,
                    () = &mut forwarding => {}
                }
            }
        };
        if let (Some(told), Round::Done(_)) = (&mut told, &round) {
            told.finish().await;
        }
        round
    }

    /// Makes a call that asks nobody, and waits for it.
    pub(crate) async fn call_quietly(
        &self,
        name: &str,
        input: Value,
        catalog: Catalog,
    ) -> ToolResult {
        let step = self.runtime.step_with(Arc::clone(&self.origin), catalog);
        step.dispatch(ToolCall::new(&*self.next_id(), name, input)).await
    }

    /// Ends what waits for a person: the client that could have shown the question is gone.
    pub(crate) fn cancel_parked(&self) {
        for question in self.runtime.pending(self.principal()) {
            self.runtime.cancel(self.principal(), &question.call_id);
        }
    }
}
