//! `@@ -1,2 +3,4 @@ heading`.

/// What the head of a hunk says of the old file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::patch) struct Numbers {
    /// The first line, from 1; the line before if there are none.
    pub(in crate::patch) start: usize,
    /// How many lines, if that is told.
    pub(in crate::patch) count: Option<usize>,
    /// How many lines of the new file.
    pub(in crate::patch) new_count: usize,
    /// What follows.
    pub(in crate::patch) heading: Option<String>,
}

/// Reads what follows the first `@@`; nothing if it has no numbers.
pub(in crate::patch) fn numbers(head: &str) -> Option<Numbers> {
    let rest = head.trim_start().strip_prefix('-')?;
    let (old, rest) = rest.split_once(" +")?;
    let (new, heading) = match rest.split_once("@@") {
        Some((new, heading)) => (new, heading.trim()),
        None => (rest, ""),
    };
    let (start, count) = pair(old)?;
    let (_, new_count) = pair(new)?;
    let heading = (!heading.is_empty()).then(|| heading.to_owned());
    Some(Numbers { start, count: Some(count), new_count, heading })
}

/// `1,2`, or `1` for one line.
fn pair(text: &str) -> Option<(usize, usize)> {
    let (start, count) = text.trim().split_once(',').unwrap_or((text.trim(), "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read() {
        let read = |head| numbers(head).map(|n| (n.start, n.count, n.new_count, n.heading));
        assert_eq!(read(" -1,2 +3,4 @@"), Some((1, Some(2), 4, None)));
        assert_eq!(read(" -1 +0,0 @@ fn f()"), Some((1, Some(1), 0, Some("fn f()".to_owned()))));
        assert_eq!(read(" -1,2 +3,4"), Some((1, Some(2), 4, None)));
        assert_eq!(read(" ... @@"), None);
        assert_eq!(read(" -a,2 +3,4 @@"), None);
        assert_eq!(read(" -99999999999999999999999,2 +3,4 @@"), None);
    }
}
