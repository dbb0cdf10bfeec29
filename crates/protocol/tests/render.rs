//! Golden transcripts: the same results in every form, row P14.

use dogu_protocol::render::{Image, results};
use dogu_protocol::{Answer, Rendered, ResultForm};
use dogu_tool::{Content, Output, ToolError, ToolResult};
use serde_json::{Value, json};

const FORMS: [ResultForm; 6] = [
    ResultForm::Xml,
    ResultForm::OpenAi,
    ResultForm::Responses,
    ResultForm::Anthropic,
    ResultForm::Gemini,
    ResultForm::Gemini2,
];

/// Four bytes of no picture.
const DATA: &str = "iVBORw==";
const DATA_URL: &str = "data:image/png;base64,iVBORw==";

fn ok(output: impl Into<Output>) -> ToolResult {
    ToolResult::ok("own_1", "read_file", output.into())
}

fn failed(error: ToolError) -> ToolResult {
    ToolResult::error("own_1", "read_file", error.into_info(1_000).0)
}

fn denied() -> ToolResult {
    failed(ToolError::denied("Writing to /etc is not allowed.").suggest("Write below /work."))
}

fn picture(mime_type: &str) -> Content {
    Content::Image { data: DATA.to_owned(), mime_type: mime_type.to_owned() }
}

fn parts(content: Vec<Content>) -> Output {
    Output::of(content)
}

/// A text, a picture, a text.
fn illustrated() -> ToolResult {
    ok(parts(vec![Content::text("before"), picture("image/png"), Content::text("after")]))
}

/// A run that failed and left a picture.
fn failed_with_picture() -> ToolResult {
    let content = vec![picture("image/png")];
    ToolResult { content, ..failed(ToolError::failed("The page is gone.")) }
}

fn answer<'a>(result: &'a ToolResult, id: Option<&'a str>) -> Answer<'a> {
    Answer { result, id }
}

fn with_notes(form: ResultForm, result: &ToolResult, notes: &[&str]) -> Rendered {
    let notes = notes.iter().map(|note| (*note).to_owned()).collect();
    let result = ToolResult { notes, ..result.clone() };
    results(form, &[answer(&result, Some("call_1"))])
}

fn messages(rendered: Rendered) -> Value {
    match rendered {
        Rendered::Messages(messages) => messages.into(),
        Rendered::Text { text, .. } => panic!("a text: {text}"),
    }
}

/// The one answer of a result with the id `call_1`, without what is around it.
fn one(form: ResultForm, result: &ToolResult) -> Value {
    messages(with_notes(form, result, &[]))
}

fn xml(result: &ToolResult) -> String {
    match with_notes(ResultForm::Xml, result, &[]) {
        Rendered::Text { text, .. } => text,
        Rendered::Messages(messages) => panic!("messages: {messages:?}"),
    }
}

#[test]
fn p14_xml() {
    assert_eq!(
        xml(&ok("fn main() {}")),
        "<tool_result name=\"read_file\" status=\"ok\" id=\"call_1\">\nfn main() {}\n</tool_result>"
    );
    let error = "<tool_result name=\"read_file\" status=\"error\" id=\"call_1\">\n\
        <error code=\"E_TOOL_DENIED\">Writing to /etc is not allowed.</error>\n\
        <suggestion>Write below /work.</suggestion>\n</tool_result>";
    assert_eq!(xml(&denied()), error);
    let data = "<tool_result name=\"read_file\" status=\"ok\" id=\"call_1\">\n\
        {\"a\":[1,\"&lt;b&gt;\"]}\n</tool_result>";
    assert_eq!(xml(&ok(json!({ "a": [1, "<b>"] }))), data);
    let without_id = results(ResultForm::Xml, &[answer(&ok("x"), None)]);
    let text = "<tool_result name=\"read_file\" status=\"ok\">\nx\n</tool_result>".to_owned();
    assert_eq!(without_id, Rendered::Text { text, images: vec![] });
}

#[test]
fn p14_xml_names_pictures_and_hands_them_over() {
    let (first, second) = (illustrated(), ok(picture("image/svg+xml")));
    let answers = [answer(&first, None), answer(&second, None)];
    let text = "<tool_result name=\"read_file\" status=\"ok\">\nbefore\n\
        [image 1 (image/png, 4 bytes) is not part of this text]\nafter\n</tool_result>\n\
        <tool_result name=\"read_file\" status=\"ok\">\n\
        [image 2 (image/svg+xml, 4 bytes) is not part of this text]\n</tool_result>";
    let image = |mime_type: &str| Image { mime_type: mime_type.into(), data: DATA.into() };
    let images = vec![image("image/png"), image("image/svg+xml")];
    assert_eq!(
        results(ResultForm::Xml, &answers),
        Rendered::Text { text: text.to_owned(), images }
    );
}

const DENIED: &str = "ERROR: Writing to /etc is not allowed.\nCODE: E_TOOL_DENIED\n\
    SUGGESTION: Write below /work.";

#[test]
fn p14_openai() {
    let tool =
        |content: &str| json!({ "role": "tool", "tool_call_id": "call_1", "content": content });
    let form = ResultForm::OpenAi;
    assert_eq!(one(form, &ok("text")), json!([tool("text")]));
    assert_eq!(one(form, &denied()), json!([tool(DENIED)]));
    assert_eq!(one(form, &ok(json!({ "a": 1 }))), json!([tool("{\"a\":1}")]));
    let user = json!({ "role": "user", "content": [
        { "type": "text", "text": "Image from tool call call_1" },
        { "type": "image_url", "image_url": { "url": DATA_URL } },
    ] });
    let text = "before\n[image (image/png, 4 bytes) follows in a user message]\nafter";
    assert_eq!(one(form, &illustrated()), json!([tool(text), user]));
}

/// A user message between two tool messages would leave a call without its answer.
#[test]
fn p14_openai_pictures_follow_after_all_tool_messages() {
    let (first, second) = (illustrated(), ok("text"));
    let answers = [answer(&first, Some("a")), answer(&second, Some("b"))];
    let messages = messages(results(ResultForm::OpenAi, &answers));
    let roles: Vec<_> = messages.as_array().unwrap().iter().map(|m| &m["role"]).collect();
    assert_eq!(roles, ["tool", "tool", "user"]);
}

#[test]
fn p14_openai_ids_go_back_as_they_came() {
    let (long, result) = ("x".repeat(80), ok("text"));
    let message = messages(results(ResultForm::OpenAi, &[answer(&result, Some(&long))]));
    assert_eq!(message[0]["tool_call_id"], long);
}

#[test]
fn p14_responses() {
    let item = |output: Value| json!([{ "type": "function_call_output", "call_id": "call_1", "output": output }]);
    let form = ResultForm::Responses;
    assert_eq!(one(form, &ok("text")), item(json!("text")));
    assert_eq!(one(form, &denied()), item(json!(DENIED)));
    assert_eq!(one(form, &ok(json!([1, null]))), item(json!("[1,null]")));
    let output = json!([
        { "type": "input_text", "text": "before" },
        { "type": "input_image", "image_url": DATA_URL },
        { "type": "input_text", "text": "after" },
    ]);
    assert_eq!(one(form, &illustrated()), item(output));
}

#[test]
fn p14_anthropic() {
    let message = |block: Value| json!([{ "role": "user", "content": [block] }]);
    let block = |content: Value| json!({ "type": "tool_result", "tool_use_id": "call_1", "content": content });
    let form = ResultForm::Anthropic;
    assert_eq!(one(form, &ok("text")), message(block(json!("text"))));
    let error = json!({
        "type": "tool_result", "tool_use_id": "call_1", "content": DENIED, "is_error": true,
    });
    assert_eq!(one(form, &denied()), message(error));
    assert_eq!(one(form, &ok(json!({ "a": 1 }))), message(block(json!("{\"a\":1}"))));
    let content = json!([
        { "type": "text", "text": "before" },
        anthropic_image(),
        { "type": "text", "text": "after" },
    ]);
    assert_eq!(one(form, &illustrated()), message(block(content)));
}

fn anthropic_image() -> Value {
    let source = json!({ "type": "base64", "media_type": "image/png", "data": DATA });
    json!({ "type": "image", "source": source })
}

/// The API takes nothing but text where `is_error` is true, and results before all else.
#[test]
fn p14_anthropic_pictures_of_a_failure_follow_after_all_results() {
    let (first, second) = (failed_with_picture(), ok("text"));
    let answers = [answer(&first, Some("a")), answer(&second, Some("b"))];
    let error = "[image (image/png, 4 bytes) follows after the results]\n\
        ERROR: The page is gone.\nCODE: E_TOOL";
    let content = json!([
        { "type": "tool_result", "tool_use_id": "a", "content": error, "is_error": true },
        { "type": "tool_result", "tool_use_id": "b", "content": "text" },
        anthropic_image(),
    ]);
    assert_eq!(
        messages(results(ResultForm::Anthropic, &answers)),
        json!([{ "role": "user", "content": content }])
    );
}

fn gemini_response(response: &Value) -> Value {
    let response = json!({ "id": "call_1", "name": "read_file", "response": response });
    json!([{ "role": "user", "parts": [{ "functionResponse": response }] }])
}

#[test]
fn p14_gemini() {
    for form in [ResultForm::Gemini, ResultForm::Gemini2] {
        assert_eq!(one(form, &ok("text")), gemini_response(&json!({ "output": "text" })));
        assert_eq!(one(form, &denied()), gemini_response(&json!({ "error": DENIED })));
        let data = one(form, &ok(json!({ "id": 9_007_199_254_740_993_u64 })));
        assert_eq!(data, gemini_response(&json!({ "output": "{\"id\":9007199254740993}" })));
        let without_id = messages(results(form, &[answer(&ok("x"), None)]));
        let response = json!({ "name": "read_file", "response": { "output": "x" } });
        assert_eq!(without_id[0]["parts"][0]["functionResponse"], response);
    }
}

#[test]
fn p14_gemini_pictures_are_inside_or_after() {
    let image = json!({ "inlineData": { "mimeType": "image/png", "data": DATA } });
    let output =
        |place| json!({ "output": format!("before\n[image (image/png, 4 bytes) {place}]\nafter") });
    let mut inside = gemini_response(&output("is attached"));
    inside[0]["parts"][0]["functionResponse"]["parts"] = json!([image]);
    assert_eq!(one(ResultForm::Gemini, &illustrated()), inside);
    let mut after = gemini_response(&output("follows after the responses"));
    after[0]["parts"].as_array_mut().unwrap().push(image);
    assert_eq!(one(ResultForm::Gemini2, &illustrated()), after);
}

/// All that a form says, as one text.
fn everything(rendered: &Rendered) -> String {
    match rendered {
        Rendered::Text { text, .. } => text.clone(),
        Rendered::Messages(messages) => json!(messages).to_string(),
    }
}

#[test]
fn p14_a_picture_that_a_provider_does_not_take_is_told_and_left_out() {
    let taken = |form, mime_type: &str| {
        let rendered = with_notes(form, &ok(picture(mime_type)), &[]);
        let text = everything(&rendered);
        assert_eq!(text.contains("left out"), !text.contains(DATA), "{text}");
        text.contains(DATA)
    };
    for form in FORMS.into_iter().skip(1) {
        let gemini = matches!(form, ResultForm::Gemini | ResultForm::Gemini2);
        assert!(taken(form, "image/png") && taken(form, "IMAGE/WebP") && taken(form, "image/jpg"));
        assert_eq!(taken(form, "image/gif"), !gemini);
        assert!(!taken(form, "image/svg+xml") && !taken(form, "image/png;x=,"));
    }
    let jpg = one(ResultForm::Anthropic, &ok(picture("image/jpg")));
    assert_eq!(jpg[0]["content"][0]["content"][0]["source"]["media_type"], "image/jpeg");
}

#[test]
fn p14_nothing_is_told_as_no_output() {
    let nothing = [ok(()), ok(""), ok(" \n\t"), ok(parts(vec![Content::text(""); 3]))];
    for (form, result) in FORMS.iter().flat_map(|form| nothing.iter().map(move |r| (*form, r))) {
        assert_eq!(with_notes(form, result, &[]), with_notes(form, &ok("(no output)"), &[]));
    }
}

#[test]
fn p14_a_blank_text_beside_a_picture_is_not_sent() {
    let result = ok(parts(vec![Content::text("\n"), picture("image/png"), Content::text(" ")]));
    let message = one(ResultForm::Anthropic, &result);
    assert_eq!(message[0]["content"][0]["content"], json!([anthropic_image()]));
}

#[test]
fn p14_data_without_content_is_told() {
    let result = ok(Output { structured: Some(json!({ "a": 1 })), ..Output::default() });
    for form in FORMS {
        assert_eq!(with_notes(form, &result, &[]), with_notes(form, &ok("{\"a\":1}"), &[]));
    }
}

#[test]
fn p14_resources_are_told_by_their_text_or_place() {
    let resource = |text: Option<&str>| Content::Resource {
        uri: "docs://a".to_owned(),
        mime_type: None,
        text: text.map(str::to_owned),
    };
    for form in FORMS {
        let told = |content: Content| with_notes(form, &ok(content), &[]);
        assert_eq!(told(resource(Some("words"))), told(Content::text("words")));
        assert_eq!(told(resource(None)), told(Content::text("[resource docs://a]")));
    }
}

#[test]
fn p14_notes_come_after_the_content_a_line_each() {
    let notes = ["`pth` was read as `path`", "two\nlines\rhere"];
    let lines = "NOTE: `pth` was read as `path`\nNOTE: two lines here";
    for form in FORMS {
        let told = |text: &str| with_notes(form, &ok(text), &[]);
        assert_eq!(with_notes(form, &ok("text"), &notes), told(&format!("text\n{lines}")));
        assert_eq!(with_notes(form, &ok(()), &notes), told(&format!("(no output)\n{lines}")));
    }
    let error = messages(with_notes(ResultForm::OpenAi, &denied(), &notes));
    assert_eq!(error[0]["content"], format!("{DENIED}\n{lines}"));
    let pictured = messages(with_notes(ResultForm::Responses, &ok(picture("image/png")), &notes));
    assert_eq!(pictured[0]["output"][1], json!({ "type": "input_text", "text": lines }));
}

#[test]
fn p14_xml_notes_of_an_error_come_after_it() {
    let rendered = with_notes(ResultForm::Xml, &denied(), &["<fixed>"]);
    let end = "</suggestion>\nNOTE: &lt;fixed&gt;\n</tool_result>";
    assert!(everything(&rendered).ends_with(end));
}

/// Where a provider must have an id and none came, the pipeline's own stands in.
#[test]
fn p14_a_missing_id_is_the_pipelines() {
    let result = ok("text");
    let answers = [answer(&result, None)];
    for (form, path) in [
        (ResultForm::OpenAi, "/0/tool_call_id"),
        (ResultForm::Responses, "/0/call_id"),
        (ResultForm::Anthropic, "/0/content/0/tool_use_id"),
    ] {
        assert_eq!(messages(results(form, &answers)).pointer(path), Some(&json!("own_1")));
    }
}

#[test]
fn p14_three_calls_one_denied_are_three_answers_in_order() {
    let all = [ok("first"), denied(), ok("third")];
    let ids = ["c1", "c2", "c3"];
    let answers: Vec<_> =
        all.iter().zip(ids).map(|(result, id)| answer(result, Some(id))).collect();

    let found = |form, list: &str, id: &str| -> Vec<String> {
        let messages = messages(results(form, &answers));
        let list = messages.pointer(list).and_then(Value::as_array).unwrap().clone();
        list.iter().map(|one| one.pointer(id).unwrap().as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(found(ResultForm::OpenAi, "", "/tool_call_id"), ids);
    assert_eq!(found(ResultForm::Responses, "", "/call_id"), ids);
    assert_eq!(found(ResultForm::Anthropic, "/0/content", "/tool_use_id"), ids);
    assert_eq!(found(ResultForm::Gemini, "/0/parts", "/functionResponse/id"), ids);

    let anthropic = messages(results(ResultForm::Anthropic, &answers));
    let errors = [0, 1, 2].map(|at| anthropic[0]["content"][at]["is_error"] == json!(true));
    assert_eq!(errors, [false, true, false]);

    let text = everything(&results(ResultForm::Xml, &answers));
    let golden = "\
<tool_result name=\"read_file\" status=\"ok\" id=\"c1\">
first
</tool_result>
<tool_result name=\"read_file\" status=\"error\" id=\"c2\">
<error code=\"E_TOOL_DENIED\">Writing to /etc is not allowed.</error>
<suggestion>Write below /work.</suggestion>
</tool_result>
<tool_result name=\"read_file\" status=\"ok\" id=\"c3\">
third
</tool_result>";
    assert_eq!(text, golden);
}

#[test]
fn p14_no_calls_get_no_messages() {
    for form in FORMS.into_iter().skip(1) {
        assert_eq!(results(form, &[]), Rendered::Messages(vec![]));
    }
    let nothing = Rendered::Text { text: String::new(), images: vec![] };
    assert_eq!(results(ResultForm::Xml, &[]), nothing);
}
