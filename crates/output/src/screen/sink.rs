//! Where the text of a screen goes.

use crate::amount::LeftOut;

/// Where finished text goes.
pub(crate) trait Sink {
    /// A line with its newline, or a part of a line.
    fn put(&mut self, text: &str, from_err: bool);

    /// Something is missing here.
    fn gap(&mut self, left_out: LeftOut);

    /// Nothing more is wanted.
    fn is_full(&self) -> bool {
        false
    }
}

impl Sink for String {
    fn put(&mut self, text: &str, _from_err: bool) {
        self.push_str(text);
    }

    fn gap(&mut self, left_out: LeftOut) {
        self.push_str(&left_out.mark());
        self.push('\n');
    }
}
