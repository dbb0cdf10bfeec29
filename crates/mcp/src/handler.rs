//! The methods that a client can call.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dogu_runtime::Catalog;
use dogu_tool::ToolSpec;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams,
    CancelledNotificationParam, ClientRequest, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode, GetMeta as _, GetPromptRequestParams,
    GetPromptResponse, GetTaskParams, GetTaskResult, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, RequestId, ServerConfig,
    ServerResult, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
    UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, Peer, RoleServer, ServerHandler};
use serde_json::Value;

use crate::call::{Caller, Reply};
use crate::compat::SetLevel;
use crate::connection::{Connection, Requester};
use crate::list::{self, Listing};
use crate::rounds::{Called, Done, Retry, digest};
use crate::{announce, library};

/// Methods that are known but were sent with params that do not fit them.
const KNOWN_METHODS: [&str; 14] = [
    "initialize",
    "tools/list",
    "tools/call",
    "server/discover",
    "subscriptions/listen",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];

/// How many streams of announcements one principal may have open: each keeps a connection, of
/// which there are not enough for everybody without end.
const MAX_STREAMS: usize = 256;

/// How long a look for a call that is about to begin rests.
const ABOUT_TO_BEGIN: Duration = Duration::from_millis(1);

/// How a request is best served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// It waits for others and blocks nobody.
    Waiting,
    /// It may block, and its client wants to hear of it before its end.
    Heard,
    /// It may block, and is of no interest before its end.
    Alone,
}

/// Serves one connection of one principal.
pub(crate) struct Handler {
    pub(crate) caller: Arc<Caller>,
    config: Arc<ServerConfig>,
    connection: Connection,
    /// Which of the tools that were found the client was told of.
    shown: AtomicU64,
}

impl Handler {
    pub(crate) fn new(caller: Arc<Caller>, config: Arc<ServerConfig>) -> Self {
        let shown = AtomicU64::new(caller.runtime.shown_version(caller.principal()));
        Self { caller, config, connection: Connection::default(), shown }
    }

    fn listing(&self, version: &ProtocolVersion) -> Listing {
        Listing::new(self.caller.runtime.settings().limits.result_bytes, version)
    }

    async fn call(
        &self,
        name: &str,
        input: Value,
        retry: Retry,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let requester = Requester::of(&self.connection, context);
        let catalog = self.catalog_with(name).await;
        let structured = requester.version >= ProtocolVersion::V_2025_06_18
            && list::promises_structure(&catalog, name);
        let request = digest("tools/call", name, Some(&input));
        let reply = self.caller.serve(request, retry, &requester, |beginning| {
            let finish = move |result| Done::Call(Called::new(result, structured));
            self.caller.begin_call(beginning, (name, input), catalog, finish)
        });
        let reply = reply.await?;
        self.announce_found(&requester).await;
        match reply {
            Reply::InputRequired(asked) => Ok(asked.into()),
            Reply::Task(task) => Ok(task.into()),
            Reply::Done(Done::Call(called), missing) => {
                let missing = missing.filter(|_| requester.is_modern);
                called.into_answer(missing).map(Into::into)
            }
            Reply::Done(..) => Err(ended()),
        }
    }

    /// The catalog at the arrival of a request, with the tool that it calls: who remembers a name
    /// from an earlier session need not ask for the list first.
    async fn catalog_with(&self, name: &str) -> Arc<Catalog> {
        let catalog = self.callable(name);
        if catalog.contains(name) {
            return catalog;
        }
        for offers in &self.caller.options.offers {
            tokio::select! {
                () = offers.load(name) => {}
                () = self.caller.closing.cancelled() => {}
            }
        }
        self.callable(name)
    }

    /// The catalog, with this tool where it is one for a user interface alone.
    fn callable(&self, name: &str) -> Arc<Catalog> {
        let offered = self.caller.runtime.offered();
        if offered.contains(name) {
            return offered;
        }
        let mut catalog = Catalog::clone(&offered);
        self.add_app_tools(&mut catalog, |spec| spec.name.as_str() == name);
        Arc::new(catalog)
    }

    /// How a request is best served.
    pub(crate) fn way_of(&self, request: &ClientRequest) -> Way {
        let ClientRequest::CallToolRequest(call) = request else { return Way::Heard };
        let offered = self.caller.runtime.offered();
        if offered.spec(&call.params.name).is_some_and(|spec| spec.non_blocking) {
            return Way::Waiting;
        }
        let meta = request.get_meta();
        let tasks = meta.client_capabilities().is_some_and(|client| client.supports_tasks());
        let hears = meta.get_progress_token().is_some() || self.connection.level.of(meta).is_some();
        if tasks || hears { Way::Heard } else { Way::Alone }
    }

    /// Stops the call of a request, whatever the thread does on which it runs.
    pub(crate) async fn stop(&self, request: &RequestId) {
        // A call that is written down may be about to begin.
        while self.connection.calls.of(request).is_some() && !self.stop_now(request) {
            tokio::time::sleep(ABOUT_TO_BEGIN).await;
        }
    }

    /// Stops the call of a request that has begun; whether there is one.
    pub(crate) fn stop_now(&self, request: &RequestId) -> bool {
        let call = self.connection.calls.of(request);
        call.is_some_and(|call| self.caller.runtime.cancel(self.caller.principal(), &call))
    }

    /// Waits for the end of a request's call, and gives its answer; none where there is no call.
    pub(crate) async fn end_of(
        &self,
        request: &RequestId,
        peer: &Peer<RoleServer>,
    ) -> Option<Result<ServerResult, ErrorData>> {
        let call = self.connection.calls.of(request)?;
        let result = self.caller.runtime.attach(self.caller.principal(), &call).await?;
        // Who was not greeted speaks the newest.
        let greeted = peer.peer_info().map(|info| info.protocol_version.clone());
        let version = greeted.unwrap_or(ProtocolVersion::V_2026_07_28);
        let structured = version >= ProtocolVersion::V_2025_06_18
            && list::promises_structure(&self.caller.runtime.offered(), &result.tool_name);
        let answer = Called::new(result, structured).into_answer(None);
        Some(answer.map(|answer| {
            let mut answer = ServerResult::CallToolResult(answer);
            if version < ProtocolVersion::V_2026_07_28 {
                answer.strip_result_type_for_legacy_peer();
            }
            answer
        }))
    }

    fn add_app_tools(&self, catalog: &mut Catalog, is_wanted: impl Fn(&ToolSpec) -> bool) {
        let settings = self.caller.runtime.settings();
        let is_off = |spec: &ToolSpec| {
            settings.tool(spec.name.as_str()).is_some_and(|settings| !settings.enabled)
        };
        for entry in self.caller.runtime.registry().snapshot().all() {
            let spec = entry.spec();
            if list::is_for_apps_only(spec) && is_wanted(spec) && !is_off(spec) {
                catalog.add(entry);
            }
        }
    }

    /// What the client is shown: in the older eras what it found too, in the newest what no earlier
    /// request has changed.
    fn offered(&self, version: &ProtocolVersion) -> Catalog {
        let mut catalog = if *version >= ProtocolVersion::V_2026_07_28 {
            self.caller.runtime.catalog()
        } else {
            self.caller.runtime.catalog_for(self.caller.principal())
        };
        self.add_app_tools(&mut catalog, |_| true);
        catalog
    }

    /// Says that the list has changed, where a call found tools.
    async fn announce_found(&self, requester: &Requester<'_>) {
        let now = self.caller.runtime.shown_version(self.caller.principal());
        if self.shown.swap(now, Ordering::SeqCst) != now && !requester.is_modern {
            // A client that is gone needs no list.
            let _ = requester.context.peer.notify_tool_list_changed().await;
        }
    }

    /// Params that rmcp could not read. Arguments of a wrong kind are the model's to mend, so they
    /// go the way of every call; the rest is the client's mistake.
    async fn call_loosely(
        &self,
        params: Option<Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let unfit = || ErrorData::invalid_params("tools/call needs params with a name", None);
        let mut params: JsonObject = match params {
            Some(Value::Object(params)) => params,
            _ => return Err(unfit()),
        };
        let name = params.get("name").and_then(Value::as_str).ok_or_else(unfit)?.to_owned();
        let retried = |key: &str| params.get(key).is_some_and(|value| !value.is_null());
        if retried("inputResponses") || retried("requestState") {
            return Err(ErrorData::invalid_params(
                "what was asked is answered in another form",
                None,
            ));
        }
        let input = params.remove("arguments").unwrap_or_else(|| Value::Object(JsonObject::new()));
        let answer = self.call(&name, input, Retry::default(), context).await?;
        let mut answer = match answer {
            CallToolResponse::Complete(answer) => serde_json::to_value(answer),
            CallToolResponse::InputRequired(asked) => serde_json::to_value(asked),
            CallToolResponse::Task(task) => serde_json::to_value(task),
            _ => return Err(ended()),
        }
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        // rmcp does this for the answers that it knows.
        let modern = context.protocol_version().is_some_and(|v| v >= ProtocolVersion::V_2026_07_28);
        if let Some(answer) = answer.as_object_mut().filter(|_| !modern) {
            answer.remove("resultType");
        }
        Ok(CustomResult::new(answer))
    }
}

fn too_many_streams() -> ErrorData {
    let words = format!("there are already {MAX_STREAMS} streams of announcements");
    ErrorData::invalid_request(words, None)
}

/// The answer to what the end of the server overtook.
pub(crate) fn ended() -> ErrorData {
    ErrorData::internal_error("the server ends", None)
}

/// There is one page, so no cursor was ever given out.
fn only_page(page: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    if page.is_some_and(|page| page.cursor.is_some()) {
        return Err(ErrorData::invalid_params("there is no such cursor", None));
    }
    Ok(())
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        (*self.config).clone()
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        only_page(page)?;
        let version = context.protocol_version().unwrap_or_default();
        let tools = list::tools(&self.offered(&version), self.listing(&version));
        let mut answer = ListToolsResult::with_all_items(tools);
        // Changes are announced; what is offered may depend on who asks.
        (answer.ttl_ms, answer.cache_scope) = (Some(0), Some(CacheScope::Private));
        Ok(answer)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let catalog = self.callable(name);
        let listing = self.listing(&ProtocolVersion::LATEST);
        catalog.spec(name).map(|spec| list::tool(&catalog, spec, listing))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let input = Value::Object(request.arguments.unwrap_or_default());
        let retry = Retry::new(request.input_responses, request.request_state);
        self.call(&request.name, input, retry, &context).await
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        library::resources(&self.caller, page.and_then(|page| page.cursor).as_deref())
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        only_page(page)?;
        Ok(library::templates(&self.caller))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let requester = Requester { tasks: false, ..Requester::of(&self.connection, &context) };
        library::read(&self.caller, request, &requester).await
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        only_page(page)?;
        Ok(library::prompts(&self.caller))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let requester = Requester { tasks: false, ..Requester::of(&self.connection, &context) };
        library::prompt(&self.caller, request, &requester).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        library::complete(&self.caller, request).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.caller.tasks.manager.get_task(&request.task_id).map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.caller.tasks.manager.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.caller.tasks.manager.cancel_task(&request.task_id)
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        _: NotificationContext<RoleServer>,
    ) {
        if let Some(request) = &notification.request_id {
            self.connection.calls.cancel(request);
            self.stop(request).await;
        }
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let changes = self.caller.runtime.registry().changes();
        tokio::spawn(announce::to_peer(context.peer, changes, self.connection.gone.clone()));
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut filter = SubscriptionFilter::new();
        filter.tools_list_changed = Some(true);
        Some(filter)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let before = self.caller.listening.fetch_add(1, Ordering::SeqCst);
        if before < MAX_STREAMS {
            let changes = self.caller.runtime.registry().changes();
            announce::to_stream(&context, changes, &self.caller.closing).await;
        }
        self.caller.listening.fetch_sub(1, Ordering::SeqCst);
        if before < MAX_STREAMS { Ok(()) } else { Err(too_many_streams()) }
    }

    async fn set_level(
        &self,
        request: SetLevel,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.caller.options.compat {
            return Err(ErrorData::method_not_found::<rmcp::model::SetLevelRequestMethod>());
        }
        self.connection.level.set(&request);
        Ok(())
    }

    /// Nothing that is offered changes in a way that could be announced.
    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.caller.options.compat {
            return Err(ErrorData::method_not_found::<rmcp::model::SubscribeRequestMethod>());
        }
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.caller.options.compat {
            return Err(ErrorData::method_not_found::<rmcp::model::UnsubscribeRequestMethod>());
        }
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let modern = context.protocol_version().is_some_and(|v| v >= ProtocolVersion::V_2026_07_28);
        match request.method.as_str() {
            "tools/call" => self.call_loosely(request.params, &context).await,
            // The newest revision has no such method.
            known if KNOWN_METHODS.contains(&known) && !(modern && known == "initialize") => {
                Err(ErrorData::invalid_params(format!("the params of {known} do not fit it"), None))
            }
            unknown => {
                let shown = dogu_tool::text::truncate_marked(unknown, 100);
                let message = format!("Method not found: {shown}");
                Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
            }
        }
    }
}
