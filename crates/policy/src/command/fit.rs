//! Whether the words of a command fit an entry of the tables, and what files they name then.

use super::hidden::has_long;
use super::table::{Entry, Kind};
use super::{Access, Arg, FileUse, git};
use crate::risk::Risk;

/// Why words do not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// This option is not listed.
    Option(String),
    /// This word is known only when it runs, and may be an option.
    MayBeOption(Arg),
    /// This word is known only when it runs, and stands where it must be known.
    NotKnown(Arg),
    /// There are operands too many or too few.
    Operands,
    /// The entry is for another use.
    OtherUse,
    /// The program text does this.
    Code(String),
}

/// What words that fit say.
#[derive(Debug, Default)]
pub(super) struct Fit {
    pub(super) files: Vec<FileUse>,
    pub(super) code: Vec<Arg>,
}

/// Fits the words after a command's name.
pub(super) fn fit(entry: &Entry, args: &[Arg]) -> Result<Fit, Misfit> {
    if !entry.when.is_empty() && !entry.when.iter().any(|word| is_told(entry, args, word)) {
        return Err(Misfit::OtherUse);
    }
    if entry.any {
        return Ok(loosely(entry, args));
    }
    let mut reader = Reader { entry, fit: Fit::default(), operands: Vec::new(), seen: Vec::new() };
    reader.read(args)?;
    if !entry.needs.iter().all(|group| group.iter().any(|need| reader.seen.contains(need))) {
        return Err(Misfit::OtherUse);
    }
    reader.assign()?;
    if entry.noat && args.iter().any(begins_with_at) {
        return Err(Misfit::OtherUse);
    }
    if entry.local && !reader.fit.files.iter().all(|file| is_local(&file.path)) {
        return Err(Misfit::OtherUse);
    }
    if let Some(check) = entry.check {
        check(&reader.fit.code)?;
    }
    Ok(reader.fit)
}

/// All words that may be operands, for an entry that fits whatever they are.
fn loosely(entry: &Entry, args: &[Arg]) -> Fit {
    let mut reader = Reader { entry, fit: Fit::default(), operands: Vec::new(), seen: Vec::new() };
    let end = args.iter().position(|arg| arg.as_literal() == Some("--"));
    let mut slots = entry.operands.iter();
    let mut slot = slots.next();
    for (at, arg) in args.iter().enumerate() {
        let option = arg.as_literal().is_some_and(|word| word.starts_with('-'));
        if end.map_or(option, |end| at == end || at < end && option) {
            continue;
        }
        reader.use_as(slot.map_or(Kind::Text, |slot| slot.kind), arg);
        if slot.is_some_and(|slot| !slot.many) {
            slot = slots.next();
        }
    }
    reader.fit
}

/// A word of `when` is there, perhaps as the beginning of a long option's name. Where an entry
/// says which letters have a value, all letters before one are looked at, however many.
fn is_told(entry: &Entry, args: &[Arg], wanted: &str) -> bool {
    let mut words = args.iter().filter_map(Arg::as_literal).take_while(|word| *word != "--");
    let letters = |word: &str| {
        let mut letters = word.strip_prefix('-').into_iter().flat_map(str::chars);
        let valued = |letter: &char| matches!(entry.options.get(format!("-{letter}").as_str()), Some(kind) if *kind != Kind::Flag);
        letters
            .by_ref()
            .take_while(|letter| !valued(letter))
            .any(|letter| wanted[1..] == *letter.to_string())
    };
    let letter = wanted.len() == 2 && wanted.starts_with('-') && wanted != "--";
    has(args, wanted)
        || words.clone().any(|word| has_long(&[wanted], word))
        || (letter
            && !entry.options.is_empty()
            && words.any(|word| !word.starts_with("--") && letters(word)))
}

/// A word is there: as it is, as a long option with its value, or as a letter among others.
pub(super) fn has(args: &[Arg], wanted: &str) -> bool {
    args.iter().filter_map(Arg::as_literal).any(|word| is_or_holds(word, wanted))
}

fn is_or_holds(word: &str, wanted: &str) -> bool {
    if word == wanted {
        return true;
    }
    match (wanted.strip_prefix("--"), wanted.strip_prefix('-')) {
        (Some(long), _) if !long.is_empty() => {
            word.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('='))
        }
        // Longer words are an option and its value rather than letters put together.
        (None, Some(letter)) if letter.len() == 1 => {
            let letters = word.strip_prefix('-').filter(|letters| letters.len() <= 4);
            letters.is_some_and(|letters| {
                letters.bytes().all(|byte| byte.is_ascii_alphanumeric()) && letters.contains(letter)
            })
        }
        _ => false,
    }
}

struct Reader<'a> {
    entry: &'a Entry,
    fit: Fit,
    operands: Vec<&'a Arg>,
    seen: Vec<&'static str>,
}

impl<'a> Reader<'a> {
    fn read(&mut self, args: &'a [Arg]) -> Result<(), Misfit> {
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            if self.entry.first && !self.operands.is_empty() {
                self.operands.push(arg);
                continue;
            }
            match arg {
                Arg::Literal(text) if text == "--" => {
                    self.operands.extend(rest);
                    return Ok(());
                }
                Arg::Literal(text) if text.len() > 1 && text.starts_with('-') => {
                    self.option(text, &mut rest)?;
                }
                Arg::Literal(_) => self.operands.push(arg),
                _ if !arg.may_be_option() || self.entry.free => self.operands.push(arg),
                _ => self.half_known(arg)?,
            }
        }
        Ok(())
    }

    fn option(
        &mut self,
        text: &'a str,
        rest: &mut std::slice::Iter<'a, Arg>,
    ) -> Result<(), Misfit> {
        if text.starts_with("--") || self.entry.single {
            return self.long(text, rest);
        }
        if self.entry.digits && text[1..].bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(());
        }
        self.letters(text, rest)
    }

    fn long(&mut self, text: &'a str, rest: &mut std::slice::Iter<'a, Arg>) -> Result<(), Misfit> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        match (self.find(name), value) {
            (Some(Kind::Flag | Kind::Maybe), None) | (Some(Kind::Maybe), Some(_)) => Ok(()),
            (Some(Kind::Format), None) if name == "--pretty" => Ok(()),
            (Some(Kind::Flag | Kind::Two), Some(_)) => Err(Misfit::Option(text.to_owned())),
            (Some(kind), Some(value)) => self.value(kind, &Arg::literal(value)),
            (Some(kind), None) => self.next_value(kind, name, rest),
            (None, None) if self.entry.words => Ok(()),
            (None, Some(_)) if self.entry.words && self.entry.risk == Risk::Safe => Ok(()),
            (None, _) => Err(Misfit::Option(name.to_owned())),
        }
    }

    fn letters(
        &mut self,
        text: &'a str,
        rest: &mut std::slice::Iter<'a, Arg>,
    ) -> Result<(), Misfit> {
        for (at, letter) in text.char_indices().skip(1) {
            let name = format!("-{letter}");
            let value = &text[at + letter.len_utf8()..];
            match self.find(&name) {
                Some(Kind::Flag) => {}
                Some(Kind::Maybe) => return Ok(()),
                Some(kind) if value.is_empty() => return self.next_value(kind, &name, rest),
                Some(kind) => return self.value(kind, &Arg::literal(value)),
                None if self.entry.free => {}
                None => return Err(Misfit::Option(name)),
            }
        }
        Ok(())
    }

    /// A long option whose name is known and whose value is not, such as `--include=*.rs`.
    fn half_known(&mut self, arg: &Arg) -> Result<(), Misfit> {
        let unclear = || Misfit::MayBeOption(arg.clone());
        let known = match arg {
            Arg::Glob(pattern) => pattern.split(['*', '?', '[', '\\']).next().unwrap_or(""),
            Arg::Unknown { starts, one: true } => starts,
            _ => return Err(unclear()),
        };
        let (name, _) = known.split_once('=').ok_or_else(unclear)?;
        match self.find(name) {
            Some(Kind::Text | Kind::Maybe) => Ok(()),
            _ => Err(unclear()),
        }
    }

    fn find(&mut self, name: &str) -> Option<Kind> {
        let (name, kind) = self.entry.options.get_key_value(name)?;
        self.seen.push(name);
        Some(*kind)
    }

    fn next_value(
        &mut self,
        kind: Kind,
        name: &str,
        rest: &mut std::slice::Iter<'a, Arg>,
    ) -> Result<(), Misfit> {
        if kind == Kind::Two && !rest.next().is_some_and(is_one) {
            return Err(Misfit::Option(name.to_owned()));
        }
        match rest.next() {
            Some(arg) if is_one(arg) => self.value(kind, arg),
            Some(arg) => Err(Misfit::NotKnown(arg.clone())),
            None => Err(Misfit::Option(name.to_owned())),
        }
    }

    fn value(&mut self, kind: Kind, arg: &Arg) -> Result<(), Misfit> {
        if kind == Kind::Format && signs(arg) {
            return Err(Misfit::NotKnown(arg.clone()));
        }
        if kind == Kind::CodeFile {
            self.fit.code.push(Arg::unknown());
        }
        self.use_as(kind, arg);
        Ok(())
    }

    fn use_as(&mut self, kind: Kind, arg: &Arg) {
        match kind {
            Kind::Read | Kind::CodeFile => self.file(Access::Read, arg),
            Kind::Tree => self.file(Access::Tree, arg),
            Kind::Write | Kind::Into => self.file(Access::Write, arg),
            Kind::Delete => self.file(Access::Delete, arg),
            // Git takes a word for a file where it is no revision, outside of the repository too.
            Kind::Rev => self.all(Access::Read, git::files_of(arg)),
            Kind::Lines => self.all(Access::Read, git::files_of_lines(arg)),
            Kind::Spec => self.path_of_git(arg),
            Kind::Code => self.fit.code.push(arg.clone()),
            Kind::Flag | Kind::Maybe | Kind::Text | Kind::Two | Kind::Format => {}
        }
    }

    fn file(&mut self, access: Access, path: &Arg) {
        let standard = matches!(path, Arg::Literal(name) if name == "-");
        if !standard {
            self.fit.files.push(FileUse { access, path: path.clone() });
        }
    }

    /// A path of git, of which all below is read; of a pattern, all that is here.
    fn path_of_git(&mut self, arg: &Arg) {
        let plain = |text: &str| !text.starts_with(':') && !git::is_pattern(text);
        let here = Arg::literal(".");
        let named = arg.as_literal().is_none_or(plain);
        self.file(Access::Tree, if named { arg } else { &here });
        if !named {
            self.all(Access::Tree, git::files_of(arg));
        }
    }

    fn all(&mut self, access: Access, files: Vec<Arg>) {
        for file in files {
            self.file(access, &file);
        }
    }

    /// Gives the operands to the slots of the entry.
    fn assign(&mut self) -> Result<(), Misfit> {
        let mut slots = self.entry.operands.clone();
        if !self.fit.code.is_empty() {
            slots.retain(|slot| slot.kind != Kind::Code);
        }
        let operands = std::mem::take(&mut self.operands);
        if operands.len() < self.entry.least {
            return Err(Misfit::Operands);
        }
        let many = slots.iter().position(|slot| slot.many);
        let (before, after) = match many {
            Some(at) => (at, slots.len() - at - 1),
            None => (slots.len(), 0),
        };
        let counted = before + after;
        if many.is_none() && operands.len() > counted || operands.len() < after {
            return Err(Misfit::Operands);
        }
        let last = operands.len() - after;
        let unsure = operands.iter().take(before).chain(operands.iter().skip(last));
        if let Some(arg) = unsure.copied().find(|arg| !is_one(arg)) {
            return self.unsure(arg, &operands);
        }
        if self.entry.here && operands.len() <= counted {
            let kind = slots.get(before).map_or(Kind::Read, |slot| slot.kind);
            self.use_as(kind, &Arg::literal("."));
        }
        let into = slots.iter().any(|slot| slot.kind == Kind::Into);
        for (index, arg) in operands.iter().enumerate() {
            let slot = match (index < before, index >= last) {
                (_, true) => slots.len() - (operands.len() - index),
                (true, _) => index,
                _ => before,
            };
            let kind = slots.get(slot).map_or(Kind::Text, |slot| slot.kind);
            self.use_as(kind, arg);
            if into && kind != Kind::Into {
                self.copied(arg, operands.last().copied());
            }
        }
        Ok(())
    }

    /// Where a word may be several, those after it cannot be told apart: only where all are
    /// read anyway does that not matter.
    fn unsure(&mut self, arg: &Arg, operands: &[&Arg]) -> Result<(), Misfit> {
        let kinds = || self.entry.operands.iter().map(|slot| slot.kind);
        let harmless = |kind| {
            matches!(
                kind,
                Kind::Text | Kind::Read | Kind::Tree | Kind::Spec | Kind::Rev | Kind::Code
            )
        };
        if !kinds().all(harmless) || self.entry.check.is_some() {
            return Err(Misfit::NotKnown(arg.clone()));
        }
        let access = if kinds().any(|kind| matches!(kind, Kind::Tree | Kind::Spec)) {
            Access::Tree
        } else {
            Access::Read
        };
        for operand in operands {
            self.file(access, operand);
        }
        Ok(())
    }

    /// What is copied into a folder keeps its last name there.
    fn copied(&mut self, from: &Arg, into: Option<&Arg>) {
        let Some(Arg::Literal(into)) = into else { return };
        let path = match from {
            Arg::Literal(text) => match text.trim_end_matches('/').rsplit('/').next() {
                Some(name) if !matches!(name, "" | "." | "..") => {
                    Arg::literal(format!("{}/{name}", into.trim_end_matches('/')))
                }
                _ => below(into),
            },
            _ => below(into),
        };
        self.file(Access::Write, &path);
    }
}

fn begins_with_at(arg: &Arg) -> bool {
    match arg {
        Arg::Literal(text) | Arg::Glob(text) => text.starts_with('@'),
        Arg::Listed { below, .. } => below.iter().any(|folder| folder.starts_with('@')),
        Arg::Unknown { starts, .. } => starts.is_empty() || starts.starts_with('@'),
        Arg::Number => false,
        Arg::Input | Arg::SplitNames(_) => true,
    }
}

/// A format of git that asks for no signature, for which git would start a program.
fn signs(arg: &Arg) -> bool {
    arg.as_literal().is_none_or(|text| text.contains("%G") || text.contains("signature"))
}

fn is_local(path: &Arg) -> bool {
    path.as_literal().is_some_and(|text| !text.contains(':'))
}

fn below(folder: &str) -> Arg {
    Arg::Listed { below: vec![folder.to_owned()], exact: true }
}

/// It is exactly one argument.
pub(super) fn is_one(arg: &Arg) -> bool {
    matches!(arg, Arg::Literal(_) | Arg::Unknown { one: true, .. })
}
