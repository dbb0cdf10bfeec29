//! What a person said no to. The same call is not asked about twice in a turn, and three noes
//! stop the turn.
//!
//! Where no turn is known (a call over MCP or from the command line), the noes of a principal
//! form a turn of their own: it ends with the next yes, or [`PAUSE`] after the last no. Without
//! such an end, three noes would lock a session for good.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dogu_tool::{Action, Origin, Principal, ToolName};
use serde_json::Value;

use dogu_policy::facts::JudgedAction;

/// How many noes stop a turn.
const MOST_NOES: usize = 3;

/// How long the noes of a caller without turns count.
const PAUSE: Duration = Duration::from_mins(1);

/// How many turns are remembered; beyond it the oldest is forgotten.
const MAX_TURNS: usize = 64;

/// Why a call is refused without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The person has already said no to this call.
    Again,
    /// The person has said no too often.
    Stopped,
}

impl Refused {
    /// What the model is told.
    pub(crate) fn why(self) -> &'static str {
        match self {
            Self::Again => {
                "the user has already said no to this same call, and was not asked again"
            }
            Self::Stopped => "the user said no three times: stop and ask what they want",
        }
    }
}

/// The noes of all turns.
#[derive(Default)]
pub(crate) struct Refusals {
    turns: Mutex<VecDeque<Turn>>,
}

struct Turn {
    principal: Principal,
    /// Empty where the caller knows no turns.
    id: String,
    noes: usize,
    calls: Vec<u64>,
    last: Instant,
}

impl Turn {
    fn is_of(&self, origin: &Origin) -> bool {
        self.id == origin.turn_id && self.principal == origin.principal
    }

    fn is_over(&self, now: Instant) -> bool {
        self.id.is_empty() && now.saturating_duration_since(self.last) >= PAUSE
    }
}

impl Refusals {
    /// Whether a call that would ask is refused instead.
    pub(crate) fn of_question(&self, origin: &Origin, call: u64) -> Option<Refused> {
        self.at(Instant::now(), origin, |turn| {
            if turn.noes >= MOST_NOES {
                return Some(Refused::Stopped);
            }
            turn.calls.contains(&call).then_some(Refused::Again)
        })
    }

    /// Whether every call is refused: the turn is known, and was stopped.
    pub(crate) fn of_turn(&self, origin: &Origin) -> Option<Refused> {
        if origin.turn_id.is_empty() {
            return None;
        }
        self.at(Instant::now(), origin, |turn| (turn.noes >= MOST_NOES).then_some(Refused::Stopped))
    }

    /// A person said no; whether that stops the turn.
    pub(crate) fn no(&self, origin: &Origin, call: u64) -> bool {
        self.no_at(Instant::now(), origin, call)
    }

    /// A person said yes.
    pub(crate) fn yes(&self, origin: &Origin) {
        if origin.turn_id.is_empty() {
            self.lock().retain(|turn| !turn.is_of(origin));
        }
    }

    fn at(
        &self,
        now: Instant,
        origin: &Origin,
        refused: impl FnOnce(&Turn) -> Option<Refused>,
    ) -> Option<Refused> {
        let turns = self.lock();
        turns.iter().find(|turn| turn.is_of(origin) && !turn.is_over(now)).and_then(refused)
    }

    fn no_at(&self, now: Instant, origin: &Origin, call: u64) -> bool {
        let mut turns = self.lock();
        turns.retain(|turn| !turn.is_over(now));
        let place = turns.iter().position(|turn| turn.is_of(origin));
        let mut turn = place.and_then(|at| turns.remove(at)).unwrap_or_else(|| Turn {
            principal: origin.principal.clone(),
            id: origin.turn_id.clone(),
            noes: 0,
            calls: Vec::new(),
            last: now,
        });
        turn.noes += 1;
        turn.last = now;
        turn.calls.push(call);
        let stopped = turn.noes >= MOST_NOES;
        if turns.len() >= MAX_TURNS {
            turns.pop_front();
        }
        turns.push_back(turn);
        stopped
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Turn>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What makes two calls the same: the tool and its input, in whatever order its keys came. A
/// command is the same whatever else the call says of it, and so is what a running call asks for.
pub(crate) fn same_call(tool: &ToolName, input: &Value, actions: &[JudgedAction]) -> u64 {
    let mut hasher = DefaultHasher::new();
    tool.hash(&mut hasher);
    let runs = actions.iter().any(|judged| matches!(judged.action, Action::Execute { .. }));
    if runs || input.is_null() {
        for judged in actions {
            serde_json::to_string(&judged.action).unwrap_or_default().hash(&mut hasher);
        }
    } else {
        let mut input = input.clone();
        input.sort_all_objects();
        input.to_string().hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn origin(session: &str, turn: &str) -> Origin {
        Origin { turn_id: turn.into(), ..Origin::of(Principal::process(session)) }
    }

    #[test]
    fn the_same_call_is_refused_until_the_turn_is_another() {
        let refusals = Refusals::default();
        assert!(!refusals.no(&origin("s", "1"), 7));
        assert_eq!(refusals.of_question(&origin("s", "1"), 7), Some(Refused::Again));
        assert_eq!(refusals.of_question(&origin("s", "1"), 8), None);
        assert_eq!(refusals.of_question(&origin("s", "2"), 7), None);
        assert_eq!(refusals.of_question(&origin("other", "1"), 7), None);
    }

    #[test]
    fn three_noes_stop_a_turn_and_no_other() {
        let refusals = Refusals::default();
        let turn = origin("s", "1");
        assert!(!refusals.no(&turn, 1));
        refusals.yes(&turn);
        assert!(!refusals.no(&turn, 2));
        assert_eq!(refusals.of_turn(&turn), None);
        assert!(refusals.no(&turn, 3));
        assert_eq!(refusals.of_question(&turn, 4), Some(Refused::Stopped));
        assert_eq!(refusals.of_turn(&turn), Some(Refused::Stopped));
        assert_eq!(refusals.of_turn(&origin("s", "2")), None);
    }

    #[test]
    fn without_turns_a_yes_or_a_pause_ends_it() {
        let refusals = Refusals::default();
        let nobody = origin("s", "");
        for call in 1..=3 {
            refusals.no(&nobody, call);
        }
        assert_eq!(refusals.of_question(&nobody, 9), Some(Refused::Stopped));
        assert_eq!(refusals.of_turn(&nobody), None, "what is allowed anyway goes on");
        let stopped = |now| refusals.at(now, &nobody, |_| Some(Refused::Stopped)).is_some();
        assert!(stopped(Instant::now() + PAUSE / 2));
        assert!(!stopped(Instant::now() + PAUSE * 2));
        refusals.yes(&nobody);
        assert_eq!(refusals.of_question(&nobody, 1), None);
    }

    #[test]
    fn only_the_latest_turns_are_remembered() {
        let refusals = Refusals::default();
        for turn in 0..=MAX_TURNS {
            refusals.no(&origin("s", &format!("t{turn}")), 1);
        }
        assert_eq!(refusals.of_question(&origin("s", "t0"), 1), None);
        assert!(refusals.of_question(&origin("s", "t1"), 1).is_some());
        assert_eq!(refusals.lock().len(), MAX_TURNS);
    }

    #[test]
    fn the_same_call_is_known_by_what_it_does() {
        let tool = ToolName::new("run").unwrap();
        let run = |command: &str| {
            let action = Action::execute(command, "/w");
            vec![JudgedAction::plain(action)]
        };
        let said = |text: &str| json!({"command": "ls", "description": text});
        assert_eq!(
            same_call(&tool, &said("a"), &run("ls")),
            same_call(&tool, &said("b"), &run("ls"))
        );
        assert_ne!(
            same_call(&tool, &said("a"), &run("ls")),
            same_call(&tool, &said("a"), &run("rm"))
        );
        let written = |input: Value| same_call(&tool, &input, &[]);
        assert_eq!(written(json!({"a": 1, "b": 2})), written(json!({"b": 2, "a": 1})));
        assert_ne!(written(json!({"a": 1})), written(json!({"a": 2})));
    }
}
