//! Walking a line as the shell would run it.

use std::rc::Rc;

use super::redirects::here_input;
use super::{Analysis, Found, Place, UsedFile};
use crate::shell::Refusal;
use crate::shell::ast::{Command, Item, Kind, Part, Script, When, Word};
use crate::shell::expand::{State, Value};

/// How many folders a line may be in at once, for what is known of it.
const MAX_FOLDERS: usize = 8;
/// How many commands of a line are looked at, those inside of others too.
const MAX_COMMANDS: usize = 1_000;
/// How many variables are followed.
const MAX_VARIABLES: usize = 100;
/// How many commands of a pipeline may print names of files.
const MAX_FILTERS: usize = 8;

/// What a walk has found so far.
pub(super) struct Walk {
    pub(super) found: Vec<Found>,
    pub(super) files: Vec<UsedFile>,
    pub(super) folders: Vec<String>,
    pub(super) steered_by: Vec<String>,
    pub(super) starts: Vec<&'static str>,
    pub(super) refusal: Option<Refusal>,
    /// Names of files that were brought from another machine.
    pub(super) fetched: Vec<String>,
    /// Names of variables that hold what was brought from another machine.
    pub(super) fetched_variables: Vec<String>,
    /// How many commands are around the one that is looked at.
    pub(super) depth: usize,
}

/// What is known of the standard input.
pub(super) type Listing = Option<Listed>;

/// Names on the standard input.
#[derive(Clone, Debug)]
pub(super) enum Listed {
    /// Of files below these folders; whether none can be split by what is in it.
    Below(Vec<String>, bool),
    /// Exactly these words.
    Words(Vec<String>),
}

/// Analyses a line that was parsed.
pub(super) fn analyse(script: &Script, place: Place<'_>) -> Analysis {
    let mut walk = Walk::new();
    walk.folders.push(place.cwd.to_owned());
    let mut state = State {
        variables: Rc::default(),
        folders: vec![place.cwd.to_owned()],
        home: place.home.map(Rc::from),
    };
    walk.script(script, &mut state, &None);
    walk.finish()
}

impl Walk {
    pub(super) fn new() -> Self {
        Self {
            found: Vec::new(),
            files: Vec::new(),
            folders: Vec::new(),
            steered_by: Vec::new(),
            starts: Vec::new(),
            refusal: None,
            fetched: Vec::new(),
            fetched_variables: Vec::new(),
            depth: 0,
        }
    }

    pub(super) fn finish(self) -> Analysis {
        let risk = self.found.iter().map(|found| found.risk).max().unwrap_or_default();
        Analysis {
            understood: self.refusal.map_or(Ok(()), Err),
            commands: self.found,
            files: self.files,
            folders: self.folders,
            steered_by: self.steered_by,
            starts: self.starts,
            addresses: Vec::new(),
            risk,
        }
    }

    /// Says that something was not understood; the first is kept.
    pub(super) fn refuse(&mut self, why: impl Into<String>) {
        self.refusal.get_or_insert_with(|| why.into());
    }

    /// Whether there is too much of a line to look at all of it.
    pub(super) fn is_too_much(&mut self, state: &State) -> bool {
        let much = self.found.len() >= MAX_COMMANDS || state.variables.len() > MAX_VARIABLES;
        if much {
            self.refuse("it has too many commands or variables");
        }
        much
    }

    pub(super) fn script(&mut self, script: &Script, state: &mut State, input: &Listing) {
        // What is true where everything before went well, and what may be true in any case.
        let mut success = state.clone();
        let mut aside: Option<State> = None;
        for (at, item) in script.items.iter().enumerate() {
            // Whoever comes later gets what the first has left of the input.
            let input = if at == 0 { input } else { &None };
            if self.is_too_much(state) {
                return;
            }
            if item.background {
                let mut beside = match (item.when, aside.take()) {
                    (When::And | When::Or, Some(beside)) => beside,
                    _ => state.clone(),
                };
                self.maybe(&mut beside, |walk, beside| walk.pipeline(item, beside, input));
                aside = Some(beside);
                continue;
            }
            let skipped = success.clone();
            if item.when != When::And {
                success = state.clone();
            }
            let before = success.clone();
            self.pipeline(item, &mut success, input);
            let moved = success.folders != before.folders;
            if item.negated {
                success.join(before);
            }
            if item.when == When::Or {
                success.join(skipped);
            }
            if item.when == When::Always && !moved {
                *state = success.clone();
            } else {
                state.join(success.clone());
            }
            if state.folders.len() > MAX_FOLDERS {
                self.refuse("it can be in too many folders");
                state.folders.truncate(MAX_FOLDERS);
            }
        }
    }

    /// Walks what may not run at all: what was true before may still be.
    pub(super) fn maybe(&mut self, state: &mut State, walk: impl FnOnce(&mut Self, &mut State)) {
        let before = state.clone();
        walk(self, state);
        state.join(before);
    }

    fn pipeline(&mut self, item: &Item, state: &mut State, input: &Listing) {
        if let [command] = item.pipeline.as_slice() {
            self.command(command, state, input);
            return;
        }
        let mut ends = Vec::new();
        let files = self.files.len();
        for (at, command) in item.pipeline.iter().enumerate() {
            let input = match at {
                0 => input.clone(),
                1..=MAX_FILTERS => super::listing::of(&item.pipeline[..at], state),
                _ => None,
            };
            // Each part of a pipeline is a shell of its own.
            let begins = self.found.len();
            self.command(command, &mut state.clone(), &input);
            ends.push((begins, self.found.len()));
        }
        self.judge_pipes(&ends, files);
    }

    fn command(&mut self, command: &Command, state: &mut State, input: &Listing) {
        if let Kind::Simple { assignments, words } = &command.kind {
            self.simple(assignments, words, &command.redirects, state, input);
            return;
        }
        self.redirects(&command.redirects, state);
        let input = &here_input(&command.redirects, input);
        if command.redirects.is_empty() {
            self.compound(&command.kind, state, input);
        } else {
            // Where a redirection fails, the command is not run.
            self.maybe(state, |walk, state| walk.compound(&command.kind, state, input));
        }
    }

    /// Walks the commands that are inside of a word.
    pub(super) fn substitutions(&mut self, word: &Word, state: &State) {
        self.substitutions_in(&word.parts, state);
    }

    fn substitutions_in(&mut self, parts: &[Part], state: &State) {
        for part in parts {
            match part {
                Part::Command { script, .. } | Part::Process { script } => {
                    self.script(script, &mut state.clone(), &None);
                }
                Part::Parameter { name, inner, .. } => {
                    let set_here = state
                        .variables
                        .get(name)
                        .is_some_and(|values| !values.contains(&Value::Unknown));
                    if looks_secret(name) && !set_here {
                        self.refuse(format!("the variable {name} may hold a secret"));
                    }
                    self.substitutions_in(inner, state);
                }
                _ => {}
            }
        }
    }
}

/// The name of a variable that people keep secrets in.
fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let inside =
        ["TOKEN", "SECRET", "PASS", "CREDENTIAL", "APIKEY", "PRIVATE", "AUTH", "DATABASE_URL"];
    let ends = ["_KEY", "_PWD", "_PAT"];
    inside.iter().any(|word| name.contains(word)) || ends.iter().any(|end| name.ends_with(end))
}
