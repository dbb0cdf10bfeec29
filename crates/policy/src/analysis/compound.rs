//! Commands that hold commands: what is true after each way that they can go.

use super::walk::{Listed, Listing, Walk};
use crate::command;
use crate::shell::ast::{Item, Kind, Part, Redirect, RedirectKind, Script, Word};
use crate::shell::expand::{self, State, Value};
use crate::shell::variables::obeyed;

/// How many values of a loop's variable are followed one by one.
const MAX_VALUES: usize = 16;
/// Stands for the names of all variables.
const ANY_NAME: &str = "*";

impl Walk {
    pub(super) fn compound(&mut self, kind: &Kind, state: &mut State, input: &Listing) {
        match kind {
            Kind::Group { body, subshell: false } => self.script(body, state, input),
            Kind::Group { body, subshell: true } => self.script(body, &mut state.clone(), input),
            Kind::If { branches, otherwise } => self.conditional(branches, otherwise, state, input),
            Kind::Loop { condition, body } => {
                let input = if body.items.iter().all(leaves_input) { input } else { &None };
                self.repeated(state, &[condition, body], |walk, state| {
                    walk.script(condition, state, input);
                    walk.script(body, state, &None);
                });
            }
            Kind::For { name, words, body } => self.for_loop(name, words, body, state, input),
            Kind::Case { word, arms } => self.case(word, arms, state),
            Kind::Test { words } => self.test(words, state),
            Kind::Arithmetic | Kind::Simple { .. } => {}
        }
    }

    fn conditional(
        &mut self,
        branches: &[(Script, Script)],
        otherwise: &Script,
        state: &mut State,
        input: &Listing,
    ) {
        let mut ends = Vec::new();
        for (at, (condition, body)) in branches.iter().enumerate() {
            // Whoever comes later gets what the first has left of the input.
            self.script(condition, state, if at == 0 { input } else { &None });
            let mut branch = state.clone();
            self.script(body, &mut branch, &None);
            ends.push(branch);
        }
        self.script(otherwise, state, &None);
        for end in ends {
            state.join(end);
        }
    }

    /// Walks what may run any number of times: what it sets may be set when it begins.
    fn repeated(
        &mut self,
        state: &mut State,
        scripts: &[&Script],
        once: impl FnOnce(&mut Self, &mut State),
    ) {
        let mut names = Vec::new();
        for script in scripts {
            assigned(script, &mut names);
        }
        if names.iter().any(|name| name == ANY_NAME) {
            state.forget_values();
        }
        for name in names {
            state.set(name, vec![Value::Unknown]);
        }
        let mut inside = state.clone();
        once(self, &mut inside);
        if inside.folders != state.folders {
            self.refuse("it changes the folder in a loop");
        }
        state.join(inside);
    }

    fn for_loop(
        &mut self,
        name: &str,
        words: &[Word],
        body: &Script,
        state: &mut State,
        input: &Listing,
    ) {
        if let Some(why) = obeyed(name) {
            self.refuse(format!("it sets {name}, which {why}"));
        }
        for word in words {
            self.substitutions(word, state);
        }
        let values = self.loop_values(words, state);
        self.repeated(state, &[body], |walk, state| {
            state.set(name.to_owned(), values);
            walk.script(body, state, input);
        });
    }

    fn loop_values(&mut self, words: &[Word], state: &State) -> Vec<Value> {
        if let [Word { parts }] = words
            && let [Part::Command { script, quoted: false }] = parts.as_slice()
            && let Some(Listed::Below(below, _)) = super::listing::of_script(script, state)
        {
            return vec![Value::Listed { below, exact: false }];
        }
        let ways = match expand::arguments(words, state) {
            Ok(ways) => ways,
            Err(refusal) => {
                self.refuse(refusal);
                return vec![Value::Unknown];
            }
        };
        for arg in ways.iter().flatten().filter(|arg| matches!(arg, command::Arg::Glob(_))) {
            self.file(command::Access::Read, arg, state);
        }
        let mut values: Vec<Value> = ways.into_iter().flatten().map(value_of).collect();
        values.dedup();
        if values.len() > MAX_VALUES {
            return vec![Value::Unknown];
        }
        values
    }

    fn case(&mut self, word: &Word, arms: &[(Vec<Word>, Script)], state: &mut State) {
        self.substitutions(word, state);
        let mut ends = state.clone();
        for (patterns, body) in arms {
            for pattern in patterns {
                self.substitutions(pattern, state);
            }
            // `;&` goes on with the next arm.
            let mut arm = ends.clone();
            self.script(body, &mut arm, &None);
            ends.join(arm);
        }
        state.join(ends);
    }
}

/// It leaves the standard input alone: whoever reads a part of it leaves the rest of a name to
/// the next. Commands that are given a variable's value read that.
fn leaves_input(item: &Item) -> bool {
    item.pipeline.iter().all(|command| match &command.kind {
        Kind::Simple { words, .. } => command.redirects.iter().any(feeds) || reads_no_input(words),
        Kind::Test { .. } | Kind::Arithmetic => true,
        _ => false,
    })
}

/// Something else is its standard input.
fn feeds(redirect: &Redirect) -> bool {
    let kinds = [RedirectKind::Read, RedirectKind::ReadWrite, RedirectKind::Text];
    kinds.contains(&redirect.kind) && matches!(redirect.descriptor.as_deref(), None | Some("0"))
}

/// Commands that never read their input.
const SILENT: [&str; 10] =
    ["echo", "printf", "test", "[", "basename", "dirname", "true", ":", "continue", "break"];
/// Commands that read their input if their first operand is the only one.
const TAKES_A_PATTERN: [&str; 10] =
    ["grep", "egrep", "sed", "awk", "jq", "rg", "tr", "cut", "xargs", "read"];

fn reads_no_input(words: &[Word]) -> bool {
    let Some((name, rest)) = words.split_first() else { return true };
    let name = name.literal().unwrap_or_default();
    let is_option = |word: &&Word| word.literal().is_some_and(|word| word.starts_with('-'));
    let operands = rest.iter().filter(|word| !is_option(word)).count();
    let given = rest.iter().any(|word| word.literal().is_none());
    SILENT.contains(&name.as_str())
        || given && (operands > 1 || !TAKES_A_PATTERN.contains(&name.as_str()))
}

fn value_of(arg: command::Arg) -> Value {
    match arg {
        command::Arg::Literal(text) => Value::Text(text),
        command::Arg::Glob(pattern) => Value::Name(pattern),
        command::Arg::Listed { below, .. } => Value::Listed { below, exact: false },
        _ => Value::Unknown,
    }
}

/// The names of all variables that a script sets.
fn assigned(script: &Script, names: &mut Vec<String>) {
    for command in script.items.iter().flat_map(|item| &item.pipeline) {
        match &command.kind {
            Kind::Simple { assignments, words } => {
                names.extend(assignments.iter().map(|assignment| assignment.name.clone()));
                // `read`, `export`, `unset` and whatever else takes names: all its words.
                let sets = words.first().and_then(Word::literal).is_some_and(|name| {
                    matches!(name.as_str(), "read" | "export" | "unset" | "command")
                });
                let braces =
                    |word: &Word| word.parts.iter().any(|part| matches!(part, Part::Brace(_)));
                if sets && words.iter().any(|word| word.literal().is_none() || braces(word)) {
                    names.push(ANY_NAME.to_owned());
                }
                names.extend(
                    words
                        .iter()
                        .skip(1)
                        .filter_map(Word::literal)
                        .map(|word| word.split('=').next().unwrap_or_default().to_owned()),
                );
            }
            Kind::Group { body, .. } => assigned(body, names),
            Kind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    assigned(condition, names);
                    assigned(body, names);
                }
                assigned(otherwise, names);
            }
            Kind::Loop { condition, body } => {
                assigned(condition, names);
                assigned(body, names);
            }
            Kind::For { name, body, .. } => {
                names.push(name.clone());
                assigned(body, names);
            }
            Kind::Case { arms, .. } => arms.iter().for_each(|(_, body)| assigned(body, names)),
            Kind::Test { .. } | Kind::Arithmetic => {}
        }
    }
}
