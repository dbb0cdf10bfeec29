//! Continue's JSON that is still arriving: whether it is whole, and its value so far.

use dogu_protocol::json::PartialJson;
use serde_json::{Value, json};

use crate::rows::{Comparison, Verdict, same};

pub(crate) const COMPARISON: Comparison =
    Comparison { file: "continue-partial-json.json", compare, different: &[] };

#[test]
fn continue_partial_json_rows_agree() {
    COMPARISON.check();
}

fn compare(row: &Value, _: &[Value]) -> Verdict {
    let mut partial = PartialJson::new();
    partial.push(row["args"][0].as_str().unwrap());
    let answer = json!([partial.is_complete(), partial.value()]);
    let part = usize::try_from(row["path"][0].as_u64().unwrap()).unwrap();
    same(&row["expected"], &answer[part])
}
