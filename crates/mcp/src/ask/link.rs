//! From a call that runs to the client behind it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use dogu_runtime::{Answer, PermissionDelegate, Question};
use dogu_tool::{BoxFuture, ToolError};
use rmcp::model::{
    ClientCapabilities, ElicitRequest, ElicitRequestParams, InputRequest, InputRequests,
    InputResponses,
};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::form;
use super::want::{Inputs, Want};

/// The name under which a form is answered.
const FORM: &str = "form";

/// Puts dogu's questions to the client whose request made the call. The answer comes back through
/// the runtime, which has the question parked: a connection that goes away cancels nothing.
pub(crate) struct AsksClient(pub(crate) mpsc::UnboundedSender<Want>);

impl PermissionDelegate for AsksClient {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        // Where nobody listens any more the question waits for its deadline, or for somebody else.
        let _ = self.0.send(Want::Permission(Box::new(question.clone())));
        Box::pin(std::future::pending())
    }
}

/// Whether a client can show a form.
pub(crate) fn shows_forms(client: &ClientCapabilities) -> bool {
    // Before there were other kinds, the bare capability meant forms.
    client.elicitation.as_ref().is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// The clients behind the calls that are under way, for tools that want to know something in the
/// middle of their work. Clones share it; whoever serves has one of them
/// ([`ServeOptions::clients`](crate::ServeOptions)), the tool another.
#[derive(Clone, Default)]
pub struct Clients(Arc<Mutex<HashMap<Arc<str>, Client>>>);

impl Clients {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The client behind a call; none where it did not come over MCP, or has ended.
    pub fn of(&self, call_id: &str) -> Option<Client> {
        self.lock().get(call_id).cloned()
    }

    pub(crate) fn enter(&self, call: &Arc<str>, client: Client) -> Here {
        self.lock().insert(Arc::clone(call), client);
        Here { clients: self.clone(), call: Arc::clone(call) }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Client>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Clients {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Clients({})", self.lock().len())
    }
}

/// A client is known while its call is.
pub(crate) struct Here {
    clients: Clients,
    call: Arc<str>,
}

impl Drop for Here {
    fn drop(&mut self) {
        self.clients.lock().remove(&self.call);
    }
}

/// The client behind one call.
#[derive(Clone)]
pub struct Client {
    capabilities: Arc<ClientCapabilities>,
    wants: mpsc::UnboundedSender<Want>,
    /// What came with the request, for what had not been asked yet.
    given: Arc<Mutex<InputResponses>>,
    missing: Arc<OnceLock<ClientCapabilities>>,
}

impl Client {
    pub(crate) fn new(
        capabilities: ClientCapabilities,
        wants: mpsc::UnboundedSender<Want>,
        given: InputResponses,
    ) -> Self {
        let given = Arc::new(Mutex::new(given));
        Self { capabilities: Arc::new(capabilities), wants, given, missing: Arc::default() }
    }

    /// What the client says it can do.
    pub fn capabilities(&self) -> &ClientCapabilities {
        &self.capabilities
    }

    /// Asks, and waits for all answers. Each is under the name of its request, in the form in
    /// which the client gave it, and of the kind that was asked for.
    pub async fn ask(&self, requests: InputRequests) -> Result<InputResponses, ToolError> {
        for request in requests.values() {
            self.require(request)?;
        }
        let (answer, answered) = oneshot::channel();
        let mut inputs = Inputs { requests, given: InputResponses::new(), answer };
        let given = std::mem::take(&mut *self.given.lock().unwrap_or_else(PoisonError::into_inner));
        inputs.take(&given);
        if inputs.requests.is_empty() {
            return Ok(inputs.given);
        }
        let gone = || ToolError::failed("The client could not be asked.");
        self.wants.send(Want::Input(Box::new(inputs))).map_err(|_| gone())?;
        answered.await.map_err(|_| gone())
    }

    /// Shows a form with these fields, and gives what the client answered: an object with
    /// `action`, and `content` where the person filled it.
    pub async fn ask_form(&self, message: &str, schema: &Value) -> Result<Value, ToolError> {
        self.elicit(form::params(message.to_owned(), schema)).await
    }

    /// Asks the person to visit an address.
    pub async fn ask_to_visit(&self, message: &str, url: &str) -> Result<Value, ToolError> {
        let can = self.capabilities.elicitation.as_ref().is_some_and(|asks| asks.url.is_some());
        if !can {
            return Err(ToolError::failed("The client shows no addresses."));
        }
        self.elicit(form::visit(message, url)).await
    }

    async fn elicit(&self, params: ElicitRequestParams) -> Result<Value, ToolError> {
        let request = InputRequest::Elicitation(ElicitRequest::new(params));
        let mut said = self.ask(InputRequests::from([(FORM.to_owned(), request)])).await?;
        Ok(said.remove(FORM).unwrap_or_default())
    }

    /// Fails where the client knows no tasks: for a tool that always takes longer than a request
    /// may. The client is told what it lacks.
    pub fn require_tasks(&self) -> Result<(), ToolError> {
        if self.capabilities.supports_tasks() {
            return Ok(());
        }
        Err(self.lacks(ClientCapabilities::builder().enable_tasks().build()))
    }

    fn require(&self, request: &InputRequest) -> Result<(), ToolError> {
        match lacks(&self.capabilities, request) {
            Some(missing) => Err(self.lacks(missing)),
            None => Ok(()),
        }
    }

    fn lacks(&self, missing: ClientCapabilities) -> ToolError {
        let _ = self.missing.set(missing);
        ToolError::failed("The client cannot do what this tool needs of it.")
    }

    /// What a tool needed and the client cannot do.
    pub(crate) fn missing(&self) -> Option<&ClientCapabilities> {
        self.missing.get()
    }
}

/// The capability that a request needs and the client did not declare.
fn lacks(client: &ClientCapabilities, request: &InputRequest) -> Option<ClientCapabilities> {
    match request {
        InputRequest::Elicitation(_) => (!shows_forms(client))
            .then(|| ClientCapabilities::builder().enable_elicitation().build()),
        other => super::super::compat::lacks(client, other),
    }
}
