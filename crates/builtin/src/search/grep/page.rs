//! The part of what was found that one call shows.

use super::engine::Found;
use super::kept::{FileHits, Line};
use super::query::Query;
use crate::names;

/// How many bytes of entries one call gives at the most.
const MAX_TEXT_BYTES: usize = 80_000;

/// One thing that is shown: a line, or a file.
pub(crate) struct Entry<'a> {
    /// The file, as it is shown.
    pub(crate) name: &'a str,
    /// Matching lines of the file.
    pub(crate) matches: u64,
    /// The line; none where only files are shown.
    pub(crate) line: Option<Line>,
    /// The line's text.
    pub(crate) text: &'a str,
    /// The first of the page.
    pub(crate) first: bool,
    /// The first of its file on the page.
    pub(crate) new_file: bool,
    /// It does not follow the entry before in the same file.
    pub(crate) new_group: bool,
}

/// How entries are written.
pub(crate) trait Style {
    /// Writes one, with the end of its line.
    fn entry(&self, out: &mut String, entry: &Entry<'_>);
}

/// What one call shows.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) text: String,
    /// How many entries that are.
    pub(crate) shown: u64,
    /// Lines among them that were cut.
    pub(super) cut: u64,
    /// Lines among them that are no UTF-8.
    pub(super) replaced: u64,
}

/// Writes the page that a query asks for.
pub(crate) fn page(found: &Found, query: &Query, style: &dyn Style) -> Page {
    let mut page = Page::default();
    let mut skip = query.offset;
    for (path, hits) in &found.files {
        if hits.entries <= skip {
            skip -= hits.entries;
            continue;
        }
        let name = names::shown(&found.prefix, path);
        if !page.add_file(&name, hits, skip, query.page_size(), style) {
            break;
        }
        skip = 0;
    }
    page
}

impl Page {
    /// Adds what is left of a file after `skip` entries; says whether there is room for more.
    fn add_file(
        &mut self,
        name: &str,
        hits: &FileHits,
        skip: u64,
        most: u64,
        style: &dyn Style,
    ) -> bool {
        let skip = usize::try_from(skip).unwrap_or(usize::MAX);
        let whole_file = hits.lines.is_empty().then_some((None, ""));
        let lines =
            hits.lines.iter().enumerate().map(|(index, line)| (Some(*line), hits.text_of(index)));
        let mut new_file = true;
        for (line, text) in whole_file.into_iter().chain(lines).skip(skip) {
            if self.shown >= most || self.text.len() + text.len() + name.len() > MAX_TEXT_BYTES {
                return false;
            }
            let new_group = new_file || line.is_some_and(|line| line.new_group);
            let first = self.shown == 0;
            let matches = hits.matches;
            style.entry(
                &mut self.text,
                &Entry { name, matches, line, text, first, new_file, new_group },
            );
            self.shown += 1;
            self.cut += u64::from(line.is_some_and(|line| line.cut));
            self.replaced += u64::from(line.is_some_and(|line| line.replaced));
            new_file = false;
        }
        // A file whose lines were too many to keep is where what is known ends.
        hits.lines.is_empty() || hits.lines.len() as u64 == hits.entries
    }
}

impl FileHits {
    fn text_of(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.lines[before].end);
        &self.text[start..self.lines[index].end]
    }
}
