//! The tables of known commands, and how a line of them is read.
//!
//! An entry is a paragraph. Its first line has the risk, the names and the reason; the lines
//! after it say what words the command may have for the entry to fit:
//!
//! ```text
//! safe head, git log | prints the beginning of files
//! flag -q --quiet          options without a value
//! text -n --lines          options with a value that is only text
//! maybe --color            options that may have a value, only ever in the same word
//! read -f --file           options with a file that is read
//! tree -d                  options with a folder of which all is read
//! two --arg                options with two values that are only text
//! format --pretty          options with a format of git, which can name no signature
//! lines -L                 options with lines of a file, as git names them
//! write -o --output        options with a file that is written
//! code -e                  options with a program text, which stands for the `code` operand
//! codefile -f              options with a file of such text
//! operands code read*      what the other words are, see below
//! digits                   `-5` is an option
//! first                    options stand before the first operand only
//! single                   long options begin with one `-`: no letters are put together
//! free                     no letter of it can do harm: those that are not listed are flags
//! words                    the same of every option that is not listed
//! any                      all words fit
//! when -D --delete         fits only if one of these words is there
//! needs --locked --frozen  fits only if one of these options is there; may be repeated
//! least 1                  fits only with that many operands
//! here                     without operands it looks at the folder that it runs in
//! local                    its files have no `:`, which would make some of another machine
//! noat                     no word begins with `@`, which would be a file of options
//! check sed                the `code` must pass this check
//! starts gzip              programs that it starts
//! steered .npmrc           files of the folder that decide what it does
//! hint use cat             what to do instead
//! ```
//!
//! Operands are `none` or a list of `text`, `read`, `list`, `tree`, `write`, `delete`, `rev`,
//! `spec` and `code`. One of them may have a `*`: it takes all words that the others leave. `into`
//! is a file or folder that the others are copied to.
//!
//! The first entry of a command that fits decides. Those with `when` are tried first, then the
//! others from the mildest risk on, last those that always fit.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::check::{self, Check};
use crate::risk::Risk;

/// The texts of the tables.
const TABLES: &[(&str, &str)] = &[
    ("looking.txt", include_str!("tables/looking.txt")),
    ("text.txt", include_str!("tables/text.txt")),
    ("system.txt", include_str!("tables/system.txt")),
    ("git.txt", include_str!("tables/git.txt")),
    ("develop.txt", include_str!("tables/develop.txt")),
    ("changing.txt", include_str!("tables/changing.txt")),
    ("dangerous.txt", include_str!("tables/dangerous.txt")),
    ("interactive.txt", include_str!("tables/interactive.txt")),
];

/// What the value of an option, or an operand, is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing: the option has no value.
    Flag,
    /// Text, perhaps, in the same word.
    Maybe,
    /// Text.
    Text,
    /// Text in two words.
    Two,
    /// A format of git: one that asks for a signature starts another program.
    Format,
    /// A file or folder that is read.
    Read,
    /// A folder of which everything is read.
    Tree,
    /// A file that is written.
    Write,
    /// A file that is deleted.
    Delete,
    /// A file or folder to which the other operands are copied.
    Into,
    /// A revision of git, or a file.
    Rev,
    /// A path or a pattern of git, with everything below it.
    Spec,
    /// Lines of a file, as git names them.
    Lines,
    /// A program text or a pattern.
    Code,
    /// A file that holds a program text.
    CodeFile,
}

impl Kind {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "flag" => Self::Flag,
            "maybe" => Self::Maybe,
            "text" => Self::Text,
            "two" => Self::Two,
            "format" => Self::Format,
            "read" | "list" => Self::Read,
            "tree" => Self::Tree,
            "write" => Self::Write,
            "delete" => Self::Delete,
            "into" => Self::Into,
            "rev" => Self::Rev,
            "spec" => Self::Spec,
            "lines" => Self::Lines,
            "code" => Self::Code,
            "codefile" => Self::CodeFile,
            _ => return None,
        })
    }
}

/// What an operand is, and whether it stands for any number of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) kind: Kind,
    pub(super) many: bool,
}

/// One use of a command.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the table")]
pub(super) struct Entry {
    pub(super) risk: Risk,
    pub(super) names: Vec<&'static str>,
    pub(super) reason: &'static str,
    pub(super) hint: Option<&'static str>,
    pub(super) options: HashMap<&'static str, Kind>,
    pub(super) operands: Vec<Slot>,
    pub(super) digits: bool,
    pub(super) first: bool,
    pub(super) single: bool,
    pub(super) free: bool,
    pub(super) words: bool,
    pub(super) here: bool,
    pub(super) local: bool,
    pub(super) noat: bool,
    pub(super) any: bool,
    pub(super) when: Vec<&'static str>,
    pub(super) needs: Vec<Vec<&'static str>>,
    pub(super) least: usize,
    pub(super) check: Option<Check>,
    pub(super) starts: &'static [&'static str],
    pub(super) steered_by: &'static [&'static str],
}

impl Entry {
    /// When it is tried, among the entries of its name.
    fn turn(&self) -> (u8, Risk) {
        match (self.when.is_empty(), self.any) {
            (false, _) => (0, Risk::Safe),
            (true, false) => (1, self.risk),
            (true, true) => (2, self.risk),
        }
    }
}

/// The entries by name; a name is a program, or a program and its subcommands.
#[derive(Debug, Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    by_name: HashMap<&'static str, Vec<usize>>,
    programs: HashSet<&'static str>,
}

impl Table {
    /// The entries of a name, in the order in which they are tried.
    pub(super) fn of(&self, name: &str) -> Option<impl Iterator<Item = &Entry>> {
        let indices = self.by_name.get(name)?;
        Some(indices.iter().filter_map(|index| self.entries.get(*index)))
    }

    /// There is a program of this name.
    pub(super) fn has(&self, program: &str) -> bool {
        self.programs.contains(program)
    }

    fn sort(&mut self) {
        let entries = &self.entries;
        for indices in self.by_name.values_mut() {
            indices.sort_by_key(|index| entries.get(*index).map(Entry::turn));
        }
    }

    fn add(&mut self, entry: Entry) {
        let index = self.entries.len();
        for name in &entry.names {
            self.programs.extend(name.split(' ').next());
            self.by_name.entry(name).or_default().push(index);
        }
        self.entries.push(entry);
    }
}

/// All entries. A paragraph that cannot be read is left out, so that its commands are unknown;
/// a test sees to it that there is none.
pub(super) static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    for entry in TABLES.iter().flat_map(|(_, text)| paragraphs(text)) {
        if let Ok(entry) = read_entry(&entry) {
            table.add(entry);
        }
    }
    table.sort();
    table
});

/// The lines of each paragraph, without comments.
fn paragraphs(text: &'static str) -> Vec<Vec<&'static str>> {
    let mut all = vec![Vec::new()];
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        match (line.is_empty(), all.last_mut()) {
            (false, Some(last)) => last.push(line),
            _ => all.push(Vec::new()),
        }
    }
    all.retain(|lines| !lines.is_empty());
    all
}

fn read_entry(lines: &[&'static str]) -> Result<Entry, String> {
    let (head, rest) = lines.split_first().ok_or("nothing")?;
    let mut entry = read_head(head)?;
    for line in rest {
        read_line(&mut entry, line).ok_or_else(|| format!("{head}: what is `{line}`?"))?;
    }
    if entry.operands.iter().filter(|slot| slot.many).count() > 1 {
        return Err(format!("{head}: two operands with `*`"));
    }
    if entry.risk == Risk::Interactive && entry.hint.is_none() {
        return Err(format!("{head}: interactive without a hint"));
    }
    Ok(entry)
}

fn read_head(head: &'static str) -> Result<Entry, String> {
    let complaint = || format!("not a head: {head}");
    let (left, reason) = head.split_once(" | ").ok_or_else(complaint)?;
    let (risk, names) = left.split_once(' ').ok_or_else(complaint)?;
    let names: Vec<_> = names.split(',').map(str::trim).collect();
    if reason.is_empty() || names.iter().any(|name| name.is_empty()) {
        return Err(complaint());
    }
    Ok(Entry {
        risk: risk_named(risk).ok_or_else(complaint)?,
        names,
        reason,
        hint: None,
        options: HashMap::new(),
        operands: Vec::new(),
        digits: false,
        first: false,
        single: false,
        free: false,
        words: false,
        here: false,
        local: false,
        noat: false,
        any: false,
        when: Vec::new(),
        needs: Vec::new(),
        least: 0,
        check: None,
        starts: &[],
        steered_by: &[],
    })
}

fn risk_named(name: &str) -> Option<Risk> {
    use Risk::{Caution, Dangerous, Forbidden, Interactive, Safe, Unknown};
    [Safe, Caution, Interactive, Unknown, Dangerous, Forbidden]
        .into_iter()
        .find(|risk| risk.as_str() == name)
}

fn read_line(entry: &mut Entry, line: &'static str) -> Option<()> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut words = rest.split_whitespace();
    match word {
        "operands" => entry.operands = read_operands(rest)?,
        "digits" => entry.digits = true,
        "first" => entry.first = true,
        "single" => entry.single = true,
        "free" => entry.free = true,
        "words" => (entry.free, entry.words) = (true, true),
        "here" => entry.here = true,
        "local" => entry.local = true,
        "noat" => entry.noat = true,
        "any" => entry.any = true,
        "when" => entry.when.extend(words),
        "needs" => entry.needs.push(words.collect()),
        "least" => entry.least = rest.parse().ok()?,
        "check" => entry.check = Some(check::named(rest)?),
        "starts" => entry.starts = words.collect::<Vec<_>>().leak(),
        "steered" => entry.steered_by = words.collect::<Vec<_>>().leak(),
        "hint" => entry.hint = Some(rest),
        _ => {
            let kind = Kind::named(word)?;
            if !words.all(|option| entry.options.insert(option, kind).is_none()) {
                return None;
            }
        }
    }
    Some(())
}

fn read_operands(rest: &str) -> Option<Vec<Slot>> {
    if rest == "none" {
        return Some(Vec::new());
    }
    rest.split_whitespace()
        .map(|word| {
            let name = word.strip_suffix('*');
            Some(Slot { kind: Kind::named(name.unwrap_or(word))?, many: name.is_some() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_paragraph_of_every_table_can_be_read() {
        for (file, text) in TABLES {
            assert!(!paragraphs(text).is_empty(), "{file} is empty");
            for lines in paragraphs(text) {
                if let Err(complaint) = read_entry(&lines) {
                    panic!("{file}: {complaint}");
                }
            }
        }
    }

    #[test]
    fn options_are_written_as_options_and_names_are_reachable() {
        for entry in &TABLE.entries {
            for option in entry.options.keys() {
                assert!(option.starts_with('-') && option.len() > 1, "{:?}: {option}", entry.names);
                let short = !option.starts_with("--") && !entry.single;
                assert!(!short || option.len() == 2, "{:?}: {option}", entry.names);
            }
            for name in &entry.names {
                assert!(name.split(' ').count() <= 3, "{name}");
                assert_eq!(name.split_whitespace().collect::<Vec<_>>().join(" "), **name);
            }
        }
    }

    #[test]
    fn nothing_stands_behind_an_entry_that_always_fits() {
        for (name, indices) in &TABLE.by_name {
            let open = |index: &usize| {
                let entry = &TABLE.entries[*index];
                entry.any && entry.when.is_empty() && entry.needs.is_empty()
            };
            let first = indices.iter().position(open);
            assert!(first.is_none_or(|at| at + 1 == indices.len()), "{name}");
        }
    }

    #[test]
    fn what_is_safe_writes_and_deletes_nothing() {
        for entry in TABLE.entries.iter().filter(|entry| entry.risk == Risk::Safe) {
            let changes = |kind: &Kind| matches!(kind, Kind::Write | Kind::Delete | Kind::Into);
            assert!(!entry.options.values().any(changes), "{:?}", entry.names);
            assert!(!entry.operands.iter().any(|slot| changes(&slot.kind)), "{:?}", entry.names);
            assert!(!entry.any, "{:?}", entry.names);
        }
    }
}
