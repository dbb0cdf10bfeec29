//! The `requestState` of a question that is parked: it names the question to this server, and to
//! nobody else. Whoever changes it has nothing.

use std::time::Duration;

use dogu_tool::Principal;
use rmcp::model::{RequestStateCodec, RequestStateError, SealOptions};
use serde::{Deserialize, Serialize};

use crate::error::ServeError;

/// Seals with a key that exists only in this process.
pub(crate) struct Seal(RequestStateCodec);

/// What is sealed.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// Used once.
    pub(crate) nonce: String,
    /// The call that waits.
    pub(crate) call: String,
    /// Of what was asked, as it was shown.
    pub(crate) digest: String,
    /// Who was asked.
    pub(crate) principal: String,
    /// And in which session.
    pub(crate) session: String,
}

impl State {
    /// Whether it was given to this caller.
    pub(crate) fn belongs_to(&self, principal: &Principal) -> bool {
        self.principal == principal.id() && self.session == principal.session()
    }
}

/// What came of opening a state.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    /// It is this server's, and still counts.
    State(State),
    /// It was this server's, and no longer counts.
    Stale,
    /// This server did not make it.
    Forged,
}

impl Seal {
    pub(crate) fn new() -> Result<Self, ServeError> {
        let mut key = [0_u8; RequestStateCodec::MIN_KEY_LENGTH];
        getrandom::fill(&mut key).map_err(|error| ServeError::Random(error.into()))?;
        let codec = RequestStateCodec::try_new(key)
            .map_err(|error| ServeError::Session(error.to_string()))?;
        Ok(Self(codec))
    }

    /// The state as the client keeps it.
    pub(crate) fn close(&self, state: &State, counts: Duration) -> String {
        // A struct of strings is always JSON.
        self.0.seal_json_with(state, &SealOptions::new().ttl(counts)).unwrap_or_default()
    }

    pub(crate) fn open(&self, sealed: &str) -> Opened {
        match self.0.open_json(sealed) {
            Ok(state) => Opened::State(state),
            Err(RequestStateError::Expired) => Opened::Stale,
            Err(_) => Opened::Forged,
        }
    }
}

/// 128 random bits as text.
pub(crate) fn nonce() -> Result<String, ServeError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| ServeError::Random(error.into()))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn state() -> State {
        let text = |text: &str| text.to_owned();
        State {
            nonce: nonce().unwrap(),
            call: text("c"),
            digest: text("d"),
            principal: text("p"),
            session: text("s"),
        }
    }

    #[test]
    fn only_its_own_unchanged_and_fresh_states_count() {
        let (seal, other) = (Seal::new().unwrap(), Seal::new().unwrap());
        let made = state();
        let sealed = seal.close(&made, Duration::from_mins(1));
        assert_eq!(seal.open(&sealed), Opened::State(made));
        assert_eq!(other.open(&sealed), Opened::Forged);
        assert_eq!(seal.open(&format!("{sealed}x")), Opened::Forged);
        let old = seal.close(&state(), Duration::ZERO);
        std::thread::sleep(Duration::from_millis(1_100));
        assert_eq!(seal.open(&old), Opened::Stale);
    }

    proptest! {
        #[test]
        fn no_other_text_is_a_state(text in "\\PC{0,80}", at in any::<prop::sample::Index>(), to in any::<char>()) {
            let seal = Seal::new().unwrap();
            prop_assert_eq!(seal.open(&text), Opened::Forged);
            let sealed = seal.close(&state(), Duration::from_mins(1));
            let mut changed: Vec<char> = sealed.chars().collect();
            let at = at.index(changed.len());
            prop_assume!(changed[at] != to);
            changed[at] = to;
            prop_assert_eq!(seal.open(&changed.into_iter().collect::<String>()), Opened::Forged);
        }
    }
}
