//! One simple command: its assignments, words, redirections, and what is inside of it.

use super::redirects::here_input;
use super::unseen::fetched_into;
use super::walk::{Listed, Listing, Walk};
use crate::command::Arg;
use crate::shell::Refusal;
use crate::shell::ast::{Assignment, Part, Redirect, Word};
use crate::shell::expand::{self, State, Value, word_ways};
use crate::shell::variables::{harmless_to_programs, obeyed};

impl Walk {
    pub(super) fn simple(
        &mut self,
        assignments: &[Assignment],
        words: &[Word],
        redirects: &[Redirect],
        state: &mut State,
        input: &Listing,
    ) {
        let input = &here_input(redirects, input);
        let inside = |walk: &mut Self, state: &mut State| {
            walk.simple_once(assignments, words, redirects, state, input);
        };
        if redirects.is_empty() {
            inside(self, state);
        } else {
            // Where a redirection fails, the command is not run.
            self.maybe(state, inside);
        }
    }

    fn simple_once(
        &mut self,
        assignments: &[Assignment],
        words: &[Word],
        redirects: &[Redirect],
        state: &mut State,
        input: &Listing,
    ) {
        let first = self.found.len();
        let first_file = self.files.len();
        for assignment in assignments {
            self.substitutions(&assignment.value, state);
        }
        for word in words {
            self.substitutions(word, state);
        }
        self.redirects(redirects, state);
        let inner_fetches = self.any_fetches(first) || self.holds_fetched(words);
        if words.is_empty() {
            self.assign(assignments, state);
            if inner_fetches {
                self.fetched_variables
                    .extend(assignments.iter().map(|assignment| assignment.name.clone()));
            }
            return;
        }
        let own = self.found.len();
        match with_listings(words, state) {
            Ok(ways) => {
                self.prefix(assignments, &ways, state);
                self.ways(ways, state, input);
            }
            Err(refusal) => self.refuse(refusal),
        }
        self.read_texts(redirects, own);
        self.judge_code(own, inner_fetches);
        if self.any_fetches(first) {
            self.remember_fetched(first_file);
            let named = self.found[first..].iter().filter(|found| found.fetches());
            let named: Vec<_> = named.flat_map(|found| fetched_into(&found.words)).collect();
            self.fetched.extend(named);
        }
    }

    fn ways(&mut self, ways: Vec<Vec<Arg>>, state: &mut State, input: &Listing) {
        let start = state.clone();
        for (at, way) in ways.into_iter().enumerate() {
            let mut end = start.clone();
            self.run(way, &mut end, input);
            if at == 0 {
                *state = end;
            } else {
                state.join(end);
            }
        }
    }

    /// `a=1 b=2` without a command.
    fn assign(&mut self, assignments: &[Assignment], state: &mut State) {
        for assignment in assignments {
            if super::builtins::is_history(&assignment.name) {
                self.hides_history();
            }
            if let Some(why) = obeyed(&assignment.name) {
                self.refuse(format!("it sets {}, which {why}", assignment.name));
            }
            let values = if assignment.append {
                vec![Value::Unknown]
            } else {
                assigned_values(&assignment.value, state)
            };
            state.set(assignment.name.clone(), values);
        }
    }

    /// `a=1 command`
    fn prefix(&mut self, assignments: &[Assignment], ways: &[Vec<Arg>], state: &State) {
        let reads = ways.iter().all(|way| way.first().and_then(Arg::as_literal) == Some("read"));
        for Assignment { name, value, append } in assignments {
            if name == "IFS" && reads && !append {
                continue;
            }
            let values = assigned_values(value, state);
            let harmless = !append
                && values.iter().all(
                    |value| matches!(value, Value::Text(text) if harmless_to_programs(name, text)),
                );
            if !harmless {
                self.refuse(format!("it sets {name} for a program, which may obey it"));
            }
        }
    }
}

/// The arguments of a command, where `$(git ls-files)` and the like stand for names of files.
fn with_listings(words: &[Word], state: &State) -> Result<Vec<Vec<Arg>>, Refusal> {
    let substituted =
        |word: &Word| matches!(word.parts.as_slice(), [Part::Command { quoted: false, .. }]);
    if !words.iter().any(substituted) {
        return expand::arguments(words, state);
    }
    let mut listed = state.clone();
    let words: Vec<Word> = words
        .iter()
        .enumerate()
        .map(|(at, word)| listing_word(at, word, &mut listed).unwrap_or_else(|| word.clone()))
        .collect();
    expand::arguments(&words, &listed)
}

/// The word as a variable that holds the names, under a name that no script can use.
fn listing_word(at: usize, word: &Word, state: &mut State) -> Option<Word> {
    let [Part::Command { script, quoted: false }] = word.parts.as_slice() else { return None };
    let Listed::Below(below, _) = super::listing::of_script(script, state)? else { return None };
    let name = format!("$({at})");
    state.set(name.clone(), vec![Value::Listed { below, exact: false }]);
    let part =
        Part::Parameter { name, plain: true, quoted: false, braced: true, inner: Vec::new() };
    Some(Word { parts: vec![part] })
}

fn assigned_values(word: &Word, state: &State) -> Vec<Value> {
    // Wildcards and braces stay as they are in an assignment; what is used later may expand.
    let special = word.parts.iter().any(|part| matches!(part, Part::Wildcard(_)));
    if special {
        return vec![Value::Unknown];
    }
    word_ways(word, state)
        .into_iter()
        .map(|arg| match arg {
            Some(Arg::Literal(text)) => Value::Text(text),
            None => Value::Text(String::new()),
            Some(Arg::Glob(pattern)) => Value::Name(pattern),
            Some(Arg::Listed { below, exact }) => Value::Listed { below, exact },
            Some(_) => Value::Unknown,
        })
        .collect()
}
