//! A code base, its questions, and the index of it without the comments that are asked with.

use std::collections::HashMap;
use std::path::PathBuf;

use dogu_code::index::{Builder, Part, Segment, Weights, digest, search};

use crate::sources::{folders, rust_files};

/// A function that is asked for.
pub(crate) struct Asked {
    pub(crate) question: String,
    /// The number of the file in the corpus.
    pub(crate) file: usize,
    /// The line of its name, from 1, after the comments were taken out.
    pub(crate) line: u32,
    /// Its last line.
    last_line: u32,
    /// The sentence has at least five words and is about no other function, and the function has
    /// at least three lines.
    is_fair: bool,
}

/// Texts with an index of them, and questions about them.
pub(crate) struct Corpus {
    pub(crate) files: Vec<(String, String)>,
    pub(crate) questions: Vec<Asked>,
    pub(crate) segment: Segment,
}

/// A documented function, by lines from 0.
struct Documented {
    comment: std::ops::Range<usize>,
    line: usize,
    sentence: String,
    length: usize,
}

impl Corpus {
    /// The sources of some crates, each a code base of its own, with so many questions about all
    /// of them.
    pub(crate) fn all(crates: &[&str], count: usize, seed: u64) -> Vec<Self> {
        let mut all: Vec<Self> = folders(crates).iter().map(Self::new).collect();
        let mut questions: Vec<(usize, Asked)> = Vec::new();
        for (number, one) in all.iter_mut().enumerate() {
            questions.extend(one.questions.drain(..).map(|asked| (number, asked)));
        }
        shuffle(&mut questions, seed);
        questions.truncate(count);
        for (number, asked) in questions {
            all[number].questions.push(asked);
        }
        all
    }

    fn new((name, folder): &(String, PathBuf)) -> Self {
        let mut files = rust_files(folder);
        let mut all: Vec<(usize, Documented)> = Vec::new();
        for (number, (path, text)) in files.iter_mut().enumerate() {
            *path = format!("{name}/src/{path}");
            all.extend(documented(text).into_iter().map(|one| (number, one)));
        }
        let mut questions = take_out(&mut files, &all);
        questions.retain(|asked| asked.is_fair);
        let mut builder = Builder::new();
        for (path, text) in &files {
            builder.add(digest(path, text));
        }
        Self { files, questions, segment: builder.finish().unwrap() }
    }

    pub(crate) fn lines(&self) -> usize {
        self.files.iter().map(|(_, text)| text.lines().count()).sum()
    }

    pub(crate) fn piece_count(&self) -> usize {
        self.segment.piece_count()
    }

    /// How many of the questions have their answer among the first.
    pub(crate) fn found_by_index(&self, weights: &Weights, among: usize) -> usize {
        self.places(weights, among).iter().flatten().count()
    }

    /// Where the answer of each question is among the first, from 0.
    pub(crate) fn places(&self, weights: &Weights, among: usize) -> Vec<Option<usize>> {
        let files = vec![true; self.files.len()];
        let parts = [Part { segment: &self.segment, files: &files }];
        let place = |asked: &Asked| {
            let found = search(&parts, &asked.question, among, weights).best;
            found.iter().position(|found| self.is_answer(found.piece, asked))
        };
        self.questions.iter().map(place).collect()
    }

    pub(crate) fn is_answer(&self, piece: u32, asked: &Asked) -> bool {
        let piece = self.segment.piece(piece).unwrap();
        // A long function is cut into several pieces, each of which is it.
        piece.file as usize == asked.file
            && piece.first_line <= asked.last_line
            && piece.last_line >= asked.line
    }
}

/// The functions of a text that have documentation.
fn documented(text: &str) -> Vec<Documented> {
    let lines: Vec<&str> = text.lines().collect();
    let mut all = Vec::new();
    let mut start = None;
    for (at, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        if code.starts_with("///") {
            start.get_or_insert(at);
            continue;
        }
        if code.starts_with("#[") {
            continue;
        }
        let Some(first) = start.take() else { continue };
        if !is_function(code) {
            continue;
        }
        let end = first + lines[first..].iter().take_while(|line| is_doc(line)).count();
        let sentence = first_sentence(&lines[first..end]);
        let length = length(&lines[at..]);
        all.push(Documented { comment: first..end, line: at, sentence, length });
    }
    all
}

fn is_doc(line: &str) -> bool {
    line.trim_start().starts_with("///")
}

fn is_function(code: &str) -> bool {
    let mut words = code.split_whitespace();
    words.find(|word| !is_modifier(word)) == Some("fn")
}

fn is_modifier(word: &str) -> bool {
    word.starts_with("pub")
        || matches!(word, "const" | "async" | "unsafe" | "extern" | "\"C\"" | "crate)" | "in")
}

/// How many lines a function has: to the line that closes it at its own indentation.
fn length(lines: &[&str]) -> usize {
    let indent = &lines[0][..lines[0].len() - lines[0].trim_start().len()];
    let close = format!("{indent}}}");
    let bodyless = lines.iter().position(|line| line.trim_end().ends_with(';'));
    let closed = lines.iter().position(|line| line.trim_end() == close);
    match (closed, bodyless) {
        // A body comes before its first statement ends.
        (Some(closed), Some(end)) if lines[..=end].iter().any(|line| line.contains('{')) => {
            closed + 1
        }
        (Some(closed), None) => closed + 1,
        _ => 0,
    }
}

fn first_sentence(comment: &[&str]) -> String {
    let mut text = String::new();
    for line in comment {
        let line = line.trim_start().trim_start_matches('/').trim();
        if line.is_empty() && !text.is_empty() {
            break;
        }
        text.push_str(line);
        text.push(' ');
    }
    let text = text.replace(['`', '[', ']', '*'], "");
    let end = text.find(". ").map_or(text.len(), |end| end + 1);
    text[..end].trim().to_owned()
}

/// Takes the documentation of all functions out of the texts, so that none is found for having
/// kept it; gives the questions with the lines of what is left.
fn take_out(files: &mut [(String, String)], all: &[(usize, Documented)]) -> Vec<Asked> {
    let mut times: HashMap<String, usize> = HashMap::new();
    for (_, one) in all {
        *times.entry(one.sentence.to_lowercase()).or_default() += 1;
    }
    let mut questions = Vec::new();
    for (number, (_, text)) in files.iter_mut().enumerate() {
        let mut own: Vec<&Documented> =
            all.iter().filter(|(file, _)| *file == number).map(|(_, one)| one).collect();
        own.sort_by_key(|one| one.line);
        let mut removed = 0;
        for one in &own {
            removed += one.comment.len();
            let line = u32::try_from(one.line - removed + 1).unwrap();
            let is_fair = one.sentence.split_whitespace().count() >= 5
                && one.length >= 3
                && times[&one.sentence.to_lowercase()] == 1;
            let question = one.sentence.clone();
            let last_line = line + u32::try_from(one.length.saturating_sub(1)).unwrap();
            questions.push(Asked { question, file: number, line, last_line, is_fair });
        }
        let kept = text
            .lines()
            .enumerate()
            .filter(|(at, _)| !own.iter().any(|one| one.comment.contains(at)));
        *text = kept.map(|(_, line)| format!("{line}\n")).collect();
    }
    questions
}

/// The same order for the same seed, everywhere.
fn shuffle<T>(all: &mut [T], seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for at in (1..all.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        all.swap(at, usize::try_from(state % (at as u64 + 1)).unwrap());
    }
}

impl Corpus {
    /// Shows the questions whose answer is not among the first, and what is.
    pub(crate) fn print_misses(&self, weights: &Weights, among: usize) {
        let files = vec![true; self.files.len()];
        let parts = [Part { segment: &self.segment, files: &files }];
        for asked in &self.questions {
            let found = search(&parts, &asked.question, 200, weights).best;
            let place = found.iter().position(|found| self.is_answer(found.piece, asked));
            if place.is_some_and(|place| place < among) {
                continue;
            }
            let (path, text) = &self.files[asked.file];
            let line = text.lines().nth(asked.line as usize - 1).unwrap_or_default();
            println!("{place:?} {}\n    {path}:{} {}", asked.question, asked.line, line.trim());
            for found in found.iter().take(among) {
                let piece = self.segment.piece(found.piece).unwrap();
                let path = &self.files[piece.file as usize].0;
                println!("    {:6.2} {path}:{} {}", found.score, piece.first_line, piece.symbol);
            }
        }
    }
}
