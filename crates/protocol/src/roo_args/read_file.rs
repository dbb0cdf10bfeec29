//! `read_file` as it is written in XML: one `path`, or several files in `args`.

use serde_json::{Value, json};

use super::elements::{Element, elements, unescape};
use super::shapes::{FileEntry, ReadFile};
use crate::life_cycle::Params;

const MISSING: &str = "Missing required parameter: path or files";

/// The arguments that the parameters mean, as `{"files": […]}`.
///
/// `path` may come with `start_line` and `end_line`. `args` holds a `file` for each file, with
/// its `path` and any number of `line_range`s such as `1-5`; each range is an entry of its own.
/// Where both are given, `path` wins. A line that is no whole number is an error, not the whole
/// file: a model that asked for ten lines must not be answered with ten thousand.
pub fn read_file_params(params: &Params) -> Result<Value, String> {
    let files = match (given(params, "path"), given(params, "args")) {
        (Some(path), _) => vec![one_file(path, params)?],
        (None, Some(args)) => files_of(args)?,
        (None, None) => Vec::new(),
    };
    if files.is_empty() {
        return Err(MISSING.to_owned());
    }
    Ok(json!(ReadFile { files }))
}

/// A parameter that has anything in it: one that is blank is as if it was left out.
fn given<'p>(params: &'p Params, name: &str) -> Option<&'p str> {
    params.get(name).filter(|value| !value.trim().is_empty())
}

fn one_file(path: &str, params: &Params) -> Result<FileEntry, String> {
    let line = |name| given(params, name).map(|value| line_number(name, value)).transpose();
    let (start_line, end_line) = (line("start_line")?, line("end_line")?);
    Ok(FileEntry { path: path.to_owned(), start_line, end_line })
}

fn line_number(name: &str, value: &str) -> Result<u64, String> {
    value.trim().parse().map_err(|_| format!("{name} must be a whole number, not {value:?}"))
}

fn files_of(args: &str) -> Result<Vec<FileEntry>, String> {
    let mut files = Vec::new();
    for file in elements(args)? {
        match file.name {
            "file" => files.extend(entries_of(file.inner)?),
            other => return Err(format!("Expected <file> in args, not <{other}>")),
        }
    }
    Ok(files)
}

fn entries_of(file: &str) -> Result<Vec<FileEntry>, String> {
    let (mut path, mut ranges) = (None, Vec::new());
    for Element { name, inner } in elements(file)? {
        match name {
            "path" => path = Some(unescape(inner.trim())),
            "line_range" => ranges.push(line_range(inner)?),
            other => {
                return Err(format!("Expected <path> or <line_range> in file, not <{other}>"));
            }
        }
    }
    let path = path.filter(|path| !path.is_empty()).ok_or("Missing path in a file of args")?;
    Ok(entries(&path, &ranges))
}

fn line_range(range: &str) -> Result<(u64, u64), String> {
    let wrong = || format!("line_range must be like 1-5, not {:?}", range.trim());
    let (start, end) = range.split_once('-').ok_or_else(wrong)?;
    let line = |text: &str| text.trim().parse().map_err(|_| wrong());
    Ok((line(start)?, line(end)?))
}

fn entries(path: &str, ranges: &[(u64, u64)]) -> Vec<FileEntry> {
    let entry = |start_line, end_line| FileEntry { path: path.to_owned(), start_line, end_line };
    match ranges {
        [] => vec![entry(None, None)],
        ranges => ranges.iter().map(|(start, end)| entry(Some(*start), Some(*end))).collect(),
    }
}
