//! What means nearly the same as the question, by the vectors of a model that the user has set.
//!
//! Vectors are asked for as they are needed and kept by what they were made of: first those of the
//! files that the words have found, then of the others, for as long as a call may take. What has
//! none yet is found by its words, as everything is where the model does not answer.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use dogu_code::index::{Catalog, Entry, Hit};
use dogu_code::pieces::pieces;
use dogu_code::vectors::{Quantised, Spot, Vectors, fuse};
use dogu_tool::text::floor_boundary;
use dogu_tool::{Ctx, Embeddings, ToolError};

use super::Wanted;
use super::area::Area;
use super::reader::{hash, read};
use super::refresh::Refreshed;
use crate::notes::number;

/// How many pieces each ranking brings into the one that is made of both.
pub(super) const CANDIDATES: usize = 100;
/// How long a call gathers vectors of code.
const GATHER: Duration = Duration::from_secs(20);
/// How many texts are gathered before the model is asked.
const AT_ONCE: usize = 128;
/// How much of a piece the model reads, in bytes: most take no more than 2,000 tokens.
const MAX_TEXT: usize = 4_000;

/// A file and what is to be asked for it.
struct Gathered {
    file: u128,
    spots: Vec<Spot>,
    texts: Vec<(u128, String)>,
}

/// What the vectors say about a question.
#[derive(Default)]
pub(super) struct Meaning {
    /// Pieces by path and first line, the nearest first.
    ranking: Vec<(Box<[u8]>, u32)>,
    /// What the reader must know about it.
    pub(super) note: Option<String>,
}

impl Meaning {
    /// The words' ranking and this one in one; nothing where this one is empty.
    pub(super) fn with<'a>(
        &self,
        words: &[Hit<'a>],
        catalog: &'a Catalog,
        limit: usize,
    ) -> Option<Vec<Hit<'a>>> {
        if self.ranking.is_empty() {
            return None;
        }
        let words: Vec<(&[u8], u32)> =
            words.iter().map(|hit| (hit.path, hit.piece.first_line)).collect();
        let meaning: Vec<(&[u8], u32)> =
            self.ranking.iter().map(|(path, line)| (path.as_ref(), *line)).collect();
        let mut best: Vec<Hit<'a>> = Vec::with_capacity(limit);
        for ((path, line), score) in fuse(&[&words, &meaning]) {
            let Some(hit) = catalog.piece_at(path, line, score * 100.0) else { continue };
            if best.len() < limit && !best.iter().any(|known| known.is_one_with(&hit)) {
                best.push(hit);
            }
        }
        Some(best)
    }
}

/// Gathers what is missing and ranks. Nothing where no model is set.
pub(super) fn meaning(
    vectors: &mut Option<Vectors>,
    catalog: &Catalog,
    area: &Area,
    refreshed: &Refreshed,
    wanted: &Wanted<'_>,
    first: &[Hit<'_>],
    ctx: &Ctx,
) -> Result<Option<Meaning>, ToolError> {
    let Some(model) = ctx.embeddings() else { return Ok(None) };
    if vectors.as_ref().is_none_or(|vectors| vectors.model() != model.model()) {
        *vectors = Some(Vectors::new(model.model()));
    }
    let Some(vectors) = vectors else { return Ok(None) };
    let seen = by_need(catalog, refreshed, first);
    let answered = match question(wanted.query, vectors, model, ctx) {
        Ok(question) => {
            let gathered = gather(vectors, &seen, area, model, ctx);
            Ok((question, gathered))
        }
        Err(error) => Err(error),
    };
    ctx.cancel().check()?;
    let all: HashSet<u128> =
        catalog.paths().filter_map(|path| catalog.entry(path)).map(|entry| entry.hash).collect();
    vectors.keep_only(&all);
    Ok(Some(match answered {
        Err(error) => Meaning { note: Some(words_alone(&error)), ..Meaning::default() },
        Ok((question, gathered)) => Meaning {
            ranking: nearest(&question, vectors, &seen),
            note: incomplete(vectors, &seen, gathered.err()),
        },
    }))
}

fn words_alone(error: &ToolError) -> String {
    format!("(ranked by words alone, without vectors: {error})")
}

fn incomplete(
    vectors: &Vectors,
    seen: &[(&[u8], Entry)],
    error: Option<ToolError>,
) -> Option<String> {
    let without = seen.iter().filter(|(_, entry)| vectors.spots(entry.hash).is_none()).count();
    let files = number(without as u64, "file has", "files have");
    let why = match error {
        Some(error) => format!("the model failed: {error}"),
        None => "the next searches ask for more".to_owned(),
    };
    (without > 0).then(|| format!("({files} no vectors yet and can only be found by words; {why})"))
}

/// The files that can be found: first those that the words have found.
fn by_need<'a>(
    catalog: &'a Catalog,
    refreshed: &'a Refreshed,
    first: &[Hit<'a>],
) -> Vec<(&'a [u8], Entry)> {
    let mut taken = HashSet::new();
    let mut rest: Vec<&[u8]> = refreshed.seen.iter().map(AsRef::as_ref).collect();
    rest.sort_unstable();
    let paths = first.iter().map(|hit| hit.path).chain(rest);
    let once = paths.filter(|path| taken.insert(*path));
    let known = once.filter_map(|path| Some((path, *catalog.entry(path)?)));
    known.filter(|(_, entry)| entry.unsuitable().is_none()).collect()
}

/// The vector of the question. Vectors of another length are of another model behind the same
/// name: what is known is worth nothing then.
fn question(
    query: &str,
    vectors: &mut Vectors,
    model: &dyn Embeddings,
    ctx: &Ctx,
) -> Result<Quantised, ToolError> {
    let query = query[..floor_boundary(query, MAX_TEXT)].to_owned();
    let answer = model.embed(&[query], ctx.cancel())?;
    let question = answer.first().and_then(|vector| Quantised::of(vector));
    let question = question.ok_or_else(|| ToolError::failed("the model gave no vector"))?;
    if vectors.dimensions().is_some_and(|known| known != question.dimensions()) {
        *vectors = Vectors::new(model.model());
    }
    Ok(question)
}

/// Asks for the vectors of files that have none, for as long as a call may take.
fn gather(
    vectors: &mut Vectors,
    seen: &[(&[u8], Entry)],
    area: &Area,
    model: &dyn Embeddings,
    ctx: &Ctx,
) -> Result<(), ToolError> {
    let begun = Instant::now();
    let half = ctx.deadline().map(|end| end.saturating_duration_since(begun) / 2);
    let allowed = half.map_or(GATHER, |half| half.min(GATHER));
    let (mut gathered, mut count) = (Vec::new(), 0);
    for (at, (path, entry)) in seen.iter().enumerate() {
        if ctx.cancel().is_canceled() || begun.elapsed() > allowed {
            break;
        }
        if vectors.spots(entry.hash).is_some() {
            continue;
        }
        let Some(file) = of_file(path, entry, vectors, area, ctx) else { continue };
        count += file.texts.len();
        gathered.push(file);
        if count >= AT_ONCE {
            ctx.progress(&format!("asking for vectors: {at} of {} files", seen.len()), None);
            if !ask(vectors, std::mem::take(&mut gathered), model, ctx)? {
                return Ok(());
            }
            count = 0;
        }
    }
    ask(vectors, gathered, model, ctx)?;
    Ok(())
}

/// The pieces of a file, with the texts that have no vector; nothing where it is another file by
/// now.
fn of_file(
    path: &[u8],
    entry: &Entry,
    vectors: &Vectors,
    area: &Area,
    ctx: &Ctx,
) -> Option<Gathered> {
    let file = read(&ctx.files().open(&area.path(path)).ok()?).ok()?;
    let content = std::str::from_utf8(&file.content).ok().filter(|_| file.is_as(entry))?;
    let path = String::from_utf8_lossy(path);
    let mut gathered = Gathered { file: entry.hash, spots: Vec::new(), texts: Vec::new() };
    for piece in pieces(&path, content) {
        let mut text = format!("{path} {} {}\n", piece.container, piece.symbol);
        text.push_str(&content[piece.text]);
        text.truncate(floor_boundary(&text, MAX_TEXT));
        let hash = hash(text.as_bytes());
        gathered.spots.push(Spot { first_line: piece.first_line, text: hash });
        if vectors.get(hash).is_none() {
            gathered.texts.push((hash, text));
        }
    }
    Some(gathered)
}

/// Asks the model; says whether there is room for more. A file is noted when all of it is known.
fn ask(
    vectors: &mut Vectors,
    gathered: Vec<Gathered>,
    model: &dyn Embeddings,
    ctx: &Ctx,
) -> Result<bool, ToolError> {
    let texts: Vec<String> =
        gathered.iter().flat_map(|file| &file.texts).map(|(_, text)| text.clone()).collect();
    let answer = if texts.is_empty() { Vec::new() } else { model.embed(&texts, ctx.cancel())? };
    let mut answer = answer.into_iter();
    for file in gathered {
        for (hash, _) in &file.texts {
            let vector = answer.next().and_then(|vector| Quantised::of(&vector));
            let vector = vector.ok_or_else(|| ToolError::failed("the model gave no vector"))?;
            let room = vectors.has_room(vector.dimensions());
            if !vectors.put(*hash, vector) {
                return if room {
                    Err(ToolError::failed("the model gave vectors of different lengths"))
                } else {
                    Ok(false)
                };
            }
        }
        vectors.note(file.file, file.spots);
    }
    Ok(true)
}

/// The pieces whose vectors are nearest to the question's.
fn nearest(
    question: &Quantised,
    vectors: &Vectors,
    seen: &[(&[u8], Entry)],
) -> Vec<(Box<[u8]>, u32)> {
    let mut all: Vec<(f32, &[u8], u32)> = Vec::new();
    for (path, entry) in seen {
        for spot in vectors.spots(entry.hash).unwrap_or_default() {
            if let Some(vector) = vectors.get(spot.text) {
                all.push((vector.similarity(question), path, spot.first_line));
            }
        }
    }
    all.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2)))
    });
    all.truncate(CANDIDATES);
    all.into_iter().map(|(_, path, line)| (path.into(), line)).collect()
}
