//! Edits of settings that change one entry and nothing else.
//!
//! Each format finds the place in the text and puts bytes in or takes bytes out there; nothing is
//! ever parsed and written anew. Whatever an edit did is then checked by reading both texts: the
//! entry is as wanted and all else means what it meant, or the edit is refused.

mod json;
mod lines;
mod toml;
mod yaml;

use serde_json::{Map, Value};

/// The language of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON; comments and trailing commas are understood and kept.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// How entries lie in their container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// By name.
    Map,
    /// In a list, each with its `name`.
    List,
}

/// Where in a file the servers are.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The language of the file.
    pub format: Format,
    /// The keys that lead to the container.
    pub keys: &'static [&'static str],
    /// How entries lie in it.
    pub shape: Shape,
}

/// Why a file is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// It is not in its language.
    #[error("it cannot be understood: {0}")]
    Unreadable(String),
    /// Nobody knows which of them counts.
    #[error("{0:?} is there twice")]
    Twice(String),
    /// Something else lies where the servers should.
    #[error("{key:?} is {found}, where {wanted} should be")]
    Misplaced {
        /// The key.
        key: String,
        /// What is there.
        found: &'static str,
        /// What should be.
        wanted: &'static str,
    },
    /// The form of the file leaves no place that is safe.
    #[error("its form leaves no place where only the entry would change")]
    Unsafe,
}

/// The entry of this name.
pub fn find(place: Place, text: &str, name: &str) -> Result<Option<Value>, EditError> {
    let value = read(place.format, text)?;
    let Some(container) = container(place, &value)? else { return Ok(None) };
    locate(place, text, name)?;
    Ok(match place.shape {
        Shape::Map => container.get(name).cloned(),
        Shape::List => entries(container).iter().find(|entry| entry["name"] == name).cloned(),
    })
}

/// The text with an entry that was not there.
pub fn insert(place: Place, text: &str, name: &str, entry: &Value) -> Result<String, EditError> {
    find(place, text, name)?;
    let edited = match place.format {
        Format::Json => json::insert(text, place.keys, name, entry),
        Format::Toml => Ok(toml::insert(text, place.keys, name, entry)),
        Format::Yaml => yaml::insert(text, place, name, entry),
    }?;
    checked(place, text, edited, name, Some(entry))
}

/// The text with another entry in the place of the one that is there.
pub fn replace(place: Place, text: &str, name: &str, entry: &Value) -> Result<String, EditError> {
    let edited = match place.format {
        Format::Json => json::replace(text, place.keys, name, entry)?,
        Format::Toml | Format::Yaml => insert(place, &remove(place, text, name)?, name, entry)?,
    };
    checked(place, text, edited, name, Some(entry))
}

/// The text without the entry.
pub fn remove(place: Place, text: &str, name: &str) -> Result<String, EditError> {
    let edited = match place.format {
        Format::Json => json::remove(text, place.keys, name),
        Format::Toml => toml::remove(text, place.keys, name),
        Format::Yaml => yaml::remove(text, place, name),
    }?;
    checked(place, text, edited, name, None)
}

/// A file with this entry and nothing else but its `head`.
pub fn fresh(place: Place, head: &str, name: &str, entry: &Value) -> String {
    let body = match place.format {
        Format::Json => json::fresh(place.keys, name, entry),
        Format::Toml => toml::table(place.keys, name, entry),
        Format::Yaml => yaml::fresh(place, name, entry),
    };
    format!("{head}{body}")
}

/// Refuses what is there more than once where it matters.
fn locate(place: Place, text: &str, name: &str) -> Result<(), EditError> {
    match place.format {
        Format::Json => json::locate(text, place.keys, name),
        // Its parser refuses them.
        Format::Toml => Ok(()),
        Format::Yaml => yaml::locate(text, place, name),
    }
}

/// What a text means.
fn read(format: Format, text: &str) -> Result<Value, EditError> {
    match format {
        Format::Json => json::read(text),
        Format::Toml => toml::read(text),
        Format::Yaml => yaml::read(text),
    }
}

fn entries(container: &Value) -> &[Value] {
    container.as_array().map_or(&[], Vec::as_slice)
}

/// The container of the servers; none where it is still to be made.
fn container(place: Place, value: &Value) -> Result<Option<&Value>, EditError> {
    let misplaced = |key: &str, found: &Value, wanted| {
        Err(EditError::Misplaced { key: key.to_owned(), found: kind(found), wanted })
    };
    let mut here = value;
    if here.is_null() {
        return Ok(None);
    }
    let mut above = "the whole file";
    for key in place.keys {
        let Value::Object(members) = here else { return misplaced(above, here, "an object") };
        match members.get(*key) {
            None | Some(Value::Null) => return Ok(None),
            Some(next) => here = next,
        }
        above = key;
    }
    match (place.shape, here) {
        (Shape::Map, Value::Object(_)) | (Shape::List, Value::Array(_)) => Ok(Some(here)),
        (Shape::Map, _) => misplaced(above, here, "an object"),
        (Shape::List, _) => misplaced(above, here, "a list"),
    }
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The edit, if the entry is as wanted and all else means what it meant.
fn checked(
    place: Place,
    before: &str,
    after: String,
    name: &str,
    entry: Option<&Value>,
) -> Result<String, EditError> {
    let found = find(place, &after, name).map_err(|_| EditError::Unsafe)?;
    if found.as_ref() != entry {
        return Err(EditError::Unsafe);
    }
    let rest = |text: &str| read(place.format, text).map(|value| without(place, value, name));
    if rest(before)? == rest(&after)? { Ok(after) } else { Err(EditError::Unsafe) }
}

/// All but the entry. A container without entries counts as none.
fn without(place: Place, mut value: Value, name: &str) -> Value {
    take_out(&mut value, place.keys, name);
    if value.is_null() { Value::Object(Map::new()) } else { value }
}

fn take_out(here: &mut Value, keys: &[&str], name: &str) {
    let Some((key, deeper)) = keys.split_first() else {
        match here {
            Value::Object(members) => drop(members.shift_remove(name)),
            Value::Array(entries) => entries.retain(|entry| entry["name"] != name),
            _ => {}
        }
        return;
    };
    let Value::Object(members) = here else { return };
    let Some(next) = members.get_mut(*key) else { return };
    take_out(next, deeper, name);
    let is_empty = match next {
        Value::Null => true,
        Value::Object(members) => members.is_empty(),
        Value::Array(entries) => entries.is_empty(),
        _ => false,
    };
    if is_empty {
        members.shift_remove(*key);
    }
}
