//! What costs milliseconds once per process, done while something else is.

use crate::redact::{Level, Redactor};
use crate::schema;

/// Builds what the first call would otherwise wait for: the schema of JSON Schema itself and the
/// automaton of the redactor. For programs that make one call, on a thread beside their setup.
pub fn warm_up() {
    let _ = schema::compile(&serde_json::json!({ "type": "object" }));
    let _ = Redactor::new().redact("", Level::Record);
}
