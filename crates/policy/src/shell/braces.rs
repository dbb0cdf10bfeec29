//! Brace expansion, which a shell does before all others: `{a,b}` and `{1..3}`.

use super::ast::{Part, Word};
use super::cursor::Refusal;

/// How many words one word may become.
const MAX_WORDS: usize = 64;
/// How deep braces may be nested.
const MAX_BRACES: usize = 8;

/// There are braces in a word that may be expanded.
pub(crate) fn has_any(word: &Word) -> bool {
    word.parts.iter().any(|part| matches!(part, Part::Brace('{')))
}

/// The words that a word stands for.
pub(crate) fn expand(word: &Word) -> Result<Vec<Word>, Refusal> {
    if word.parts.windows(2).any(|pair| grows_a_name(&pair[0], &pair[1])) {
        return Err("its braces become part of a variable's name".to_owned());
    }
    let dollar =
        |part: &Part| matches!(part, Part::Bare(text) | Part::Quoted(text) if text.ends_with('$'));
    if word.parts.iter().any(dollar) {
        return Err("its braces may put a name behind a `$`".to_owned());
    }
    let words = alternatives(&word.parts, 0)?;
    Ok(words.into_iter().map(|parts| Word { parts }).collect())
}

/// `$x{a,b}` is `$xa $xb`: braces are expanded as text.
fn grows_a_name(part: &Part, next: &Part) -> bool {
    matches!(part, Part::Parameter { braced: false, quoted: false, .. })
        && matches!(next, Part::Brace(_))
}

fn unclear() -> Refusal {
    "its braces can be read in more than one way".to_owned()
}

fn alternatives(parts: &[Part], depth: usize) -> Result<Vec<Vec<Part>>, Refusal> {
    if depth > MAX_BRACES {
        return Err(unclear());
    }
    let Some(open) = parts.iter().position(|part| matches!(part, Part::Brace('{'))) else {
        let stray = parts.iter().any(|part| matches!(part, Part::Brace('}')));
        return if stray { Err(unclear()) } else { Ok(vec![parts.to_vec()]) };
    };
    let close = matching(parts, open).ok_or_else(unclear)?;
    let before = &parts[..open];
    if before.iter().any(|part| matches!(part, Part::Brace('}'))) {
        return Err(unclear());
    }
    let middle = inside(&parts[open + 1..close], depth)?;
    let after = alternatives(&parts[close + 1..], depth + 1)?;
    if middle.len() * after.len() > MAX_WORDS {
        return Err(format!("its braces stand for more than {MAX_WORDS} words"));
    }
    let joined = middle.iter().flat_map(|middle| {
        after.iter().map(move |after| [before, middle.as_slice(), after].concat())
    });
    Ok(joined.collect())
}

fn matching(parts: &[Part], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, part) in parts.iter().enumerate().skip(open) {
        match part {
            Part::Brace('{') => depth += 1,
            Part::Brace('}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// What stands in the place of a pair of braces.
fn inside(parts: &[Part], depth: usize) -> Result<Vec<Vec<Part>>, Refusal> {
    let items = split(parts);
    if items.len() > 1 {
        let mut all = Vec::new();
        for item in items {
            all.extend(alternatives(item, depth + 1)?);
            if all.len() > MAX_WORDS {
                return Err(format!("its braces stand for more than {MAX_WORDS} words"));
            }
        }
        return Ok(all);
    }
    let dotted = |part: &Part| matches!(part, Part::Bare(text) if text.contains(".."));
    if let [Part::Bare(text)] = parts
        && text.contains("..")
    {
        return sequence(text);
    }
    if parts.iter().any(dotted) {
        return Err(unclear());
    }
    let literal = |middle: Vec<Part>| {
        let mut whole = vec![Part::Bare("{".to_owned())];
        whole.extend(middle);
        whole.push(Part::Bare("}".to_owned()));
        whole
    };
    Ok(alternatives(parts, depth + 1)?.into_iter().map(literal).collect())
}

/// The pieces between the commas that are not inside of other braces.
fn split(parts: &[Part]) -> Vec<&[Part]> {
    let mut pieces = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::Brace('{') => depth += 1,
            Part::Brace('}') => depth = depth.saturating_sub(1),
            Part::Brace(',') if depth == 0 => {
                pieces.push(&parts[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&parts[start..]);
    pieces
}

/// `1..5` and `a..e`.
fn sequence(text: &str) -> Result<Vec<Vec<Part>>, Refusal> {
    let (from, to) = text.split_once("..").ok_or_else(unclear)?;
    let words: Vec<String> = match (from.parse::<i32>(), to.parse::<i32>()) {
        // A leading zero pads all of them, which does not matter enough to be followed.
        (Ok(from), Ok(to)) if is_plain(from, to, text) => numbers(from, to)?,
        _ => letters(from, to).ok_or_else(unclear)?,
    };
    Ok(words.into_iter().map(|word| vec![Part::Bare(word)]).collect())
}

fn is_plain(from: i32, to: i32, text: &str) -> bool {
    format!("{from}..{to}") == text
}

fn numbers(from: i32, to: i32) -> Result<Vec<String>, Refusal> {
    if from.abs_diff(to) as usize >= MAX_WORDS {
        return Err(format!("its braces stand for more than {MAX_WORDS} words"));
    }
    let (low, high) = (from.min(to), from.max(to));
    Ok((low..=high).map(|number| number.to_string()).collect())
}

fn letters(from: &str, to: &str) -> Option<Vec<String>> {
    let letter = |text: &str| match text.as_bytes() {
        [letter] if letter.is_ascii_lowercase() => Some(*letter),
        _ => None,
    };
    let (from, to) = (letter(from)?, letter(to)?);
    Some((from.min(to)..=from.max(to)).map(|letter| char::from(letter).to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::super::ast::Kind;
    use super::*;

    fn words(text: &str) -> Result<Vec<String>, Refusal> {
        let script = crate::shell::prove(&format!("x {text}"))?;
        let Kind::Simple { words, .. } = &script.items[0].pipeline[0].kind else { unreachable!() };
        let words = if has_any(&words[1]) { expand(&words[1])? } else { vec![words[1].clone()] };
        Ok(words.iter().map(|word| word.literal().unwrap()).collect())
    }

    #[test]
    fn braces_as_bash_expands_them() {
        assert_eq!(words("a{b,c}d").unwrap(), ["abd", "acd"]);
        assert_eq!(words("{a,b}{1..3}").unwrap(), ["a1", "a2", "a3", "b1", "b2", "b3"]);
        assert_eq!(words("{a,{b,c}}").unwrap(), ["a", "b", "c"]);
        assert_eq!(words("{rm,-rf,x}").unwrap(), ["rm", "-rf", "x"]);
        assert_eq!(words("{}").unwrap(), ["{}"]);
        assert_eq!(words("stash@{0}").unwrap(), ["stash@{0}"]);
        assert_eq!(words("@{u}..HEAD").unwrap(), ["@{u}..HEAD"]);
        assert_eq!(words("a,b").unwrap(), ["a,b"]);
        assert_eq!(words("{c..a}").unwrap().len(), 3);
        assert_eq!(words("'{a,b}'").unwrap(), ["{a,b}"]);
    }

    #[test]
    fn what_is_not_clear_is_refused() {
        for text in ["{a,b", "a}{b,c}", "{1..1000}", "{a..$x}", "{01..10}", "{a,b}}"] {
            assert!(words(text).is_err(), "{text}");
        }
        assert!(words(&"{a,b}".repeat(7)).is_err());
    }
}
