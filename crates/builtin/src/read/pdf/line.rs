//! Letters with their places, put together to lines.

/// A letter, or several that one sign stands for, where a page draws it.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) text: String,
    /// The left end on the line that it stands on.
    pub(super) x: f64,
    /// How far up or down that line is.
    pub(super) y: f64,
    /// Where it ends on its line.
    pub(super) end: f64,
    /// How high letters are.
    pub(super) size: f64,
}

/// How much of the height of a letter a gap has that is a space.
const SPACE: f64 = 0.18;
/// How much of it a gap has that separates columns.
const WIDE_SPACE: f64 = 1.6;
/// How much of it a line may go up or down, for raised letters.
const SAME_LINE: f64 = 0.5;
/// How much of it is between lines with an empty one between them.
const EMPTY_LINE: f64 = 2.1;

/// Puts letters together in the order in which they were drawn: that is the order of reading in
/// almost all documents, and columns stay columns.
#[derive(Default)]
pub(super) struct Lines {
    done: Vec<String>,
    line: String,
    last: Option<Placed>,
}

impl Lines {
    pub(super) fn add(&mut self, letter: Placed) {
        if let Some(last) = self.last.take() {
            let size = last.size.max(letter.size).max(0.01);
            let down = last.y - letter.y;
            let gap = letter.x - last.end;
            if down.abs() > SAME_LINE * size || gap < -2.0 * size {
                self.end_line();
                if down > EMPTY_LINE * size {
                    self.done.push(String::new());
                }
            } else if gap > WIDE_SPACE * size {
                self.line.truncate(self.line.trim_end().len());
                self.line.push('\t');
            } else if gap > SPACE * size && !self.line.ends_with([' ', '\t']) {
                self.line.push(' ');
            }
        }
        self.line.push_str(&letter.text);
        self.last = Some(letter);
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_end();
        if !line.is_empty() {
            self.done.push(line.to_owned());
        }
    }

    pub(super) fn finish(mut self) -> Vec<String> {
        self.end_line();
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(letters: &[(&str, f64, f64)]) -> Vec<String> {
        let mut lines = Lines::default();
        for (text, x, y) in letters {
            #[expect(clippy::cast_precision_loss, reason = "a few letters")]
            let end = x + 5.0 * text.len() as f64;
            lines.add(Placed { text: (*text).to_owned(), x: *x, y: *y, end, size: 10.0 });
        }
        lines.finish()
    }

    #[test]
    fn gaps_are_spaces_and_columns() {
        assert_eq!(lines(&[("ab", 0.0, 0.0), ("c", 10.5, 0.0)]), ["abc"]);
        assert_eq!(lines(&[("ab", 0.0, 0.0), ("c", 13.0, 0.0)]), ["ab c"]);
        assert_eq!(lines(&[("ab ", 0.0, 0.0), ("c", 18.0, 0.0)]), ["ab c"]);
        assert_eq!(lines(&[("ab", 0.0, 0.0), ("c", 90.0, 0.0)]), ["ab\tc"]);
    }

    #[test]
    fn what_is_drawn_further_down_is_another_line() {
        assert_eq!(lines(&[("a", 0.0, 100.0), ("b", 0.0, 88.0)]), ["a", "b"]);
        assert_eq!(lines(&[("a", 0.0, 100.0), ("b", 0.0, 60.0)]), ["a", "", "b"]);
        assert_eq!(lines(&[("x", 0.0, 100.0), ("2", 5.0, 104.0)]), ["x2"]);
        // Beside it, but to the left: the next column, or a line that was drawn late.
        assert_eq!(lines(&[("a", 50.0, 100.0), ("b", 0.0, 100.0)]), ["a", "b"]);
    }
}
