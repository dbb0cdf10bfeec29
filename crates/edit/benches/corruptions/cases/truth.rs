//! A block of a file, and a small change of it that somebody wants.

use std::rc::Rc;

use super::corpus::Source;
use super::draft::{Draft, Ends, New, Old, Want};
use super::language::Language;
use super::random::Random;
use super::text::{indent, is_blank, numbers, renamed, replaced, words};

const MAX_BLOCK: usize = 16;

/// A block that stands once in the file, and its change. None where the dice fell badly.
pub(crate) fn draft(source: &Source, other: &Rc<Source>, random: &mut Random) -> Option<Draft> {
    let lines = &source.lines;
    let (from, to) = if random.percent(50) { cut(lines, random) } else { along(lines, random) }?;
    let block = &lines[from..to];
    if is_blank(&block[0]) || is_blank(&block[block.len() - 1]) || !is_unique(source, from, to) {
        return None;
    }
    let new = change(block, source.language, &source.unit, random)?;
    let want = new.iter().map(|line| Want { texts: vec![line.text.clone()], from: line.from });
    Some(Draft {
        language: source.language,
        unit: source.unit.clone(),
        before: lines[..from].to_vec(),
        block: block.to_vec(),
        original: block.to_vec(),
        after: lines[to..].to_vec(),
        want: want.collect(),
        old: (0..block.len()).map(|at| Old { text: block[at].clone(), at: Some(at) }).collect(),
        new,
        newline: random.percent(40),
        ends: Ends::Lf,
        mark: false,
        replace_all: false,
        results: None,
        other: other.clone(),
        sent: (String::new(), String::new()),
    })
}

/// Any lines.
fn cut(lines: &[String], random: &mut Random) -> Option<(usize, usize)> {
    let from = random.below(lines.len());
    let to = from + random.between(1, MAX_BLOCK);
    (to <= lines.len()).then_some((from, to))
}

/// Lines of which the first is the least indented, up to where that ends.
fn along(lines: &[String], random: &mut Random) -> Option<(usize, usize)> {
    let from = random.below(lines.len());
    let deep = |line: &String| is_blank(line) || indent(line).starts_with(indent(&lines[from]));
    let length = lines[from..].iter().take(MAX_BLOCK).take_while(|line| deep(line)).count();
    let mut to = from + length.min(random.between(2, MAX_BLOCK));
    while to > from && is_blank(&lines[to - 1]) {
        to -= 1;
    }
    (to > from).then_some((from, to))
}

/// Whether no other place has the same lines, white space and blank lines aside.
fn is_unique(source: &Source, from: usize, to: usize) -> bool {
    let block = &source.filled[source.rank[from]..source.rank[to]];
    let letters: usize = block.iter().map(String::len).sum();
    letters >= 12 && source.filled.windows(block.len()).filter(|other| *other == block).count() == 1
}

/// The block after a change.
fn change(
    block: &[String],
    language: Language,
    unit: &str,
    random: &mut Random,
) -> Option<Vec<New>> {
    let mut new: Vec<New> = (0..block.len())
        .map(|at| New { text: block[at].clone(), from: Some(at), made_of: None })
        .collect();
    let twice = random.percent(15);
    for _ in 0..=usize::from(twice) {
        match random.below(7) {
            0 => rename(&mut new, random)?,
            1 => literal(&mut new, random)?,
            2 => delete(&mut new, random)?,
            3 => replace(&mut new, language, random)?,
            4 => append(&mut new, language, random),
            _ => insert(&mut new, language, unit, random)?,
        }
    }
    let same =
        new.len() == block.len() && new.iter().zip(block).all(|(line, was)| line.text == *was);
    (!same).then_some(new)
}

fn rewrite(line: &mut New, text: String) {
    if line.text != text {
        line.text = text;
        line.made_of = line.made_of.or(line.from);
        line.from = None;
    }
}

fn rename(new: &mut [New], random: &mut Random) -> Option<()> {
    let line = random.pick(new)?;
    let names: Vec<&str> = words(&line.text).iter().map(|(a, b)| &line.text[*a..*b]).collect();
    let long: Vec<&str> = names.into_iter().filter(|name| name.len() >= 4).collect();
    let word = (*random.pick(&long)?).to_owned();
    let by = format!("{word}_{}", ["next", "inner", "v2", "raw"][random.below(4)]);
    for line in new.iter_mut() {
        let text = renamed(&line.text, &word, &by);
        rewrite(line, text);
    }
    Some(())
}

/// Another number.
fn literal(new: &mut [New], random: &mut Random) -> Option<()> {
    let fit: Vec<usize> = (0..new.len()).filter(|at| !numbers(&new[*at].text).is_empty()).collect();
    let line = &mut new[*random.pick(&fit)?];
    let found = numbers(&line.text);
    let (from, to) = *random.pick(&found)?;
    let number: usize = line.text[from..to].parse().ok()?;
    let text = replaced(&line.text, (from, to), &(number + random.between(1, 90)).to_string());
    rewrite(line, text);
    Some(())
}

fn delete(new: &mut Vec<New>, random: &mut Random) -> Option<()> {
    let filled = new.iter().filter(|line| !is_blank(&line.text)).count();
    let at = random.below(new.len());
    let edge_would_be_blank = |at: usize| new.get(at).is_some_and(|line| is_blank(&line.text));
    if filled < 3 || is_blank(&new[at].text) || new[at].from.is_none() {
        return None;
    }
    if (at == 0 && edge_would_be_blank(1)) || (at + 1 == new.len() && edge_would_be_blank(at - 1)) {
        return None;
    }
    new.remove(at);
    Some(())
}

/// Another statement in the place of a line.
fn replace(new: &mut [New], language: Language, random: &mut Random) -> Option<()> {
    let at = random.below(new.len());
    if is_blank(&new[at].text) || new.len() < 2 {
        return None;
    }
    let text = format!("{}{}", indent(&new[at].text), language.statement(random.between(100, 999)));
    rewrite(&mut new[at], text);
    // The line is another one, not a form of the one before.
    new[at].made_of = None;
    Some(())
}

fn append(new: &mut Vec<New>, language: Language, random: &mut Random) {
    let last = new.iter().rev().find(|line| !is_blank(&line.text));
    let depth = last.map_or("", |line| indent(&line.text));
    let text = format!("{depth}{}", language.statement(random.between(100, 999)));
    new.push(New { text, from: None, made_of: None });
}

/// A statement, or some with one that is deeper, between two lines.
fn insert(new: &mut Vec<New>, language: Language, unit: &str, random: &mut Random) -> Option<()> {
    if new.len() < 2 {
        return None;
    }
    let at = random.between(1, new.len() - 1);
    let beside = [&new[at - 1], &new[at]].into_iter().find(|line| !is_blank(&line.text))?;
    let depth = indent(&beside.text).to_owned();
    let number = random.between(100, 999);
    // What is deeper than an odd indent, as within a block comment, is anybody's guess.
    let even = depth.replace(unit, "").is_empty();
    let nested = if even && random.percent(35) { language.nested(number, unit) } else { None };
    let lines = nested.unwrap_or_else(|| vec![language.statement(number)]);
    let lines =
        lines.iter().map(|line| New { text: format!("{depth}{line}"), from: None, made_of: None });
    new.splice(at..at, lines.collect::<Vec<New>>());
    Some(())
}
