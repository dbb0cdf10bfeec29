//! User interfaces of servers (MCP Apps): a tool names a `ui://` resource, and whoever shows the
//! tool's results to a person reads it. What it holds is for that renderer and for no model.
//!
//! Two servers may use one address for different things. So everybody but its own server knows
//! an interface by an address that has the server in it: `ui://mail/view` of the server `small` is
//! `ui://small/mail/view`.

use serde_json::{Map, Value, json};

use crate::clean::clean_value;
use crate::uri::{decoded, encoded};

/// What every address of an interface begins with.
const SCHEME: &str = "ui://";
/// The extension of the protocol.
const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// What an interface is.
pub const MIME: &str = "text/html;profile=mcp-app";
/// How long an address may be.
const MAX_ADDRESS: usize = 2_000;

/// What of a tool's `_meta` says where its interface is; the second is how it was written once.
const INTERFACE: &str = "ui";
const ADDRESS: &str = "resourceUri";
const ONCE: &str = "ui/resourceUri";

/// A user interface that a server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    /// Its address, which no other server's interface has.
    pub uri: String,
    /// The server.
    pub server: String,
    /// The tool that names it.
    pub tool: String,
}

/// What is declared to servers: results are shown by whoever can.
pub(crate) fn declared() -> (String, Map<String, Value>) {
    let settings = Map::from_iter([("mimeTypes".to_owned(), json!([MIME]))]);
    (EXTENSION.to_owned(), settings)
}

/// The address under which everybody but its server knows an interface; none where it is none.
pub(crate) fn address(server: &str, uri: &str) -> Option<String> {
    let rest = uri.strip_prefix(SCHEME).filter(|rest| !rest.is_empty())?;
    (uri.len() <= MAX_ADDRESS).then(|| format!("{SCHEME}{}/{rest}", encoded(server)))
}

/// The server of such an address, and what the interface is called there.
pub(crate) fn lookup(uri: &str) -> Option<(String, String)> {
    let (server, rest) = uri.strip_prefix(SCHEME)?.split_once('/')?;
    let server = decoded(server).filter(|server| !server.is_empty())?;
    let own = format!("{SCHEME}{rest}");
    // Each has one address, however else it could be written.
    (address(&server, &own).as_deref() == Some(uri)).then_some((server, own))
}

/// The interface that a tool names, as its server calls it.
pub(crate) fn named(meta: &Map<String, Value>) -> Option<&str> {
    let newer = meta.get(INTERFACE).and_then(|ui| ui.get(ADDRESS));
    let named = newer.or_else(|| meta.get(ONCE))?.as_str()?;
    named.starts_with(SCHEME).then_some(named)
}

/// Whether a tool is for its interface alone: no model is shown it.
pub(crate) fn is_for_apps_only(meta: &Map<String, Value>) -> bool {
    let seen_by = meta.get(INTERFACE).and_then(|ui| ui["visibility"].as_array());
    seen_by.is_some_and(|seen_by| seen_by.iter().all(|who| who != "model"))
}

/// A tool's `_meta` with addresses that no other server has. What is no address of an interface
/// leads nowhere, and is left out.
pub(crate) fn tool_meta(server: &str, meta: &Map<String, Value>) -> Map<String, Value> {
    let mut meta = meta.clone();
    let known = |uri: &Value| uri.as_str().and_then(|uri| address(server, uri));
    if let Some(ui) = meta.get_mut(INTERFACE).and_then(Value::as_object_mut)
        && let Some(uri) = ui.remove(ADDRESS).as_ref().and_then(known)
    {
        ui.insert(ADDRESS.to_owned(), uri.into());
    }
    if let Some(uri) = meta.remove(ONCE).as_ref().and_then(known) {
        meta.insert(ONCE.to_owned(), uri.into());
    }
    meta
}

/// What of a result's `_meta` is for an interface: all but what the protocol and dogu say in such
/// a place themselves.
pub(crate) fn result_meta(meta: Map<String, Value>) -> Map<String, Value> {
    let mut meta = Value::Object(meta);
    clean_value(&mut meta);
    let Value::Object(mut meta) = meta else { return Map::new() };
    meta.retain(|key, _| !is_reserved(key));
    meta
}

/// What of a resource's `_meta` says how its interface is to be shown.
pub(crate) fn resource_meta(meta: &Map<String, Value>) -> Map<String, Value> {
    let shown = meta.get(INTERFACE).map(|ui| (INTERFACE.to_owned(), ui.clone()));
    result_meta(shown.into_iter().collect())
}

/// Whether a text of this type is for a renderer, which needs it as it is.
pub(crate) fn is_rendered(mime_type: Option<&str>) -> bool {
    let kind = mime_type.unwrap_or(MIME).split(';').next().unwrap_or_default().trim();
    let kind = kind.to_ascii_lowercase();
    kind == "text/html" || kind.starts_with("application/vnd.mcp-ui")
}

fn is_reserved(key: &str) -> bool {
    let Some((prefix, _)) = key.split_once('/') else {
        return matches!(key, "progressToken" | "traceparent" | "tracestate" | "baggage");
    };
    let mut labels = prefix.split('.').map(str::to_ascii_lowercase);
    labels.any(|label| matches!(label.as_str(), "modelcontextprotocol" | "mcp" | "dogu"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn two_servers_with_one_address_are_two() {
        let (one, two) = (address("a", "ui://view").unwrap(), address("b", "ui://view").unwrap());
        assert_eq!((one.as_str(), two.as_str()), ("ui://a/view", "ui://b/view"));
        assert_eq!(lookup(&one), Some(("a".to_owned(), "ui://view".to_owned())));
        // A server cannot name an interface of another by how it writes its own.
        assert_eq!(address("a", "ui://b/view").unwrap(), "ui://a/b/view");
        assert_eq!(address("a/b", "ui://view").unwrap(), "ui://a%2Fb/view");
        for other in [
            "ui://",
            "ui://a",
            "ui://a/",
            "ui:///x",
            "UI://a/x",
            "http://a/x",
            "ui://%61/x",
            "ui://a%2fb/x",
            "ui://a%zz/x",
            "ui://a?b/x",
        ] {
            assert_eq!(lookup(other), None, "{other}");
        }
    }

    #[test]
    fn only_addresses_of_interfaces_are_listed_and_under_their_server() {
        let meta = object(&json!({
            "ui": {"resourceUri": "ui://v", "visibility": ["app"]}, "ui/resourceUri": "ui://v",
        }));
        assert_eq!(named(&meta), Some("ui://v"));
        assert!(is_for_apps_only(&meta));
        assert_eq!(
            Value::Object(tool_meta("s", &meta)),
            json!({"ui": {"resourceUri": "ui://s/v", "visibility": ["app"]},
                   "ui/resourceUri": "ui://s/v"})
        );
        for wrong in
            [json!("file:///etc/passwd"), json!("ui://"), json!(5), json!("x".repeat(9_000))]
        {
            let meta = object(&json!({"ui": {"resourceUri": wrong, "visibility": ["model"]}}));
            assert_eq!(
                (named(&meta).filter(|uri| *uri != "ui://"), is_for_apps_only(&meta)),
                (None, false)
            );
            let listed = Value::Object(tool_meta("s", &meta));
            assert_eq!(listed, json!({"ui": {"visibility": ["model"]}}));
        }
    }

    #[test]
    fn what_the_protocol_and_dogu_say_is_not_said_by_a_server() {
        let meta = object(&json!({
            "viewUUID": "x\u{200b}y", "acme.com/state": {"a\u{202e}": 1}, "ui": {"csp": {}},
            "io.modelcontextprotocol/serverInfo": 1, "IO.ModelContextProtocol/x": 1, "mcp/x": 1,
            "dev.mcp.tools/x": 1, "io.model\u{200b}contextprotocol/related-task": 1,
            "dogu/next": "file:///etc/passwd", "progressToken": 1, "traceparent": "x",
        }));
        assert_eq!(
            Value::Object(result_meta(meta)),
            json!({"viewUUID": "xy", "acme.com/state": {"a": 1}, "ui": {"csp": {}}})
        );
    }

    #[test]
    fn what_is_rendered_is_told_by_its_type() {
        for mime in [Some(MIME), Some("text/html"), Some("TEXT/HTML; charset=utf-8"), None] {
            assert!(is_rendered(mime), "{mime:?}");
        }
        for mime in ["text/plain", "text/htmlx", "application/json", ""] {
            assert!(!is_rendered(Some(mime)), "{mime}");
        }
    }

    proptest! {
        #[test]
        fn an_address_leads_back_to_its_server_alone(server in ".{1,20}", rest in ".{1,40}") {
            let own = format!("ui://{rest}");
            let shown = address(&server, &own).unwrap();
            prop_assert_eq!(lookup(&shown), Some((server, own)));
        }
    }
}
