//! `codebase_search` with vectors of a model, at a real HTTP endpoint: what they find, what is
//! asked for, and that a search always answers.

use std::path::Path;
use std::sync::Arc;

use dogu_net::{EmbeddingsEndpoint, EndpointOptions};
use dogu_runtime::{Runtime, RuntimeBuilder, Source, StateDir};
use dogu_tool::{Origin, Principal, Scope, ToolCall, ToolResult};
use serde_json::json;

use crate::server::{Received, Server, embedded, reply};
use crate::support::{Folder, tokio};

/// What some words mean; one number each, and one for all else.
const MEANINGS: [&[&str]; 3] =
    [&["purge", "rid", "discard"], &["socket", "wire"], &["invoice", "bill"]];

/// A model that knows a few words.
fn vector(text: &str) -> Vec<f32> {
    let text = text.to_lowercase();
    let says = |words: &&[&str]| f32::from(u8::from(words.iter().any(|word| text.contains(word))));
    let mut vector: Vec<f32> = MEANINGS.iter().map(says).collect();
    vector.push(0.1);
    vector
}

fn model() -> Server {
    Server::start(|request: &Received| embedded(request, vector))
}

fn code() -> Folder {
    Folder::with([
        (
            "store.rs",
            "/// Leaves only what is young.\nfn purge(all: &mut Vec<Entry>) {\n    all.retain(Entry::is_young);\n}\n",
        ),
        ("net.rs", "fn socket(port: u16) -> Handle {\n    Handle::bind(port)\n}\n"),
        ("stale.md", "# Notes\n\nOld entries are stale after an hour.\n"),
        ("invoice.py", "def invoice(customer):\n    return customer.total()\n"),
    ])
}

fn builder(folder: &Path, url: &str) -> RuntimeBuilder {
    let endpoint = EmbeddingsEndpoint::new(EndpointOptions::new(url, "meanings")).unwrap();
    Runtime::builder(Scope::new(folder))
        .tools(&Source::Builtin, dogu_builtin::all())
        .unwrap()
        .embeddings(Arc::new(endpoint))
}

fn search(runtime: &Runtime, query: &str) -> ToolResult {
    tokio().block_on(async {
        let origin = Arc::new(Origin::of(Principal::process("test")));
        let step = runtime.step_with(origin, runtime.catalog());
        step.dispatch(ToolCall::new("c", "codebase_search", json!({ "query": query }))).await
    })
}

fn first(result: &ToolResult) -> String {
    result.structured.as_ref().unwrap()["results"][0]["path"].as_str().unwrap().to_owned()
}

#[test]
fn what_has_no_word_of_the_question_is_found() {
    let (folder, model) = (code(), model());
    let runtime = builder(folder.root(), &model.url()).build().unwrap();
    let found = search(&runtime, "how to be rid of them");
    assert_eq!(first(&found), "store.rs", "{}", found.to_text());
    let text = found.to_text();
    assert!(text.contains("by words and vectors, best first"), "{text}");
    // Both rankings count: the notes have the word, the function the meaning.
    let both = search(&runtime, "discard stale entries").to_text();
    assert!(both.contains("stale.md") && both.contains("store.rs"), "{both}");
}

#[test]
fn without_a_model_nothing_is_asked_and_words_alone_count() {
    let (folder, model) = (code(), model());
    let runtime = Runtime::builder(Scope::new(folder.root()))
        .tools(&Source::Builtin, dogu_builtin::all())
        .unwrap()
        .build()
        .unwrap();
    let text = search(&runtime, "how to be rid of them").to_text();
    assert!(text.starts_with("Nothing fits"), "{text}");
    assert!(model.received().is_empty());
}

#[test]
fn a_text_is_asked_for_once_across_processes_and_changes() {
    let (folder, model, state) = (code(), model(), tempfile::tempdir().unwrap());
    let process = || {
        let state = StateDir::open(state.path()).unwrap();
        builder(folder.root(), &model.url()).state(state).build().unwrap()
    };
    let one = process();
    search(&one, "be rid");
    assert_eq!(model.texts().len(), 1 + 4, "{:?}", model.texts());
    model.forget();
    search(&one, "be rid");
    search(&process(), "be rid");
    assert_eq!(model.texts(), ["be rid", "be rid"]);
    model.forget();
    // One function more, above the one that was there.
    let grown = format!("fn wire() {{\n    connect();\n}}\n\n{}", folder.read("net.rs"));
    folder.write("net.rs", grown);
    let found = search(&process(), "what goes over the wire");
    assert_eq!(first(&found), "net.rs");
    assert_eq!(model.texts().len(), 2, "{:?}", model.texts());
    assert!(model.texts()[1].contains("connect()"), "{:?}", model.texts());
}

#[test]
fn another_model_gets_vectors_of_its_own() {
    let (folder, state) = (code(), tempfile::tempdir().unwrap());
    let ask = |model: &Server| {
        let state = StateDir::open(state.path()).unwrap();
        let runtime = builder(folder.root(), &model.url()).state(state).build().unwrap();
        first(&search(&runtime, "be rid"))
    };
    let narrow = model();
    assert_eq!(ask(&narrow), "store.rs");
    // Another address, and vectors that are longer.
    let wide = Server::start(|request: &Received| {
        embedded(request, |text| [vector(text), vec![0.05; 4]].concat())
    });
    assert_eq!(ask(&wide), "store.rs");
    assert_eq!(wide.texts().len(), 1 + 4);
}

/// A search where the model answers so; it must find by words, and say why not by more.
fn by_words(answer: impl Fn(&Received) -> Vec<u8> + Send + Sync + 'static) -> String {
    let (folder, model) = (code(), Server::start(answer));
    let runtime = builder(folder.root(), &model.url()).build().unwrap();
    let found = search(&runtime, "bind a port");
    assert_eq!(first(&found), "net.rs");
    found.to_text()
}

#[test]
fn a_search_answers_whatever_the_model_does() {
    let cases: [(Vec<u8>, &str); 4] = [
        (reply("500 Oops", ""), "answered 500"),
        (reply("200 OK", "hello"), "did not answer with vectors"),
        (reply("200 OK", r#"{"data": [{"embedding": [0, 0]}]}"#), "without a direction"),
        (reply("200 OK", r#"{"data": []}"#), "gave 0 vectors for 1 texts"),
    ];
    for (answer, said) in cases {
        let text = by_words(move |_| answer.clone());
        assert!(
            text.contains("ranked by words alone, without vectors") && text.contains(said),
            "{text}"
        );
    }
}

#[test]
fn a_model_that_fails_on_the_way_is_used_as_far_as_it_came() {
    // The question goes well, the code does not.
    let text = by_words(|request| {
        let is_question = request.body["input"].as_array().unwrap().len() == 1;
        if is_question { embedded(request, vector) } else { reply("429 Slow down", "") }
    });
    let said = "4 files have no vectors yet and can only be found by words; the model failed";
    assert!(text.contains(said) && text.contains("answered 429"), "{text}");
    // The question's vector is shorter than those of the code.
    let text = by_words(|request| {
        let is_question = request.body["input"].as_array().unwrap().len() == 1;
        embedded(request, |_| vec![1.0; if is_question { 2 } else { 3 }])
    });
    assert!(text.contains("by words"), "{text}");
}

#[test]
fn secrets_do_not_leave() {
    let (folder, model) = (code(), model());
    // In two parts, so that no search for keys finds this file.
    let key = ["AKIA", "QYLPMN5HHHFPZAM2"].concat();
    folder.write("deploy.rs", format!("fn upload() {{\n    sign(\"{key}\");\n}}\n"));
    folder.write(".env", "TOKEN=abcdefgh12345678\n");
    let runtime = builder(folder.root(), &model.url()).build().unwrap();
    search(&runtime, &format!("where is {key}"));
    let texts = model.texts().join("\n");
    assert!(texts.contains("fn upload") && !texts.contains(&key), "{texts}");
    assert!(!texts.contains("abcdefgh12345678"), "{texts}");
}
