//! What others expect of the same inputs. The files are not part of the repository: where they
//! are not found, nothing is checked.

use std::path::Path;

use dogu_protocol::json::{End, PartialJson, parse_arguments};
use serde_json::{Value, json};

/// How many folders up the vectors may lie.
const LEVELS: usize = 6;

/// Where dogu answers otherwise, on purpose.
const DIFFERENCES: [(&str, &str); 1] = [(
    r#"{"name": "test", value: 123"#,
    "Continue gives up and calls the tool without arguments; here it is repaired, or an error",
)];

fn vectors(file: &str) -> Vec<Value> {
    let parents = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().take(LEVELS);
    let found = parents
        .map(|parent| parent.join("shared/vectors/protocol").join(file))
        .find_map(|path| std::fs::read_to_string(path).ok());
    let Some(text) = found else {
        println!("not run: {file} was not found");
        return Vec::new();
    };
    serde_json::from_str(&text).unwrap()
}

#[test]
fn vectors_continue_partial_json() {
    for row in vectors("continue-partial-json.json") {
        let mut partial = PartialJson::new();
        partial.push(row["args"][0].as_str().unwrap());
        let answer = json!([partial.is_complete(), partial.value()]);
        let path = usize::try_from(row["path"][0].as_u64().unwrap()).unwrap();
        assert_eq!(answer[path], row["expected"], "{row}");
    }
}

#[test]
fn vectors_continue_parse_args() {
    let rows = vectors("continue-parse-args.json");
    for row in rows.iter().filter(|row| row["fn"] == "safeParseToolCallArgs") {
        // Without arguments there is no text, which is as good as an empty one.
        let text = row["args"][0]["function"]["arguments"].as_str().unwrap_or_default();
        let answer = parse_arguments(text, End::Said).map(|arguments| arguments.input);
        if DIFFERENCES.iter().any(|(differs, _)| *differs == text) {
            assert_eq!(answer, Ok(json!({"name": "test", "value": 123})), "{row}");
            assert!(parse_arguments(text, End::Cut).is_err());
        } else {
            assert_eq!(answer.as_ref(), Ok(&row["expected"]), "{row}");
        }
    }
}
