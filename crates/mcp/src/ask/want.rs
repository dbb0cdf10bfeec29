//! Something that the client is to answer before a request can go on.

use dogu_runtime::{Answer, Question, Runtime};
use dogu_tool::Principal;
use rmcp::model::{InputRequest, InputRequests, InputResponses};
use serde_json::Value;
use tokio::sync::oneshot;

use super::form;

/// What is asked of the client.
pub(crate) enum Want {
    /// May a call run? The runtime has the question parked.
    Permission(Box<Question>),
    /// What a tool wants to know.
    Input(Box<Inputs>),
}

/// What a tool wants to know.
pub(crate) struct Inputs {
    /// What has not been answered.
    pub(crate) requests: InputRequests,
    /// What has.
    pub(crate) given: InputResponses,
    /// Where the answers go.
    pub(crate) answer: oneshot::Sender<InputResponses>,
}

impl Want {
    /// What the client is sent, by the names under which it answers.
    pub(crate) fn requests(&self) -> InputRequests {
        match self {
            Self::Permission(question) => InputRequests::from([(
                key(question),
                InputRequest::Elicitation(form::of(question)),
            )]),
            Self::Input(inputs) => inputs.requests.clone(),
        }
    }

    /// Of everything that is asked, as it is asked: an answer counts for nothing else.
    pub(crate) fn digest(&self) -> String {
        let asked = serde_json::to_vec(&self.requests()).unwrap_or_default();
        blake3::hash(&asked).to_hex().to_string()
    }

    /// Hands over what the client answered. Gives back what is still missing: what does not fit
    /// was not an answer, and what was not asked for is ignored.
    pub(crate) fn answered(
        self,
        responses: &InputResponses,
        runtime: &Runtime,
        principal: &Principal,
    ) -> Result<(), Self> {
        match self {
            Self::Permission(question) => {
                let said = responses.get(&key(&question));
                match said.and_then(|said| form::answer(&question, said)) {
                    Some(answer) => {
                        // A question that is no longer there has ended in another way.
                        runtime.answer(principal, &question.id, answer);
                        Ok(())
                    }
                    None => Err(Self::Permission(question)),
                }
            }
            Self::Input(mut inputs) => {
                inputs.take(responses);
                if !inputs.requests.is_empty() {
                    return Err(Self::Input(inputs));
                }
                // A tool that no longer waits has ended.
                let _ = inputs.answer.send(inputs.given);
                Ok(())
            }
        }
    }

    /// Says that nobody can be asked.
    pub(crate) fn unasked(self, why: &str, runtime: &Runtime, principal: &Principal) {
        // A tool is told by its sender going away.
        if let Self::Permission(question) = self {
            let answer = Answer::Unasked { why: why.to_owned() };
            runtime.answer(principal, &question.id, answer);
        }
    }
}

impl Inputs {
    /// Takes those answers that fit.
    pub(crate) fn take(&mut self, responses: &InputResponses) {
        for (key, response) in responses {
            if self.requests.get(key).is_some_and(|request| fits(request, response)) {
                self.requests.remove(key);
                self.given.insert(key.clone(), response.clone());
            }
        }
    }
}

/// The name of a question among the requests. It differs from question to question, as a task's
/// names must.
fn key(question: &Question) -> String {
    format!("dogu-approval-{}", question.id)
}

/// Whether a response is one to this kind of request.
pub(crate) fn fits(request: &InputRequest, response: &Value) -> bool {
    match request {
        InputRequest::Elicitation(_) => match response["action"].as_str() {
            Some("accept") => response["content"].is_object(),
            Some("decline" | "cancel") => true,
            _ => false,
        },
        InputRequest::CreateMessage(_) => {
            response["role"].is_string() && !response["content"].is_null()
        }
        InputRequest::ListRoots(_) => response["roots"].is_array(),
        _ => response.is_object(),
    }
}
