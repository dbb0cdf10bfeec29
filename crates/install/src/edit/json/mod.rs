//! JSON with comments and trailing commas.

mod bare;
mod render;
mod skim;

use serde_json::Value;

use self::bare::{Bare, bare};
use self::skim::{Member, Object};
use super::EditError;
use super::lines;

pub(super) fn read(text: &str) -> Result<Value, EditError> {
    let bare = bare(text)?;
    if bare.text.trim().is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(&bare.text).map_err(|error| EditError::Unreadable(error.to_string()))
}

pub(super) fn fresh(keys: &[&str], name: &str, entry: &Value) -> String {
    format!("{}\n", render::pretty(&nested(keys, name, entry), "  ", ""))
}

/// Refuses keys on the way that are there twice.
pub(super) fn locate(text: &str, keys: &[&str], name: &str) -> Result<(), EditError> {
    let way = Way::of(text, keys)?;
    if let (true, Some(object)) = (way.is_whole(keys), way.objects.last()) {
        object.only(name)?;
    }
    Ok(())
}

/// The objects from the root as far as the keys lead.
struct Way {
    bare: Bare,
    objects: Vec<Object>,
}

impl Way {
    fn of(text: &str, keys: &[&str]) -> Result<Self, EditError> {
        let bare = bare(text)?;
        let mut objects = Vec::new();
        let mut next = skim::first(&bare.text);
        for depth in 0..=keys.len() {
            let Some(object) = next.and_then(|at| Object::at(&bare.text, at)) else { break };
            next = match keys.get(depth) {
                Some(key) => object.only(key)?.map(|member| member.value.start),
                None => None,
            };
            objects.push(object);
        }
        Ok(Self { bare, objects })
    }

    fn is_whole(&self, keys: &[&str]) -> bool {
        self.objects.len() == keys.len() + 1
    }

    /// The container and the entry in it.
    fn entry(&self, keys: &[&str], name: &str) -> Result<(&Object, &Member), EditError> {
        let object = self.objects.last().filter(|_| self.is_whole(keys));
        let object = object.ok_or(EditError::Unsafe)?;
        Ok((object, object.only(name)?.ok_or(EditError::Unsafe)?))
    }
}

/// `{key: {key: {name: entry}}}`
fn nested(keys: &[&str], name: &str, entry: &Value) -> Value {
    let inner = serde_json::json!({ name: entry });
    keys.iter().rev().fold(inner, |value, key| serde_json::json!({ *key: value }))
}

pub(super) fn insert(
    text: &str,
    keys: &[&str],
    name: &str,
    entry: &Value,
) -> Result<String, EditError> {
    let way = Way::of(text, keys)?;
    let Some(object) = way.objects.last() else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let addition = format!("{gap}{}", fresh(keys, name, entry));
        return Ok(format!("{text}{}", lines::fitted(&addition, text)));
    };
    let depth = way.objects.len() - 1;
    let unit = render::unit(text, &way.objects[0]);
    match keys.get(depth) {
        None => Ok(render::with_member(text, &way.bare, object, name, entry, &unit)),
        Some(key) => {
            let inner = nested(&keys[depth + 1..], name, entry);
            match object.only(key)? {
                None => Ok(render::with_member(text, &way.bare, object, key, &inner, &unit)),
                // `null`, or it would have been refused.
                Some(member) => Ok(render::with_value(text, &member.value, &inner, &unit)),
            }
        }
    }
}

pub(super) fn replace(
    text: &str,
    keys: &[&str],
    name: &str,
    entry: &Value,
) -> Result<String, EditError> {
    let way = Way::of(text, keys)?;
    let (_, member) = way.entry(keys, name)?;
    Ok(render::with_value(text, &member.value, entry, &render::unit(text, &way.objects[0])))
}

pub(super) fn remove(text: &str, keys: &[&str], name: &str) -> Result<String, EditError> {
    let way = Way::of(text, keys)?;
    let (object, member) = way.entry(keys, name)?;
    let after = member.value.end;
    let trailing = way.bare.comma_between(after, object.close);
    let following = trailing.or_else(|| skim::comma(&way.bare.text, after));
    let end = following.map_or(after, |comma| comma + 1);
    let mut ranges = vec![whole_lines(text, member.key.start, end)];
    if following.is_none() {
        // The last one: the comma before it goes instead.
        let before = object.members.iter().rev().find(|other| other.key.start < member.key.start);
        let comma = before.and_then(|other| skim::comma(&way.bare.text, other.value.end));
        ranges.extend(comma.map(|comma| comma..comma + 1));
        ranges.sort_by_key(|range| range.start);
    }
    Ok(lines::cut(text, &ranges))
}

/// The range with the rest of its lines, where nothing else is on them.
fn whole_lines(text: &str, start: usize, end: usize) -> std::ops::Range<usize> {
    let begin = lines::begin(text, start);
    let close = lines::end(text, end);
    let is_blank = |part: &str| part.trim().is_empty();
    let ends_here = text[end..close].ends_with('\n');
    if is_blank(&text[begin..start]) && is_blank(&text[end..close]) && ends_here {
        return begin..close;
    }
    start..end
}
