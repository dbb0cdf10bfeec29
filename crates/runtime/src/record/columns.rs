//! From entries to rows: redacted, then cut, then merged where they are of one call.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dogu_tool::Action;
use rusqlite::ToSql;
use serde_json::Value;

use super::bounded::{self, WORK_LIMIT};
use super::entry::{CallEnd, CallNumber, CallStart, Entry};
use super::receipt::Promise;
use crate::redact::{Level, Redactor};

/// How much of an input is kept.
pub(super) const INPUT_LIMIT: usize = 64 * 1024;
/// How much of the actions is kept.
const ACTIONS_LIMIT: usize = 16 * 1024;
/// How much of an error, or a list of reasons or causes is kept.
pub(super) const TEXT_LIMIT: usize = 4 * 1024;
/// How much of a result is kept: enough to know it again. Most of what a call costs to write down
/// is this.
const PREVIEW_LIMIT: usize = 1024;
/// How much of an id or a name is kept.
const NAME_LIMIT: usize = 512;

/// A struct of columns that knows their names and values, so that no statement can disagree.
macro_rules! columns {
    ($(#[$doc:meta])* $struct:ident { $($name:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub(super) struct $struct { $(pub(super) $name: Option<$type>,)* }

        impl $struct {
            pub(super) const NAMES: &'static [&'static str] = &[$(stringify!($name),)*];

            pub(super) fn values(&self) -> [&dyn ToSql; Self::NAMES.len()] {
                [$(&self.$name,)*]
            }

            /// Takes over what a later entry of the same call says.
            #[allow(dead_code, reason = "fixed columns are said once")]
            fn absorb(&mut self, later: Self) {
                $(if later.$name.is_some() { self.$name = later.$name; })*
            }
        }
    };
}

columns! {
    /// Written with the start and never again.
    Fixed {
        call_id: String,
        principal: String,
        session: String,
        agent: String,
        turn_id: String,
        trace_id: String,
        tool: String,
        source: String,
        generated_at: i64,
        may_write: bool,
    }
}

columns! {
    /// Written with the start, or whenever they become known.
    Changing {
        status: &'static str,
        waiting_at: i64,
        calling_at: i64,
        ended_at: i64,
        input: String,
        actions: String,
        decision: String,
        reasons: String,
        permission: String,
        error_code: &'static str,
        error_message: String,
        causes: String,
        answered_by: String,
        result_preview: String,
        result_bytes: i64,
        duration_us: i64,
        waited_us: i64,
    }
}

/// What a batch writes for one call: an INSERT with `fixed`, an UPDATE without.
#[derive(Debug)]
pub(super) struct RowWrite {
    pub(super) number: u64,
    pub(super) fixed: Option<Fixed>,
    pub(super) changing: Changing,
}

/// A batch, ready to be written.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) rows: Vec<RowWrite>,
    pub(super) promises: Vec<Promise>,
    /// How many entries it was made of, not counting flushes.
    pub(super) entries: u64,
    /// How many of its starts are in the file of the run.
    pub(super) starts: usize,
}

impl Batch {
    /// Redacts, cuts and merges; a start and an end of one call become one row.
    pub(super) fn prepare(entries: Vec<Entry>, redactor: &Redactor) -> Self {
        let mut batch = Self::default();
        let mut places = HashMap::new();
        for entry in entries {
            batch.entries += u64::from(entry.counts());
            let Some(row) = batch.row_of(entry, &Text(redactor)) else { continue };
            match places.entry(row.number) {
                Place::Occupied(place) => {
                    let at: usize = *place.get();
                    batch.rows[at].changing.absorb(row.changing);
                }
                Place::Vacant(place) => {
                    place.insert(batch.rows.len());
                    batch.rows.push(row);
                }
            }
        }
        batch
    }

    fn row_of(&mut self, entry: Entry, text: &Text<'_>) -> Option<RowWrite> {
        let (number, fixed, changing) = match entry {
            Entry::Start { number, start, done } => {
                self.promises.extend(done);
                let (fixed, changing) = text.start(*start);
                (number, Some(fixed), changing)
            }
            Entry::Noted(row) => {
                self.starts += 1;
                return Some(*row);
            }
            Entry::Row { row, done } => {
                self.promises.push(done);
                return Some(*row);
            }
            Entry::Waiting { number, at } => (number, None, Changing::waiting(at)),
            Entry::Calling { number, at } => (number, None, Changing::calling(at)),
            Entry::End { number, end } => (number, None, text.end(*end)),
            Entry::Flush(promise) => {
                self.promises.push(promise);
                return None;
            }
            #[cfg(test)]
            Entry::Panic => panic!("asked for"),
        };
        Some(RowWrite { number: number.0, fixed, changing })
    }
}

impl RowWrite {
    /// The row of a start, as it will be stored.
    pub(super) fn of_start(number: CallNumber, start: CallStart, redactor: &Redactor) -> Self {
        let (fixed, changing) = Text(redactor).start(start);
        Self { number: number.0, fixed: Some(fixed), changing }
    }

    /// Roughly what it holds in memory.
    pub(super) fn weight(&self) -> usize {
        let texts = [&self.changing.input, &self.changing.actions, &self.changing.reasons];
        texts.into_iter().flatten().map(String::len).sum()
    }
}

impl Changing {
    fn waiting(at: SystemTime) -> Self {
        Self { status: Some("waiting"), waiting_at: Some(micros(at)), ..Self::default() }
    }

    fn calling(at: SystemTime) -> Self {
        Self { status: Some("calling"), calling_at: Some(micros(at)), ..Self::default() }
    }
}

/// Makes what is stored out of what was handed over.
struct Text<'a>(&'a Redactor);

impl Text<'_> {
    fn start(&self, start: CallStart) -> (Fixed, Changing) {
        let fixed = Fixed {
            call_id: self.name(start.call_id),
            principal: self.name(start.principal),
            session: self.name(start.session),
            agent: self.name(start.agent),
            turn_id: self.name(start.turn_id),
            trace_id: self.name(start.trace_id),
            tool: self.name(start.tool),
            source: self.name(start.source),
            generated_at: Some(micros(start.generated_at)),
            may_write: Some(start.may_write),
        };
        let changing = Changing {
            status: Some("generated"),
            input: Some(self.value(start.input, INPUT_LIMIT)),
            actions: self.actions(start.actions),
            decision: self.name(start.decision),
            reasons: self.list(start.reasons),
            ..Changing::default()
        };
        (fixed, changing)
    }

    fn end(&self, end: CallEnd) -> Changing {
        Changing {
            status: Some(end.status.as_str()),
            waiting_at: None,
            calling_at: None,
            ended_at: Some(micros(end.ended_at)),
            input: end.input.map(|input| self.value(input, INPUT_LIMIT)),
            actions: end.actions.and_then(|actions| self.actions(actions)),
            decision: end.decision.and_then(|decision| self.name(decision)),
            reasons: end.reasons.and_then(|reasons| self.list(reasons)),
            permission: end.permission.and_then(|permission| self.text(permission)),
            error_code: end.error_code.map(dogu_tool::ErrorCode::as_str),
            error_message: end.error_message.and_then(|message| self.text(message)),
            causes: self.list(end.causes),
            answered_by: end.answered_by.and_then(|name| self.name(name)),
            result_preview: self.redacted(end.result_preview, Level::Record, PREVIEW_LIMIT),
            result_bytes: Some(end.result_bytes.try_into().unwrap_or(i64::MAX)),
            duration_us: Some(duration_micros(end.duration)),
            waited_us: Some(duration_micros(end.waited)),
        }
    }

    /// Ids and names; no guesses here, `token:<holder>` is what a principal is called.
    fn name(&self, text: String) -> Option<String> {
        self.redacted(text, Level::Result, NAME_LIMIT)
    }

    fn text(&self, text: String) -> Option<String> {
        self.redacted(text, Level::Record, TEXT_LIMIT)
    }

    fn redacted(&self, text: String, level: Level, limit: usize) -> Option<String> {
        if text.is_empty() {
            return None;
        }
        let beginning = bounded::beginning_for(&text, limit, self.0.longest_known());
        if let Cow::Borrowed(_) = self.0.redact(beginning, level) {
            return Some(bounded::cut_marked(text, limit));
        }
        // What is taken out moves up what comes later, so all of it counts.
        let looked_at = bounded::clean_cut(&text, WORK_LIMIT);
        Some(bounded::cut_marked(self.0.redact(looked_at, level).into_owned(), limit))
    }

    fn list(&self, items: Vec<String>) -> Option<String> {
        (!items.is_empty()).then(|| self.value(items.into(), TEXT_LIMIT))
    }

    fn actions(&self, actions: Vec<Action>) -> Option<String> {
        let list: Vec<Value> = actions.into_iter().map(action_value).collect();
        (!list.is_empty()).then(|| self.value(list.into(), ACTIONS_LIMIT))
    }

    /// JSON that is valid however much of it was left out.
    fn value(&self, mut value: Value, limit: usize) -> String {
        if bounded::weight(&value) > WORK_LIMIT {
            value = bounded::bounded_copy(&value);
        }
        self.0.redact_value(&mut value, Level::Record);
        let mut json = value.to_string();
        let mut budget = limit;
        // Escapes can make the JSON longer than what it was made of.
        while json.len() > limit && budget > 0 {
            json = bounded::copy_within(&value, budget).to_string();
            budget /= 2;
        }
        json
    }
}

/// A path that is not Unicode cannot be JSON: then the action is kept as people see it.
fn action_value(action: Action) -> Value {
    let action = match action {
        Action::Custom { name, details } => {
            Action::Custom { name, details: bounded::bounded_copy(&details) }
        }
        other => other,
    };
    serde_json::to_value(&action).unwrap_or_else(|_| action.to_string().into())
}

/// Microseconds since 1970.
pub(super) fn micros(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => duration_micros(after),
        Err(before) => -duration_micros(before.duration()),
    }
}

fn duration_micros(duration: Duration) -> i64 {
    duration.as_micros().try_into().unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A value that has white space in it and is longer than what is looked at in any case.
    fn known() -> String {
        "known value ".repeat(200)
    }

    /// Words, secrets of many forms and lengths, and a value that is known.
    fn text() -> impl Strategy<Value = String> {
        let token = |size: usize| format!(" ghp_{} ", "a1B2".repeat(size));
        let jwt = |size: usize| format!("eyJ{0}.eyJ{0}.{0} ", "aB3_".repeat(size));
        let key = |lines: usize| {
            let body = format!("{}\n", "Ab3/".repeat(16)).repeat(lines);
            format!("-----BEGIN PRIVATE{0}KEY-----\n{body}-----END PRIVATE{0}KEY-----\n", ' ')
        };
        let piece = prop_oneof![
            8 => "[a-z =:/\n]{0,60}",
            4 => (100_usize..2_000).prop_map(|count| "word ".repeat(count)),
            1 => (100_usize..3_000).prop_map(|count| "x".repeat(count)),
            2 => (9_usize..600).prop_map(token),
            2 => (3_usize..500).prop_map(jwt),
            2 => (1_usize..60).prop_map(key),
            2 => "[a-z ]{1,2000}".prop_map(|secret| format!("password = \"{secret}\"\n")),
            1 => Just(known()),
        ];
        prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// All of the text is looked at to say what is kept, or the same is kept without.
        #[test]
        fn what_is_kept_of_a_text_is_redacted_as_if_all_of_it_were(text in text()) {
            let redactor = Redactor::with_known([("KNOWN", known())]);
            for (level, limit) in [(Level::Result, NAME_LIMIT), (Level::Record, TEXT_LIMIT)] {
                let all = redactor.redact(&text, level).into_owned();
                let kept = Text(&redactor).redacted(text.clone(), level, limit);
                prop_assert_eq!(kept.unwrap_or_default(), bounded::cut_marked(all, limit));
            }
        }
    }
}
