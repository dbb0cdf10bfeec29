//! Letters that look like others: `gіt` with a Cyrillic `і` is not `git`.
//!
//! A word of one script is what it is, Korean or Russian too. A letter is foreign where its word
//! mixes scripts that are not written together, and wherever it is a copy of an ASCII character
//! (full-width and mathematical letters, dashes, curly quotes and slashes of other kinds).

use unicode_general_category::{GeneralCategory as Category, get_general_category};
use unicode_script::{Script, UnicodeScript};

/// For each character whether it is foreign to the word that it stands in.
pub(super) fn foreign(text: &str) -> Vec<bool> {
    let characters: Vec<char> = text.chars().collect();
    let mut foreign = vec![false; characters.len()];
    for word in words(&characters) {
        let home = home_of(&characters[word.clone()]);
        for at in word {
            foreign[at] = is_foreign(characters[at], home);
        }
    }
    for at in 0..characters.len() {
        foreign[at] |= is_copy(characters[at]) && !is_asian_punctuation(&characters, at);
    }
    foreign
}

/// The runs of letters, marks and digits.
fn words(characters: &[char]) -> Vec<std::ops::Range<usize>> {
    let mut words = Vec::new();
    let mut start = 0;
    for at in 0..=characters.len() {
        if characters.get(at).is_some_and(|c| is_of_word(*c)) {
            continue;
        }
        if start < at {
            words.push(start..at);
        }
        start = at + 1;
    }
    words
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(
            get_general_category(c),
            Category::NonspacingMark | Category::SpacingMark | Category::EnclosingMark
        )
}

/// The script that a word is written in: Latin if any letter is, or that of its first letter.
fn home_of(word: &[char]) -> Option<Script> {
    let mut scripts = word.iter().map(UnicodeScript::script).filter(|script| !is_neutral(*script));
    let first = scripts.next()?;
    let latin = first == Script::Latin || scripts.any(|script| script == Script::Latin);
    Some(if latin { Script::Latin } else { first })
}

fn is_foreign(c: char, home: Option<Script>) -> bool {
    let script = c.script();
    let Some(home) = home else { return false };
    if is_neutral(script) || script == home {
        return false;
    }
    // Chinese, Japanese and Korean are written with each other and with Latin, and look like none.
    let together = is_asian(script) && (is_asian(home) || home == Script::Latin);
    !together
}

fn is_neutral(script: Script) -> bool {
    matches!(script, Script::Common | Script::Inherited)
}

fn is_asian(script: Script) -> bool {
    matches!(
        script,
        Script::Han | Script::Hangul | Script::Hiragana | Script::Katakana | Script::Bopomofo
    )
}

/// Copies of ASCII characters.
fn is_copy(c: char) -> bool {
    matches!(c,
        // Modifier letters, dashes, quotes, dots, primes, angle quotes, slashes.
        '\u{2b0}'..='\u{2ff}' | '\u{37e}' | '\u{2010}'..='\u{201f}' | '\u{2024}' | '\u{2025}' | '\u{2027}'
        | '\u{2032}'..='\u{203a}' | '\u{2041}'..='\u{2044}' | '\u{204e}'..='\u{2053}'
        // Letterlike symbols, Roman numerals, operators.
        | '\u{2100}'..='\u{214f}' | '\u{2160}'..='\u{2188}' | '\u{2212}' | '\u{2215}'..='\u{2217}'
        | '\u{2223}' | '\u{2236}' | '\u{223c}' | '\u{2571}'..='\u{2573}' | '\u{2758}'
        | '\u{29f5}' | '\u{29f8}' | '\u{29f9}' | '\u{a789}'..='\u{a78c}'
        // Small and full-width forms, mathematical letters.
        | '\u{fe10}'..='\u{fe6f}' | '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}'
        | '\u{1f130}'..='\u{1f189}')
}

/// Full-width punctuation beside a Chinese, Japanese or Korean letter is at home.
fn is_asian_punctuation(characters: &[char], at: usize) -> bool {
    let full_width = matches!(characters[at], '\u{ff01}'..='\u{ff5e}');
    let is_beside = |at: Option<usize>| {
        at.and_then(|at| characters.get(at)).is_some_and(|c| is_asian(c.script()))
    };
    full_width
        && !characters[at].is_alphanumeric()
        && (is_beside(at.checked_sub(1)) || is_beside(at.checked_add(1)))
}
