use std::sync::{Arc, Mutex};
use std::time::Duration;

use dogu::gateway::{Elicitation, Elicitor, Reply, Wants};
use dogu::tool::BoxFuture;
use serde_json::{Value, json};

use crate::support::{Build, principal, small, until};

fn with_times(timeout: u64, most: u64) -> Build {
    let build = Build::new();
    let mut server = small("good", &build.notes());
    server.timeout = Some(timeout);
    server.max_timeout = Some(most);
    build.server("small", server)
}

#[tokio::test]
async fn m3_a_slow_tool_is_given_up_and_told_so() {
    let world = with_times(1, 10).world().loaded().await;
    let result = world.call("small__do", json!({"what": "never"})).await.to_text();
    assert!(result.contains("The MCP server small did not answer within 1 seconds"), "{result}");
    assert!(result.contains("E_TOOL_TIMEOUT"), "{result}");
    until("the server was told", || world.notes().contains(&"canceled".to_owned())).await;
    assert_eq!(world.starts(), 1);
}

#[tokio::test]
async fn progress_extends_the_time_up_to_a_maximum() {
    let world = with_times(1, 30).world().loaded().await;
    let result = world.call("small__do", json!({"what": "progress"})).await.to_text();
    assert_eq!(result, "done after all");
    let world = with_times(1, 2).world().loaded().await;
    let result = world.call("small__do", json!({"what": "progress for ever"})).await.to_text();
    assert!(result.contains("did not answer within 2 seconds"), "{result}");
}

#[tokio::test]
async fn progress_is_passed_on() {
    let world = with_times(5, 30).world().loaded().await;
    let mut listener = world.runtime.listen(&principal());
    world.call("small__do", json!({"what": "progress"})).await;
    let mut texts = Vec::new();
    while let Ok(Some(heard)) =
        tokio::time::timeout(Duration::from_millis(100), listener.next()).await
    {
        texts.push(format!("{heard:?}"));
    }
    assert!(texts.iter().any(|text| text.contains("step 2")), "{texts:?}");
}

#[tokio::test]
async fn a_cancel_is_passed_on() {
    let world = Arc::new(with_times(30, 30).world().loaded().await);
    let calling = {
        let world = Arc::clone(&world);
        tokio::spawn(
            async move { world.call_as("c9", "small__do", json!({"what": "never"})).await },
        )
    };
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(world.runtime.cancel(&principal(), "c9"));
    let result = calling.await.unwrap();
    assert!(result.to_text().contains("E_TOOL_CANCELED"), "{}", result.to_text());
    until("the server was told", || world.notes().contains(&"canceled".to_owned())).await;
    assert_eq!(world.call("small__echo", json!({"text": "on"})).await.to_text(), "on");
}

/// Gives one answer and keeps the questions.
struct Person {
    asked: Mutex<Vec<Elicitation>>,
    reply: Reply,
}

impl Elicitor for Person {
    fn elicit<'a>(&'a self, question: &'a Elicitation) -> BoxFuture<'a, Reply> {
        self.asked.lock().unwrap().push(question.clone());
        Box::pin(async { self.reply.clone() })
    }
}

#[tokio::test]
async fn a_question_of_a_server_is_shown_under_its_name() {
    let person =
        Arc::new(Person { asked: Mutex::default(), reply: Reply::Accept(json!({"name": "Kim"})) });
    let mut build = Build::new().small("good");
    build.elicitor = Some(Arc::clone(&person) as Arc<dyn Elicitor>);
    let world = build.world().loaded().await;
    let result = world.call("small__do", json!({"what": "elicit"})).await.to_text();
    let answered: Value = serde_json::from_str(&result).unwrap();
    assert_eq!(answered, json!({"action": "accept", "content": {"name": "Kim"}}));
    let asked = person.asked.lock().unwrap();
    assert_eq!(asked[0].server, "small");
    assert_eq!(asked[0].message, "Your name?");
    assert!(matches!(&asked[0].wants, Wants::Values(schema) if schema["type"] == "object"));
}

#[tokio::test]
async fn without_a_person_a_question_is_declined() {
    let world = Build::new().small("good").world().loaded().await;
    let result = world.call("small__do", json!({"what": "elicit"})).await.to_text();
    assert!(result.contains("decline"), "{result}");
}

/// A server asks while dogu's own question waits: the answer to the one is none to the other.
#[tokio::test]
async fn an_answer_to_a_server_is_no_answer_to_dogu() {
    let person =
        Arc::new(Person { asked: Mutex::default(), reply: Reply::Accept(json!({"allow": true})) });
    let build = Build { answer: Some(dogu::runtime::Answer::no()), ..Build::new() };
    let notes = build.notes();
    let mut build = build.server("small", small("good", &notes));
    build.elicitor = Some(Arc::clone(&person) as Arc<dyn Elicitor>);
    let world = build.world().loaded().await;
    let refused = world.call("small__do", json!({"what": "elicit"})).await.to_text();
    assert!(refused.contains("the user said no"), "{refused}");
    assert_eq!(person.asked.lock().unwrap().len(), 0, "it was never called");
}

/// On a pipe nothing says which call a question belongs to, unless there is only one.
#[tokio::test]
async fn over_a_pipe_a_question_among_several_calls_belongs_to_none() {
    let person = Arc::new(Person { asked: Mutex::default(), reply: Reply::Decline });
    let mut build = Build::new().small("good");
    build.elicitor = Some(Arc::clone(&person) as Arc<dyn Elicitor>);
    let world = build.world().loaded().await;
    let slow = world.call_as("c1", "small__do", json!({"what": "never"}));
    let asks = async {
        until("the other call is there", || world.notes().contains(&"never".to_owned())).await;
        world.call_as("c2", "small__do", json!({"what": "elicit"})).await;
        world.runtime.cancel(&principal(), "c1");
    };
    tokio::join!(slow, asks);
    world.call_as("c3", "small__do", json!({"what": "elicit", "seconds": 0})).await;
    let asked = person.asked.lock().unwrap();
    let calls: Vec<_> = asked.iter().map(|question| question.call.as_deref()).collect();
    assert_eq!(calls, [None, Some("c3")]);
}

#[tokio::test]
async fn a_thousand_questions_at_once_are_a_few() {
    let person = Arc::new(Person { asked: Mutex::default(), reply: Reply::Decline });
    let mut build = Build::new().small("good");
    build.elicitor = Some(Arc::clone(&person) as Arc<dyn Elicitor>);
    let world = build.world().loaded().await;
    let result = world.call("small__do", json!({"what": "asks at once"})).await.to_text();
    assert_eq!(result, "asked a thousand times");
    assert!(person.asked.lock().unwrap().len() <= 10);
    until("all are answered", || {
        world.notes().iter().filter(|note| note.starts_with("answered")).count() == 1_000
    })
    .await;
    assert_eq!(world.call("small__echo", json!({"text": "on"})).await.to_text(), "on");
}
