//! The life cycle of a tool written against callbacks, rows P4, P7 and R4 to R6.

use std::cell::RefCell;

use dogu_protocol::life_cycle::{
    Handler, Params, ToolCallbacks, ToolUse, handle, remove_closing_tag,
};
use dogu_protocol::roo_args::read_file_params;
use dogu_protocol::{ParsedCall, Protocol};
use serde_json::{Value, json};

/// A handler that writes down which of its methods ran, and fails where it is told to.
#[derive(Default)]
struct Stub {
    ran: RefCell<Vec<String>>,
    partial_fails: bool,
    parse_fails: bool,
}

impl Stub {
    fn note(&self, what: impl Into<String>) {
        self.ran.borrow_mut().push(what.into());
    }

    fn ran(&self) -> Vec<String> {
        self.ran.borrow().clone()
    }
}

impl Handler for Stub {
    fn name(&self) -> &'static str {
        "stub"
    }

    fn parse_legacy(&self, params: &Params) -> Result<Value, String> {
        self.note("parse_legacy");
        if self.parse_fails {
            return Err("the reason".to_owned());
        }
        Ok(json!({ "path": params.get("path") }))
    }

    fn handle_partial(
        &self,
        block: &ToolUse,
        _callbacks: &mut dyn ToolCallbacks,
    ) -> Result<(), String> {
        self.note(format!("handle_partial {}", block.params.get("path").unwrap_or("…")));
        if self.partial_fails { Err("no screen".to_owned()) } else { Ok(()) }
    }

    fn execute(&self, input: Value, callbacks: &mut dyn ToolCallbacks) {
        self.note(format!("execute {input}"));
        callbacks.push_tool_result("done");
    }
}

/// Callbacks that write down every call with its arguments.
struct Recorder {
    protocol: Protocol,
    block: ToolUse,
    approves: bool,
    seen: Vec<Value>,
}

impl Recorder {
    fn new(protocol: Protocol, block: ToolUse) -> Self {
        Self { protocol, block, approves: true, seen: Vec::new() }
    }

    fn run(&mut self, handler: &dyn Handler) {
        let block = self.block.clone();
        handle(handler, &block, self);
    }
}

impl ToolCallbacks for Recorder {
    fn ask_approval(
        &mut self,
        kind: &str,
        partial_message: Option<&str>,
        progress_status: Option<&Value>,
        force_approval: bool,
    ) -> bool {
        self.seen.push(json!(["ask", kind, partial_message, progress_status, force_approval]));
        self.approves
    }

    fn handle_error(&mut self, action: &str, error: &str) {
        self.seen.push(json!(["error", action, error]));
    }

    fn push_tool_result(&mut self, content: &str) {
        self.seen.push(json!(["result", content]));
    }

    fn remove_closing_tag(&self, tag: &str, text: Option<&str>) -> String {
        remove_closing_tag(tag, text, self.block.partial)
    }

    fn tool_protocol(&self) -> Protocol {
        self.protocol
    }

    fn tool_call_id(&self) -> Option<&str> {
        self.block.call_id(self.protocol)
    }
}

fn xml_block() -> ToolUse {
    ToolUse::of_params("stub", [("path", "a.ts")].into_iter().collect())
}

fn native_block() -> ToolUse {
    ToolUse { native_args: Some(json!({ "path": "native.ts" })), ..xml_block() }
}

fn partial(block: ToolUse) -> ToolUse {
    ToolUse { partial: true, ..block }
}

#[test]
fn r4_each_block_takes_exactly_its_way() {
    let table = [
        (partial(xml_block()), vec!["handle_partial a.ts"], json!([])),
        (partial(native_block()), vec!["handle_partial a.ts"], json!([])),
        (native_block(), vec!["execute {\"path\":\"native.ts\"}"], json!([["result", "done"]])),
        (
            xml_block(),
            vec!["parse_legacy", "execute {\"path\":\"a.ts\"}"],
            json!([["result", "done"]]),
        ),
    ];
    for (block, ran, seen) in table {
        let (stub, mut recorder) = (Stub::default(), Recorder::new(Protocol::Xml, block));
        recorder.run(&stub);
        assert_eq!(stub.ran(), ran);
        assert_eq!(json!(recorder.seen), seen);
    }
}

#[test]
fn r4_typed_arguments_skip_the_parser_even_if_they_are_null() {
    let stub = Stub { parse_fails: true, ..Stub::default() };
    let block = ToolUse { native_args: Some(Value::Null), ..xml_block() };
    Recorder::new(Protocol::Native, block).run(&stub);
    assert_eq!(stub.ran(), ["execute null"]);
}

#[test]
fn r4_a_partial_block_does_nothing_by_default() {
    struct Plain;
    impl Handler for Plain {
        fn name(&self) -> &'static str {
            "plain"
        }
        fn parse_legacy(&self, _params: &Params) -> Result<Value, String> {
            panic!("a partial block is not parsed")
        }
        fn execute(&self, _input: Value, _callbacks: &mut dyn ToolCallbacks) {
            panic!("a partial block is not executed")
        }
    }
    let mut recorder = Recorder::new(Protocol::Xml, partial(xml_block()));
    recorder.run(&Plain);
    assert!(recorder.seen.is_empty());
}

#[test]
fn r5_a_failed_preview_is_told_and_ends_the_block() {
    let stub = Stub { partial_fails: true, ..Stub::default() };
    let mut recorder = Recorder::new(Protocol::Xml, partial(xml_block()));
    recorder.run(&stub);
    assert_eq!(stub.ran(), ["handle_partial a.ts"]);
    assert_eq!(recorder.seen, [json!(["error", "handling partial stub", "no screen"])]);
}

#[test]
fn r5_parameters_that_do_not_parse_are_told_twice_and_never_executed() {
    let stub = Stub { parse_fails: true, ..Stub::default() };
    let mut recorder = Recorder::new(Protocol::Xml, xml_block());
    recorder.run(&stub);
    assert_eq!(stub.ran(), ["parse_legacy"]);
    let told = [
        json!(["error", "parsing stub args", "Failed to parse stub parameters"]),
        json!(["result", "<error>Failed to parse stub parameters</error>"]),
    ];
    assert_eq!(recorder.seen, told);
}

/// The example tool: asks, then answers.
struct ReadFile;

impl Handler for ReadFile {
    fn name(&self) -> &'static str {
        "read_file"
    }

    fn parse_legacy(&self, params: &Params) -> Result<Value, String> {
        read_file_params(params)
    }

    fn handle_partial(
        &self,
        block: &ToolUse,
        callbacks: &mut dyn ToolCallbacks,
    ) -> Result<(), String> {
        let path = callbacks.remove_closing_tag("path", block.params.get("path"));
        callbacks.push_tool_result(&format!("Reading file: {path}"));
        Ok(())
    }

    fn execute(&self, input: Value, callbacks: &mut dyn ToolCallbacks) {
        let progress = json!({ "tool": "read_file", "files": input["files"] });
        if !callbacks.ask_approval("tool", Some("Read 1 file(s)"), Some(&progress), false) {
            return callbacks.push_tool_result("<error>User denied file read</error>");
        }
        let (id, protocol) = (callbacks.tool_call_id(), callbacks.tool_protocol());
        let answer = format!("{input} for {id:?} in {protocol:?}");
        callbacks.push_tool_result(&answer);
    }
}

fn parsed() -> ToolUse {
    ToolUse::from(ParsedCall {
        index: 0,
        id: Some("call_1".to_owned()),
        name: "read_file".to_owned(),
        input: json!({ "files": [{ "path": "a.ts" }] }),
        notes: Vec::new(),
    })
}

#[test]
fn r6_every_callback_sees_its_arguments() {
    let mut recorder = Recorder::new(Protocol::Native, parsed());
    recorder.run(&ReadFile);
    let files = json!([{ "path": "a.ts" }]);
    let progress = json!({ "tool": "read_file", "files": files });
    assert_eq!(recorder.seen[0], json!(["ask", "tool", "Read 1 file(s)", progress, false]));
    let answer = "{\"files\":[{\"path\":\"a.ts\"}]} for Some(\"call_1\") in Native";
    assert_eq!(recorder.seen[1], json!(["result", answer]));
    assert_eq!(recorder.seen.len(), 2);
}

#[test]
fn r6_what_was_denied_is_the_handlers_to_say() {
    let mut recorder = Recorder { approves: false, ..Recorder::new(Protocol::Native, parsed()) };
    recorder.run(&ReadFile);
    assert_eq!(recorder.seen[1], json!(["result", "<error>User denied file read</error>"]));
}

#[test]
fn r6_only_a_native_call_has_an_id() {
    let with_id = parsed();
    let without = ToolUse { id: None, ..parsed() };
    let table = [
        (&with_id, Protocol::Native, Some("call_1")),
        (&with_id, Protocol::Xml, None),
        (&without, Protocol::Native, None),
        (&without, Protocol::Xml, None),
    ];
    for (block, protocol, id) in table {
        assert_eq!(Recorder::new(protocol, block.clone()).tool_call_id(), id);
    }
}

#[test]
fn r6_a_preview_takes_off_the_half_streamed_tag() {
    let params = [("path", "a.ts</pa")].into_iter().collect();
    let block = partial(ToolUse::of_params("read_file", params));
    let mut recorder = Recorder::new(Protocol::Xml, block);
    recorder.run(&ReadFile);
    assert_eq!(recorder.seen, [json!(["result", "Reading file: a.ts"])]);
}

#[test]
fn p4_the_same_call_in_both_protocols_executes_with_the_same_input() {
    let xml = ToolUse::of_params("read_file", [("path", "a.ts")].into_iter().collect());
    let inputs = [(Protocol::Native, parsed()), (Protocol::Xml, xml)].map(|(protocol, block)| {
        let mut recorder = Recorder::new(protocol, block);
        recorder.run(&ReadFile);
        recorder.seen[0].clone()
    });
    assert_eq!(inputs[0], inputs[1]);
}

#[test]
fn p4_the_last_of_two_values_counts_and_the_order_stays() {
    let params: Params = [("a", "1"), ("b", "2"), ("a", "3")].into_iter().collect();
    assert_eq!(params.get("a"), Some("3"));
    assert_eq!(params.get("c"), None);
    assert_eq!(params.iter().collect::<Vec<_>>(), [("a", "1"), ("b", "2"), ("a", "3")]);
}

#[test]
fn p7_a_tag_that_is_not_finished_is_stripped() {
    let stripped = [
        ("a.ts</pa", "a.ts"),
        ("a.ts</path", "a.ts"),
        ("a.ts<", "a.ts"),
        ("a.ts</", "a.ts"),
        ("a.ts<pa", "a.ts"),
        ("a.ts <pa", "a.ts"),
        ("a.ts\n</p", "a.ts"),
        ("a.ts  </p", "a.ts "),
        ("a\u{3000}</p", "a"),
        ("日本</p", "日本"),
        ("</path", ""),
    ];
    for (text, left) in stripped {
        assert_eq!(remove_closing_tag("path", Some(text), true), left, "{text:?}");
    }
}

#[test]
fn p7_everything_else_is_kept() {
    let kept =
        ["a < b", "a.ts", "a</path>", "a</ph", "a</paths", "a</pa ", "a<//p", "a\u{3c}x", ""];
    for text in kept {
        assert_eq!(remove_closing_tag("path", Some(text), true), text, "{text:?}");
    }
}

#[test]
fn p7_a_complete_block_is_not_touched() {
    for text in ["a.ts</pa", "a <", "a.ts"] {
        assert_eq!(remove_closing_tag("path", Some(text), false), text);
    }
    for partial in [true, false] {
        assert_eq!(remove_closing_tag("path", None, partial), "");
    }
}

#[test]
fn p7_nothing_in_a_tag_is_a_pattern() {
    for tag in [".*", "a(b", "[", "a\\", "p+", "^$"] {
        assert_eq!(remove_closing_tag(tag, Some("keep</zz"), true), "keep</zz");
        assert_eq!(remove_closing_tag(tag, Some(&format!("keep</{tag}")), true), "keep");
    }
}
