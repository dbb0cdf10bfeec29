//! What somebody finds who greps for the rarest words of the question, without regard to case and
//! also inside of names, and looks first at the pieces that have most of them.

use std::collections::{HashMap, HashSet};

use crate::corpus::Corpus;

/// How many words are looked for.
const RAREST: usize = 3;
/// A shorter word is no use.
const MIN_LETTERS: usize = 3;

/// In which pieces each token is, a token being letters, digits and underscores.
type Tokens = HashMap<String, Vec<u32>>;

/// How many of the questions have their answer among the first.
pub(crate) fn found(corpus: &Corpus, among: usize) -> usize {
    let tokens = tokens(corpus);
    let is_found = |asked: &&crate::corpus::Asked| {
        let best = ranked(&tokens, &asked.question);
        best.iter().take(among).any(|piece| corpus.is_answer(*piece, asked))
    };
    corpus.questions.iter().filter(is_found).count()
}

fn tokens(corpus: &Corpus) -> Tokens {
    let mut all = Tokens::new();
    for (number, (_, text)) in (0_u32..).zip(&corpus.files) {
        let lines: Vec<&str> = text.lines().collect();
        for piece in corpus.segment.pieces_of(number) {
            let record = corpus.segment.piece(piece).unwrap();
            let own = lines[record.first_line as usize - 1..record.last_line as usize].join("\n");
            let own = own.to_lowercase();
            let own: HashSet<&str> =
                own.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
            for token in own {
                all.entry(token.to_owned()).or_default().push(piece);
            }
        }
    }
    all
}

/// The pieces that have any of the rarest words, those with most of them first.
fn ranked(tokens: &Tokens, question: &str) -> Vec<u32> {
    let question = question.to_lowercase();
    let words: HashSet<&str> = question
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| word.chars().count() >= MIN_LETTERS)
        .collect();
    let mut with: Vec<(usize, &str, HashSet<u32>)> = Vec::new();
    for word in words {
        let having = tokens.iter().filter(|(token, _)| token.contains(word));
        let pieces: HashSet<u32> = having.flat_map(|(_, pieces)| pieces.iter().copied()).collect();
        // Whoever finds nothing takes another word.
        if !pieces.is_empty() {
            with.push((pieces.len(), word, pieces));
        }
    }
    with.sort_by_key(|(count, word, _)| (*count, *word));
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for (_, _, pieces) in with.iter().take(RAREST) {
        for piece in pieces {
            *counts.entry(*piece).or_default() += 1;
        }
    }
    let mut best: Vec<(u32, usize)> = counts.into_iter().collect();
    best.sort_by_key(|(piece, count)| (usize::MAX - count, *piece));
    best.into_iter().map(|(piece, _)| piece).collect()
}
