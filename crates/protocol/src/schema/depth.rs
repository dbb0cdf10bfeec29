//! How deep a JSON value goes, found without recursion.

use serde_json::Value;

/// The deepest schema that is rewritten; `serde_json` reads no deeper text either.
pub(crate) const MAX_DEPTH: usize = 128;

/// Whether `value` is nested past [`MAX_DEPTH`]. Everything else here recurses, so this is
/// asked first.
pub(crate) fn too_deep(value: &Value) -> bool {
    let mut open = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            return true;
        }
        match value {
            Value::Array(list) => open.extend(list.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => open.extend(map.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    false
}
