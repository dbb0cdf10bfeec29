//! What a call of `read_file` asks for: the fields as models send them, and what they mean.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Deserialize;

use super::part::{Block, Part, Slice, Slices, Start, Style};

/// How many files one call reads.
const MAX_FILES: usize = 50;
/// How many ranges of one file.
const MAX_RANGES: usize = 100;

/// The fields of a call.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fields {
    /// The file, relative to the working folder or absolute. For several files use `files`.
    #[serde(default)]
    path: Option<String>,
    /// The first line to show, from 1; negative counts from the end (-20: the last 20 lines).
    #[serde(default)]
    offset: Option<i64>,
    /// How many lines to show, at most 2000.
    #[serde(default)]
    #[schemars(range(min = 1))]
    limit: Option<i64>,
    /// The first line to show, from 1; instead of `offset`.
    #[serde(default)]
    #[schemars(range(min = 1))]
    start_line: Option<i64>,
    /// The last line to show; instead of `limit`.
    #[serde(default)]
    #[schemars(range(min = 1))]
    end_line: Option<i64>,
    /// Several files, instead of `path`. Each is read or fails by itself.
    #[serde(default)]
    files: Option<Vec<FileFields>>,
    /// `slice`: lines as they are numbered (default). `indentation`: the block around a line.
    #[serde(default)]
    mode: Option<Mode>,
    /// Which block, for `mode: indentation`.
    #[serde(default)]
    indentation: Option<BlockFields>,
}

/// How lines are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Slice,
    Indentation,
}

/// One of several files.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileFields {
    /// The file.
    path: String,
    /// The first line to show, from 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    start_line: Option<i64>,
    /// The last line to show.
    #[serde(default)]
    #[schemars(range(min = 1))]
    end_line: Option<i64>,
    /// Several ranges of lines, such as `[[1, 20], [80, 99]]`.
    #[serde(default)]
    line_ranges: Option<Vec<RangeFields>>,
    /// One range of lines, such as `1-20`.
    #[serde(default)]
    line_range: Option<String>,
}

/// A range of lines, both ends included.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum RangeFields {
    Pair([i64; 2]),
    Named(NamedRange),
    Text(String),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NamedRange {
    start: i64,
    end: i64,
}

/// The block around a line, told by indentation.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BlockFields {
    /// The line that the block is around, from 1; `offset` where it is left out.
    #[serde(default)]
    #[schemars(range(min = 1))]
    anchor_line: Option<i64>,
    /// How many levels of indentation to go out; 0: all of them.
    #[serde(default)]
    #[schemars(range(min = 0))]
    max_levels: Option<i64>,
    /// Blocks beside it on the outermost level too.
    #[serde(default)]
    include_siblings: Option<bool>,
    /// Comments right above it too (default).
    #[serde(default)]
    include_header: Option<bool>,
    /// How many lines to show at most.
    #[serde(default)]
    #[schemars(range(min = 1))]
    max_lines: Option<i64>,
}

/// What a call asks for, understood.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "Fields")]
pub struct Input(#[schemars(with = "Fields")] pub(super) Request);

/// One file, whose errors are the call's; or several, each with its own.
#[derive(Debug)]
pub(super) enum Request {
    One(Wanted),
    Several(Vec<Wanted>),
}

/// A file, and what to show of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wanted {
    pub(super) path: String,
    pub(super) part: Part,
}

impl TryFrom<Fields> for Input {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        // Models that must send every field send empty ones for what they leave out.
        let path = fields.path.as_deref().filter(|path| !path.is_empty());
        let files = fields.files.as_deref().filter(|files| !files.is_empty());
        match (path, files) {
            (Some(_), Some(_)) => Err("send either path or files, not both".to_owned()),
            (Some(path), None) => {
                let path = path.to_owned();
                Ok(Self(Request::One(Wanted { path, part: fields.part()? })))
            }
            (None, Some(files)) => fields.several(files).map(|files| Self(Request::Several(files))),
            (None, None) => {
                Err("which file? Send path, or files: [{\"path\": …}] for several".to_owned())
            }
        }
    }
}

impl Fields {
    fn part(&self) -> Result<Part, String> {
        let indentation = match self.mode {
            Some(Mode::Indentation) => true,
            Some(Mode::Slice) => false,
            None => self.indentation.as_ref().is_some_and(|block| block.anchor_line.is_some()),
        };
        if indentation { self.block().map(Part::Block) } else { self.slice().map(Part::Slices) }
    }

    fn slice(&self) -> Result<Slices, String> {
        if self.start_line.is_some() && self.offset.is_some() {
            return Err("send either offset or start_line, not both".to_owned());
        }
        if self.end_line.is_some() && self.limit.is_some() {
            return Err("send either limit or end_line, not both".to_owned());
        }
        let limit = self.limit.map(|limit| from_one("limit", limit)).transpose()?;
        let (start_line, end_line) = (self.start_line, self.end_line);
        if start_line.is_some() || end_line.is_some() {
            let first = start_line.or(self.offset);
            let mut slice = range(first, end_line)?;
            if let Some(limit) = limit {
                slice.last = slice.first.saturating_add(limit - 1);
            }
            return Ok(Slices::of(vec![slice], Style::Range));
        }
        let start = start(self.offset)?;
        Ok(Slices::Counted { start, limit })
    }

    fn block(&self) -> Result<Block, String> {
        let none = BlockFields::default();
        let block = self.indentation.as_ref().unwrap_or(&none);
        let anchor = match (block.anchor_line, self.offset.or(self.start_line)) {
            (Some(anchor), _) => from_one("anchor_line", anchor)?,
            (None, Some(offset)) => from_one("offset", offset)?,
            (None, None) => 1,
        };
        let levels = block.max_levels.unwrap_or(0);
        let max_levels = usize::try_from(levels)
            .map_err(|_| format!("max_levels is 0 (all levels) or more, not {levels}"))?;
        let bounds = [("max_lines", block.max_lines), ("limit", self.limit)];
        let mut most = u64::MAX;
        for (name, bound) in bounds {
            if let Some(bound) = bound {
                most = most.min(from_one(name, bound)?);
            }
        }
        Ok(Block {
            anchor,
            max_levels,
            siblings: block.include_siblings.unwrap_or(false),
            header: block.include_header.unwrap_or(true),
            most,
        })
    }

    fn several(&self, files: &[FileFields]) -> Result<Vec<Wanted>, String> {
        let lines = [self.offset, self.limit, self.start_line, self.end_line];
        if lines.iter().any(Option::is_some) || self.mode == Some(Mode::Indentation) {
            return Err("offset, limit, start_line, end_line and mode go with path; \
                 in files each file has a start_line and an end_line of its own"
                .to_owned());
        }
        if files.len() > MAX_FILES {
            return Err(format!("at most {MAX_FILES} files in one call, not {}", files.len()));
        }
        let mut wanted: Vec<Wanted> = Vec::new();
        let mut seen = HashSet::new();
        for file in files {
            let slices = file.slices()?;
            if seen.insert(&file.path) {
                wanted.push(Wanted { path: file.path.clone(), part: Part::Slices(slices) });
            } else {
                // The older form names a file once for each range.
                let known = wanted.iter_mut().find(|known| known.path == file.path);
                if let Some(known) = known {
                    known.part.add(&slices);
                }
            }
        }
        Ok(wanted)
    }
}

impl FileFields {
    fn slices(&self) -> Result<Slices, String> {
        if self.path.is_empty() {
            return Err("a file in files has an empty path".to_owned());
        }
        let mut slices = Vec::new();
        if self.start_line.is_some() || self.end_line.is_some() {
            slices.push(range(self.start_line, self.end_line)?);
        }
        if let Some(text) = self.line_range.as_deref().filter(|text| !text.is_empty()) {
            slices.push(text_range(text)?);
        }
        for found in self.line_ranges.iter().flatten() {
            slices.push(match found {
                RangeFields::Pair([start, end]) => range(Some(*start), Some(*end))?,
                RangeFields::Named(named) => range(Some(named.start), Some(named.end))?,
                RangeFields::Text(text) => text_range(text)?,
            });
        }
        if slices.len() > MAX_RANGES {
            return Err(format!("at most {MAX_RANGES} ranges of {}", self.path));
        }
        if slices.is_empty() {
            return Ok(Slices::Counted { start: Start::Line(1), limit: None });
        }
        Ok(Slices::of(slices, Style::Range))
    }
}

fn start(offset: Option<i64>) -> Result<Start, String> {
    match offset {
        Some(0) => Err("offset counts from 1: send 1 for the first line, \
             or a negative number to count from the end"
            .to_owned()),
        Some(offset) if offset < 0 => Ok(Start::FromEnd(offset.unsigned_abs())),
        Some(offset) => Ok(Start::Line(offset.unsigned_abs())),
        None => Ok(Start::Line(1)),
    }
}

/// A range as Continue and Roo Code send it: from 1, both ends included.
pub(super) fn range(first: Option<i64>, last: Option<i64>) -> Result<Slice, String> {
    let first = first.map_or(Ok(1), |first| from_one("start_line", first))?;
    let last = last.map_or(Ok(u64::MAX), |last| from_one("end_line", last))?;
    if last < first {
        return Err(format!(
            "end_line {last} is before start_line {first}; send them the other way round"
        ));
    }
    Ok(Slice { first, last })
}

fn text_range(text: &str) -> Result<Slice, String> {
    let wrong = || format!("a range of lines is written like 1-20, not {text:?}");
    let (first, last) = match text.trim().split_once('-') {
        Some(both) => both,
        None => (text, text),
    };
    let number = |text: &str| text.trim().parse().map(Some).map_err(|_| wrong());
    range(number(first)?, number(last)?)
}

fn from_one(name: &str, number: i64) -> Result<u64, String> {
    match u64::try_from(number) {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("{name} counts from 1, so it cannot be {number}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn parsed(input: Value) -> Result<Request, String> {
        serde_json::from_value::<Input>(input)
            .map(|input| input.0)
            .map_err(|error| error.to_string())
    }

    fn slices(input: Value) -> Vec<(u64, u64)> {
        let Ok(Request::Several(files)) = parsed(input) else { panic!("not several files") };
        let Part::Slices(Slices::Listed { slices, .. }) = &files[0].part else {
            panic!("{files:?}")
        };
        slices.iter().map(|slice| (slice.first, slice.last)).collect()
    }

    #[test]
    fn every_form_of_a_range_means_the_same() {
        for file in [
            json!({"path": "a", "start_line": 2, "end_line": 5}),
            json!({"path": "a", "line_range": "2-5"}),
            json!({"path": "a", "line_ranges": [[2, 5]]}),
            json!({"path": "a", "line_ranges": [{"start": 2, "end": 5}]}),
            json!({"path": "a", "line_ranges": [" 2 - 5 "]}),
            json!({"path": "a", "line_ranges": ["2-3", [3, 4], {"start": 5, "end": 5}]}),
        ] {
            assert_eq!(slices(json!({"files": [file]})), [(2, 5)], "{file}");
        }
        let twice = json!({"files": [
            {"path": "a", "start_line": 9}, {"path": "a", "start_line": 1, "end_line": 2}
        ]});
        assert_eq!(slices(twice), [(1, 2), (9, u64::MAX)]);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_what_to_send() {
        for (input, expected) in [
            (json!({}), "Send path, or files"),
            (json!({"path": ""}), "Send path, or files"),
            (json!({"path": "a", "files": [{"path": "b"}]}), "either path or files"),
            (json!({"path": "a", "offset": 0}), "offset counts from 1"),
            (json!({"path": "a", "limit": 0}), "limit counts from 1"),
            (json!({"path": "a", "offset": 2, "start_line": 2}), "either offset or start_line"),
            (json!({"path": "a", "limit": 2, "end_line": 2}), "either limit or end_line"),
            (json!({"path": "a", "start_line": 9, "end_line": 2}), "end_line 2 is before"),
            (json!({"path": "a", "start_line": -1}), "start_line counts from 1"),
            (json!({"files": [{"path": "a"}], "offset": 3}), "go with path"),
            (json!({"files": [{"path": "a", "line_range": "x"}]}), "written like 1-20"),
            (json!({"files": [{"path": "", "line_range": "1"}]}), "empty path"),
            (json!({"path": "a", "mode": "indentation", "offset": -2}), "offset counts from 1"),
            (
                json!({"path": "a", "mode": "indentation", "indentation": {"anchor_line": 0}}),
                "anchor_line counts from 1",
            ),
        ] {
            let error = parsed(input.clone()).expect_err("it should have been refused");
            assert!(error.contains(expected), "{input}: {error}");
        }
        let many: Vec<_> = (0..51).map(|n| json!({"path": n.to_string()})).collect();
        let error = parsed(json!({"files": many})).expect_err("too many");
        assert!(error.contains("at most 50 files"), "{error}");
    }

    #[test]
    fn empty_fields_of_strict_models_count_as_absent() {
        assert!(matches!(parsed(json!({"path": "a", "files": []})), Ok(Request::One(_))));
        let both = json!({"path": "", "files": [{"path": "a", "line_range": ""}], "offset": null});
        assert!(matches!(parsed(both), Ok(Request::Several(_))));
        let slice = json!({"path": "a", "mode": "slice", "indentation": {"anchor_line": 3}});
        let Ok(Request::One(wanted)) = parsed(slice) else { panic!("not one file") };
        assert!(matches!(wanted.part, Part::Slices(_)));
    }
}
