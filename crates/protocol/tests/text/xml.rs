use serde_json::json;

use crate::support::*;

#[test]
fn p1_the_three_snippets_of_the_seed() {
    let message = "\
<read_file>
    <path>/src/main.ts</path>
    <start_line>1</start_line>
    <end_line>50</end_line>
</read_file>

<execute_command>
    <command>npm install</command>
    <cwd>/project</cwd>
</execute_command>

<write_to_file>
    <path>/src/utils.ts</path>
    <content>
export function helper() {
    return \"hello\"
}
    </content>
</write_to_file>
";
    let content = "export function helper() {\n    return \"hello\"\n}\n    ";
    assert_eq!(
        calls(message),
        [
            ("read_file".into(), json!({"path": "/src/main.ts", "start_line": 1, "end_line": 50})),
            ("execute_command".into(), json!({"command": "npm install", "cwd": "/project"})),
            ("write_to_file".into(), json!({"path": "/src/utils.ts", "content": content})),
        ]
    );
}

#[test]
fn p1_values_over_several_lines_are_verbatim() {
    for (raw, value) in [
        ("\na\n", "a"),
        ("\n\na\n\n", "\na\n"),
        ("\r\na\r\nb\r\n", "a\r\nb"),
        ("\n  a\n", "  a"),
        ("  a\n b  ", "  a\n b  "),
        ("  a  ", "a"),
        ("\n", ""),
        ("", ""),
        ("&lt;b&gt; &amp;amp; <![CDATA[x]]>", "&lt;b&gt; &amp;amp; <![CDATA[x]]>"),
    ] {
        let message =
            format!("<write_to_file><path>a</path><content>{raw}</content></write_to_file>");
        assert_eq!(call(&message).1["content"], value, "{raw:?}");
    }
}

#[test]
fn p1_a_closing_tag_counts_only_before_a_parameter_or_the_end() {
    let (_, input) = call(
        "<write_to_file><path>a</path><content>\n// </content>\nb </content> c\n</content></write_to_file>",
    );
    assert_eq!(input["content"], "// </content>\nb </content> c");
    let (_, input) = call(
        "<apply_diff>\n<diff>\n-<p></diff>\n+</apply_diff>\n</diff>\n<path>x</path>\n</apply_diff>",
    );
    assert_eq!(input, json!({"diff": "-<p></diff>\n+</apply_diff>", "path": "x"}));
    let (_, input) =
        call("<search_files><regex><div>.*</div></regex><path>src</path></search_files>");
    assert_eq!(input, json!({"regex": "<div>.*</div>", "path": "src"}));
}

#[test]
fn p1_a_document_with_the_same_tags_is_a_value() {
    let feed = "<entry>\n<content>a</content>\n<content>b</content>\n<path>p</path>\n</entry>";
    let message =
        format!("<write_to_file>\n<path>a</path>\n<content>\n{feed}\n</content>\n</write_to_file>");
    assert_eq!(call(&message).1["content"], feed);
}

#[test]
fn p1_a_whole_example_inside_a_value_does_not_end_it() {
    let example = "Use it so:\n<write_to_file>\n<path>b</path>\n<content>\nx\n</content>\n</write_to_file>\nDone.";
    let message = format!(
        "<write_to_file>\n<path>a</path>\n<content>\n{example}\n</content>\n</write_to_file>\n"
    );
    assert_eq!(call(&message).1["content"], example);
    // An example without its end takes the end of the call: where that was cannot be told.
    let half = "Begin with <write_to_file><path> and so on.";
    let message = format!(
        "<write_to_file>\n<path>a</path>\n<content>\n{half}\n</content>\n</write_to_file>\n"
    );
    let (problem, _) = failure(&message);
    assert!(problem.contains("does not end"), "{problem}");
}

#[test]
fn nested_lists() {
    let (_, input) = call(
        "<read_files><args>\n<file><path>a.rs</path><line_range>1-50</line_range></file>\n<file>\n<path> b.rs </path>\n</file></args></read_files>",
    );
    let files = json!([{"path": "a.rs", "start_line": 1, "end_line": 50}, {"path": "b.rs"}]);
    assert_eq!(input, json!({"files": files}));
    let (_, input) = call(
        "<ask_followup_question><question>Which?</question><follow_up>\n<suggest mode=\"code\">The <b>first</b></suggest>\n<suggest>Second</suggest>\n</follow_up></ask_followup_question>",
    );
    let suggestions = json!([{"text": "The <b>first</b>", "mode": "code"}, {"text": "Second"}]);
    assert_eq!(input, json!({"question": "Which?", "follow_up": suggestions}));
    let as_json = "<read_files><files>[{\"path\": \"a\"}]</files></read_files>";
    assert_eq!(call(as_json).1, json!({"files": [{"path": "a"}]}));
    let one = "<read_files><files><path>a</path></files></read_files>";
    assert_eq!(call(one).1, json!({"files": [{"path": "a"}]}));
    let items = "<set><tags><tag>a</tag><tag>b</tag></tags></set>";
    assert_eq!(call(items).1, json!({"tags": ["a", "b"]}));
    assert_eq!(call("<set><tags>a</tags><tags>b</tags></set>").1, json!({"tags": ["a", "b"]}));
}

#[test]
fn p11_fields_of_a_list_may_stand_alone() {
    let (_, input) =
        call("<read_files><path>/src/main.ts</path><start_line>1</start_line></read_files>");
    assert_eq!(input, json!({"files": [{"path": "/src/main.ts", "start_line": 1}]}));
    let (problem, repair) = failure("<read_files></read_files>");
    assert_eq!(problem, "Missing required parameter: path or files");
    assert!(repair.contains("<read_files><files>…</files></read_files>"), "{repair}");
}

#[test]
fn types_come_from_the_schema() {
    let (_, input) = call(
        "<set><on>True</on><count> 5 </count><ratio>1.5</ratio><options>{\"a\": [1]}</options><any>5</any><id>007</id></set>",
    );
    assert_eq!(
        input,
        json!({"on": true, "count": 5, "ratio": 1.5, "options": {"a": [1]}, "any": "5", "id": "007"})
    );
    assert_eq!(call("<set><count>many</count></set>").1, json!({"count": "many"}));
    assert_eq!(
        call("<read_file><path>a</path><end_line></end_line></read_file>").1["end_line"],
        json!(null)
    );
}

#[test]
fn tags_in_code_are_text() {
    for message in [
        "Use `<read_file><path>a</path></read_file>` for it.",
        "``a ` <read_file><path>a</path></read_file>`` is code",
        "```xml\n<read_file><path>a</path></read_file>\n```\n",
        "~~~~\n~~~\n<read_file><path>a</path></read_file>\n~~~~",
        "````\n```\n<read_file><path>a</path></read_file>\n```\n````\nend",
        "> <read_file><path>a</path></read_file>",
        "<think>\nI could <read_file><path>a</path></read_file>\n</think>",
        "The <read_file> tool reads files, <write_to_file> writes them.",
        "<read_file> <write_to_file>",
        "a < b, <b>bold</b>, <unknown><path>x</path></unknown>, <read_file",
        "```\n<read_file><path>a</path></read_file>",
        "<read_file/> needs a path",
    ] {
        assert!(is_all_text(message), "{message}: {:?}", seen(message));
    }
    let message = "`a` ```b``` ` <read_file>\n<read_file><path>a</path></read_file>";
    assert_eq!(call(message).1, json!({"path": "a"}));
    let message = "```\ncode\n```\n<read_file><path>a</path></read_file>";
    assert_eq!(call(message).1, json!({"path": "a"}));
    let message = "> quoted\n<think>hm</think><read_file><path>a</path></read_file>";
    assert_eq!(call(message).1, json!({"path": "a"}));
}

#[test]
fn known_tags_in_other_spellings() {
    for message in [
        "<Read_File><PATH>a</Path></READ_FILE>",
        "< read_file >< path >a</ path ></ read_file\t>",
        "<read_file\n><path\n>a</path></read_file>",
        "<read_file><!-- the file --><path>a</path><!-- all --></read_file>",
        "<read_file path=\"a\"/>",
        "<read_file path='a'></read_file>",
        "<read_file>{\"path\": \"a\"}</read_file>",
        "<read_file><path type=\"string\">a</path></read_file>",
        "<read_file><path>a</read_file>",
        "<read_file><path>a</read_file>\n",
    ] {
        assert_eq!(call(message), ("read_file".into(), json!({"path": "a"})), "{message}");
    }
    assert_eq!(notes("<read_file><path>a</read_file>"), ["added the missing `</path>`"]);
    assert_eq!(call("<list_tabs/>").1, json!({}));
    assert_eq!(notes("<list_tabs/>"), [""; 0]);
    assert_eq!(call("<list_tabs></list_tabs>").1, json!({}));
    assert_eq!(call("<execute_command><command>ls</command><cwd/></execute_command>").1["cwd"], "");
}

#[test]
fn a_missing_close_does_not_swallow_the_next_call() {
    let message = "<read_file><path>a</read_file>\n<read_file><path>b</path></read_file>";
    let paths: Vec<_> =
        calls(message).into_iter().map(|(_, input)| input["path"].clone()).collect();
    assert_eq!(paths, ["a", "b"]);
}

#[test]
fn a_value_cannot_smuggle_in_a_parameter() {
    let message =
        "<execute_command><command>echo '</command><cwd>/etc</cwd>'</command></execute_command>";
    failure(message);
}

#[test]
fn an_unterminated_call_never_ends() {
    let message = "<write_to_file>\n<path>a.ts</path>\n<content>\nx</content>\n</write_to_file>";
    let last = message.len() - 1;
    for cut in 1..message.len() {
        let prefix = &message[..cut];
        assert_eq!(calls(prefix), [], "{prefix}");
    }
    assert_eq!(calls(&message[..=last]).len(), 1);
    let (problem, repair) = failure("<read_file><path>src/file.ts</path>");
    assert_eq!(problem, "The call of `read_file` was cut off: it has no `</read_file>`.");
    assert_eq!(
        repair,
        "Send the whole call again in this form: <read_file><path>…</path></read_file>"
    );
    let (problem, _) = failure("<read_file><path>src/fi");
    assert_eq!(problem, "The call of `read_file` was cut off inside `<path>`.");
    let (problem, _) = failure("<write_to_file><path>a</path><content>\nx\n</write_to_file>");
    assert_eq!(
        problem,
        "The call of `write_to_file` does not end: `</content>` closes `<content>` only where \
         another parameter or `</write_to_file>` follows."
    );
}

#[test]
fn what_is_wrong_is_said() {
    let (problem, _) = failure("<read_file><path>a</path><path>b</path></read_file>");
    assert_eq!(problem, "The parameter `path` is given twice.");
    let (problem, _) = failure("<read_file><!-- x --> junk <path>a</path></read_file>");
    assert_eq!(
        problem,
        "The call of `read_file` is malformed: there is text between the parameters."
    );
    // A parameter that the tool does not have is for the schema to refuse.
    assert_eq!(call("<read_file><file>a</file></read_file>").1, json!({"file": "a"}));
    assert_eq!(
        call("<read_file><path>a</path><file>b</file></read_file>").1,
        json!({"path": "a", "file": "b"})
    );
}

#[test]
fn text_and_calls_come_in_order() {
    let message = "First: <read_file><path>a</path></read_file> then <list_tabs></list_tabs>!";
    let input = json!({"path": "a"});
    assert_eq!(
        seen(message),
        [
            Seen::Text("First: ".into()),
            Seen::Started(0, "read_file".into()),
            Seen::Delta(0, Some("path".into()), "a".into()),
            Seen::Ended(0, "read_file".into(), input, vec![]),
            Seen::Text(" then ".into()),
            Seen::Started(1, "list_tabs".into()),
            Seen::Ended(1, "list_tabs".into(), json!({}), vec![]),
            Seen::Text("!".into()),
        ]
    );
}
