//! Asking by a program that the user's settings name: it gets the question on its stdin and
//! prints the answer. For whoever cannot be reached at a terminal or through a client.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use dogu_runtime::process::{Child, Launch, Supervisor};
use dogu_runtime::{Answer, PermissionDelegate, Question};
use dogu_tool::BoxFuture;
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe;
use tokio::sync::Mutex;

use super::page;

/// How much of what it prints is read.
const MOST_PRINTED: u64 = 64 * 1024;
/// How many characters of what it says about itself are told.
const MOST_OF_COMPLAINT: usize = 200;
/// How long it may take to end by itself when nobody waits for its answer any more.
const GRACE: Duration = Duration::from_secs(1);

/// The program. It is the user's own: nothing holds it, and it has the whole environment, in which
/// a desktop's programs find their screen.
pub(crate) struct Program {
    pub(crate) supervisor: Supervisor,
    pub(crate) words: Vec<String>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) folder: PathBuf,
    /// A person answers one question at a time.
    pub(crate) asking: Mutex<()>,
}

impl PermissionDelegate for Program {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let _one_at_a_time = self.asking.lock().await;
            let told = |why: String| {
                format!("the program in `delegate` of the user's settings gave no answer: {why}")
            };
            self.answer(question).await.unwrap_or_else(|why| Answer::Unasked { why: told(why) })
        })
    }
}

impl Program {
    async fn answer(&self, question: &Question) -> Result<Answer, String> {
        let mut launch = Launch::new(&self.words, &self.folder);
        launch.environment.clone_from(&self.environment);
        let started = self.supervisor.start_piped(launch).await;
        let (child, pipes) = started.map_err(|error| dogu_tool::text::with_causes(&error))?;
        let child = Running(child);
        let broken = |error: std::io::Error| error.to_string();
        let input = pipe::Sender::from_owned_fd(pipes.input).map_err(broken)?;
        let output = pipe::Receiver::from_owned_fd(pipes.output).map_err(broken)?;
        let told = tokio::spawn(tell(input, asked(question)));
        let mut printed = String::new();
        let read = output.take(MOST_PRINTED).read_to_string(&mut printed).await;
        told.abort();
        if read.map_err(broken)? as u64 == MOST_PRINTED {
            return Err(format!("it printed more than {MOST_PRINTED} bytes"));
        }
        let end = child.0.ended().await;
        if end.exit_code != Some(0) {
            return Err(child.how_ended(end.exit_code));
        }
        meaning(printed.trim(), question)
            .ok_or_else(|| format!("it printed `{}`", complaint(printed.trim())))
    }
}

/// A program that reads nothing of the question answers all the same.
async fn tell(mut input: pipe::Sender, question: Vec<u8>) {
    let _ = input.write_all(&question).await;
}

/// Ends with whoever waits for it: an answer to nothing would be taken for one.
struct Running(Child);

impl Running {
    fn how_ended(&self, exit_code: Option<i32>) -> String {
        let how = exit_code.map_or_else(
            || "a signal ended it".to_owned(),
            |code| format!("it exited with {code}"),
        );
        let said = self.0.log().result(2_000).text;
        match said.lines().rev().find(|line| !line.trim().is_empty()) {
            Some(last) => format!("{how} and said: {}", complaint(last.trim())),
            None => how,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.stop(GRACE);
    }
}

/// The beginning of what it said, without what a terminal would obey.
fn complaint(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MOST_OF_COMPLAINT).collect()
}

/// What it reads: the question as a page of text and as data, and the answers that count.
fn asked(question: &Question) -> Vec<u8> {
    let asked = json!({
        "text": page::text_of(question).trim_start(),
        "question": question,
        "answers": question.answers(),
    });
    asked.to_string().into_bytes()
}

/// What it prints, as data; a bare word stands for its answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    answer: String,
    #[serde(default)]
    message: Option<String>,
}

/// Only what is plainly one of the answers is one.
fn meaning(printed: &str, question: &Question) -> Option<Answer> {
    let said = if printed.starts_with('{') {
        serde_json::from_str(printed).ok()?
    } else {
        Said { answer: printed.to_owned(), message: None }
    };
    question.meaning(&said.answer, said.message.as_deref())
}

#[cfg(test)]
mod tests {
    use dogu_runtime::GrantScope;
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::prompt::page::tests::question;

    const RULES: &[&str] = &["Execute(cargo test)"];

    #[test]
    fn it_is_told_what_would_happen_and_which_answers_count() {
        let asked: Value = serde_json::from_slice(&asked(&question(&[]))).unwrap();
        assert_eq!(asked["answers"], json!(["allow_once", "deny"]));
        assert_eq!(asked["question"]["actions"], json!(["Execute(cargo test)"]));
        assert!(asked["text"].as_str().unwrap().starts_with("Run a command (execute_command"));
        let offers = question(&[(GrantScope::Session, RULES), (GrantScope::Permanent, RULES)]);
        let asked: Value = serde_json::from_slice(&super::asked(&offers)).unwrap();
        assert_eq!(asked["answers"].as_array().unwrap().len(), 4);
    }

    #[test]
    fn words_and_data_are_answers() {
        let offers = question(&[(GrantScope::Session, RULES)]);
        let mean = |printed| meaning(printed, &offers);
        assert_eq!(mean("allow_once"), Some(Answer::yes()));
        let session = Answer::Allow { scope: GrantScope::Session };
        assert_eq!(mean(r#"{"answer": "allow_session"}"#), Some(session));
        assert_eq!(mean("deny"), Some(Answer::no()));
        let word = r#"{"answer": "deny", "message": "not today"}"#;
        assert_eq!(mean(word), Some(Answer::no_because("not today")));
        // Not offered, not known, or not all that was printed.
        for none in ["allow_always", "yes", "", "allow_once\nallow_once", "{}", r#"{"answer": 1}"#]
        {
            assert_eq!(mean(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn nothing_else_is_a_yes(printed in any::<String>()) {
            let is_yes = meaning(&printed, &question(&[])).is_some_and(|answer| answer.is_yes());
            prop_assert!(!is_yes || printed == "allow_once");
        }
    }
}
