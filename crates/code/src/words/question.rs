//! What a question asks for: its words, each with the other words that code may use for it.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::tables::{ABBREVIATIONS, STOP, SYNONYMS};
use super::{Part, Term, words};

/// So many words of a question are asked for; no longer one is read to its end.
pub const MAX_CONCEPTS: usize = 64;

/// How a word stands to the one that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variant {
    /// It is the word.
    Same,
    /// It is the short or the long form of it.
    Abbreviation,
    /// It is written together with its neighbour.
    Joined,
    /// It is a half of it, which the code may write apart.
    Half,
    /// It is the beginning of it, which the code may write for it.
    Beginning,
    /// It means about the same.
    Synonym,
    /// The documented functions of this code base say it where their comments say the word.
    Learned,
}

/// One word of a question.
#[derive(Clone, Debug)]
pub struct Concept {
    /// In lower case.
    pub text: String,
    /// What may stand for it in code; the first is the word itself.
    pub terms: Vec<(Term, Variant)>,
}

/// What a question asks for.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The words that are worth asking for, in order and each once.
    pub concepts: Vec<Concept>,
    /// All words, also those that say nothing by themselves: a name may have them.
    pub said: Vec<Term>,
    /// There was none but words that nearly every text has.
    pub only_stop_words: bool,
    /// There were more words than are asked for.
    pub cut: bool,
}

/// Reads a question.
pub fn question(text: &str) -> Question {
    let mut found: Vec<(String, Part)> = Vec::new();
    let mut cut = false;
    words(text, |word| {
        cut = found.len() == 4 * MAX_CONCEPTS;
        if !cut {
            found.push((String::from_utf8_lossy(word.text).into_owned(), word.part));
        }
    });
    let mut asked: Vec<_> = found.iter().filter(|(word, _)| !is_stop(word)).collect();
    let only_stop_words = asked.is_empty() && !found.is_empty();
    if asked.is_empty() {
        // Somebody who asks for `is` alone means it.
        asked = found.iter().collect();
    }
    let mut concepts: Vec<Concept> = Vec::new();
    for (at, (word, part)) in asked.iter().enumerate() {
        let mut concept = concept(word, *part);
        if concepts.iter().any(|known| known.terms[0].0 == concept.terms[0].0) {
            continue;
        }
        if concepts.len() == MAX_CONCEPTS {
            cut = true;
            break;
        }
        let before = at.checked_sub(1).and_then(|before| asked.get(before));
        for pair in [before.map(|it| (&it.0, word)), asked.get(at + 1).map(|it| (word, &it.0))] {
            let Some((left, right)) = pair else { continue };
            let joined = format!("{left}{right}");
            concept.add(Term::of(joined.as_bytes()), Variant::Joined);
        }
        concepts.push(concept);
    }
    let said = found.iter().map(|(word, _)| Term::of(word.as_bytes())).collect();
    Question { concepts, said, only_stop_words, cut }
}

/// Whether a word says nothing in a question.
fn is_stop(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

fn concept(word: &str, part: Part) -> Concept {
    let own = match part {
        Part::Word => Term::of(word.as_bytes()),
        Part::Whole | Part::Pair => Term::exact(word.as_bytes()),
    };
    let mut concept = Concept { text: word.to_owned(), terms: vec![(own, Variant::Same)] };
    if part == Part::Word {
        for (term, variant) in thesaurus().get(&own).into_iter().flatten() {
            concept.add(*term, *variant);
        }
    }
    concept
}

impl Concept {
    /// Adds another word that may stand for it.
    pub fn add(&mut self, term: Term, variant: Variant) {
        if !self.terms.iter().any(|(known, _)| *known == term) {
            self.terms.push((term, variant));
        }
    }
}

type Thesaurus = HashMap<Term, Vec<(Term, Variant)>>;

/// The tables by term, made once.
fn thesaurus() -> &'static Thesaurus {
    static THESAURUS: OnceLock<Thesaurus> = OnceLock::new();
    THESAURUS.get_or_init(|| {
        let mut all = Thesaurus::new();
        for line in ABBREVIATIONS {
            let Some((short, long)) = line.split_first() else { continue };
            for long in long {
                relate(&mut all, short, long, Variant::Abbreviation);
                relate(&mut all, long, short, Variant::Abbreviation);
            }
        }
        for line in SYNONYMS {
            for one in *line {
                for other in line.iter().filter(|other| other != &one) {
                    relate(&mut all, one, other, Variant::Synonym);
                }
            }
        }
        all
    })
}

fn relate(all: &mut Thesaurus, one: &str, other: &str, variant: Variant) {
    let (one, other) = (Term::of(one.as_bytes()), Term::of(other.as_bytes()));
    let known = all.entry(one).or_default();
    if one != other && !known.iter().any(|(term, _)| *term == other) {
        known.push((other, variant));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variants(concept: &Concept, word: &str) -> Option<Variant> {
        let term = Term::of(word.as_bytes());
        concept.terms.iter().find(|(known, _)| *known == term).map(|(_, variant)| *variant)
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP.is_sorted());
    }

    #[test]
    fn a_question_is_its_words_and_what_may_stand_for_them() {
        let concepts =
            question("Where does the configuration of a file name get deleted?").concepts;
        let texts: Vec<_> = concepts.iter().map(|concept| concept.text.as_str()).collect();
        assert_eq!(texts, ["configuration", "file", "name", "get", "deleted"]);
        assert_eq!(variants(&concepts[0], "cfg"), Some(Variant::Abbreviation));
        assert_eq!(variants(&concepts[2], "filename"), Some(Variant::Joined));
        assert_eq!(variants(&concepts[4], "del"), Some(Variant::Abbreviation));
        assert_eq!(variants(&concepts[4], "erase"), Some(Variant::Synonym));
    }

    #[test]
    fn a_question_of_nothing_but_stop_words_is_asked_all_the_same() {
        let asked = question("what is this");
        assert!(asked.concepts.len() == 3 && asked.only_stop_words);
        let nothing = question("?!");
        assert!(nothing.concepts.is_empty() && !nothing.only_stop_words);
    }

    #[test]
    fn a_long_question_says_that_it_was_not_asked_to_its_end() {
        let words = |count| (0..count).map(|n| format!("w{n}x ")).collect::<String>();
        let asked = question(&words(10 * MAX_CONCEPTS));
        assert!(asked.cut && asked.concepts.len() == MAX_CONCEPTS);
        assert!(!question("two words").cut);
    }
}
