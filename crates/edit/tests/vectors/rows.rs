//! The recorded rows, and what comparing them comes to.

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

/// How many folders up the vectors may lie.
const LEVELS: usize = 6;

/// Why a row is not the same.
#[derive(Debug)]
pub(crate) enum Difference {
    /// What is different.
    Other(String),
    /// The row asks something that this crate does not answer.
    NotAsked,
}

/// How a row came out.
pub(crate) type Verdict = Result<(), Difference>;

/// One file of rows, and what dogu makes of them.
pub(crate) struct Comparison {
    /// Below the folder of the vectors.
    pub(crate) file: &'static str,
    pub(crate) compare: fn(&Value) -> Verdict,
    /// The rows that differ on purpose, by [`key`], and why.
    pub(crate) different: &'static [(&'static str, &'static str)],
}

/// How many rows of a file came out in which way.
#[derive(Debug, Default)]
pub(crate) struct Count {
    pub(crate) rows: usize,
    pub(crate) agree: usize,
    pub(crate) differ: usize,
    pub(crate) not_asked: usize,
}

/// The rows of a file; none where the vectors are not there.
fn rows(file: &str) -> Option<Vec<Value>> {
    let mut parents = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().take(LEVELS + 1);
    let folder = parents.find_map(|parent| {
        let folder = parent.join("shared/vectors");
        folder.is_dir().then_some(folder)
    })?;
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

/// What a row is called: its id, its source or name, the number of the call in the recording, or
/// its test.
fn key(row: &Value) -> String {
    for name in ["id", "source", "name"] {
        if let Some(name) = row[name].as_str() {
            return name.to_owned();
        }
    }
    match row["call"].as_u64() {
        Some(call) => format!("call {call}"),
        None => row["test"].as_str().unwrap().to_owned(),
    }
}

/// Two texts with a name, for the message of a difference.
pub(crate) fn same(expected: &str, actual: &str) -> Verdict {
    if expected == actual {
        return Ok(());
    }
    Err(Difference::Other(format!("expected {expected:?}\n     got {actual:?}")))
}

impl Comparison {
    /// Compares each row, and tells where one differs that should not, or no longer does. None where
    /// the vectors are not there.
    pub(crate) fn check(&self) -> Option<(Count, Vec<String>)> {
        let rows = rows(self.file)?;
        let mut count = Count { rows: rows.len(), ..Count::default() };
        let mut keys = HashSet::new();
        let mut faults = Vec::new();
        for row in &rows {
            let key = key(row);
            let reason = self.different.iter().any(|(differs, _)| *differs == key);
            match (&(self.compare)(row), reason) {
                (Ok(()), false) => count.agree += 1,
                (Err(Difference::Other(_)), true) => count.differ += 1,
                (Err(Difference::NotAsked), false) => count.not_asked += 1,
                (Err(Difference::Other(text)), false) => {
                    faults.push(format!("{} {key} differs without a reason:\n{text}", self.file));
                }
                (_, true) => faults.push(format!("{} {key} needs no reason any more", self.file)),
            }
            keys.insert(key);
        }
        for (name, _) in self.different.iter().filter(|(name, _)| !keys.contains(*name)) {
            faults.push(format!("{} has no row {name}", self.file));
        }
        Some((count, faults))
    }
}
