//! Running programs within the grants of one call.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dogu_output::Kept;
use dogu_policy::facts::JudgedAction;
use dogu_tool::{
    Action, BoxFuture, Keep, OUTSIDE_SANDBOX, Principal, Process, ProcessInput, ProcessRequest,
    Processes, ToolError,
};

use super::confine::Wanted;
use super::running::Running;
use super::service::ProcessService;
use crate::context::Grants;
use crate::files::Roots;

/// How long what a call leaves behind may take to end.
const LEFT_BEHIND_GRACE: Duration = Duration::from_secs(2);

/// Programs, as far as one call was granted them.
pub(crate) struct Granted {
    pub(crate) service: Option<Arc<ProcessService>>,
    pub(crate) grants: Arc<Grants>,
    pub(crate) roots: Arc<Roots>,
    pub(crate) who: Principal,
    /// What ends with the call.
    pub(crate) started: Mutex<Vec<Arc<Running>>>,
}

impl Granted {
    /// Ends what was started by this call and may not outlive it.
    pub(crate) fn end(&self) {
        let started = std::mem::take(&mut *self.lock());
        for running in started.iter().filter(|running| !running.has_ended()) {
            running.stop(LEFT_BEHIND_GRACE);
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
            places: self.roots.places(),
            roots: &roots,
            cwd: &folder,
            facts: judged.command.as_ref(),
            granted: &granted,
            ports: &service.ports,
        };
        // The folder that was judged, not what its name means by now.
        let keep = request.keep.clone();
        let request = ProcessRequest { cwd: folder.clone(), ..request };
        let running = service.start(&self.who, request, &wanted).await?;
        if keep == Keep::No {
            self.lock().push(Arc::clone(&running));
        }
        Ok(running)
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
