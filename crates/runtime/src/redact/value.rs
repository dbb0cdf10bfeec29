//! Redaction inside JSON values.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{Level, Redactor, mark, names};

impl Redactor {
    /// Redacts every string and every key in `value`. At [`Level::Record`], strings under a
    /// key such as `password` are replaced whole, also in a list under that key.
    ///
    /// Works through its own list of what is left, so depth costs no stack.
    pub fn redact_value(&self, value: &mut Value, level: Level) {
        self.redact_value_unless(value, level, |_| false);
    }

    /// The same, but for texts of which it is known that they hold no secrets of this level.
    pub(crate) fn redact_value_unless(
        &self,
        value: &mut Value,
        level: Level,
        is_clean: impl Fn(&str) -> bool,
    ) {
        let mut rest: Vec<(&mut Value, Option<&'static str>)> = vec![(value, None)];
        while let Some((value, key)) = rest.pop() {
            match value {
                Value::String(text) if key.is_none() && is_clean(text) => {}
                Value::String(text) => self.redact_string(text, key, level),
                Value::Array(items) => rest.extend(items.iter_mut().map(|item| (item, key))),
                Value::Object(map) => {
                    self.redact_keys(map, level);
                    rest.extend(map.iter_mut().map(|(name, value)| {
                        let key =
                            if level == Level::Record { names::secret_key(name) } else { None };
                        (value, key)
                    }));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
    }

    fn redact_string(&self, text: &mut String, key: Option<&str>, level: Level) {
        match key {
            Some(key) if !text.is_empty() => *text = mark(key),
            _ => {
                if let Cow::Owned(redacted) = self.redact(text, level) {
                    *text = redacted;
                }
            }
        }
    }

    /// Rebuilds a map only where a key changes, which is next to never.
    fn redact_keys(&self, map: &mut Map<String, Value>, level: Level) {
        if map.keys().all(|key| matches!(self.redact(key, level), Cow::Borrowed(_))) {
            return;
        }
        let entries = std::mem::take(map);
        map.extend(
            entries.into_iter().map(|(key, value)| (self.redact(&key, level).into_owned(), value)),
        );
    }
}
