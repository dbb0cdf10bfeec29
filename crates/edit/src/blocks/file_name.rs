//! The name of a file above a block.

/// How long a line may be to be taken for a name.
const MAX_BYTES: usize = 300;
/// How many lines above a block are looked at: the name, and a fence between.
const LINES_ABOVE: usize = 3;

/// The file name among the lines right above a block, if there is one.
pub(super) fn above(lines: &[&str]) -> Option<String> {
    let near = lines.iter().rev().take(LINES_ABOVE);
    let mut text = near.map(|line| line.trim()).filter(|line| !line.is_empty() && !is_fence(line));
    name(text.next()?)
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```")
}

/// A line that is a name, without the marks that models put around it.
fn name(line: &str) -> Option<String> {
    let bare = line.trim_start_matches('#').trim().trim_end_matches(':');
    let marked = bare.trim_matches(['`', '*']);
    let is_marked = marked.len() < bare.len();
    let name = marked.trim().trim_end_matches(':');
    let looks_like_one = name.contains(['.', '/']) && !name.ends_with('.') || is_marked;
    let is_one = !name.is_empty()
        && name.len() <= MAX_BYTES
        && looks_like_one
        && (is_marked || !name.contains(char::is_whitespace))
        && !name.contains(['<', '>', '\0'])
        && !name.contains("://");
    is_one.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_told_from_a_sentence() {
        let name = |text: &str| above(&text.lines().collect::<Vec<_>>());
        assert_eq!(name("test.ts").as_deref(), Some("test.ts"));
        assert_eq!(name("src/main.rs\n```rust").as_deref(), Some("src/main.rs"));
        assert_eq!(name("**`a b.py`**:").as_deref(), Some("a b.py"));
        assert_eq!(name("### Makefile.am:").as_deref(), Some("Makefile.am"));
        assert_eq!(name("Here is the change."), None);
        assert_eq!(name("old.rs\n>>>>>>> REPLACE"), None);
        assert_eq!(name(""), None);
    }
}
