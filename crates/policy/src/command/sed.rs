//! Scripts of `sed` that only choose, change and print lines.
//!
//! The whole script must be understood. `w`, `r`, `e` and their like reach files and programs
//! and are not part of what is understood here, nor is anything that is not listed.

use std::iter::Peekable;
use std::str::Chars;

use super::brackets;

/// Says what a script does beyond looking; nothing if it only looks.
pub(super) fn only_looks(script: &str) -> Result<(), String> {
    let read = |sets| Reader { rest: script.chars().peekable(), sets, broken: false }.read();
    let clear = read(Sets::Clear);
    if clear.is_ok() || read(Sets::Literal).is_err() {
        return clear.map_err(|flaw| flaw.text);
    }
    // For some versions a mark in a set ends the pattern: then it must do no harm either.
    match read(Sets::Ignored) {
        Err(flaw) if !flaw.broken => Err(flaw.text),
        _ => Ok(()),
    }
}

/// How a set in brackets is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sets {
    /// Only if all versions read it in the same way.
    Clear,
    /// The mark in it is a letter like others.
    Literal,
    /// There are no sets: the mark ends a pattern everywhere.
    Ignored,
}

/// Why a script is not let through.
struct Flaw {
    text: String,
    /// No version would run any of it.
    broken: bool,
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    sets: Sets,
    broken: bool,
}

impl Reader<'_> {
    fn read(mut self) -> Result<(), Flaw> {
        loop {
            match self.command() {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(text) => return Err(Flaw { text, broken: self.broken }),
            }
        }
    }

    /// Reads one command; says whether there was one.
    fn command(&mut self) -> Result<bool, String> {
        self.skip(|letter| letter.is_ascii_whitespace() || letter == ';');
        if self.rest.peek().is_none() {
            return Ok(false);
        }
        self.addresses()?;
        self.skip(|letter| letter == ' ' || letter == '!');
        match self.rest.next() {
            Some('{' | '}') => Ok(true),
            Some(
                'p' | 'd' | 'D' | 'P' | '=' | 'n' | 'N' | 'h' | 'H' | 'g' | 'G' | 'x' | 'F' | 'z',
            ) => self.end().map(|()| true),
            Some('q' | 'Q' | 'l') => {
                self.skip(|letter| letter == ' ' || letter.is_ascii_digit());
                self.end().map(|()| true)
            }
            Some('b' | 't' | 'T' | ':') => {
                // A blank ends a label, and a command may follow it.
                self.skip(|letter| letter == ' ');
                self.skip(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
                self.end().map(|()| true)
            }
            // The text of these goes to the end of the line, where a backslash goes on.
            Some('a' | 'i' | 'c') => {
                self.text();
                Ok(true)
            }
            Some('#') => {
                self.skip(|letter| letter != '\n');
                Ok(true)
            }
            Some('s') => self.substitute().map(|()| true),
            Some('y') => {
                self.parts()?;
                self.end().map(|()| true)
            }
            Some(other) => Err(format!("has the command `{other}`")),
            None => Err("ends after an address".to_owned()),
        }
    }

    fn skip(&mut self, fits: impl Fn(char) -> bool) {
        while self.rest.next_if(|letter| fits(*letter)).is_some() {}
    }

    fn addresses(&mut self) -> Result<(), String> {
        if !self.address()? {
            return Ok(());
        }
        self.skip(|letter| letter == ' ');
        if self.rest.next_if_eq(&',').is_some() {
            self.skip(|letter| " +~".contains(letter));
            if !self.address()? {
                return Err("has half a range".to_owned());
            }
        }
        Ok(())
    }

    fn address(&mut self) -> Result<bool, String> {
        match self.rest.peek() {
            Some('$') => {
                self.rest.next();
            }
            Some(letter) if letter.is_ascii_digit() => {
                self.skip(|letter| letter.is_ascii_digit() || letter == '~');
            }
            Some('/') => {
                self.rest.next();
                self.until('/')?;
                self.skip(|letter| letter == 'I' || letter == 'M');
            }
            Some('\\') => {
                self.rest.next();
                let mark = self.mark()?;
                self.until(mark)?;
                self.skip(|letter| letter == 'I' || letter == 'M');
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The letter that stands around patterns.
    fn mark(&mut self) -> Result<char, String> {
        let mark = self.rest.next().ok_or("ends in a pattern")?;
        // Letters and brackets would need more care than they are worth.
        if mark.is_alphanumeric() || mark.is_whitespace() || "\\[]{}".contains(mark) {
            return Err(format!("has patterns between `{mark}`"));
        }
        Ok(mark)
    }

    /// Reads on to a mark.
    fn until(&mut self, mark: char) -> Result<(), String> {
        while let Some(letter) = self.rest.next() {
            match letter {
                '\\' => {
                    self.rest.next();
                }
                '\n' => return Err("has a line end in a pattern".to_owned()),
                letter if letter == mark => return Ok(()),
                '[' if self.sets == Sets::Clear => brackets::skip(Some(mark), &mut self.rest)?,
                '[' if self.sets == Sets::Literal => brackets::skip(None, &mut self.rest)?,
                _ => {}
            }
        }
        Err("ends in a pattern".to_owned())
    }

    /// The replacement: brackets mean nothing there.
    fn plainly_until(&mut self, mark: char) -> Result<(), String> {
        while let Some(letter) = self.rest.next() {
            if letter == '\\' {
                self.rest.next();
            } else if letter == mark {
                return Ok(());
            }
        }
        Err("ends in a replacement".to_owned())
    }

    /// Both parts and the marks around them; gives the mark.
    fn parts(&mut self) -> Result<char, String> {
        let mark = self.mark()?;
        self.until(mark)?;
        self.plainly_until(mark)?;
        Ok(mark)
    }

    fn substitute(&mut self) -> Result<(), String> {
        let mark = self.parts()?;
        self.skip(|letter| letter.is_ascii_digit() || "gpIiMm".contains(letter));
        // A mark too many is an error before anything runs.
        self.broken = self.rest.peek() == Some(&mark) && !";}#".contains(mark);
        self.end()
    }

    /// A command must end here.
    fn end(&mut self) -> Result<(), String> {
        self.skip(|letter| letter == ' ' || letter == '\t');
        match self.rest.peek() {
            None | Some(';' | '\n' | '}' | '#') => Ok(()),
            Some(other) => Err(format!("has `{other}` after a command")),
        }
    }

    fn text(&mut self) {
        while let Some(letter) = self.rest.next() {
            match letter {
                '\\' => {
                    self.rest.next();
                }
                '\n' => return,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::only_looks;

    #[test]
    fn scripts_that_print_and_change_lines_only_look() {
        for script in [
            "1,5p",
            "p",
            "$p",
            "/a/,/b/p",
            "/a/,+3p",
            "1~2p",
            "s/a/b/",
            "s/a/b/g",
            "s|a|b|gp;q",
            "s/w/e/",
            "/^$/d",
            "10q",
            "1d;$d",
            "{p;p}",
            "/a/{s/x/y/;p}",
            "/a/!d",
            ":a;N;$!ba;s/\\n/ /g",
            "y/abc/xyz/",
            "s/[a-z]/w/",
            "s/[[:space:]]*$//",
            "s/[^a]//",
            "1i\\ hello",
            "",
            "s/a\\/w/b/",
            "\\,a,p",
            "$!N;P;D",
            "s/a/b/2",
            "s/a/b/I",
            "s/[^/]*$//",
            "s/[^/]*$//;p",
            "s|/[^|]*||",
        ] {
            assert_eq!(only_looks(script), Ok(()), "{script}");
        }
    }

    #[test]
    fn scripts_that_reach_files_or_programs_do_more() {
        for script in [
            "w out",
            "1w out",
            "p;w out",
            "s/a/b/w out",
            "s/a/b/e",
            "s/a/b/gw out",
            "e",
            "e id",
            "1e id",
            "r file",
            "R file",
            "W out",
            "s/[/]/w out/",
            "s/[/]/e",
            "s/[^/]*/w out;s/]//",
            "s/[/]//;w out",
            "s/[^/]/]/;s/x/;w out\n/",
            "/[/]/p;e\n/",
            "s;[;];;e id",
            "s/a/b/ge",
            "1,5{w out\n}",
            "p\nw x",
            "$!{e\n}",
            "a x\ne id",
            "#x\ne id",
            "#x\\\ne id",
            "s/[]/]/;a/;w out",
            ":a;w out",
            "y/a/b/;e",
            "s\na\nb\nw x",
            "sxaxbxw out",
            "/a/",
            "s/a",
            "1,",
            "s/a/b/m;w x",
            "s/a/b/\ne id",
            "s/a/b/ w x",
            "}e",
            "v",
            "L",
            "}w out",
            "b x;e",
        ] {
            assert!(only_looks(script).is_err(), "{script}");
        }
    }
}
