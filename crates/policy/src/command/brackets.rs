//! Sets in brackets, inside of the patterns of `sed` and `awk`.

use std::iter::Peekable;
use std::str::Chars;

/// Reads on to the end of a set, after its `[`. The mark that ends the whole pattern does so in
/// a set for some versions only, and there is more that they read in two ways: it is refused.
/// Without a mark, that one is a letter like others.
pub(super) fn skip(mark: Option<char>, rest: &mut Peekable<Chars<'_>>) -> Result<(), String> {
    rest.next_if_eq(&'^');
    let mut first = true;
    while let Some(letter) = rest.next() {
        let next = rest.peek().copied();
        match letter {
            ']' if !first => return Ok(()),
            '\\' if next != Some(']') && (mark.is_none() || next != mark) => {}
            '[' if next == Some(':') => {
                rest.next();
                while rest.next_if(char::is_ascii_alphabetic).is_some() {}
                if rest.next() != Some(':') || rest.next() != Some(']') {
                    break;
                }
            }
            ']' | '\\' | '[' | '\n' => break,
            letter if Some(letter) == mark => break,
            _ => {}
        }
        first = false;
    }
    Err("has brackets that can be read in two ways".to_owned())
}
