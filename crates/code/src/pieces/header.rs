//! What the words before a body say: `pub async fn name(…)`, `class Name : Base`, `int f(void)`.

use super::family::Language;

/// No header is longer, in bytes.
const MAX_BYTES: usize = 4 * 1024;

/// What a header announces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Announced {
    /// A function, and what it belongs to where the header says so.
    Function { name: String, owner: String },
    /// A type, module or implementation: what is in it is looked at.
    Container { name: String },
    /// A constant or an alias.
    Declaration { name: String },
    /// A block that is not looked into, such as the value of a constant.
    Opaque,
    /// A block without a name that holds definitions or statements.
    Transparent,
}

const FUNCTIONS: &[&str] = &["fn", "func", "fun", "function", "def", "sub", "proc", "rpc", "macro"];
const TYPES: &[&str] = &[
    "struct",
    "class",
    "enum",
    "trait",
    "interface",
    "union",
    "record",
    "protocol",
    "object",
    "actor",
    "extension",
    "impl",
    "mod",
    "module",
    "namespace",
    "message",
    "service",
    "contract",
];
const DECLARATIONS: &[&str] = &["const", "static", "type", "typedef", "let", "var", "val", "using"];
/// What stands before a bracket without being a function's name.
const CONTROL: &[&str] = &[
    "if",
    "for",
    "while",
    "switch",
    "catch",
    "return",
    "else",
    "do",
    "sizeof",
    "foreach",
    "lock",
    "synchronized",
    "with",
    "when",
    "match",
    "elif",
    "try",
    "loop",
    "until",
    "unless",
    "guard",
    "throw",
    "new",
    "await",
    "yield",
    "assert",
    "typeof",
    "defer",
    "go",
    "select",
    "case",
];
/// Words whose brackets belong to them and not to a function.
const WITH_BRACKETS: &[&str] = &[
    "pub",
    "extern",
    "decltype",
    "alignas",
    "noexcept",
    "__attribute__",
    "__declspec",
    "throws",
    "private",
    "declare",
];

/// Whether a header's attributes say that it is a test.
pub(super) fn says_test(header: &str) -> bool {
    let mut rest = header.trim_start();
    let mut found = false;
    while rest.starts_with("#[") || rest.starts_with('@') || rest.starts_with("#!") {
        let line = rest.lines().next().unwrap_or(rest);
        found |= line.contains("test]") || line.contains("(test)") || line.starts_with("@Test");
        rest = rest[line.len()..].trim_start();
    }
    found
}

/// Reads a header.
pub(super) fn announced(language: &Language, header: &str) -> Announced {
    if header.len() > MAX_BYTES {
        return Announced::Opaque;
    }
    let tokens = tokens(header);
    by_keyword(language, &tokens)
        .or_else(|| as_value(language, &tokens))
        .or_else(|| bare_function(language, &tokens))
        .unwrap_or_else(|| block(&tokens))
}

/// A piece of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    /// Brackets and what is in them.
    Round(&'a str),
    Assign,
    Arrow,
    Colon,
    /// `::` or `.`
    Joint,
    Bang,
    Other,
}

/// `pub fn name`, `class Name`, `const NAME`.
fn by_keyword(language: &Language, tokens: &[Token<'_>]) -> Option<Announced> {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match *token {
            // A bracket ends what can be a keyword, unless it belongs to the word before.
            Token::Round(_) => {
                let owner = at.checked_sub(1).and_then(|before| word(tokens, before));
                if !owner.is_some_and(|owner| WITH_BRACKETS.contains(&owner)) {
                    return None;
                }
            }
            Token::Assign | Token::Arrow => return None,
            Token::Word("macro_rules") => return Some(function(word(tokens, at + 2)?, "")),
            Token::Word(found) if FUNCTIONS.contains(&found) => {
                return after_function(tokens, at + 1);
            }
            Token::Word("impl") => {
                return Some(Announced::Container { name: implemented(&tokens[at + 1..]) });
            }
            Token::Word(found) if TYPES.contains(&found) => {
                if let Some(announced) = after_type(tokens, at + 1) {
                    return Some(announced);
                }
            }
            Token::Word(found) if DECLARATIONS.contains(&found) => {
                if let Some(announced) = after_declaration(language, tokens, at + 1) {
                    return Some(announced);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn word<'a>(tokens: &[Token<'a>], at: usize) -> Option<&'a str> {
    match tokens.get(at) {
        Some(Token::Word(found)) => Some(found),
        _ => None,
    }
}

fn function(name: &str, owner: &str) -> Announced {
    Announced::Function { name: name.to_owned(), owner: owner.to_owned() }
}

/// `name(`, `Owner.name(`, `(receiver *Owner) name(`.
fn after_function(tokens: &[Token<'_>], mut at: usize) -> Option<Announced> {
    let mut owner = String::new();
    if let (Some(Token::Round(receiver)), Some(Token::Word(_))) =
        (tokens.get(at), tokens.get(at + 1))
    {
        let inside = receiver.trim_matches(['(', ')']);
        let inside = inside.split('[').next().unwrap_or(inside);
        inside.rsplit([' ', '*']).next().unwrap_or("").clone_into(&mut owner);
        at += 1;
    }
    while let Some(Token::Other) = tokens.get(at) {
        at += 1;
    }
    let mut name = word(tokens, at)?;
    while let (Some(Token::Joint | Token::Colon), Some(next)) =
        (tokens.get(at + 1), word(tokens, at + 2))
    {
        name.clone_into(&mut owner);
        name = next;
        at += 2;
    }
    Some(function(name, &owner))
}

/// `Type`, `Trait for Type`.
fn implemented(tokens: &[Token<'_>]) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut after_joint = false;
    for token in tokens {
        match token {
            Token::Word("where") => break,
            Token::Word("dyn" | "mut" | "const" | "unsafe") => {}
            Token::Word(part) => {
                // Of `fmt::Display` the last word is the name.
                if after_joint {
                    parts.pop();
                }
                parts.push(part);
            }
            _ => {}
        }
        after_joint = *token == Token::Joint;
    }
    parts.truncate(3);
    parts.join(" ")
}

/// `struct Name`, but not `struct Name *function(`.
fn after_type(tokens: &[Token<'_>], mut at: usize) -> Option<Announced> {
    while word(tokens, at).is_some_and(|next| TYPES.contains(&next)) {
        at += 1;
    }
    let Some(mut name) = word(tokens, at) else {
        let nameless = tokens.len() == at;
        return nameless.then(|| Announced::Container { name: String::new() });
    };
    while let (Some(Token::Joint), Some(next)) = (tokens.get(at + 1), word(tokens, at + 2)) {
        name = next;
        at += 2;
    }
    // `struct point make(int x)`: the type of a function.
    let returned = matches!(tokens.get(at + 1), Some(Token::Other | Token::Word(_)))
        && tokens[at + 1..].iter().any(|token| matches!(token, Token::Round(_)))
        && !tokens[at + 1..]
            .iter()
            .any(|token| matches!(token, Token::Word("extends" | "implements" | "where" | "with")));
    (!returned).then(|| Announced::Container { name: name.to_owned() })
}

/// `const NAME = `, `type Name struct`, but not `const fn` nor `static int f(`.
fn after_declaration(
    language: &Language,
    tokens: &[Token<'_>],
    mut at: usize,
) -> Option<Announced> {
    while matches!(word(tokens, at), Some("mut" | "ref" | "lazy")) {
        at += 1;
    }
    let name = word(tokens, at)?;
    match tokens.get(at + 1) {
        Some(Token::Word("struct" | "interface")) => {
            Some(Announced::Container { name: name.to_owned() })
        }
        // A value that is a function has a rule of its own.
        Some(Token::Assign) if language.script => None,
        Some(Token::Assign | Token::Colon) if !FUNCTIONS.contains(&name) => {
            Some(Announced::Declaration { name: name.to_owned() })
        }
        None if !TYPES.contains(&name) => Some(Announced::Declaration { name: name.to_owned() }),
        _ => None,
    }
}

/// `name = function(…)`, `name: (…) =>`, `name = {`.
fn as_value(language: &Language, tokens: &[Token<'_>]) -> Option<Announced> {
    let assigned = tokens.iter().position(|token| matches!(token, Token::Assign | Token::Colon))?;
    if tokens[..assigned].iter().any(|token| matches!(token, Token::Round(_)))
        && language.bare_functions
    {
        return None;
    }
    let names = &tokens[..assigned];
    let name = names.iter().rev().find_map(|token| match token {
        Token::Word(found) => Some(*found),
        _ => None,
    })?;
    // `const name: Type = …`
    let name = match names {
        [Token::Word(keyword), Token::Word(first), ..] if DECLARATIONS.contains(keyword) => first,
        _ => name,
    };
    if !language.script {
        return Some(Announced::Opaque);
    }
    let value = &tokens[assigned + 1..];
    let is_function =
        value.iter().any(|token| matches!(token, Token::Arrow | Token::Word("function")));
    match value {
        _ if is_function => Some(function(name, "")),
        [] => Some(Announced::Container { name: name.to_owned() }),
        _ => Some(Announced::Declaration { name: name.to_owned() }),
    }
}

/// `int name(…)`, `Owner::name(…)`, `name(…)`.
fn bare_function(language: &Language, tokens: &[Token<'_>]) -> Option<Announced> {
    if !language.bare_functions {
        return None;
    }
    let mut at = 0;
    let bracket = loop {
        match tokens.get(at)? {
            Token::Assign | Token::Arrow => return None,
            Token::Round(_) => {
                let owner = at.checked_sub(1).and_then(|before| word(tokens, before));
                if !owner.is_some_and(|owner| WITH_BRACKETS.contains(&owner)) {
                    break at;
                }
            }
            _ => {}
        }
        at += 1;
    };
    let first = word(tokens, 0);
    let name = word(tokens, bracket.checked_sub(1)?)?;
    if CONTROL.contains(&name) || first.is_some_and(|first| CONTROL.contains(&first)) {
        return None;
    }
    let owner = match (bracket.checked_sub(2).and_then(|at| tokens.get(at)), bracket.checked_sub(3))
    {
        (Some(Token::Joint), Some(before)) => word(tokens, before).unwrap_or_default(),
        _ => "",
    };
    Some(function(name, owner))
}

fn block(tokens: &[Token<'_>]) -> Announced {
    let value = tokens.iter().any(|token| matches!(token, Token::Assign));
    if value { Announced::Opaque } else { Announced::Transparent }
}

/// No header has more of them that matter.
const MAX_TOKENS: usize = 64;

fn tokens(header: &str) -> Vec<Token<'_>> {
    let bytes = header.as_bytes();
    let mut found: Vec<Token<'_>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() && found.len() < MAX_TOKENS {
        let start = at;
        let rest = &bytes[at..];
        at += 1;
        let token = match rest {
            [b'/', b'/', ..] => {
                at = start + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                continue;
            }
            [b'/', b'*', ..] => {
                at =
                    start + memchr::memmem::find(rest, b"*/").map_or(rest.len(), |found| found + 2);
                continue;
            }
            [b'#', b'[' | b'!', ..] => {
                let open = start + rest.iter().position(|byte| *byte == b'[').unwrap_or(0);
                at = group_end(bytes, open, b'[', b']');
                continue;
            }
            // A line of the preprocessor.
            [b'#', ..] => {
                at = start + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                continue;
            }
            [b'@', ..] => {
                at = annotation_end(bytes, start);
                continue;
            }
            [b'"' | b'\'', ..] => {
                let quote = rest[0];
                let inside = rest[1..].iter().position(|byte| *byte == quote || *byte == b'\n');
                at = start + 1 + inside.map_or(0, |found| found + 1);
                continue;
            }
            [b'(', ..] => {
                at = group_end(bytes, start, b'(', b')');
                Token::Round(header.get(start..at).unwrap_or(""))
            }
            [b'<', next, ..] if *next != b'=' && *next != b'<' => {
                at = group_end(bytes, start, b'<', b'>');
                continue;
            }
            [b'=', b'>', ..] => {
                at += 1;
                Token::Arrow
            }
            [b'-', b'>', ..] | [b'=', b'=', ..] => {
                at += 1;
                Token::Other
            }
            [b'=', ..] => Token::Assign,
            [b':', b':', ..] => {
                at += 1;
                Token::Joint
            }
            [b':', ..] => Token::Colon,
            [b'.', ..] => Token::Joint,
            [b'!', ..] => Token::Bang,
            [byte, ..] if byte.is_ascii_whitespace() => continue,
            [byte, ..] if is_word(*byte) => {
                at = start + rest.iter().take_while(|byte| is_word(**byte)).count();
                Token::Word(header.get(start..at).unwrap_or(""))
            }
            _ => Token::Other,
        };
        found.push(token);
    }
    found
}

/// Letters of all scripts: their bytes are not ASCII.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'~') || !byte.is_ascii()
}

/// Where the bracket at `start` is closed; where it is not, right after it.
fn group_end(bytes: &[u8], start: usize, open: u8, close: u8) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        if *byte == open {
            depth += 1;
        } else if *byte == close
            && !(close == b'>' && at > 0 && matches!(bytes[at - 1], b'-' | b'='))
        {
            depth -= 1;
        }
        if depth == 0 {
            return at + 1;
        }
    }
    if open == b'(' { bytes.len() } else { start + 1 }
}

/// `@Name.of(…)`.
fn annotation_end(bytes: &[u8], start: usize) -> usize {
    let name =
        bytes[start + 1..].iter().take_while(|byte| is_word(**byte) || **byte == b'.').count();
    let end = start + 1 + name;
    // `@interface` of Java is a keyword.
    match bytes.get(end) {
        Some(b'(') => group_end(bytes, end, b'(', b')'),
        _ if &bytes[start + 1..end] == b"interface" => start + 1,
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::family::language;

    fn read(path: &str, header: &str) -> String {
        match announced(language(path), header) {
            Announced::Function { name, owner } if owner.is_empty() => format!("f {name}"),
            Announced::Function { name, owner } => format!("f {owner}.{name}"),
            Announced::Container { name } => format!("c {name}"),
            Announced::Declaration { name } => format!("d {name}"),
            Announced::Opaque => "opaque".to_owned(),
            Announced::Transparent => "transparent".to_owned(),
        }
    }

    #[test]
    fn headers_say_what_they_announce() {
        for (path, header, expected) in [
            ("a.rs", "pub(crate) async fn name<T: Into<X>>(a: T) -> Vec<u8> where T: X", "f name"),
            ("a.rs", "#[inline] pub const unsafe extern \"C\" fn name()", "f name"),
            (
                "a.rs",
                "impl<'a, T: Fn() -> u8> fmt::Display for Wrapper<'a, T>",
                "c Display for Wrapper",
            ),
            ("a.rs", "impl Thing", "c Thing"),
            ("a.rs", "pub struct Name<T>", "c Name"),
            ("a.rs", "pub const NAME: &[Thing] = &[Thing", "d NAME"),
            ("a.rs", "macro_rules! name", "f name"),
            ("a.rs", "cfg_rt!", "transparent"),
            ("a.rs", "mod tests", "c tests"),
            ("a.go", "func (s *Server[T]) Serve(l net.Listener) error", "f Server.Serve"),
            ("a.go", "func Serve(l net.Listener) (n int, err error)", "f Serve"),
            ("a.go", "type Server struct", "c Server"),
            ("a.c", "static struct point *make_point(int x, int y)", "f make_point"),
            ("a.c", "struct point", "c point"),
            ("a.c", "int main(void)", "f main"),
            ("a.c", "static const int table[] =", "opaque"),
            ("a.c", "if (x)", "transparent"),
            ("a.cpp", "template <typename T> void Foo<T>::bar(int x) const", "f Foo.bar"),
            ("a.cpp", "namespace a::b", "c b"),
            ("A.java", "@Override public List<String> names(int a) throws IOException", "f names"),
            ("A.java", "public @interface Marker", "c Marker"),
            ("A.java", "public final class A extends B<C> implements D", "c A"),
            ("a.ts", "export const load = async (path: string): Promise<void> =>", "f load"),
            ("a.ts", "export interface Options", "c Options"),
            ("a.js", "module.exports.run = function (x)", "f run"),
            ("a.js", "constructor(a, b)", "f constructor"),
            ("a.js", "const table =", "c table"),
            ("a.kt", "fun String.shout(times: Int): String", "f String.shout"),
            ("a.swift", "public extension Array where Element == Int", "c Array"),
            ("a.php", "public static function make(array $x): self", "f make"),
        ] {
            assert_eq!(read(path, header), expected, "{header}");
        }
    }

    #[test]
    fn tests_are_told_by_their_attributes() {
        assert!(says_test("#[tokio::test]\n async fn x()"));
        assert!(says_test("#[inline]\n#[cfg(test)]\nmod x"));
        assert!(!says_test("pub fn test()"));
    }
}
