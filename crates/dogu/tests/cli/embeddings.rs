//! Vectors for `codebase_search`, from the user's settings to the answer.

use insta::assert_snapshot;

use crate::server::{Server, embedded};
use crate::support::Home;

const ASK: [&str; 3] = ["call", "codebase_search", "query=how to be rid of them"];

fn code() -> Home {
    let home = Home::new();
    home.write(
        "work/store.rs",
        "fn purge(all: &mut Vec<Entry>) {\n    all.retain(Entry::is_young);\n}\n",
    );
    home
}

/// A model for which everything means the same.
fn model() -> Server {
    Server::start(|request| embedded(request, |_| vec![1.0, 2.0]))
}

#[test]
fn the_users_settings_name_a_model_and_the_environment_its_key() {
    let (home, model) = (code(), model());
    home.user_settings(&format!(
        "embeddings:\n  url: {}\n  model: words\n  key_variable: WORDS_API_KEY\n",
        model.url()
    ));
    let mut command = home.command(&ASK);
    command.env("WORDS_API_KEY", "the-key-of-the-words");
    let done = home.run(command, b"");
    assert!(done.quiet().contains("store.rs:1-3 function purge"), "{done}");
    let received = model.received();
    assert_eq!(received[0].authorization.as_deref(), Some("Bearer the-key-of-the-words"));
    // Without the key nothing is sent.
    model.forget();
    let done = home.dogu(&ASK);
    assert!(done.stdout.starts_with("Nothing fits"), "{done}");
    assert_snapshot!(done.stderr, @"warning: the settings take the key of `embeddings` from WORDS_API_KEY, which is not set; code is searched by words alone");
    assert!(model.received().is_empty());
}

#[test]
fn a_project_cannot_name_a_model_trusted_or_not() {
    let (home, model) = (code(), model());
    let settings =
        format!("audit: best_effort\nembeddings: {{url: '{}', model: m}}\n", model.url());
    home.write("work/dogu.yaml", &settings);
    let refused = home.dogu(&ASK);
    assert_snapshot!(refused, @"
    exit 2
    --- stdout
    --- stderr
    error: settings [ROOT]/work/dogu.yaml:2:1: `embeddings` can only be set in your own settings, not by a project
    ");
    let trusted = home.dogu(&[&ASK[..], &["--trust"]].concat());
    assert_eq!(trusted.to_string(), refused.to_string());
    assert!(model.received().is_empty());
}

#[test]
fn settings_that_cannot_be_used_are_told() {
    let home = code();
    home.user_settings("embeddings: {url: 'http://words.example/v1', model: m, key_variable: K}\n");
    let mut command = home.command(&ASK);
    command.env("K", "the-key-of-the-words");
    assert_snapshot!(home.run(command, b""), @"
    exit 2
    --- stdout
    --- stderr
    error: `embeddings` in your settings cannot be used
      Caused by: a key is not sent to words.example without encryption; use https, or an address of this machine
    ");
    home.user_settings("embeddings: {url: words, model: m}\n");
    assert_snapshot!(home.dogu(&ASK), @"
    exit 2
    --- stdout
    --- stderr
    error: `embeddings` in your settings cannot be used
      Caused by: `words` is no address of an API, such as https://api.openai.com/v1
    ");
}
