//! Running programs within the grants of one call.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dogu_output::Kept;
use dogu_policy::facts::JudgedAction;
use dogu_tool::{
    Action, BoxFuture, CancelFlag, Keep, OUTSIDE_SANDBOX, Principal, Process, ProcessInput,
    ProcessRequest, Processes, ToolError,
};

use super::confine::Wanted;
use super::running::Running;
use super::seen::{Beside, Seen, Watched};
use super::service::ProcessService;
use crate::context::Grants;
use crate::files::Roots;
use crate::journal::{ChangedBy, Journal};

/// How long the workspace is looked at before a command.
const WATCH_LIMIT: Duration = Duration::from_millis(300);
/// How long what a call leaves behind may take to end.
const LEFT_BEHIND_GRACE: Duration = Duration::from_secs(2);

/// Programs, as far as one call was granted them.
pub(crate) struct Granted {
    pub(crate) service: Option<Arc<ProcessService>>,
    pub(crate) grants: Arc<Grants>,
    pub(crate) roots: Arc<Roots>,
    pub(crate) who: Principal,
    /// Where changes are kept, and by whom it says that they were made.
    pub(crate) journal: Option<(Arc<Journal>, ChangedBy)>,
    pub(crate) cancel: CancelFlag,
    /// What ends with the call.
    pub(crate) started: Mutex<Vec<Arc<Running>>>,
}

impl Granted {
    /// Ends what was started by this call and may not outlive it.
    pub(crate) fn end(&self) {
        let started = std::mem::take(&mut *self.lock());
        for running in started {
            if !running.has_ended() {
                running.stop(LEFT_BEHIND_GRACE);
            }
            if running.is_watched()
                && let Ok(tokio) = tokio::runtime::Handle::try_current()
            {
                // A canceled command has changed files too.
                tokio.spawn(async move {
                    running.ended().await;
                    running.changes().await;
                });
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Running>>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn service(&self) -> Result<&Arc<ProcessService>, ToolError> {
        self.service.as_ref().ok_or_else(|| ToolError::failed("this runtime cannot run programs"))
    }

    async fn start_granted(&self, request: ProcessRequest) -> Result<Arc<dyn Process>, ToolError> {
        let service = self.service()?;
        let execute = Action::Execute {
            command: request.command.clone(),
            cwd: request.cwd.clone(),
            terminal: request.input == ProcessInput::Terminal,
        };
        let judged = self.grants.find(&execute)?;
        let granted = self.admitted_for(&request);
        let folder = judged.path.as_ref().map_or(&request.cwd, |facts| &facts.real).clone();
        let roots: Vec<PathBuf> = self.roots.real_paths().map(ToOwned::to_owned).collect();
        let wanted = Wanted {
            settings: &service.sandbox,
            profiles: &service.profiles,
            places: self.roots.places(),
            roots: &roots,
            cwd: &folder,
            facts: judged.command.as_ref(),
            granted: &granted,
            ports: &service.closed_ports(),
        };
        // The folder that was judged, not what its name means by now.
        let keep = request.keep.clone();
        let request = ProcessRequest { cwd: folder.clone(), ..request };
        let running =
            service.start(&self.who, request, &wanted, async |keep| self.look(keep).await).await?;
        if keep == Keep::No {
            self.lock().push(Arc::clone(&running));
        }
        Ok(running)
    }

    /// Looks at the workspace before a command: stores what it could change, as far as that is not
    /// stored; beside one that runs on for hours only what steers others is looked for.
    async fn look(&self, keep: Keep) -> Seen {
        let (roots, cancel) = (Arc::clone(&self.roots), self.cancel.clone());
        let journal = self.journal.clone().filter(|_| keep == Keep::No);
        let looked = tokio::task::spawn_blocking(move || match journal {
            Some((journal, by)) => journal
                .watch_before(&roots, WATCH_LIMIT, &cancel)
                .map(|before| Seen::Watched(Box::new(Watched { before, by, roots }))),
            None => Beside::begin(roots, WATCH_LIMIT, &cancel).map(Seen::Beside),
        });
        match looked.await {
            Ok(Ok(seen)) => seen,
            Ok(Err(error)) => {
                tracing::warn!(target: "dogu", %error, "the changes of a command are not seen");
                Seen::Nothing
            }
            Err(_) => Seen::Nothing,
        }
    }

    /// What was granted, without the way out of the sandbox where it was not asked for.
    fn admitted_for(&self, request: &ProcessRequest) -> Vec<JudgedAction> {
        let mut admitted = self.grants.admitted();
        if !request.outside {
            admitted.retain(|judged| {
                !matches!(&judged.action, Action::Custom { name, .. } if name == OUTSIDE_SANDBOX)
            });
        }
        admitted
    }
}

impl Processes for Granted {
    fn start(&self, request: ProcessRequest) -> BoxFuture<'_, Result<Arc<dyn Process>, ToolError>> {
        Box::pin(self.start_granted(request))
    }

    fn kept(&self) -> Vec<Arc<dyn Process>> {
        let Some(service) = &self.service else { return Vec::new() };
        service
            .table
            .kept(&self.who)
            .into_iter()
            .map(|running| running as Arc<dyn Process>)
            .collect()
    }

    fn find(&self, id: &str) -> Result<Arc<dyn Process>, ToolError> {
        Ok(self.service()?.table.find(&self.who, id)?)
    }

    fn output(&self, id: &str) -> Result<Kept, ToolError> {
        let service = self.service()?;
        match service.table.find(&self.who, id) {
            Ok(running) => Ok(running.log().snapshot()),
            Err(_) => service.outputs.open(&self.who, id),
        }
    }
}
