//! The recorded rows, and what comparing them comes to.

use std::collections::BTreeSet;
use std::path::Path;

use dogu_tool::Verdict;
use serde_json::Value;

/// How many folders up the vectors may lie.
const LEVELS: usize = 6;
/// Longer names of rows are cut.
const MAX_NAME: usize = 100;

/// How a row came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The same.
    Agree,
    /// Allowed here; the authors would ask or refuse.
    Allowed,
    /// Asked about here; the authors would refuse.
    Asked,
    /// Asked about or refused here; the authors are milder.
    Stricter,
    /// Different in something else than how strict it is.
    Otherwise,
    /// Not a question that dogu has an answer to.
    NotAsked,
}

/// What the authors say of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// This.
    Exactly(Verdict),
    /// Anything but a yes.
    NotAllow,
    /// Anything but a no.
    NotDeny,
}

impl Wanted {
    pub(crate) fn outcome(self, ours: Verdict) -> Outcome {
        match (self, ours) {
            (Self::Exactly(wanted), ours) if wanted == ours => Outcome::Agree,
            (Self::NotAllow, Verdict::Allow) => Outcome::Allowed,
            (Self::NotDeny, Verdict::Deny) => Outcome::Stricter,
            (Self::NotAllow | Self::NotDeny, _) => Outcome::Agree,
            (Self::Exactly(wanted), ours) if ours > wanted => Outcome::Stricter,
            (_, Verdict::Allow) => Outcome::Allowed,
            _ => Outcome::Asked,
        }
    }
}

/// A reason, and the rows that differ for it.
pub(crate) type Differences = &'static [(&'static str, &'static [&'static str])];

/// One file of rows, and what dogu makes of them.
pub(crate) struct Comparison {
    /// The file, below the folder of vectors.
    pub(crate) file: &'static str,
    /// What is compared, in words.
    pub(crate) about: &'static str,
    /// What a row is called. Rows of one name come out in one way.
    pub(crate) name: fn(&Value) -> String,
    /// How a row comes out.
    pub(crate) compare: fn(&Value) -> Outcome,
    /// Rows that are allowed here and not there.
    pub(crate) allowed: Differences,
    /// Rows that ask here and are refused there.
    pub(crate) asked: Differences,
    /// Rows that ask or are refused here, and are milder there.
    pub(crate) stricter: Differences,
    /// Rows that differ in something else.
    pub(crate) otherwise: Differences,
}

/// How many rows of a file came out in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) rows: usize,
    pub(crate) agree: usize,
    pub(crate) allowed: usize,
    pub(crate) asked: usize,
    pub(crate) stricter: usize,
    pub(crate) otherwise: usize,
    pub(crate) not_asked: usize,
}

impl Count {
    fn add(&mut self, outcome: Outcome) {
        self.rows += 1;
        *match outcome {
            Outcome::Agree => &mut self.agree,
            Outcome::Allowed => &mut self.allowed,
            Outcome::Asked => &mut self.asked,
            Outcome::Stricter => &mut self.stricter,
            Outcome::Otherwise => &mut self.otherwise,
            Outcome::NotAsked => &mut self.not_asked,
        } += 1;
    }
}

/// The rows of a file; none where the vectors are not there.
pub(crate) fn rows(file: &str) -> Option<Vec<Value>> {
    let mut parents = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().take(LEVELS + 1);
    let folder = parents.find_map(|parent| {
        let folder = parent.join("shared/vectors");
        folder.is_dir().then_some(folder)
    });
    let Some(folder) = folder else {
        println!("not run: the vectors were not found");
        return None;
    };
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

/// A text as a name of a row: on one line, and not too long.
pub(crate) fn name_of(text: &str) -> String {
    let shown: String = text.chars().flat_map(char::escape_default).collect();
    let shown = shown.replace("\\'", "'").replace("\\\"", "\"").replace("\\\\", "\\");
    if shown.chars().count() <= MAX_NAME {
        return shown;
    }
    shown.chars().take(MAX_NAME).chain(['…']).collect()
}

impl Comparison {
    /// Compares each row, and fails where one differs that should not, or no longer does.
    pub(crate) fn check(&self) -> Option<Count> {
        let rows = rows(self.file)?;
        let (mut count, mut wrong, mut seen) = (Count::default(), Vec::new(), BTreeSet::new());
        for row in &rows {
            let (name, outcome) = ((self.name)(row), (self.compare)(row));
            count.add(outcome);
            let listed = self.listed(&name);
            if outcome != listed.unwrap_or(outcome) || (listed.is_none() && differs(outcome)) {
                wrong.push(format!("{outcome:?}, listed {listed:?}: {name}"));
            }
            seen.insert(name);
        }
        let gone = self.names().filter(|name| !seen.contains(*name));
        wrong.extend(gone.map(|name| format!("no such row: {name}")));
        assert!(wrong.is_empty(), "{}:\n{}", self.file, wrong.join("\n"));
        Some(count)
    }

    /// The tables, with what they are about.
    pub(crate) fn tables(&self) -> [(Outcome, Differences); 4] {
        [
            (Outcome::Allowed, self.allowed),
            (Outcome::Asked, self.asked),
            (Outcome::Stricter, self.stricter),
            (Outcome::Otherwise, self.otherwise),
        ]
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        let tables = self.tables().into_iter().flat_map(|(_, table)| table);
        tables.flat_map(|(_, names)| names.iter().copied())
    }

    fn listed(&self, name: &str) -> Option<Outcome> {
        let has = |table: Differences| table.iter().any(|(_, names)| names.contains(&name));
        self.tables().into_iter().find(|(_, table)| has(table)).map(|(outcome, _)| outcome)
    }
}

fn differs(outcome: Outcome) -> bool {
    !matches!(outcome, Outcome::Agree | Outcome::NotAsked)
}
