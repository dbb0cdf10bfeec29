//! Programs of `awk` that only choose, count and print lines.
//!
//! Files, pipes and programs are reached by words (`system`, `getline`), by `|`, by `>` after a
//! `print`, and by what `@` loads. So a program passes that has none of them; a `>` or `|` is
//! let through only where nothing is printed before it in the same statement.

use super::brackets;

/// Says what a program does beyond looking; nothing if it only looks.
pub(super) fn only_looks(program: &str) -> Result<(), String> {
    if let Some(word) = REACHING.iter().find(|word| program.contains(*word)) {
        return Err(format!("has `{word}`"));
    }
    let mut reader = Reader::default();
    let mut rest = program.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '"' => {
                reader.end_word();
                skip_to('"', &mut rest)?;
                reader.before = Some('"');
            }
            '/' => {
                reader.end_word();
                if reader.slash()? == Slash::Pattern {
                    skip_to('/', &mut rest)?;
                    reader.before = Some('"');
                } else {
                    reader.before = Some('/');
                }
            }
            '#' => return Err("has a comment".to_owned()),
            letter => reader.letter(letter, rest.peek().copied(), &mut rest)?,
        }
    }
    Ok(())
}

/// Words that reach out, or take code from elsewhere; refused wherever they stand.
const REACHING: &[&str] = &[
    "system", "getline", "close", "fflush", "ENVIRON", "ARGV", "ARGC", "PROCINFO", "SYMTAB",
    "FUNCTAB", "func", "nextfile",
];

/// Words after which a `/` begins a pattern.
const BEFORE_PATTERNS: &[&str] = &[
    "print", "printf", "return", "in", "else", "do", "case", "exit", "delete", "next", "length",
    "BEGIN", "END",
];

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// What a `/` is.
#[derive(PartialEq, Eq)]
enum Slash {
    Pattern,
    Division,
}

#[derive(Default)]
struct Reader {
    word: String,
    /// The last word, if nothing but blanks came after it.
    last: String,
    /// The last letter that is no blank.
    before: Option<char>,
    /// A `print` or `printf` stands before this in the same statement.
    printing: bool,
}

impl Reader {
    fn letter(
        &mut self,
        letter: char,
        next: Option<char>,
        rest: &mut Rest<'_>,
    ) -> Result<(), String> {
        if letter.is_alphanumeric() || letter == '_' {
            self.word.push(letter);
            self.before = Some(letter);
            return Ok(());
        }
        self.end_word();
        match letter {
            // A line end is no end of a statement after a comma, so it does not count as one.
            ';' | '{' | '}' => self.printing = false,
            '|' if next == Some('|') => {
                rest.next();
            }
            '|' => return Err("starts programs".to_owned()),
            '>' if self.printing => return Err("writes files".to_owned()),
            '@' => return Err("calls or loads what it does not name".to_owned()),
            // Patterns need no marks around them that this cannot see, and lines may go on.
            '\\' | '`' => return Err("has a backslash".to_owned()),
            _ => {}
        }
        if !letter.is_whitespace() || letter == '\n' {
            self.before = Some(letter);
        }
        Ok(())
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        self.printing |= matches!(self.word.as_str(), "print" | "printf");
        self.last = std::mem::take(&mut self.word);
    }

    /// Awk tells a pattern from a division by its grammar. What is not plainly one or the other
    /// is refused: read wrongly, it would hide code from this reader.
    fn slash(&self) -> Result<Slash, String> {
        match self.before {
            None | Some('(' | ',' | '~' | '!' | '&' | '|' | '{' | '}' | ';' | '\n') => {
                Ok(Slash::Pattern)
            }
            Some(']') => Ok(Slash::Division),
            Some(letter) if letter.is_alphanumeric() || letter == '_' => {
                if BEFORE_PATTERNS.contains(&self.last.as_str()) {
                    return Err("has a pattern after a word".to_owned());
                }
                Ok(Slash::Division)
            }
            Some(_) => Err("has a `/` of which it is not clear what it means".to_owned()),
        }
    }
}

fn skip_to(mark: char, rest: &mut Rest<'_>) -> Result<(), String> {
    while let Some(letter) = rest.next() {
        match letter {
            '\\' => {
                rest.next();
            }
            '\n' => return Err("has a line end in a text".to_owned()),
            '[' if mark == '/' => brackets::skip(Some(mark), rest)?,
            letter if letter == mark => return Ok(()),
            _ => {}
        }
    }
    Err("ends in a text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::only_looks;

    #[test]
    fn programs_that_print_only_look() {
        for program in [
            "{print $1}",
            "{ print $1, $NF }",
            "$3 > 10",
            "$3 > 10 {print $1}",
            "NR==1",
            "/foo/ {print}",
            "BEGIN {FS=\":\"} {s += $2} END {print s}",
            "{print \"a > b | c\"}",
            "$1 == \"x\" || $2 == \"y\"",
            "{ if ($1 > 3) print $2 }",
            "{print $1/$2}",
            "END{print NR}",
            "!seen[$0]++",
            "{print length($0)}",
            "/a\\/b/ {print}",
            "{printf \"%s\\n\", $1}",
            "/[a-z]/",
            "/[^a]/ {print}",
            "/[[:digit:]]+/ {print}",
            "{gsub(/[ \\t]+$/,\"\"); print}",
        ] {
            assert_eq!(only_looks(program), Ok(()), "{program}");
        }
    }

    #[test]
    fn programs_that_reach_out_do_more() {
        for program in [
            "{print > \"x\"}",
            "{print $1 >> \"x\"}",
            "BEGIN{system(\"id\")}",
            "{print | \"sh\"}",
            "{\"id\" | getline x}",
            "BEGIN{while((getline l < \"f\")>0) print l}",
            "@load \"x\"",
            "{printf \"x\" > \"y\"}",
            "{print (1) > \"x\"}",
            "{print $1 > $2}",
            "/[/]/{system(\"id\")}",
            "/[/]/ {print > \"x\"} /]/",
            "/[]/ {print > \"x\"} /]/",
            "/[^]/ {print > \"x\"} /]/",
            "/[\\]/ {print > \"x\"} /]/",
            "/[a/ {print > \"x\"} /]/",
            "{print \"a\" |& \"sh\"}",
            "{x = \"system\"; @x(\"id\")}",
            "function f(a){}",
            "{print ENVIRON[\"A\"]}",
            "{print /a/ > \"x\"}",
            "1 / 2; BEGIN{system(\"a/b\")}",
            "{print a,\n b > \"x\"}",
            "{print \"",
            "print/x/ > \"f\"",
        ] {
            assert!(only_looks(program).is_err(), "{program}");
        }
    }
}
