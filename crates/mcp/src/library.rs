//! Resources, prompts and completion: dogu's own, and what others offer.

use dogu_tool::Principal;
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, CompleteRequestParams, CompleteResult, GetPromptRequestParams, GetPromptResponse,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Reference,
};
use serde_json::{Value, json};

use crate::call::{Caller, Reply};
use crate::complete::{self, Written};
use crate::connection::Requester;
use crate::handler::ended;
use crate::resources::{self, Target};
use crate::rounds::{Done, Retry, digest};

/// How long a list may be kept, in milliseconds: nobody is told of a change.
const LIST_TTL: u64 = 5_000;

/// A page of what can be read.
pub(crate) fn resources(
    caller: &Caller,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let who: &Principal = caller.principal();
    let (mut page, next) = resources::outputs(&caller.runtime, who, cursor)?;
    if cursor.is_none() {
        let offered = caller.options.offers.iter().flat_map(|offers| offers.resources());
        page.splice(0..0, offered);
    }
    let mut answer = ListResourcesResult::with_all_items(page);
    answer.next_cursor = next;
    (answer.ttl_ms, answer.cache_scope) = (Some(0), Some(CacheScope::Private));
    Ok(answer)
}

/// What can be read by filling in a name.
pub(crate) fn templates(caller: &Caller) -> ListResourceTemplatesResult {
    let mut all = resources::templates(&caller.runtime);
    all.extend(caller.options.offers.iter().flat_map(|offers| offers.templates()));
    let mut answer = ListResourceTemplatesResult::with_all_items(all);
    (answer.ttl_ms, answer.cache_scope) = (Some(LIST_TTL), Some(CacheScope::Private));
    answer
}

/// Reads a resource. What is not dogu's own is read as a call reads it: judged, asked about,
/// recorded.
pub(crate) async fn read(
    caller: &Caller,
    request: ReadResourceRequestParams,
    requester: &Requester<'_>,
) -> Result<ReadResourceResponse, ErrorData> {
    let uri = request.uri;
    if let Some(contents) = caller.options.offers.iter().find_map(|offers| offers.read(&uri)) {
        let mut answer = ReadResourceResult::new(vec![contents]);
        (answer.ttl_ms, answer.cache_scope) = (Some(0), Some(CacheScope::Private));
        return Ok(answer.into());
    }
    let unknown = || {
        let data = Some(json!({ "uri": uri }));
        ErrorData::resource_not_found("there is no such resource", data)
    };
    let asked = uri.clone();
    let foreign = caller.options.offers.iter().find_map(|offers| offers.read_by_call(&uri));
    let (tool, input, target) = match (foreign, Target::parse(&uri)) {
        (Some((tool, input)), _) => (tool, input, None),
        (None, Some(Target::Output { id, offset })) => {
            let (runtime, who) = (&caller.runtime, caller.principal());
            let page = resources::read_output((&id, offset), &uri, runtime, who);
            return page.map(Into::into).ok_or_else(unknown);
        }
        (None, Some(Target::File { path, offset })) => {
            let input = resources::input(&path, offset, &caller.runtime);
            (resources::READ, input, Some(Target::File { path, offset }))
        }
        (None, None) => return Err(unknown()),
    };
    let retry = Retry::new(request.input_responses, request.request_state);
    let catalog = resources::only(&caller.runtime, tool);
    let reply = caller.serve(digest("resources/read", &uri, None), retry, requester, |beginning| {
        let finish = move |result| {
            Done::Resource(match &target {
                Some(target) => resources::answer(target, &asked, result),
                None => resources::foreign(&asked, &result),
            })
        };
        caller.begin_call(beginning, (tool, input), catalog, finish)
    });
    match reply.await? {
        Reply::Done(Done::Resource(answer), _) => answer.map(Into::into),
        Reply::InputRequired(asked) => Ok(asked.into()),
        _ => Err(ended()),
    }
}

/// The prompts.
pub(crate) fn prompts(caller: &Caller) -> ListPromptsResult {
    let all = caller.options.offers.iter().flat_map(|offers| offers.prompts()).collect();
    let mut answer = ListPromptsResult::with_all_items(all);
    (answer.ttl_ms, answer.cache_scope) = (Some(LIST_TTL), Some(CacheScope::Private));
    answer
}

/// A prompt with its arguments filled in.
pub(crate) async fn prompt(
    caller: &Caller,
    request: GetPromptRequestParams,
    requester: &Requester<'_>,
) -> Result<GetPromptResponse, ErrorData> {
    let arguments = request.arguments.unwrap_or_default();
    let known = Value::Object(arguments.clone());
    let asked = digest("prompts/get", &request.name, Some(&known));
    let retry = Retry::new(request.input_responses, request.request_state);
    let name = request.name.as_str();
    let reply = caller.serve(asked, retry, requester, |beginning| {
        let mut offers = caller.options.offers.iter();
        let found = offers.find_map(|offers| offers.prompt(name, &arguments, &beginning.client));
        let unknown = Err(ErrorData::invalid_params("there is no such prompt", None));
        beginning.work(match found {
            Some(prompt) => Box::pin(async { Done::Prompt(prompt.await) }),
            None => Box::pin(std::future::ready(Done::Prompt(unknown))),
        })
    });
    match reply.await? {
        Reply::Done(Done::Prompt(answer), _) => answer.map(Into::into),
        Reply::InputRequired(asked) => Ok(asked.into()),
        _ => Err(ended()),
    }
}

/// How an argument could go on: as whoever offers it says, else as a path of the workspace.
pub(crate) async fn complete(
    caller: &Caller,
    request: CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let (reference, argument) = (&request.r#ref, &request.argument);
    let offers = &caller.options.offers;
    let offered = |offers: &std::sync::Arc<dyn crate::Offers>| {
        offers.complete(reference, &argument.name, &argument.value)
    };
    if let Some(values) = offers.iter().find_map(offered) {
        let total = values.len();
        return Ok(complete::answer(values, total));
    }
    let scope = caller.runtime.scope();
    let root = match reference {
        Reference::Prompt(prompt) => {
            let known = offers.iter().any(|o| o.prompts().iter().any(|p| p.name == prompt.name));
            known.then(|| scope.workdir().to_path_buf())
        }
        Reference::Resource(resource) => {
            let named = |root: &&std::path::PathBuf| {
                root.to_str().is_some_and(|root| resources::file_template(root) == resource.uri)
            };
            scope.roots().iter().find(named).cloned()
        }
        _ => None,
    };
    let unknown = || ErrorData::invalid_params("there is nothing of this name to complete", None);
    let root = match root {
        Some(root) => root,
        None if is_other_template(caller, reference) => return Ok(complete::answer(Vec::new(), 0)),
        None => return Err(unknown()),
    };
    let written = Written::new(&argument.value);
    let catalog = resources::only(&caller.runtime, resources::COMPLETE);
    let result = caller.call_quietly(resources::COMPLETE, written.input(&root), catalog).await;
    Ok(written.answer(&result))
}

/// A template that is listed and has nothing to complete.
fn is_other_template(caller: &Caller, reference: &Reference) -> bool {
    let Reference::Resource(resource) = reference else { return false };
    let own = templates(caller).resource_templates;
    own.iter().any(|template| template.uri_template == resource.uri)
}
