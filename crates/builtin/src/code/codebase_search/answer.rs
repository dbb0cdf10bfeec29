//! From a question to the pieces that are shown. What is shown is read at that moment, and is what
//! the index ranked: where the file changed meanwhile, the index is corrected and asked again.

use std::collections::HashMap;
use std::collections::hash_map::Entry as MapEntry;

use dogu_code::index::{Catalog, Change, Hit, Weights};
use dogu_code::pieces::Kind;
use dogu_code::words::{Question, question};
use dogu_tool::{Ctx, Output, ToolError};

use super::Wanted;
use super::area::Area;
use super::indexes::Index;
use super::meaning::{CANDIDATES, meaning};
use super::page::{Counts, page};
use super::reader::{ReadFile, read};
use super::refresh::{Refreshed, too_much};

/// How often files may change under a search before what changes is left out.
const ROUNDS: usize = 4;

/// A piece of code that fits.
pub(super) struct Piece {
    pub(super) key: Box<[u8]>,
    pub(super) kind: Kind,
    pub(super) symbol: String,
    pub(super) first_line: u32,
    pub(super) last_line: u32,
    pub(super) score: f32,
    /// Its lines, as they are in the file now.
    pub(super) text: String,
}

/// What a query asks for; an error where that is nothing.
pub(super) fn understood(query: &str) -> Result<Question, ToolError> {
    let asked = question(query);
    if !asked.concepts.is_empty() {
        return Ok(asked);
    }
    let problem =
        if query.trim().is_empty() { "the query is empty" } else { "the query has no words" };
    Err(ToolError::invalid(problem)
        .suggest("Say in words what the code does; grep finds signs and exact text."))
}

/// Ranks, reads what is to be shown, and makes the page.
pub(super) fn answer(
    index: &mut Index,
    area: &Area,
    refreshed: &Refreshed,
    wanted: &Wanted<'_>,
    question: &Question,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let weights = Weights::default();
    let Index { catalog, vectors } = index;
    for round in 1.. {
        ctx.cancel().check()?;
        let candidates = ctx.embeddings().map_or(wanted.limit, |_| CANDIDATES);
        let hits = catalog
            .search(wanted.query, candidates, &weights, |path| refreshed.seen.contains(path));
        let meaning = meaning(vectors, catalog, area, refreshed, wanted, &hits.best, ctx)?;
        let fused = meaning.as_ref().and_then(|one| one.with(&hits.best, catalog, wanted.limit));
        let by_meaning = fused.is_some();
        let mut best = fused.unwrap_or(hits.best);
        best.truncate(wanted.limit);
        let mut files = Files { area, ctx, read: HashMap::new(), changed: 0 };
        let pieces: Vec<Piece> = best.iter().filter_map(|hit| files.piece(hit)).collect();
        if files.changed == 0 || round == ROUNDS {
            let mut counts = Counts::new(catalog, area, refreshed);
            (counts.matched, counts.pieces) = (hits.matched, hits.pieces);
            counts.unsteady = files.changed;
            counts.by_meaning = by_meaning;
            counts.note_on_meaning = meaning.and_then(|meaning| meaning.note);
            return Ok(page(&pieces, &counts, wanted, question, area, ctx));
        }
        let (changes, gone) = files.corrections(catalog);
        catalog.apply(changes).map_err(too_much)?;
        catalog.forget(gone).map_err(too_much)?;
    }
    Err(ToolError::canceled())
}

/// The files of what was found, each read once.
struct Files<'a> {
    area: &'a Area,
    ctx: &'a Ctx,
    /// What is there now; nothing where it cannot be read.
    read: HashMap<Box<[u8]>, Option<ReadFile>>,
    /// How many pieces are not what the index knows.
    changed: usize,
}

impl Files<'_> {
    /// A piece as it is in its file now; nothing where the file is another one by now.
    fn piece(&mut self, hit: &Hit<'_>) -> Option<Piece> {
        let file = match self.read.entry(hit.path.into()) {
            MapEntry::Occupied(known) => known.into_mut(),
            MapEntry::Vacant(new) => {
                let opened = self.ctx.files().open(&self.area.path(hit.path)).ok();
                new.insert(opened.and_then(|file| read(&file).ok()))
            }
        };
        let current = file.as_ref().filter(|file| file.is_as(&hit.entry));
        let text = current.and_then(|file| std::str::from_utf8(&file.content).ok());
        let Some(text) = text else {
            self.changed += 1;
            return None;
        };
        let (first, last) = (hit.piece.first_line, hit.piece.last_line);
        let lines = text.split_inclusive('\n').skip(first.saturating_sub(1) as usize);
        Some(Piece {
            key: hit.path.into(),
            kind: hit.piece.kind,
            symbol: hit.piece.symbol.to_owned(),
            first_line: first,
            last_line: last,
            score: hit.score,
            text: lines.take((last + 1).saturating_sub(first) as usize).collect(),
        })
    }

    /// What the index must be told of the files that were read.
    fn corrections(self, catalog: &Catalog) -> (Vec<Change>, Vec<Box<[u8]>>) {
        let (mut changes, mut gone) = (Vec::new(), Vec::new());
        for (key, file) in self.read {
            match (file, catalog.entry(&key)) {
                (Some(file), Some(known)) if file.is_as(known) => {}
                (Some(file), known) => changes.push(file.change(key, known)),
                (None, _) => gone.push(key),
            }
        }
        (changes, gone)
    }
}
