//! What costs milliseconds once per process, done while something else is.

use crate::redact::{Level, Redactor};
use crate::schema;

/// Builds what the first call would otherwise wait for, on threads of its own: the schema of JSON
/// Schema itself, and the automaton of the redactor. For programs that make one call.
pub fn warm_up() {
    // A thread that cannot be started only means that the first call does wait.
    let start = |name: &str, work: fn()| std::thread::Builder::new().name(name.into()).spawn(work);
    let _ =
        start("warm-schema", || drop(schema::compile(&serde_json::json!({ "type": "object" }))));
    let _ = start("warm-redactor", || drop(Redactor::new().redact("", Level::Record)));
}
