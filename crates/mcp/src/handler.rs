//! The methods that a client can call. Tools, and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelledNotificationParam, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, CustomRequest, CustomResult, ErrorCode, JsonObject,
    ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesRequestMethod,
    ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use crate::call::Caller;
use crate::calls::Calls;
use crate::{content, list};

/// Methods that are known but were sent with params that do not fit them.
const KNOWN_METHODS: [&str; 5] =
    ["initialize", "tools/list", "tools/call", "server/discover", "subscriptions/listen"];

/// Serves one connection of one principal.
pub(crate) struct Handler {
    caller: Arc<Caller>,
    config: Arc<ServerConfig>,
    calls: Calls,
    /// Which of the tools that were found the client knows of.
    shown: AtomicU64,
}

impl Handler {
    pub(crate) fn new(caller: Arc<Caller>, config: Arc<ServerConfig>) -> Self {
        let shown = AtomicU64::new(caller.runtime.shown_version(caller.principal()));
        Self { caller, config, calls: Calls::default(), shown }
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
        let input = params.remove("arguments").unwrap_or_else(|| Value::Object(JsonObject::new()));
        let result = self.caller.call(&name, input, &self.calls, context).await;
        self.announce(context).await;
        let mut answer = content::answer(result)?;
        // rmcp does this for the answers that it knows.
        let modern = is_modern(context);
        answer.result_type = answer.result_type.filter(|_| modern);
        let answer = serde_json::to_value(answer)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(CustomResult::new(answer))
    }
}

impl Handler {
    /// Says that the list has changed, where the call that ended found tools. In the newest era
    /// the list depends on no earlier request.
    async fn announce(&self, context: &RequestContext<RoleServer>) {
        let now = self.caller.runtime.shown_version(self.caller.principal());
        if self.shown.swap(now, Ordering::SeqCst) != now && !is_modern(context) {
            // A client that is gone needs no list.
            let _ = context.peer.notify_tool_list_changed().await;
        }
    }
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
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
        // There is one page, so no cursor was ever given out.
        if page.is_some_and(|page| page.cursor.is_some()) {
            return Err(ErrorData::invalid_params("there is no such cursor", None));
        }
        let catalog = self.caller.offered(is_modern(&context));
        Ok(ListToolsResult::with_all_items(list::tools(&catalog)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let catalog = self.caller.runtime.catalog();
        catalog.spec(name).map(|spec| list::tool(&catalog, spec))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let input = Value::Object(request.arguments.unwrap_or_default());
        let result = self.caller.call(&request.name, input, &self.calls, &context).await;
        self.announce(&context).await;
        content::answer(result).map(Into::into)
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        _: NotificationContext<RoleServer>,
    ) {
        if let Some(request) = &notification.request_id {
            self.calls.cancel(request);
        }
    }

    /// Nothing is announced yet, but clients keep such a stream open all the time.
    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::new())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.caller.listening.fetch_add(1, Ordering::SeqCst);
        tokio::select! {
            () = context.cancelled() => {}
            () = self.caller.closing.cancelled() => {}
        }
        self.caller.listening.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        match request.method.as_str() {
            "tools/call" => self.call_loosely(request.params, &context).await,
            known if KNOWN_METHODS.contains(&known) => {
                Err(ErrorData::invalid_params(format!("the params of {known} do not fit it"), None))
            }
            unknown => {
                let shown = dogu_tool::text::truncate_marked(unknown, 100);
                let message = format!("Method not found: {shown}");
                Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
            }
        }
    }

    // What was not announced does not exist; rmcp would answer these with empty lists.

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }
}
