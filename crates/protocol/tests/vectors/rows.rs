//! The recorded rows, and what comparing them comes to.

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

/// How many folders up the vectors may lie.
const LEVELS: usize = 6;

/// How a row came out: the same, or what is different about it.
pub(crate) type Verdict = Result<(), String>;

/// One file of rows, and what dogu makes of them.
pub(crate) struct Comparison {
    pub(crate) file: &'static str,
    /// Asks dogu for one row. The other rows of the file may hold the state before it.
    pub(crate) compare: fn(&Value, &[Value]) -> Verdict,
    /// The rows that differ on purpose, by [`key`], and why.
    pub(crate) different: &'static [(&'static str, &'static str)],
}

/// How many rows of a file came out in which way.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) rows: usize,
    pub(crate) agree: usize,
    pub(crate) differ: usize,
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
    let text = std::fs::read_to_string(folder.join("protocol").join(file)).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

/// What a row is called: its id or its name, or else the number of the call in the recording and
/// which part of the answer it is about.
pub(crate) fn key(row: &Value) -> String {
    if let Some(name) = row["id"].as_str().or(row["name"].as_str()) {
        return name.to_owned();
    }
    let mut key = format!("call {}", row["call"]);
    for step in row["path"].as_array().unwrap() {
        key.push_str(&format!(
            " {}",
            step.as_str().map_or_else(|| step.to_string(), str::to_owned)
        ));
    }
    key
}

/// A value with a name, for the message of a difference.
pub(crate) fn same(expected: &Value, actual: &Value) -> Verdict {
    if expected == actual {
        return Ok(());
    }
    Err(format!("expected {expected}\n     got {actual}"))
}

impl Comparison {
    /// Compares each row, and fails where one differs that should not, or no longer does.
    pub(crate) fn check(&self) -> Option<Count> {
        let rows = rows(self.file)?;
        let mut keys = HashSet::new();
        let mut agree = 0;
        for row in &rows {
            let key = key(row);
            let verdict = (self.compare)(row, &rows);
            let reason = self.different.iter().find(|(differs, _)| *differs == key);
            match (&verdict, reason) {
                (Err(problem), None) => panic!("{}, {key} differs: {problem}", self.file),
                (Ok(()), Some((_, reason))) => {
                    panic!("{}, {key} does not differ any more: {reason}", self.file)
                }
                (Ok(()), None) => agree += 1,
                (Err(_), Some(_)) => {}
            }
            assert!(keys.insert(key), "{}: two rows have one name: {row}", self.file);
        }
        for (key, _) in self.different {
            assert!(keys.contains(*key), "{} has no row {key}", self.file);
        }
        Some(Count { rows: rows.len(), agree, differ: rows.len() - agree })
    }
}
