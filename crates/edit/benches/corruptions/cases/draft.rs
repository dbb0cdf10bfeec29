//! A case while it is made: the file, what is wanted of it, and what is sent, as lines.

use std::rc::Rc;

use super::corpus::Source;
use super::language::Language;
use super::random::Random;
use super::text::is_blank;

/// A line of the text to be replaced, and which line of the file's block it stands for.
#[derive(Clone)]
pub(crate) struct Old {
    pub(crate) text: String,
    pub(crate) at: Option<usize>,
}

/// A line of the replacement.
#[derive(Clone)]
pub(crate) struct New {
    pub(crate) text: String,
    /// The line of `old` that it repeats. Without one it is a line that the change brings.
    pub(crate) from: Option<usize>,
    /// The line of `old` of which the change made this one.
    pub(crate) made_of: Option<usize>,
}

/// A line that must stand in the file afterwards.
#[derive(Clone)]
pub(crate) struct Want {
    /// The forms that are right.
    pub(crate) texts: Vec<String>,
    /// The line of the file's block that it is, untouched.
    pub(crate) from: Option<usize>,
}

/// The line endings of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    Lf,
    CrLf,
    Mixed,
}

pub(crate) struct Draft {
    pub(crate) language: Language,
    /// One step of indentation in this file.
    pub(crate) unit: String,
    pub(crate) before: Vec<String>,
    pub(crate) block: Vec<String>,
    /// The block before anybody touched it.
    pub(crate) original: Vec<String>,
    pub(crate) after: Vec<String>,
    pub(crate) want: Vec<Want>,
    pub(crate) old: Vec<Old>,
    pub(crate) new: Vec<New>,
    /// Whether both texts end with a newline.
    pub(crate) newline: bool,
    pub(crate) ends: Ends,
    pub(crate) mark: bool,
    pub(crate) replace_all: bool,
    /// The right results, where they do not follow from the lines that are wanted.
    pub(crate) results: Option<Vec<String>>,
    /// Another file of the same language, for what is not in this one.
    pub(crate) other: Rc<Source>,
    /// The texts as they are sent, from the second half of the steps on.
    pub(crate) sent: (String, String),
}

impl Draft {
    /// The lines of `old` that `new` repeats and that are not blank.
    pub(crate) fn shared(&self) -> Vec<usize> {
        let repeated = |at: &usize| self.new.iter().any(|line| line.from == Some(*at));
        let all = 0..self.old.len();
        all.filter(|at| !is_blank(&self.old[*at].text)).filter(repeated).collect()
    }

    /// One of the shared lines that can be made into something else, with what it is made into.
    pub(crate) fn shared_as(
        &self,
        random: &mut Random,
        make: impl Fn(&str, &mut Random) -> Option<String>,
    ) -> Option<(usize, String)> {
        let mut shared = self.shared();
        while !shared.is_empty() {
            let at = shared.swap_remove(random.below(shared.len()));
            let text = &self.old[at].text;
            if let Some(made) = make(text, random).filter(|made| made != text) {
                return Some((at, made));
            }
        }
        None
    }

    /// Writes a line of `old`, and what repeats it, anew.
    pub(crate) fn send(&mut self, at: usize, text: &str) {
        text.clone_into(&mut self.old[at].text);
        for line in self.new.iter_mut().filter(|line| line.from == Some(at)) {
            text.clone_into(&mut line.text);
        }
    }

    /// Writes all lines of both texts anew.
    pub(crate) fn send_each(&mut self, mut make: impl FnMut(&str) -> String) {
        for line in &mut self.old {
            line.text = make(&line.text);
        }
        for line in &mut self.new {
            line.text = match line.from {
                Some(at) => self.old[at].text.clone(),
                None => make(&line.text),
            };
        }
    }

    /// Somebody changed a line of the file since it was read.
    pub(crate) fn drift(&mut self, at: usize, text: &str) -> bool {
        let Some(at) = self.old[at].at else { return false };
        text.clone_into(&mut self.block[at]);
        for want in self.want.iter_mut().filter(|want| want.from == Some(at)) {
            want.texts = vec![text.to_owned()];
        }
        true
    }

    /// The lines that both texts have, by their number in `old`, as the file has them.
    pub(crate) fn kept(&self) -> Vec<(usize, &str)> {
        let shared = self.shared().into_iter();
        shared.filter_map(|at| Some((at, self.block[self.old[at].at?].as_str()))).collect()
    }

    /// Makes one line of the file that both texts have into something else.
    pub(crate) fn drift_one(
        &mut self,
        random: &mut Random,
        make: impl Fn(&str, &mut Random) -> Option<String>,
    ) -> bool {
        let mut kept = self.kept();
        while !kept.is_empty() {
            let (at, text) = kept.swap_remove(random.below(kept.len()));
            if let Some(made) = make(text, random).filter(|made| made != text) {
                return self.drift(at, &made);
            }
        }
        false
    }

    /// Replaces lines of `old` and their repetition in `new`, and says whether it could: the lines
    /// and `margin` more around them must stand in both in one piece.
    pub(crate) fn splice(&mut self, at: usize, count: usize, margin: usize, by: &[String]) -> bool {
        if at < margin || at + count + margin > self.old.len() {
            return false;
        }
        let run = at - margin..at + count + margin;
        let repeats = |begin: usize| {
            run.clone().enumerate().all(|(step, from)| {
                self.new.get(begin + step).is_some_and(|line| line.from == Some(from))
            })
        };
        let Some(begin) = (0..=self.new.len()).find(|begin| repeats(*begin)) else { return false };
        let begin = begin + margin;
        for line in &mut self.new {
            line.from = shifted(line.from, at + count, count, by.len());
            line.made_of = shifted(line.made_of, at + count, count, by.len());
        }
        let olds = by.iter().map(|text| Old { text: text.clone(), at: None });
        self.old.splice(at..at + count, olds);
        let news = by.iter().enumerate().map(|(step, text)| New {
            text: text.clone(),
            from: Some(at + step),
            made_of: None,
        });
        self.new.splice(begin..begin + count, news);
        true
    }

    /// The line that the change makes of exactly one line, as (line of `old`, line of `new`).
    pub(crate) fn modified(&self) -> Option<(usize, usize)> {
        let mut fresh = self.new.iter().enumerate().filter(|(_, line)| line.from.is_none());
        let (at, line) = fresh.next()?;
        if fresh.next().is_some() || self.shared().len() + 1 < self.filled() {
            return None;
        }
        Some((line.made_of?, at))
    }

    /// How many lines of `old` are not blank.
    pub(crate) fn filled(&self) -> usize {
        self.old.iter().filter(|line| !is_blank(&line.text)).count()
    }

    /// Lets the lines that the change brings also be right in another form.
    pub(crate) fn accept_also(&mut self, form: impl Fn(&str) -> String) {
        for want in self.want.iter_mut().filter(|want| want.from.is_none()) {
            let others: Vec<String> = want.texts.iter().map(|text| form(text)).collect();
            want.texts.extend(others);
            want.texts.sort();
            want.texts.dedup();
        }
    }

    pub(crate) fn fresh(&self) -> impl Iterator<Item = &New> {
        self.new.iter().filter(|line| line.from.is_none())
    }

    pub(crate) fn file(&self) -> impl Iterator<Item = &String> {
        self.before.iter().chain(&self.block).chain(&self.after)
    }

    /// What the lines are as texts.
    pub(crate) fn write_texts(&mut self) {
        let end = if self.newline { "\n" } else { "" };
        let old: Vec<&str> = self.old.iter().map(|line| line.text.as_str()).collect();
        let new: Vec<&str> = self.new.iter().map(|line| line.text.as_str()).collect();
        self.sent = (old.join("\n") + end, new.join("\n") + end);
    }
}

fn shifted(from: Option<usize>, end: usize, count: usize, by: usize) -> Option<usize> {
    from.map(|at| if at >= end { at - count + by } else { at })
}
