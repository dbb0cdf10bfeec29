//! Whose question it is, when several calls are under way at one server.

use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::Response;
use dogu_gateway::{Elicitation, Elicitor, Reply};
use dogu_tool::BoxFuture;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::world::{Server, World, event, events, text};

/// Says which call it was asked about.
#[derive(Default)]
struct Person(Mutex<Vec<Elicitation>>);

impl Elicitor for Person {
    fn elicit<'a>(&'a self, question: &'a Elicitation) -> BoxFuture<'a, Reply> {
        self.0.lock().unwrap().push(question.clone());
        let call = question.call.clone();
        Box::pin(
            async move { call.map_or(Reply::Decline, |call| Reply::Accept(json!({"a": call}))) },
        )
    }
}

/// Asks on the stream of the call, and answers with what was said.
fn asks_on_its_stream(server: &Arc<Server>, request: Value) -> Response<Body> {
    let (stream, response) = events();
    let server = Arc::clone(server);
    tokio::spawn(async move {
        let id = format!("q-{}", request["params"]["arguments"]["what"].as_str().unwrap());
        let (question, said) = server.question(&id);
        stream.send(event(&question)).await.unwrap();
        let said = said.await.unwrap();
        let answer = text(&request, said["content"]["a"].as_str().unwrap_or("declined"));
        let _ = stream.send(event(&answer)).await;
    });
    response
}

#[tokio::test]
async fn over_http_each_question_belongs_to_the_call_on_whose_stream_it_came() {
    let person = Arc::new(Person::default());
    let world = World::with(asks_on_its_stream, Some(Arc::clone(&person) as _)).await;
    let ids: Vec<String> = (0..6).map(|number| format!("c{number}")).collect();
    let answers = join_all(ids.iter().map(|id| world.call(id, id))).await;
    assert_eq!(answers, ids);
    let asked = person.0.lock().unwrap();
    let belongs = |one: &Elicitation| {
        one.call.as_ref().is_some_and(|call| one.message == format!("q-{call}"))
    };
    assert!(asked.iter().all(belongs), "{asked:?}");
}

#[tokio::test]
async fn a_question_ends_with_its_call() {
    /// Never answers, and says when nobody waits for it any more.
    #[derive(Default)]
    struct Silent(Arc<Mutex<Vec<&'static str>>>);
    struct Gone(Arc<Mutex<Vec<&'static str>>>);
    impl Drop for Gone {
        fn drop(&mut self) {
            self.0.lock().unwrap().push("gone");
        }
    }
    impl Elicitor for Silent {
        fn elicit<'a>(&'a self, _: &'a Elicitation) -> BoxFuture<'a, Reply> {
            self.0.lock().unwrap().push("asked");
            let gone = Gone(Arc::clone(&self.0));
            Box::pin(async move {
                let _gone = gone;
                std::future::pending().await
            })
        }
    }
    // Asks, and answers the call without waiting.
    let impatient = |server: &Arc<Server>, request: Value| {
        let (stream, response) = events();
        let (question, _) = server.question("q");
        tokio::spawn(async move {
            stream.send(event(&question)).await.unwrap();
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            stream.send(event(&text(&request, "never mind"))).await.unwrap();
        });
        response
    };
    let person = Arc::new(Silent::default());
    let world = World::with(impatient, Some(Arc::clone(&person) as _)).await;
    assert_eq!(world.call("c1", "x").await, "never mind");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while *person.0.lock().unwrap() != ["asked", "gone"] {
        assert!(std::time::Instant::now() < end, "{:?}", person.0);
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}
