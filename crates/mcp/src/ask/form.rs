//! A question as the form that clients show, and the form's answer.

use dogu_runtime::{Answer, Question};
use rmcp::model::{ElicitRequest, ElicitRequestParams, ElicitationSchema, JsonObject};
use serde_json::{Value, json};

use super::page;

/// The field with the answer.
const ANSWER: &str = "answer";
/// The field with a word to the model.
const WORD: &str = "message";
/// The answers as the person reads them.
const NAMES: [(&str, &str); 4] = [
    ("allow_once", "Allow this once"),
    ("allow_session", "Allow for this session"),
    ("allow_always", "Allow always"),
    ("deny", "Do not allow"),
];

/// The form of a question.
pub(crate) fn of(question: &Question) -> ElicitRequest {
    ElicitRequest::new(params(page::text_of(question), &schema(question)))
}

/// A form with this text and these fields; a schema that forms cannot have becomes an empty one.
pub(crate) fn params(message: String, schema: &Value) -> ElicitRequestParams {
    let fields = schema.as_object().cloned().unwrap_or_default();
    let requested_schema = ElicitationSchema::from_json_schema(fields)
        .unwrap_or_else(|_| ElicitationSchema::new(std::collections::BTreeMap::new()));
    ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema }
}

/// The wish that somebody visits an address.
pub(crate) fn visit(message: &str, url: &str) -> ElicitRequestParams {
    ElicitRequestParams::UrlElicitationParams {
        meta: None,
        message: message.to_owned(),
        url: url.to_owned(),
        elicitation_id: String::new(),
    }
}

fn schema(question: &Question) -> Value {
    let values = question.answers();
    let name = |value: &&str| NAMES.iter().find(|(known, _)| known == value).map(|(_, name)| *name);
    let names: Vec<&str> = values.iter().map(|value| name(value).unwrap_or(value)).collect();
    // `enumNames` beside `enum` is what clients of every era can show.
    json!({
        "type": "object",
        "properties": {
            ANSWER: {
                "type": "string",
                "title": "Answer",
                "description": "May it run?",
                "enum": values,
                "enumNames": names,
            },
            WORD: {
                "type": "string",
                "title": "A word to the model",
                "description": "If you do not allow it: what to do instead. May stay empty.",
            },
        },
        "required": [ANSWER],
    })
}

/// What a filled form says. Only a plain yes is one; whoever closed the form said no; what does
/// not fit the form says nothing, and is asked for again.
pub(crate) fn answer(question: &Question, result: &Value) -> Option<Answer> {
    match result.get("action").and_then(Value::as_str)? {
        "accept" => filled(question, result.get("content")?.as_object()?),
        "decline" | "cancel" => Some(Answer::no()),
        _ => None,
    }
}

fn filled(question: &Question, content: &JsonObject) -> Option<Answer> {
    let chosen = content.get(ANSWER)?.as_str()?;
    question.meaning(chosen, content.get(WORD).and_then(Value::as_str))
}

#[cfg(test)]
mod tests {
    use dogu_runtime::{GrantScope, Offer};
    use proptest::prelude::*;

    use super::*;

    fn question(scopes: &[GrantScope]) -> Question {
        let mut question = Question::new("write_file", "builtin");
        let rules = vec!["FileWrite(a.txt)".to_owned()];
        question.asked.offers =
            scopes.iter().map(|scope| Offer { scope: *scope, rules: rules.clone() }).collect();
        question
    }

    #[test]
    fn only_what_could_be_kept_is_offered() {
        let values = |scopes: &[GrantScope]| {
            let form = serde_json::to_value(of(&question(scopes))).unwrap();
            assert_eq!(form["method"], "elicitation/create");
            assert_eq!(form["params"]["mode"], "form");
            form["params"]["requestedSchema"]["properties"]["answer"]["enum"].clone()
        };
        assert_eq!(values(&[]), json!(["allow_once", "deny"]));
        assert_eq!(
            values(&[GrantScope::Session, GrantScope::Permanent]),
            json!(["allow_once", "allow_session", "allow_always", "deny"])
        );
    }

    #[test]
    fn only_a_plain_yes_is_one() {
        let asked = question(&[GrantScope::Session]);
        let accept =
            |content: Value| answer(&asked, &json!({"action": "accept", "content": content}));
        assert_eq!(accept(json!({"answer": "allow_once"})), Some(Answer::yes()));
        let session = Answer::Allow { scope: GrantScope::Session };
        assert_eq!(accept(json!({"answer": "allow_session"})), Some(session));
        assert_eq!(accept(json!({"answer": "allow_always"})), None, "it was not offered");
        assert_eq!(
            accept(json!({"answer": "deny", "message": " use git "})),
            Some(Answer::no_because("use git"))
        );
        assert_eq!(accept(json!({"answer": "deny", "message": ""})), Some(Answer::no()));
        for unfit in [json!({}), json!({"answer": "yes"}), json!({"answer": true}), json!(null)] {
            assert_eq!(accept(unfit), None);
        }
        for action in ["decline", "cancel"] {
            assert_eq!(answer(&asked, &json!({ "action": action })), Some(Answer::no()));
        }
        for unfit in [json!(12_345), json!(null), json!({"action": "sure"})] {
            assert_eq!(answer(&asked, &unfit), None);
        }
    }

    proptest! {
        #[test]
        fn no_text_that_was_not_offered_is_a_yes(text in ".{0,30}") {
            prop_assume!(text != "allow_once");
            let given = json!({"action": "accept", "content": {"answer": text}});
            prop_assert!(!answer(&question(&[]), &given).is_some_and(|answer| answer.is_yes()));
        }
    }
}
