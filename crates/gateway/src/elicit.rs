//! Questions that a server has for the person.
//!
//! They are shown under the server's name and have nothing to do with dogu's own questions about
//! calls: those are parked elsewhere, and what is answered here never reaches them.

use dogu_tool::BoxFuture;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::Value;

use crate::clean::{clean_value, cleaned, cut};

/// How many characters of a question are shown.
const MAX_MESSAGE: usize = 4_000;
/// How long an address may be.
const MAX_URL: usize = 4_000;

/// What a server asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Elicitation {
    /// The server's name in the settings: whoever shows the question shows it, too.
    pub server: String,
    /// What it says, cleaned. Nobody has checked that.
    pub message: String,
    /// What it wants.
    pub wants: Wants,
    /// The call that it belongs to. Over a pipe that is known where only one is under way at that
    /// server, over HTTP and since 2026-07-28 always.
    pub call: Option<String>,
}

/// What a server wants of a person.
#[derive(Clone, Debug, PartialEq)]
pub enum Wants {
    /// Values, by this JSON Schema of an object with plain properties.
    Values(Value),
    /// A visit to this address. It is shown whole, and never fetched by dogu.
    Visit(String),
}

/// What a person says.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// These values, or that the address was visited.
    Accept(Value),
    /// No.
    Decline,
    /// Not now: the person closed the question.
    Cancel,
}

/// Who shows a server's questions to a person: a terminal, a client of dogu's own server.
pub trait Elicitor: Send + Sync {
    /// Shows the question and waits for the answer.
    fn elicit<'a>(&'a self, question: &'a Elicitation) -> BoxFuture<'a, Reply>;
}

/// A question as a person may see it; none where it is none.
pub(crate) fn question(server: &str, params: &ElicitRequestParams) -> Option<Elicitation> {
    let message = |text: &str| cut(&cleaned(text), MAX_MESSAGE).into_owned();
    let (message, wants) = match params {
        ElicitRequestParams::FormElicitationParams { message: text, requested_schema, .. } => {
            let mut schema = serde_json::to_value(requested_schema).ok()?;
            put_in_order(&mut schema, requested_schema.property_order.as_deref());
            clean_value(&mut schema);
            (message(text), Wants::Values(schema))
        }
        ElicitRequestParams::UrlElicitationParams { message: text, url, .. } => {
            let is_plain = url.len() <= MAX_URL && cleaned(url) == *url;
            let is_web = url.starts_with("https://") || url.starts_with("http://");
            if !(is_plain && is_web) {
                return None;
            }
            (message(text), Wants::Visit(url.clone()))
        }
        _ => return None,
    };
    Some(Elicitation { server: server.to_owned(), message, wants, call: None })
}

/// The fields in the order in which the server wrote them.
fn put_in_order(schema: &mut Value, order: Option<&[String]>) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    let mut all = std::mem::take(properties);
    for name in order.unwrap_or_default() {
        if let Some((name, wanted)) = all.remove_entry(name) {
            properties.insert(name, wanted);
        }
    }
    properties.extend(all);
}

/// The answer as it is sent.
pub(crate) fn answer(reply: Reply, wants: &Wants) -> ElicitResult {
    match (reply, wants) {
        (Reply::Accept(values), Wants::Values(_)) => {
            ElicitResult::new(ElicitationAction::Accept).with_content(values)
        }
        (Reply::Accept(_), Wants::Visit(_)) => ElicitResult::new(ElicitationAction::Accept),
        (Reply::Decline, _) => ElicitResult::new(ElicitationAction::Decline),
        (Reply::Cancel, _) => ElicitResult::new(ElicitationAction::Cancel),
    }
}
