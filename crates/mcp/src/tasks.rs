//! Calls that take long, as tasks: the client gets a handle at once and asks for the rest when it
//! likes. Handles are random and each caller has its own; another's is not found.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use dogu_runtime::{EventKind, Heard, Listener, Runtime};
use dogu_tool::Principal;
use futures::future::join_all;
use rmcp::model::{CallToolResult, CreateTaskResult, InputResponses};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::ask::want::Want;
use crate::call::Caller;
use crate::rounds::{Done, Work};

/// How long a task is kept, and its result for as long again.
const KEPT: Duration = Duration::from_hours(1);
/// How often a client should ask.
const POLL: Duration = Duration::from_millis(500);
/// How many tasks of one caller are remembered; with more, calls are waited for.
const MAX_TASKS: usize = 1_000;
/// How often a question is put again whose answer did not fit.
const MAX_ASKED_AGAIN: usize = 5;

/// The tasks of one caller.
#[derive(Default)]
pub(crate) struct Tasks {
    pub(crate) manager: TaskManager,
    begun: Mutex<VecDeque<Instant>>,
}

impl Tasks {
    /// Makes a task of some work; gives it back where there are too many.
    pub(crate) fn begin(&self, work: Work, caller: &Caller) -> Result<CreateTaskResult, Box<Work>> {
        if !self.has_room() {
            return Err(Box::new(work));
        }
        let running = Running {
            listener: caller.runtime.listen(caller.principal()),
            runtime: caller.runtime.clone(),
            principal: caller.principal().clone(),
            closing: caller.closing.clone(),
            work: work.detached(),
            asked: 0,
        };
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let options = TaskOptions::new()
            .with_ttl_ms(milliseconds(KEPT))
            .with_poll_interval_ms(milliseconds(POLL));
        let task = self.manager.spawn(options, |context| Box::pin(running.run(context)));
        Ok(CreateTaskResult::new(task))
    }

    fn has_room(&self) -> bool {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        while begun.front().is_some_and(|at| now.duration_since(*at) > KEPT * 2) {
            begun.pop_front();
        }
        let room = begun.len() < MAX_TASKS;
        if room {
            begun.push_back(now);
        }
        room
    }
}

/// A call that goes on as a task.
struct Running {
    work: Work,
    runtime: Runtime,
    principal: Principal,
    listener: Listener,
    closing: CancellationToken,
    /// How often the client was asked: a name may be used once in the life of a task.
    asked: usize,
}

impl Running {
    async fn run(mut self, task: TaskContext) -> Result<CallToolResult, TaskExit> {
        let mut canceled = false;
        loop {
            tokio::select! {
                biased;
                done = &mut self.work.future => return self.exit(done),
                Some(want) = self.work.wants.recv() => {
                    if let Some(done) = self.ask(want, &task).await {
                        return self.exit(done);
                    }
                }
                () = task.cancelled(), if !canceled => {
                    canceled = true;
                    self.runtime.cancel(&self.principal, &self.work.call);
                }
                () = self.closing.cancelled() => {
                    self.runtime.cancel(&self.principal, &self.work.call);
                    return Err(TaskExit::Cancelled);
                }
                Some(heard) = self.listener.next() => self.tell(&heard, &task),
            }
        }
    }

    fn tell(&self, heard: &Heard, task: &TaskContext) {
        let Heard::Event(event) = heard else { return };
        if let EventKind::Progress { text, .. } = &event.kind
            && event.call_id == self.work.call
        {
            task.set_status_message(text.clone());
        }
    }

    fn exit(&self, done: Done) -> Result<CallToolResult, TaskExit> {
        match done {
            Done::Call(called) if !called.canceled => {
                let missing = self.work.client.missing().cloned();
                called.into_answer(missing).map_err(TaskExit::Error)
            }
            _ => Err(TaskExit::Cancelled),
        }
    }

    /// Puts all of a question to whoever follows the task, to be answered in any order; gives the
    /// end if the work comes to it first.
    async fn ask(&mut self, mut want: Want, task: &TaskContext) -> Option<Done> {
        for _ in 0..MAX_ASKED_AGAIN {
            let before = self.asked;
            self.asked += 1;
            let each = want.requests().into_iter().map(|(key, request)| async move {
                let name = if before == 0 { key.clone() } else { format!("{key}-{before}") };
                (key, task.request_input(name, request).await.unwrap_or(Value::Null))
            });
            let responses: InputResponses = tokio::select! {
                biased;
                done = &mut self.work.future => return Some(done),
                () = task.cancelled() => return None,
                () = self.closing.cancelled() => return None,
                responses = join_all(each) => responses.into_iter().collect(),
            };
            match want.answered(&responses, &self.runtime, &self.principal) {
                Ok(()) => return None,
                Err(back) => want = back,
            }
        }
        want.unasked(
            "the client's answers do not fit the question",
            &self.runtime,
            &self.principal,
        );
        None
    }
}
