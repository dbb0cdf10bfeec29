//! Copies of values and texts that cannot be larger than a budget.
//!
//! Redaction comes before the final cut, but looks at no more than [`WORK_LIMIT`]: a call with
//! 50 MB of input must not cost 50 MB of work. What is cut here therefore ends at white space
//! where there is some near, so that no half of a secret stands at the end without its form.

use dogu_tool::text::{TRUNCATED_MARK, floor_boundary};
use serde_json::{Map, Value};

/// How much of one value or text is looked at.
pub(super) const WORK_LIMIT: usize = 256 * 1024;
/// Values below this depth are left out.
const MAX_DEPTH: usize = 64;
/// How much is looked at behind what is kept, at least.
const LOOK_AHEAD: usize = 1024;
/// How far back a cut looks for white space.
const CUT_BACK: usize = 4 * 1024;
/// What a value costs beside its text.
const OVERHEAD: usize = 4;

/// A copy that is small enough to be recorded, for callers who hold a large value and would
/// have to clone it whole.
pub fn bounded_copy(value: &Value) -> Value {
    copy_within(value, WORK_LIMIT)
}

/// A copy that holds about `budget` bytes at most; where something was left out, a mark says so.
pub(super) fn copy_within(value: &Value, budget: usize) -> Value {
    Copier { left: budget }.copy(value, 0)
}

/// Roughly the bytes in a value. Stops counting soon after [`WORK_LIMIT`]; a value that is
/// nested too deep to be serialised weighs more than the limit.
pub(super) fn weight(value: &Value) -> usize {
    let mut total = 0;
    let mut rest = vec![(value, 0)];
    while let Some((value, depth)) = rest.pop() {
        // One level more than a copy keeps: its marks stand there.
        if depth > MAX_DEPTH + 1 {
            return WORK_LIMIT + 1;
        }
        total += OVERHEAD;
        match value {
            Value::String(text) => total += text.len(),
            Value::Array(items) if items.len() > WORK_LIMIT => return items.len(),
            Value::Array(items) => rest.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => {
                total += map.keys().map(String::len).sum::<usize>();
                rest.extend(map.values().map(|item| (item, depth + 1)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        if total > WORK_LIMIT {
            return total;
        }
    }
    total
}

/// The beginning of a text, at most `limit` bytes, up to white space if there is some near.
pub(super) fn clean_cut(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let cut = &text[..floor_boundary(text, limit)];
    let near = floor_boundary(cut, cut.len().saturating_sub(CUT_BACK));
    match cut[near..].rfind(char::is_whitespace) {
        Some(at) => &cut[..near + at],
        None => cut,
    }
}

/// The beginning of a text that redaction must look at where `limit` bytes of it are kept and
/// nothing is taken out: some more than those, and than the longest value that is known, up to the
/// next white space, so that it sees whole what begins before the cut. Forms that go on behind
/// white space are known by their beginning.
pub(super) fn beginning_for(text: &str, limit: usize, longest_known: usize) -> &str {
    let sure = floor_boundary(text, limit.saturating_add(LOOK_AHEAD.max(longest_known)));
    let end = text[sure..].find(char::is_whitespace).map_or(text.len(), |at| sure + at);
    clean_cut(&text[..end], WORK_LIMIT)
}

/// Cuts a text to `limit` bytes, the mark included.
pub(super) fn cut_marked(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        text.truncate(floor_boundary(&text, limit.saturating_sub(TRUNCATED_MARK.len())));
        text.push_str(TRUNCATED_MARK);
    }
    text
}

struct Copier {
    left: usize,
}

impl Copier {
    /// Recursive, but never deeper than [`MAX_DEPTH`].
    fn copy(&mut self, value: &Value, depth: usize) -> Value {
        if depth > MAX_DEPTH {
            return TRUNCATED_MARK.into();
        }
        self.left = self.left.saturating_sub(OVERHEAD);
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => self.array(items, depth),
            Value::Object(map) => self.object(map, depth),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn text(&mut self, text: &str) -> String {
        if text.len() <= self.left {
            self.left -= text.len();
            return text.to_owned();
        }
        let cut = clean_cut(text, self.left);
        self.left = 0;
        format!("{cut}{TRUNCATED_MARK}")
    }

    fn array(&mut self, items: &[Value], depth: usize) -> Value {
        let mut copy = Vec::new();
        for item in items {
            if self.left == 0 {
                copy.push(TRUNCATED_MARK.into());
                break;
            }
            copy.push(self.copy(item, depth + 1));
        }
        copy.into()
    }

    fn object(&mut self, map: &Map<String, Value>, depth: usize) -> Value {
        let mut copy = Map::new();
        for (key, value) in map {
            if self.left == 0 {
                copy.insert(TRUNCATED_MARK.to_owned(), Value::Null);
                break;
            }
            let key = self.text(key);
            copy.insert(key, self.copy(value, depth + 1));
        }
        copy.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn small_values_are_copied_whole() {
        let value = json!({ "a": [1, "two", { "three": null }], "b": "c" });
        assert_eq!(bounded_copy(&value), value);
    }

    #[test]
    fn what_is_left_out_is_marked() {
        let value = json!({ "a": "word ".repeat(100_000), "b": 1 });
        let copy = bounded_copy(&value);
        assert!(copy["a"].as_str().unwrap().ends_with(&format!("word{TRUNCATED_MARK}")));
        assert_eq!(copy.get("b"), None);
        assert_eq!(copy.get(TRUNCATED_MARK), Some(&Value::Null));
        assert!(copy.to_string().len() < WORK_LIMIT + 100);
        let list = copy_within(&json!(["x".repeat(50), "y", "z"]), 20);
        assert_eq!(list, json!([format!("{}{TRUNCATED_MARK}", "x".repeat(12)), TRUNCATED_MARK]));
    }

    #[test]
    fn depth_is_bounded() {
        let mut value = Value::from("x");
        for _ in 0..5_000 {
            value = Value::Array(vec![value]);
        }
        assert!(weight(&value) > WORK_LIMIT);
        let copy = bounded_copy(&value);
        assert!(copy.to_string().contains(TRUNCATED_MARK));
        assert!(weight(&copy) < WORK_LIMIT);
    }

    #[test]
    fn what_redaction_looks_at_ends_behind_what_is_kept_at_white_space() {
        for text in ["", "short", &"x".repeat(9_000)] {
            assert_eq!(beginning_for(text, 4_096, 0), text);
        }
        let words = "word ".repeat(2_000);
        assert!(beginning_for(&words, 4_096, 3_000).len() > 7_000);
        let beginning = beginning_for(&words, 4_096, 8);
        assert!(beginning.ends_with("word") && words[beginning.len()..].starts_with(' '));
        assert!((4_096 + LOOK_AHEAD..4_096 + LOOK_AHEAD + 5).contains(&beginning.len()));
        let token = format!("{}{} and on", "w ".repeat(2_000), "t".repeat(3_000));
        assert_eq!(beginning_for(&token, 4_096, 0).len(), 7_000);
        let huge = "x".repeat(WORK_LIMIT * 2);
        assert_eq!(beginning_for(&huge, 4_096, 0).len(), WORK_LIMIT);
    }

    #[test]
    fn cuts_keep_characters_whole() {
        assert_eq!(clean_cut("한국어", 4), "한");
        assert_eq!(clean_cut("one two", 5), "one");
        assert_eq!(cut_marked("한".repeat(10), 20), format!("한{TRUNCATED_MARK}"));
    }
}
