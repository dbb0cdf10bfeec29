//! Lines of the content that look like markers.

/// What a line begins with that must be escaped, behind any backslashes.
fn needs_escape(line: &str) -> bool {
    const STARTS: [&str; 6] = ["<<<<<", "=====", ">>>>>", "-------", ":start_line:", ":end_line:"];
    let line = line.trim_start_matches('\\');
    STARTS.iter().any(|start| line.starts_with(start))
}

/// Content with a backslash before each line that could be mistaken for a marker.
pub(super) fn escaped(content: &str) -> String {
    let mut text = String::with_capacity(content.len());
    for line in content.split_inclusive('\n') {
        if needs_escape(line) {
            text.push('\\');
        }
        text.push_str(line);
    }
    text
}

/// A line of content as it is meant.
pub(super) fn unescaped(line: &str) -> &str {
    match line.strip_prefix('\\') {
        Some(rest) if needs_escape(rest) => rest,
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_backslash_is_taken_off() {
        assert_eq!(unescaped("\\<<<<<<< HEAD"), "<<<<<<< HEAD");
        assert_eq!(unescaped("\\\\======="), "\\=======");
        assert_eq!(unescaped("\\:end_line:10"), ":end_line:10");
        assert_eq!(unescaped("\\-------"), "-------");
        assert_eq!(unescaped("\\section{a}"), "\\section{a}");
        assert_eq!(escaped("a\n=======\n\\>>>>>>> x"), "a\n\\=======\n\\\\>>>>>>> x");
    }
}
