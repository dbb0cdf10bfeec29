//! What somebody offers besides tools.

use dogu_tool::BoxFuture;
use rmcp::ErrorData;
use rmcp::model::{
    GetPromptResult, JsonObject, Prompt, Reference, Resource, ResourceContents, ResourceTemplate,
};
use serde_json::Value;

use crate::ask::link::Client;

/// The text of a prompt, once it is there.
pub type PromptFuture = BoxFuture<'static, Result<GetPromptResult, ErrorData>>;

/// Resources, prompts and tools that somebody offers besides dogu's own. What is offered may change from
/// request to request.
pub trait Offers: Send + Sync {
    /// The resources that are listed.
    fn resources(&self) -> Vec<Resource> {
        Vec::new()
    }

    /// The templates that are listed.
    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// What a resource holds, for whoever asks; none where the address is not one of these.
    fn read(&self, uri: &str) -> Option<ResourceContents> {
        let _ = uri;
        None
    }

    /// The call that reads a resource, by its tool and input: judged, asked about and recorded
    /// like any other. None where the address is not one of these.
    fn read_by_call(&self, uri: &str) -> Option<(&'static str, Value)> {
        let _ = uri;
        None
    }

    /// The prompts that are listed.
    fn prompts(&self) -> Vec<Prompt> {
        Vec::new()
    }

    /// A prompt with its arguments filled in; none where the name is not one of these.
    fn prompt(&self, name: &str, arguments: &JsonObject, client: &Client) -> Option<PromptFuture> {
        let _ = (name, arguments, client);
        None
    }

    /// Brings a tool into the registry that is called and not there yet, where it is one of these.
    fn load<'a>(&'a self, tool: &'a str) -> BoxFuture<'a, ()> {
        let _ = tool;
        Box::pin(std::future::ready(()))
    }

    /// How an argument could go on; none where the reference is not one of these.
    fn complete(&self, reference: &Reference, argument: &str, value: &str) -> Option<Vec<String>> {
        let _ = (reference, argument, value);
        None
    }
}
