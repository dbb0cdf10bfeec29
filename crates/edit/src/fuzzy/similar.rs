//! How two pieces of text differ.

use crate::tokens::Tokens;

/// Whether two pieces differ as a slip of the finger does.
pub(crate) fn is_slip(theirs: &str, ours: &str) -> bool {
    // A bracket is no slip: it opens or closes something.
    let bracket = |c: char| matches!(c, '(' | ')' | '[' | ']' | '{' | '}');
    let mark =
        |text: &str| text.len() <= 1 && !text.chars().any(|c| c.is_alphanumeric() || bracket(c));
    if mark(theirs) && mark(ours) {
        return true;
    }
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let length = theirs.chars().count().min(ours.chars().count());
    let allowed = if length < 4 {
        0
    } else if length < 8 {
        1
    } else {
        2
    };
    let swapped = strsim::osa_distance(theirs, ours);
    digits(theirs) == digits(ours) && length < 200 && swapped <= allowed
}

/// Whether the line defines something, and the difference is in its name.
pub(crate) fn names_another(line: &str, stretches: &[(String, String)]) -> bool {
    const DEFINING: [&str; 19] = [
        "def",
        "fn",
        "func",
        "function",
        "class",
        "struct",
        "enum",
        "trait",
        "interface",
        "type",
        "impl",
        "mod",
        "module",
        "namespace",
        "package",
        "sub",
        "proc",
        "record",
        "object",
    ];
    let tokens = Tokens::new(line, &[]);
    let words: Vec<&str> = (0..tokens.len()).map(|index| tokens.get(index)).collect();
    let Some(at) = words.iter().take(5).position(|word| DEFINING.contains(word)) else {
        return false;
    };
    words.get(at + 1).is_some_and(|name| stretches.iter().any(|(theirs, _)| theirs.contains(*name)))
}

/// How much of two lines is common, between 0 and 1: twice the matching bytes by all bytes.
pub(crate) fn similarity(a: &[u8], b: &[u8]) -> f64 {
    const MOST: usize = 400;
    let (a, b) = (&a[..a.len().min(MOST)], &b[..b.len().min(MOST)]);
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "at most a few hundred")]
    let ratio = 2.0 * matching(a, b, 0) as f64 / (a.len() + b.len()) as f64;
    ratio
}

/// Bytes in the longest common pieces, left and right of the longest one again.
fn matching(a: &[u8], b: &[u8], depth: usize) -> usize {
    if a.is_empty() || b.is_empty() || depth > 40 {
        return 0;
    }
    let (mut length, mut at) = (0, (0, 0));
    let mut row = vec![0_usize; b.len() + 1];
    for (i, x) in a.iter().enumerate() {
        for j in (0..b.len()).rev() {
            row[j + 1] = if *x == b[j] { row[j] + 1 } else { 0 };
            if row[j + 1] > length {
                length = row[j + 1];
                at = (i + 1 - length, j + 1 - length);
            }
        }
    }
    if length == 0 {
        return 0;
    }
    let (i, j) = at;
    length
        + matching(&a[..i], &b[..j], depth + 1)
        + matching(&a[i + length..], &b[j + length..], depth + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_other_words() {
        assert!(is_slip("retrun", "return"));
        assert!(is_slip("", ";"));
        assert!(is_slip("recieve_all", "receive_all"));
        assert!(!is_slip("left", "right"));
        assert!(!is_slip("item1", "item2"));
        assert!(!is_slip("x", "y"));
        assert!(!is_slip("", "not"));
    }

    #[test]
    fn similarity_counts_common_pieces() {
        assert!((similarity(b"abcd", b"bcde") - 0.75).abs() < 1e-9);
        assert!(similarity(b"abc", b"xyz") < 1e-9);
    }
}
