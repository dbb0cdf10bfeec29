//! What an endpoint answers, which may be anything.

use serde::Deserialize;
use serde_json::Value;

/// How many numbers a vector may have.
const MAX_DIMENSIONS: usize = 16_384;
/// How much of a complaint is repeated, in characters.
const MAX_COMPLAINT: usize = 200;

#[derive(Deserialize)]
struct Answer {
    data: Vec<One>,
}

#[derive(Deserialize)]
struct One {
    embedding: Vec<f32>,
    /// The place of the text; their order where it is not said.
    index: Option<usize>,
}

/// One vector for each of so many texts, in their order.
pub(super) fn vectors(
    bytes: &[u8],
    texts: usize,
    dimensions: Option<usize>,
) -> Result<Vec<Vec<f32>>, String> {
    let answer: Answer = serde_json::from_slice(bytes)
        .map_err(|error| format!("did not answer with vectors ({error})"))?;
    if answer.data.len() != texts {
        return Err(format!("gave {} vectors for {texts} texts", answer.data.len()));
    }
    let mut all: Vec<Option<Vec<f32>>> = vec![None; texts];
    for (place, one) in answer.data.into_iter().enumerate() {
        let wanted = dimensions.unwrap_or(one.embedding.len());
        if one.embedding.len() != wanted {
            let count = one.embedding.len();
            return Err(format!("gave a vector of {count} numbers where {wanted} are wanted"));
        }
        let slot = all.get_mut(one.index.unwrap_or(place)).filter(|slot| slot.is_none());
        *slot.ok_or("numbered its vectors wrongly")? = Some(one.embedding);
    }
    let all: Vec<Vec<f32>> = all.into_iter().flatten().collect();
    match uneven(&all) {
        Some(problem) => Err(problem),
        None => Ok(all),
    }
}

/// Why vectors cannot be compared with each other.
pub(super) fn uneven(vectors: &[Vec<f32>]) -> Option<String> {
    let first = vectors.first()?.len();
    if first == 0 || first > MAX_DIMENSIONS {
        return Some(format!("gave a vector of {first} numbers"));
    }
    if vectors.iter().any(|vector| vector.len() != first) {
        return Some("gave vectors of different lengths".to_owned());
    }
    let has_direction = |vector: &Vec<f32>| {
        vector.iter().all(|value| value.is_finite()) && vector.iter().any(|value| *value != 0.0)
    };
    (!vectors.iter().all(has_direction)).then(|| "gave a vector without a direction".to_owned())
}

/// What an endpoint says about an error, short and in one line.
pub(super) fn complaint(bytes: &[u8]) -> String {
    let value: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let message =
        value.pointer("/error/message").or_else(|| value.get("error")).and_then(Value::as_str);
    let said: String = message
        .unwrap_or_default()
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_COMPLAINT)
        .collect();
    if said.is_empty() { said } else { format!(": {said}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, texts: usize) -> Result<Vec<Vec<f32>>, String> {
        vectors(text.as_bytes(), texts, None)
    }

    #[test]
    fn vectors_come_in_the_order_of_their_texts() {
        let text = r#"{"data": [{"index": 1, "embedding": [1]}, {"index": 0, "embedding": [2]}]}"#;
        assert_eq!(read(text, 2).unwrap(), [[2.0], [1.0]]);
        assert_eq!(read(r#"{"data": [{"embedding": [3, 4]}]}"#, 1).unwrap(), [[3.0, 4.0]]);
    }

    #[test]
    fn what_is_not_one_even_vector_for_each_text_is_refused() {
        let wrong = [
            ("", 1),
            ("null", 1),
            (r#"{"data": []}"#, 1),
            (r#"{"data": [{"embedding": []}]}"#, 1),
            (r#"{"data": [{"embedding": [0, 0]}]}"#, 1),
            (r#"{"data": [{"embedding": ["a"]}]}"#, 1),
            (r#"{"data": [{"embedding": [1e999]}]}"#, 1),
            (r#"{"data": [{"embedding": [1e39]}]}"#, 1),
            (r#"{"data": [{"embedding": [1], "index": 7}]}"#, 1),
            (r#"{"data": [{"embedding": [1], "index": 0}, {"embedding": [1], "index": 0}]}"#, 2),
            (r#"{"data": [{"embedding": [1]}, {"embedding": [1, 2]}]}"#, 2),
        ];
        for (text, texts) in wrong {
            assert!(read(text, texts).is_err(), "{text}");
        }
        assert!(vectors(br#"{"data": [{"embedding": [1]}]}"#, 1, Some(2)).is_err());
    }

    #[test]
    fn a_complaint_is_one_short_line() {
        let text = format!(r#"{{"error": {{"message": "no\nsuch{}"}}}}"#, "x".repeat(999));
        let said = complaint(text.as_bytes());
        assert!(said.starts_with(": nosuch") && said.len() < 220, "{said}");
        assert_eq!(complaint(b"<html>"), "");
    }
}
