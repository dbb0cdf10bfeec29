//! Tools of other servers by the names that these have for them. A user interface of such a server
//! knows no other name for the tools that it calls; models are told theirs.

use dogu_tool::{Source, ToolCall, ToolName};

use super::{Catalog, Item};
use crate::registry::Registry;

impl Catalog {
    /// The call by the name that its tool has here, where one server with user interfaces has a
    /// tool of the name that was called, and nobody else does.
    pub(super) fn by_name_here(&self, mut call: ToolCall, registry: &Registry) -> ToolCall {
        if self.items.contains_key(&call.name) || registry.snapshot().contains(&call.name) {
            return call;
        }
        let is_meant = |here: &str, item: &Item| {
            is_own(item, here, &call.name)
                && server_of(item).is_some_and(|server| self.has_interfaces(server))
        };
        let mut meant = self.items.iter().filter(|(here, item)| is_meant(here, item));
        if let (Some((here, _)), None) = (meant.next(), meant.next()) {
            call.notes.push(format!("{}: here this tool is called {here}", call.name));
            call.name.clone_from(here);
        }
        call
    }

    /// Whether a server has tools with user interfaces.
    fn has_interfaces(&self, server: &str) -> bool {
        let of_server = self.items.values().filter(|item| server_of(item) == Some(server));
        of_server.into_iter().any(|item| !item.spec().meta.is_empty())
    }
}

/// Whether a tool that is called `here` is called `own` by its server.
fn is_own(item: &Item, here: &str, own: &str) -> bool {
    let called = |server| ToolName::declared(server, own).is_ok_and(|name| name.as_str() == here);
    server_of(item).is_some_and(called)
}

fn server_of(item: &Item) -> Option<&str> {
    match item.entry()?.source() {
        Source::Mcp(server) => Some(server),
        _ => None,
    }
}
