//! The patterns of all tables, by the name that they begin with.
//!
//! A path is looked up once for all questions, name by name: three bytes of a name tell nearly
//! always that no pattern begins there, and what is left is found by the whole name.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::ends::Ends;
use super::name_pattern::NamePattern;
use super::names::Names;
use super::pattern::Pattern;
use super::table::{Group, Question, TABLES, Tables};

/// All tables, made ready when the first path is judged.
pub(super) static INDEX: LazyLock<Index> = LazyLock::new(|| Index::of(&TABLES));

/// Patterns by their first name.
pub(super) struct Index {
    exact_ends: Ends,
    exact: HashMap<&'static str, Vec<Row>>,
    /// Those whose first name has a `*`. The ones that are no more than that name come last: a
    /// path is told what it is by a folder sooner than by its ending.
    open_ends: Ends,
    open: Vec<Row>,
}

/// A pattern with what it belongs to.
#[derive(Clone, Copy)]
struct Row {
    question: Question,
    group: &'static Group,
    pattern: &'static Pattern,
}

impl Index {
    fn of(tables: &'static Tables) -> Self {
        let rows = tables.all().into_iter().flat_map(|(question, table)| {
            table.rows().map(move |(group, pattern)| Row { question, group, pattern })
        });
        let (mut open, exact): (Vec<Row>, Vec<Row>) = rows.partition(Row::is_open);
        open.sort_by_key(|row| row.pattern.is_one_name());
        Self {
            exact_ends: ends_of(&exact),
            exact: by_first_name(exact),
            open_ends: ends_of(&open),
            open,
        }
    }

    /// The patterns that may begin at a folded name.
    fn beginning_with(&self, name: &str) -> impl Iterator<Item = &Row> {
        let exact = self.exact_ends.may_have(name.as_bytes()).then(|| self.exact.get(name));
        let open = self.open_ends.may_have(name.as_bytes()).then_some(&self.open);
        let open = open.into_iter().flatten().filter(move |row| row.pattern.may_begin(name));
        exact.flatten().into_iter().flatten().chain(open)
    }

    /// How many names the longest pattern has that may begin at this folded name; 0 where none may.
    pub(super) fn reach(&self, question: Question, name: &str) -> usize {
        let rows = self.beginning_with(name).filter(|row| row.question == question);
        rows.map(|row| row.pattern.len()).max().unwrap_or(0)
    }
}

impl Row {
    fn is_open(&self) -> bool {
        self.pattern.first_name().is_some_and(NamePattern::is_open)
    }

    fn first_name(&self) -> Option<&'static str> {
        self.pattern.first_name().map(NamePattern::as_written)
    }
}

fn ends_of(rows: &[Row]) -> Ends {
    Ends::of(rows.iter().filter_map(Row::first_name))
}

fn by_first_name(rows: Vec<Row>) -> HashMap<&'static str, Vec<Row>> {
    let mut found: HashMap<_, Vec<Row>> = HashMap::new();
    for row in rows {
        if let Some(name) = row.first_name() {
            found.entry(name).or_default().push(row);
        }
    }
    found
}

/// A path with the patterns that match it, whatever they are about.
pub(super) struct Marked {
    names: Names,
    /// The number of the name at which each begins; the first ones first.
    rows: Vec<(usize, Row)>,
}

impl Marked {
    pub(super) fn new(names: Names) -> Self {
        let mut rows = Vec::new();
        for (at, name) in names.from(0).enumerate() {
            let matching = INDEX.beginning_with(name).filter(|row| row.pattern.matches(&names, at));
            rows.extend(matching.map(|row| (at, *row)));
        }
        Self { names, rows }
    }

    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// The reason of the first pattern that matches, starting at the name number `from` or
    /// after it. `folder` says that the path is known to be one.
    pub(super) fn find(
        &self,
        question: Question,
        from: usize,
        folder: bool,
    ) -> Option<&'static str> {
        let rows = self.about(question).filter(|(at, _)| *at >= from);
        let rows = rows.filter(|(_, row)| row.pattern.may_mean(folder));
        rows.into_iter().find_map(|(_, row)| row.group.reason_for(&self.names, folder))
    }

    /// A pattern takes in all that is below this folder, exceptions aside.
    pub(super) fn in_tree(&self, question: Question) -> bool {
        self.about(question).any(|(_, row)| row.pattern.is_tree())
    }

    fn about(&self, question: Question) -> impl Iterator<Item = &(usize, Row)> {
        self.rows.iter().filter(move |(_, row)| row.question == question)
    }
}
