//! TOML: an entry is a table of its own, at the end of the file.

use serde_json::{Map, Value, json};
use toml_edit::{Array, Document, DocumentMut, InlineTable, Item, Table, TableLike};

use super::{EditError, lines};

/// A path that no key is on.
const NOWHERE: &[&str] = &["\0"];

fn parse(text: &str) -> Result<DocumentMut, EditError> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        EditError::Unreadable(error.to_string().trim_end().to_owned())
    })
}

pub(super) fn read(text: &str) -> Result<Value, EditError> {
    Ok(table_value(parse(text)?.as_table()))
}

fn table_value(table: &dyn TableLike) -> Value {
    let members = table.iter().map(|(key, item)| (key.to_owned(), item_value(item)));
    Value::Object(members.collect::<Map<_, _>>())
}

fn item_value(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Table(table) => table_value(table),
        Item::ArrayOfTables(tables) => {
            Value::Array(tables.iter().map(|table| table_value(table)).collect())
        }
        Item::Value(value) => plain_value(value),
    }
}

fn plain_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => json!(text.value()),
        toml_edit::Value::Integer(number) => json!(number.value()),
        // JSON knows no infinity; as a text it is at least compared.
        toml_edit::Value::Float(number) => json!(format!("{:?}", number.value())),
        toml_edit::Value::Boolean(yes) => json!(yes.value()),
        toml_edit::Value::Datetime(time) => json!(time.value().to_string()),
        toml_edit::Value::Array(array) => Value::Array(array.iter().map(plain_value).collect()),
        toml_edit::Value::InlineTable(table) => table_value(table),
    }
}

/// The entry as a table with its header.
pub(super) fn table(keys: &[&str], name: &str, entry: &Value) -> String {
    let mut text = format!("[{}.{name}]\n", keys.join("."));
    for (key, value) in entry.as_object().into_iter().flatten() {
        text.push_str(&format!("{key} = {}\n", written(value).to_string().trim()));
    }
    text
}

fn written(value: &Value) -> toml_edit::Value {
    match value {
        Value::Null => "".into(),
        Value::Bool(yes) => (*yes).into(),
        Value::Number(number) => number.as_i64().unwrap_or_default().into(),
        Value::String(text) => text.into(),
        Value::Array(items) => items.iter().map(written).collect::<Array>().into(),
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| (key, written(value)));
            members.collect::<InlineTable>().into()
        }
    }
}

pub(super) fn insert(text: &str, keys: &[&str], name: &str, entry: &Value) -> String {
    let is_empty = text.trim_start_matches('\u{feff}').is_empty();
    let gap = match text {
        _ if is_empty => "",
        _ if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let addition = format!("{gap}{}", table(keys, name, entry));
    format!("{text}{}", lines::fitted(&addition, text))
}

pub(super) fn remove(text: &str, keys: &[&str], name: &str) -> Result<String, EditError> {
    let path: Vec<&str> = keys.iter().copied().chain([name]).collect();
    let by_lines = without_tables(text, &path);
    let is_gone = |text: &String| read(text).is_ok_and(|value| at(&value, &path).is_none());
    if let Some(rest) = by_lines.filter(is_gone) {
        return Ok(rest);
    }
    if text.contains('\r') || text.starts_with('\u{feff}') {
        return Err(EditError::Unsafe);
    }
    let mut document = parse(text)?;
    let mut here: &mut dyn TableLike = document.as_table_mut();
    for key in keys {
        here = here.get_mut(key).and_then(Item::as_table_like_mut).ok_or(EditError::Unsafe)?;
    }
    here.remove(name);
    Ok(document.to_string())
}

fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |here, key| here.get(key))
}

/// The text without the tables at this path and below it, by their headers; none where there is
/// no such header.
fn without_tables(text: &str, path: &[&str]) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let mut headers = Vec::new();
    collect_headers(document.as_table(), path, false, &mut headers);
    headers.sort_unstable();
    headers.iter().any(|(_, ours)| *ours).then_some(())?;
    let mut ranges = Vec::new();
    for (index, (start, ours)) in headers.iter().enumerate() {
        if *ours {
            let next = headers.get(index + 1).map(|(start, _)| *start);
            ranges.push(*start..next.map_or(text.len(), |next| above(text, *start, next)));
        }
    }
    let mut rest = lines::cut(text, &ranges);
    if ranges.last().is_some_and(|range| range.end == text.len()) {
        // The empty line that stood before the last table goes with it.
        let kept = rest.trim_end_matches(['\n', '\r']).len();
        rest.truncate(lines::end(&rest, kept));
    }
    Some(rest)
}

/// Where headers of tables are, and whether each is at `path` or below it.
fn collect_headers(table: &Table, path: &[&str], ours: bool, headers: &mut Vec<(usize, bool)>) {
    for (key, item) in table {
        let (ours, deeper) = match path.split_first() {
            Some((first, rest)) if *first == key => (rest.is_empty(), rest),
            Some(_) => (false, NOWHERE),
            None => (ours, path),
        };
        let tables = match item {
            Item::Table(table) => vec![table],
            Item::ArrayOfTables(tables) => tables.iter().collect(),
            _ => Vec::new(),
        };
        for table in tables {
            if let (Some(span), false) = (table.span(), table.is_implicit() || table.is_dotted()) {
                headers.push((span.start, ours));
            }
            collect_headers(table, deeper, ours, headers);
        }
    }
}

/// Where the comments begin that stand right above `next` and so belong to it.
fn above(text: &str, start: usize, next: usize) -> usize {
    let mut at = next;
    while at > start {
        let line = lines::begin(text, at - 1);
        if line <= start || !text[line..at].trim_start().starts_with('#') {
            break;
        }
        at = line;
    }
    at
}
