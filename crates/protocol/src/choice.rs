//! Which way a model is asked to call tools.

use serde::{Deserialize, Serialize};

/// How a model calls tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// In fields of the provider's API, with typed arguments and ids.
    Native,
    /// In the text of its answer, as XML.
    Xml,
}

/// The protocol to use: what was set explicitly, else native where the model can, else XML.
///
/// A model of which nothing is known (`None`) gets XML: every model can write text, while a
/// tools field that a provider does not know fails the whole request.
pub fn choose(explicit: Option<Protocol>, native_supported: Option<bool>) -> Protocol {
    match (explicit, native_supported) {
        (Some(protocol), _) => protocol,
        (None, Some(true)) => Protocol::Native,
        (None, Some(false) | None) => Protocol::Xml,
    }
}
