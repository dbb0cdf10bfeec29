//! Reading bash.
//!
//! `prove` is the parser in `parse`, `compound`, `simple` and `words`: it reads a subset of bash of which every
//! part is known, at most 64 levels deep, in linear time, and refuses the rest. The subset:
//! lists, pipes, background, `!`, `time`; groups and subshells; `if`, `while`, `until`, `for`
//! over words, `case`; `[[ ]]`; `(( ))` and `$(( ))` of literal numbers; redirections,
//! here-documents and here-strings; quotes of all kinds but `$"…"`; wildcards, `~`, brace
//! expansion; parameters with the operators that neither evaluate nor assign; command and
//! process substitution. Outside it: functions, `select`, `coproc`, arrays, `for (( ))`, `~user`,
//! `${!x}`, `${x@…}`, `${x:=…}`, extended globs, arithmetic with names.
//!
//! `detect` is the scanner in [`scan`]: it finds every place where a command could begin,
//! whatever the grammar around it, so that danger is seen in lines that are not understood.

pub(crate) mod ast;
mod braces;
mod compound;
mod cursor;
pub(crate) mod expand;
mod parse;
pub(crate) mod scan;
pub(crate) mod simple;
pub(crate) mod variables;
mod words;

pub(crate) use cursor::Refusal;

/// Parses a whole line, or says what is not understood.
pub(crate) fn prove(line: &str) -> Result<ast::Script, Refusal> {
    parse::Parser::new(line).whole()
}
