//! Arguments that grow value by value, each under its JSON path (Gemini's `partialArgs`).

use serde::Deserialize;
use serde_json::{Map, Number, Value};

use super::lenient::Text;

/// Arguments are not nested deeper than this; a path that is, is not followed.
const DEEPEST: usize = 64;

/// One value of the arguments, or a further piece of a text.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PartialArg<'a> {
    #[serde(borrow, alias = "json_path")]
    json_path: Option<Text<'a>>,
    #[serde(borrow, alias = "string_value")]
    string_value: Option<Text<'a>>,
    #[serde(alias = "number_value")]
    number_value: Option<Number>,
    #[serde(alias = "bool_value")]
    bool_value: Option<bool>,
}

impl PartialArg<'_> {
    fn value(&self) -> Value {
        if let Some(text) = &self.string_value {
            return Value::from(text.as_str());
        }
        match (&self.number_value, self.bool_value) {
            (Some(number), _) => Value::Number(number.clone()),
            (None, Some(bool)) => Value::Bool(bool),
            (None, None) => Value::Null,
        }
    }
}

/// The arguments so far.
#[derive(Debug, Default)]
pub(super) struct Growing {
    root: Value,
    broken: bool,
}

impl Growing {
    /// Takes one more piece.
    pub(super) fn push(&mut self, piece: &PartialArg<'_>) {
        let path = piece.json_path.as_ref().map_or("", Text::as_str);
        match steps(path).and_then(|steps| place(&mut self.root, &steps)) {
            Some(Value::String(text)) if piece.string_value.is_some() => {
                text.push_str(piece.string_value.as_ref().map_or("", Text::as_str));
            }
            Some(place) => *place = piece.value(),
            None => self.broken = true,
        }
    }

    /// What came since the last call: nothing, or the arguments, or an error where a piece did
    /// not fit.
    pub(super) fn take(&mut self) -> Result<Option<Value>, ()> {
        let Self { root, broken } = std::mem::take(self);
        if broken { Err(()) } else { Ok((!root.is_null()).then_some(root)) }
    }
}

/// A step of a path.
enum Step<'p> {
    Key(&'p str),
    Index(usize),
}

/// The steps of a path such as `$.edits[0]['old text']`. Arguments have names, so there is at
/// least one, and the first is a key.
fn steps(path: &str) -> Option<Vec<Step<'_>>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, next) = step(rest)?;
        steps.push(step);
        rest = next;
    }
    let begins_with_key = matches!(steps.first(), Some(Step::Key(_)));
    (begins_with_key && steps.len() <= DEEPEST).then_some(steps)
}

fn step(path: &str) -> Option<(Step<'_>, &str)> {
    if let Some(path) = path.strip_prefix('.') {
        let end = path.find(['.', '[']).unwrap_or(path.len());
        return Some((Step::Key(&path[..end]), &path[end..]));
    }
    let path = path.strip_prefix('[')?;
    for quote in ['\'', '"'] {
        if let Some(path) = path.strip_prefix(quote) {
            let (key, rest) = path.split_once(quote)?;
            return Some((Step::Key(key), rest.strip_prefix(']')?));
        }
    }
    let (index, rest) = path.split_once(']')?;
    Some((Step::Index(index.parse().ok()?), rest))
}

/// The place of a path, made where it is not there. A list grows by its end only, so that no
/// path asks for more memory than it has text.
fn place<'v>(root: &'v mut Value, steps: &[Step<'_>]) -> Option<&'v mut Value> {
    let mut at = root;
    for step in steps {
        at = match step {
            Step::Key(key) => {
                if at.is_null() {
                    *at = Value::Object(Map::new());
                }
                at.as_object_mut()?.entry(*key).or_insert(Value::Null)
            }
            Step::Index(index) => {
                if at.is_null() {
                    *at = Value::Array(Vec::new());
                }
                let list = at.as_array_mut()?;
                if *index == list.len() {
                    list.push(Value::Null);
                }
                list.get_mut(*index)?
            }
        };
    }
    Some(at)
}
