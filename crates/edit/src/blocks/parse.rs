//! Reads blocks out of a text.

use super::Block;
use super::error::{BlockError, BlockFault, quoted};
use super::escape::unescaped;
use super::file_name;
use super::inside::divider;
use super::marker::{Kind, USUAL, marker};

const REPLACE: &str = ">>>>>>> REPLACE";

/// Reads all blocks. Text around them is passed over, but for file names and stray markers.
pub fn parse(text: &str) -> Result<Vec<Block>, BlockError> {
    let mut lines: Vec<&str> =
        text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line)).collect();
    let first = lines.iter().find(|line| is_kind(line, Kind::Search));
    // Where the markers end in CRLF, so does all else, and it says nothing about the file.
    if first.is_some_and(|line| line.ends_with('\r')) {
        for line in &mut lines {
            *line = line.strip_suffix('\r').unwrap_or(line);
        }
    }
    let mut blocks: Vec<Block> = Vec::new();
    let (mut at, mut end) = (0, 0);
    while at < lines.len() {
        if is_kind(lines[at], Kind::Search) {
            let own = file_name::above(&lines[end..at]);
            let path = own.or_else(|| blocks.last().and_then(|block| block.path.clone()));
            let (block, next) = block(&lines, at)?;
            blocks.push(Block { path, ..block });
            (at, end) = (next, next);
        } else {
            stray(lines[at]).map_err(|fault| fault.at(at))?;
            at += 1;
        }
    }
    if blocks.is_empty() { Err(BlockFault::NoBlock.at(0)) } else { Ok(blocks) }
}

fn is_kind(line: &str, kind: Kind) -> bool {
    marker(line).is_some_and(|marker| marker.kind == kind)
}

/// A marker that belongs to no block.
fn stray(line: &str) -> Result<(), BlockFault> {
    let is_stray = line.starts_with("<<<<<<<")
        || line.starts_with(">>>>>>>")
        || marker(line).is_some_and(|marker| marker.length == USUAL);
    if is_stray { Err(BlockFault::misplaced(line, "`<<<<<<< SEARCH`")) } else { Ok(()) }
}

/// The block that begins at a line, and the line behind it.
fn block(lines: &[&str], start: usize) -> Result<(Block, usize), BlockError> {
    let length = marker(lines[start]).map_or(USUAL, |marker| marker.length);
    let first = start + 1;
    let ends = |line: &&str| is_kind(line, Kind::Replace) || is_kind(line, Kind::Search);
    let end = lines[first..].iter().position(ends).map(|ahead| first + ahead);
    let end = end.ok_or_else(|| unfinished(&lines[first..], length).at(start))?;
    let inside = &lines[first..end];
    if is_kind(lines[end], Kind::Search) {
        let expected =
            if divider(inside, length).is_ok() { "`>>>>>>> REPLACE`" } else { "`=======`" };
        return Err(BlockFault::misplaced(lines[end], expected).at(end));
    }
    let middle = divider(inside, length).map_err(|(at, fault)| match fault {
        BlockFault::Unfinished(_) => BlockFault::misplaced(lines[end], "`=======`").at(end),
        fault => fault.at(first + at),
    })?;
    let (search, replace) = (&inside[..middle], &inside[middle + 1..]);
    if let Some(at) = replace.iter().position(|line| is_line_number(line)) {
        let fault = BlockFault::LineNumber(quoted(replace[at]));
        return Err(fault.at(first + middle + 1 + at));
    }
    let mut block = Block { line: start + 1, ..Block::default() };
    let head = head(&mut block, search, replace).map_err(|(at, fault)| fault.at(first + at))?;
    block.search = content(&search[head..]);
    block.replace = content(replace);
    Ok((block, end + 1))
}

fn unfinished(inside: &[&str], length: usize) -> BlockFault {
    match divider(inside, length) {
        Ok(_) | Err((_, BlockFault::TwoDividers)) => BlockFault::Unfinished(REPLACE),
        Err((_, fault)) => fault,
    }
}

fn is_line_number(line: &str) -> bool {
    line.starts_with(":start_line:") || line.starts_with(":end_line:")
}

/// Reads line numbers and dashes at the beginning of SEARCH; how many lines they are.
fn head(
    block: &mut Block,
    search: &[&str],
    replace: &[&str],
) -> Result<usize, (usize, BlockFault)> {
    let mut at = 0;
    while let Some(line) = search.get(at) {
        let (start, end) = (line.strip_prefix(":start_line:"), line.strip_prefix(":end_line:"));
        let Some(number) = start.or(end) else { break };
        let number: usize =
            number.trim().parse().map_err(|_| (at, BlockFault::LineNumber(quoted(line))))?;
        let field = if start.is_some() { &mut block.start_line } else { &mut block.end_line };
        *field = (number > 0).then_some(number);
        at += 1;
    }
    let is_dashes = |line: Option<&&str>| line.is_some_and(|line| line.trim_end() == "-------");
    // Both parts begin with it: then it is a line of the file.
    let is_content = at == 0 && is_dashes(replace.first());
    Ok(if is_dashes(search.get(at)) && !is_content { at + 1 } else { at })
}

fn content(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(unescaped(line));
        text.push('\n');
    }
    text
}
