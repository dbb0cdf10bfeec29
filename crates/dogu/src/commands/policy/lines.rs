//! `dogu policy check --lines`: a question a line, an answer a line.

use std::io::{BufRead, Read as _, Write as _};
use std::process::ExitCode;

use dogu_policy::compat::roo;
use dogu_policy::rule::Rule;
use dogu_tool::Action;
use serde::Deserialize;
use serde_json::{Value, json};

use super::judge::Judge;
use crate::args::Workspace;
use crate::problem::Problem;
use crate::show::still_read;

/// How long a line may be, in bytes; command lines that are much shorter are not parsed.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

/// A question.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    command: Option<String>,
    action: Option<Written>,
    /// The folder that the command would run in, and that paths are relative to.
    cwd: Option<String>,
    /// Prefixes of commands, as Roo has them.
    allow: Option<Vec<String>>,
    deny: Option<Vec<String>>,
}

/// An action as it is written.
#[derive(Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
enum Written {
    Execute {
        command: String,
        cwd: Option<String>,
    },
    FileRead {
        path: String,
        #[serde(default)]
        tree: bool,
    },
    FileReadSensitive {
        path: String,
    },
    FileWrite {
        path: String,
    },
    FileDelete {
        path: String,
    },
    Network {
        url: String,
    },
    Mcp {
        server: String,
        tool: String,
    },
    Custom {
        name: String,
        #[serde(default)]
        details: Value,
    },
}

pub(super) fn run(workspace: &Workspace) -> Result<ExitCode, Problem> {
    let judge = Judge::new(workspace)?;
    let mut stdin = std::io::stdin().lock();
    let mut stdout = std::io::stdout().lock();
    while let Some(line) = next_line(&mut stdin)? {
        let answer = line.and_then(|line| answer(&judge, &line));
        let answer = answer.unwrap_or_else(|error| json!({"error": error}).to_string());
        let written = writeln!(stdout, "{answer}").and_then(|()| stdout.flush());
        if !still_read(written)? {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A line without its end, or why it is not taken; none at the end of input.
fn next_line(input: &mut impl BufRead) -> Result<Option<Result<Vec<u8>, String>>, Problem> {
    let unread = |error| Problem::wrong_use("stdin could not be read").because(error);
    let mut line = Vec::new();
    let mut bounded = input.by_ref().take(LONGEST_LINE + 1);
    if bounded.read_until(b'\n', &mut line).map_err(unread)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() as u64 > LONGEST_LINE {
        input.skip_until(b'\n').map_err(unread)?;
        return Ok(Some(Err(format!("the line is longer than {LONGEST_LINE} bytes"))));
    }
    Ok(Some(Ok(line)))
}

fn answer(judge: &Judge, line: &[u8]) -> Result<String, String> {
    if line.trim_ascii().is_empty() {
        return Err("the line is empty".to_owned());
    }
    let mut asked: Asked = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let rules = rules(&asked);
    let action = action(judge, &mut asked)?;
    let answer = judge.judge(&action, rules)?;
    serde_json::to_string(&answer).map_err(|error| error.to_string())
}

fn rules(asked: &Asked) -> Vec<Rule> {
    let allow = asked.allow.as_deref().unwrap_or_default();
    let deny = asked.deny.as_deref().unwrap_or_default();
    let mut rules = roo::rules(allow, deny);
    rules.extend(roo::otherwise_ask(allow));
    rules
}

fn action(judge: &Judge, asked: &mut Asked) -> Result<Action, String> {
    let cwd = asked.cwd.as_deref();
    match (asked.command.take(), asked.action.take()) {
        (Some(command), None) => Ok(Action::execute(command, judge.folder(cwd))),
        (None, Some(written)) => Ok(written.meant(judge, cwd)),
        _ => Err("a line has either `command` or `action`".to_owned()),
    }
}

impl Written {
    fn meant(self, judge: &Judge, cwd: Option<&str>) -> Action {
        let folder = judge.folder(cwd);
        let at = |path: String| judge.resolve(&path, Some(&folder));
        match self {
            Self::Execute { command, cwd: own } => {
                Action::execute(command, judge.folder(own.as_deref().or(cwd)))
            }
            Self::FileRead { path, tree } => Action::FileRead { path: at(path), tree },
            Self::FileReadSensitive { path } => Action::FileReadSensitive { path: at(path) },
            Self::FileWrite { path } => Action::FileWrite { path: at(path) },
            Self::FileDelete { path } => Action::FileDelete { path: at(path) },
            Self::Network { url } => Action::Network { url },
            Self::Mcp { server, tool } => Action::Mcp { server, tool },
            Self::Custom { name, details } => Action::Custom { name, details },
        }
    }
}
