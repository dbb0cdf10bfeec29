//! `dogu policy check`: command lines of the arguments.

use std::io::Write;
use std::process::ExitCode;

use dogu_tool::{Action, Verdict};

use super::answer::{Answer, decision_word};
use super::judge::Judge;
use crate::args::{Check, Workspace};
use crate::problem::Problem;
use crate::show::{Layout, exact, still_read};

pub(super) fn run(workspace: &Workspace, check: &Check) -> Result<ExitCode, Problem> {
    let judge = Judge::new(workspace)?;
    let mut stdout = std::io::stdout().lock();
    let mut all_allowed = true;
    for (number, command) in check.commands.iter().enumerate() {
        let cwd = judge.folder(check.cwd.as_deref());
        let action = Action::execute(command.clone(), cwd);
        let answer = judge.judge(&action, Vec::new()).map_err(Problem::wrong_use)?;
        all_allowed &= answer.decision == Verdict::Allow;
        let written = if check.json {
            serde_json::to_writer(&mut stdout, &answer)
                .map_err(std::io::Error::from)
                .and_then(|()| writeln!(stdout))
        } else {
            let between = if number > 0 { "\n" } else { "" };
            write!(stdout, "{between}{}", text(command, &answer))
        };
        if !still_read(written)? {
            break;
        }
    }
    Ok(if all_allowed { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The answer for a person.
fn text(command: &str, answer: &Answer) -> String {
    let mut text = format!("{}: {}\n", decision_word(answer.decision), one(command));
    let mut line = |label: &str, what: &str| text.push_str(&format!("  {label}: {}\n", one(what)));
    if let Some(risk) = answer.risk {
        line("risk", risk.as_str());
    }
    for command in &answer.commands {
        line("runs", &format!("{}   {}: {}", command.argv.join(" "), command.risk, command.reason));
    }
    if let Some(why) = &answer.not_understood {
        line("not understood", why);
    }
    answer.reads.iter().for_each(|file| line("reads", file));
    answer.writes.iter().for_each(|file| line("writes", file));
    answer.reasons.iter().for_each(|reason| line("because", reason));
    text
}

fn one(text: &str) -> std::borrow::Cow<'_, str> {
    exact(text, Layout::Line)
}
