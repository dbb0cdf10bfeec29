//! What a person is asked, how long an answer counts, and what a no does to the turn.

use std::sync::{Arc, Mutex};

use dogu_runtime::{
    Answer, Asked, Decision, GrantScope, Offer, PermissionDelegate, Policy, PolicyRequest,
    Question, Runtime, Source, Step,
};
use dogu_tool::{
    Action, BoxFuture, Category, Group, Origin, Preview, ShapedTool, Tool, ToolCall, Verdict,
};
use serde_json::{Value, json};

use crate::support::{
    Runs, Workspace, ask, builder, code, me, message, reader, spec, step, writer,
};

/// Gives its answers in order, the last one for ever, and keeps the questions.
struct Script {
    answers: Mutex<Vec<Answer>>,
    questions: Mutex<Vec<Question>>,
}

impl Script {
    fn new(answers: impl IntoIterator<Item = Answer>) -> Arc<Self> {
        let mut answers: Vec<Answer> = answers.into_iter().collect();
        answers.reverse();
        Arc::new(Self { answers: Mutex::new(answers), questions: Mutex::default() })
    }

    fn asked(&self) -> usize {
        self.questions.lock().unwrap().len()
    }

    fn question(&self, at: usize) -> Question {
        self.questions.lock().unwrap()[at].clone()
    }
}

impl PermissionDelegate for Script {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.questions.lock().unwrap().push(question.clone());
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop().unwrap() } else { answers[0].clone() };
        Box::pin(async { answer })
    }
}

/// Asks about everything, offers to keep answers, and keeps what it is told to.
#[derive(Default)]
struct Keeper {
    offers: Vec<Offer>,
    kept: Mutex<Vec<(GrantScope, Vec<String>, bool)>>,
    broken: bool,
}

impl Policy for Keeper {
    fn decide(&self, _: &PolicyRequest<'_>) -> Decision {
        let asked = Asked {
            offers: self.offers.clone(),
            commands: vec!["git push   dangerous: publishes commits".to_owned()],
            risk: Some("dangerous".to_owned()),
        };
        Decision::new(Verdict::Ask, "the test said so").asking(asked)
    }

    fn remember(&self, _: &PolicyRequest<'_>, offer: &Offer, allow: bool) -> Result<(), String> {
        if self.broken {
            return Err("the disk is full".to_owned());
        }
        self.kept.lock().unwrap().push((offer.scope, offer.rules.clone(), allow));
        Ok(())
    }
}

fn offer(scope: GrantScope) -> Offer {
    Offer { scope, rules: vec!["FileWrite(new.txt)".to_owned()] }
}

fn asking(policy: &Arc<Keeper>, script: &Arc<Script>, runs: &Runs) -> Runtime {
    builder()
        .tool(Source::Builtin, writer("w", runs))
        .unwrap()
        .policy(Arc::clone(policy) as Arc<dyn Policy>)
        .delegate(Arc::clone(script) as Arc<dyn PermissionDelegate>)
        .build()
        .unwrap()
}

/// Reads are allowed, writes ask.
fn with_script(script: &Arc<Script>, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Runtime {
    builder()
        .tools(&Source::Builtin, tools)
        .unwrap()
        .delegate(Arc::clone(script) as Arc<dyn PermissionDelegate>)
        .build()
        .unwrap()
}

fn in_turn(runtime: &Runtime, turn: &str) -> Step {
    runtime.step(Arc::new(Origin { turn_id: turn.to_owned(), ..Origin::of(me()) }))
}

async fn make(step: &Step, name: &str, input: Value) -> dogu_tool::ToolResult {
    step.dispatch(ToolCall::new("c1", name, input)).await
}

#[tokio::test]
async fn a5_an_answer_for_longer_is_kept_as_it_was_offered() {
    let table = [
        (Answer::Allow { scope: GrantScope::Session }, "ok"),
        (Answer::Allow { scope: GrantScope::Permanent }, "ok"),
        (Answer::Deny { message: None, scope: GrantScope::Permanent }, "E_TOOL_DENIED"),
    ];
    for (answer, expected) in table {
        let offers = vec![offer(GrantScope::Session), offer(GrantScope::Permanent)];
        let policy = Arc::new(Keeper { offers, ..Keeper::default() });
        let script = Script::new([answer.clone()]);
        let result = ask(&asking(&policy, &script, &Runs::default()), "w", json!({})).await;
        assert_eq!(code(&result), expected);
        let kept = policy.kept.lock().unwrap().clone();
        let rules = vec!["FileWrite(new.txt)".to_owned()];
        assert_eq!(kept, [(answer.scope(), rules, answer.is_yes())]);
        assert_eq!(script.question(0).asked.risk.as_deref(), Some("dangerous"));
        assert_eq!(script.question(0).asked.commands.len(), 1);
    }
}

#[tokio::test]
async fn an_answer_for_longer_than_was_offered_counts_once() {
    let empty = Offer { scope: GrantScope::Permanent, rules: Vec::new() };
    let once = Offer { scope: GrantScope::Once, rules: vec!["FileWrite(*)".to_owned()] };
    let offers = vec![offer(GrantScope::Session), empty, once];
    for scope in [GrantScope::Permanent, GrantScope::Once] {
        let policy = Arc::new(Keeper { offers: offers.clone(), ..Keeper::default() });
        let runs = Runs::default();
        let runtime = asking(&policy, &Script::new([Answer::Allow { scope }]), &runs);
        assert_eq!(code(&ask(&runtime, "w", json!({})).await), "ok");
        assert_eq!(runs.count(), 1);
        assert!(policy.kept.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_kept_is_followed_and_said() {
    let offers = vec![offer(GrantScope::Permanent)];
    let policy = Arc::new(Keeper { offers, broken: true, ..Keeper::default() });
    let runs = Runs::default();
    let script = Script::new([Answer::Allow { scope: GrantScope::Permanent }]);
    let result = ask(&asking(&policy, &script, &runs), "w", json!({})).await;
    assert_eq!(code(&result), "ok");
    assert_eq!(runs.count(), 1);
    let note = "The user's answer was followed this once, but not kept: the disk is full";
    assert_eq!(result.notes, [note]);
}

#[tokio::test]
async fn the_same_call_after_a_no_is_refused_unasked_in_its_turn() {
    let script = Script::new([Answer::no(), Answer::yes()]);
    let runs = Runs::default();
    let runtime = with_script(&script, [writer("w", &runs)]);
    let turn = in_turn(&runtime, "1");
    let first = make(&turn, "w", json!({"a": 1, "b": 2})).await;
    assert_eq!(message(&first), "Permission denied for tool: w: the user said no");
    let again = make(&turn, "w", json!({"b": 2, "a": 1})).await;
    assert_eq!(
        message(&again),
        "Permission denied for tool: w: the user has already said no to this same call, and was not asked again"
    );
    assert_eq!(script.asked(), 1);
    assert_eq!(code(&make(&turn, "w", json!({"a": 2})).await), "ok");
    assert_eq!(code(&make(&in_turn(&runtime, "2"), "w", json!({"a": 1, "b": 2})).await), "ok");
    assert_eq!((script.asked(), runs.count()), (3, 2));
}

#[tokio::test]
async fn three_noes_stop_the_turn_and_the_next_one_starts_afresh() {
    let script = Script::new([Answer::no(), Answer::no(), Answer::no(), Answer::yes()]);
    let runs = Runs::default();
    let runtime = with_script(&script, [writer("w", &runs), reader("r", &runs)]);
    let turn = in_turn(&runtime, "1");
    for n in 1..=2 {
        make(&turn, "w", json!({"n": n})).await;
        assert_eq!(code(&make(&turn, "r", json!({"n": n})).await), "ok");
    }
    let third = make(&turn, "w", json!({"n": 3})).await;
    let suggestion = third.error.unwrap().suggestion.unwrap();
    assert_eq!(suggestion, "The user said no three times: stop, and ask what they want.");
    for name in ["w", "r"] {
        let refused = make(&turn, name, json!({"n": 4})).await;
        let why = "the user said no three times: stop and ask what they want";
        assert_eq!(message(&refused), format!("Permission denied for tool: {name}: {why}"));
    }
    assert_eq!((script.asked(), runs.count()), (3, 2));
    assert_eq!(code(&make(&in_turn(&runtime, "2"), "w", json!({})).await), "ok");
}

#[tokio::test]
async fn without_turns_three_noes_stop_the_questions_and_nothing_else() {
    let script = Script::new([Answer::no()]);
    let runs = Runs::default();
    let runtime = with_script(&script, [writer("w", &runs), reader("r", &runs)]);
    for n in 0..5 {
        assert_eq!(code(&ask(&runtime, "w", json!({"n": n})).await), "E_TOOL_DENIED");
    }
    assert_eq!(script.asked(), 3);
    assert_eq!(code(&ask(&runtime, "r", json!({})).await), "ok");
}

#[tokio::test]
async fn a11_a_forced_call_asks_whatever_is_allowed_and_a_denial_stays() {
    struct Fixed(Verdict);
    impl Policy for Fixed {
        fn decide(&self, _: &PolicyRequest<'_>) -> Decision {
            let offers = vec![offer(GrantScope::Permanent)];
            Decision::new(self.0, "a rule").asking(Asked { offers, ..Asked::default() })
        }
    }
    for (verdict, answer, expected, questions) in [
        (Verdict::Allow, Answer::yes(), "ok", 1),
        (Verdict::Allow, Answer::no(), "E_TOOL_DENIED", 1),
        (Verdict::Ask, Answer::yes(), "ok", 1),
        (Verdict::Deny, Answer::yes(), "E_TOOL_DENIED", 0),
    ] {
        let script = Script::new([answer]);
        let runs = Runs::default();
        let runtime = builder()
            .tool(Source::Builtin, reader("r", &runs))
            .unwrap()
            .policy(Arc::new(Fixed(verdict)))
            .delegate(Arc::clone(&script) as Arc<dyn PermissionDelegate>)
            .build()
            .unwrap();
        let result = make(&step(&runtime).with_forced_approval(), "r", json!({})).await;
        assert_eq!((code(&result), script.asked()), (expected, questions), "{verdict:?}");
        assert!(script.questions.lock().unwrap().iter().all(|asked| asked.asked.offers.is_empty()));
    }
    let headless = builder().tool(Source::Builtin, reader("r", &Runs::default())).unwrap();
    let headless = headless.build().unwrap();
    let refused = make(&step(&headless).with_forced_approval(), "r", json!({})).await;
    assert!(message(&refused).contains("nobody can be asked here"), "{}", message(&refused));
}

#[tokio::test]
async fn a18_the_preview_is_seen_before_anything_is_written() {
    struct Looks(std::path::PathBuf, Mutex<Vec<usize>>);
    impl PermissionDelegate for Looks {
        fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
            let preview = question.preview.as_ref().unwrap();
            assert_eq!(preview.summary, "Create a.txt");
            assert_eq!(preview.detail.as_deref(), Some("+ hello"));
            self.1.lock().unwrap().push(std::fs::read_dir(&self.0).unwrap().count());
            Box::pin(async { Answer::no() })
        }
    }
    let workspace = Workspace::new();
    let edit = spec("edit").in_group(Category::Filesystem, Group::Edit);
    let tool = ShapedTool::new(edit, |_, ctx| async move {
        let path = ctx.scope().resolve("a.txt");
        ctx.files().write(&path, b"hello", dogu_tool::WriteOptions::default())?;
        Ok(().into())
    })
    .actions(|_, scope| vec![Action::write(scope.resolve("a.txt"))])
    .preprocess(|input| {
        let detail = Some(format!("+ {}", input["text"].as_str().unwrap()));
        Some(Preview { summary: "Create a.txt".to_owned(), detail })
    });
    let looks = Arc::new(Looks(workspace.0.path().to_owned(), Mutex::default()));
    let runtime = workspace
        .builder()
        .tool(Source::Builtin, Arc::new(tool))
        .unwrap()
        .delegate(Arc::clone(&looks) as Arc<dyn PermissionDelegate>)
        .build()
        .unwrap();
    let result = ask(&runtime, "edit", json!({"text": "hello"})).await;
    assert_eq!(code(&result), "E_TOOL_DENIED");
    assert_eq!(*looks.1.lock().unwrap(), [0]);
    assert_eq!(std::fs::read_dir(workspace.0.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a19_the_delegate_gets_the_name_for_people_and_all_arguments() {
    let script = Script::new([Answer::yes()]);
    let titled = spec("send").title("Send a letter").in_group(Category::Filesystem, Group::Edit);
    let tool = ShapedTool::new(titled, |_, _| async { Ok(().into()) })
        .actions(|_, scope| vec![Action::write(scope.resolve("letter"))]);
    let runtime = with_script(&script, [Arc::new(tool) as Arc<dyn Tool>]);
    let input = json!({"to": ["a", "b"], "text": "x".repeat(20_000), "description": "harmless"});
    assert_eq!(code(&ask(&runtime, "send", input.clone()).await), "ok");
    let question = script.question(0);
    assert_eq!(question.title.as_deref(), Some("Send a letter"));
    assert_eq!((question.tool.as_str(), question.source.as_str()), ("send", "builtin"));
    assert_eq!(question.input, input);
    assert_eq!(question.said_by_model.as_deref(), Some("harmless"));
}

/// Writes down the order in which things happen.
#[derive(Clone, Default)]
struct Sequence(Arc<Mutex<Vec<&'static str>>>);

impl Sequence {
    fn add(&self, what: &'static str) {
        self.0.lock().unwrap().push(what);
    }

    fn tool(&self) -> Arc<dyn Tool> {
        let (parsed, ran) = (self.clone(), self.clone());
        let reads = spec("read").in_group(Category::Filesystem, Group::Read);
        let tool = ShapedTool::new(reads, move |_, _| {
            ran.add("run");
            async { Ok(().into()) }
        });
        Arc::new(tool.actions(move |_, scope| {
            parsed.add("parse");
            vec![Action::read(scope.resolve("a")), Action::read(scope.resolve("b"))]
        }))
    }
}

#[tokio::test]
async fn e11_approval_stands_between_parsing_and_running() {
    struct Recorded(Sequence, Verdict);
    impl Policy for Recorded {
        fn decide(&self, _: &PolicyRequest<'_>) -> Decision {
            self.0.add("policy");
            Decision::new(self.1, "the test said so")
        }
    }
    struct Asks(Sequence, Answer);
    impl PermissionDelegate for Asks {
        fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
            assert_eq!(question.summary.as_deref(), Some("Read 2 file(s)"));
            self.0.add("ask");
            Box::pin(async { self.1.clone() })
        }
    }
    let table: [(Verdict, Answer, &[&str]); 4] = [
        (Verdict::Allow, Answer::no(), &["parse", "policy", "run"]),
        (Verdict::Ask, Answer::yes(), &["parse", "policy", "ask", "run"]),
        (Verdict::Ask, Answer::no(), &["parse", "policy", "ask"]),
        (Verdict::Deny, Answer::yes(), &["parse", "policy"]),
    ];
    for (verdict, answer, expected) in table {
        let sequence = Sequence::default();
        let runtime = builder()
            .tool(Source::Builtin, sequence.tool())
            .unwrap()
            .policy(Arc::new(Recorded(sequence.clone(), verdict)))
            .delegate(Arc::new(Asks(sequence.clone(), answer)))
            .build()
            .unwrap();
        ask(&runtime, "read", json!({})).await;
        assert_eq!(*sequence.0.lock().unwrap(), expected);
    }
}
