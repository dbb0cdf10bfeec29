//! What models put around a patch: code fences and here-documents.

/// A line of three or more backticks, with a language or without.
pub(super) fn is_fence(line: &str) -> bool {
    let rest = line.trim_start_matches('`');
    line.len() - rest.len() >= 3 && !rest.contains('`')
}

/// The word that ends the here-document which a line opens, with or without the command that
/// would get it.
pub(super) fn here_document_word(line: &str) -> Option<&str> {
    let (command, word) = line.trim().split_once("<<")?;
    let command = command.trim();
    let known = ["", "apply_patch", "applypatch", "git apply", "patch -p1", "cat"];
    let word = word.trim_start_matches('-').trim();
    let word = word.split([' ', '|', '>']).next()?.trim_matches(['\'', '"']);
    let is_word = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (known.contains(&command) && is_word).then_some(word)
}

/// A line closes what is around a patch: a fence, or the word of a here-document.
pub(super) fn closes(line: &str, word: Option<&str>, has_fence: bool) -> bool {
    has_fence && is_fence(line) || Some(line) == word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn here_documents_are_known_by_their_word() {
        assert_eq!(here_document_word("<<EOF"), Some("EOF"));
        assert_eq!(here_document_word("apply_patch <<'END_1'"), Some("END_1"));
        assert_eq!(here_document_word("cat <<\"EOF\" | apply_patch"), Some("EOF"));
        assert_eq!(here_document_word("cd src && apply_patch <<EOF"), None);
        assert_eq!(here_document_word("<<<<<<< SEARCH"), None);
        assert!(is_fence("```diff") && is_fence("```") && !is_fence("``") && !is_fence("```a```"));
    }
}
