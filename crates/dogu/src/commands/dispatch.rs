//! `dogu dispatch`: every call in a model's output is run, and answered in its protocol.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use dogu_protocol::render::{Answer, Rendered, ResultForm, results};
use dogu_protocol::{Event, FailedCall, MessageParser, ParsedCall};
use dogu_runtime::{Catalog, Runtime, Step};
use dogu_tool::{Origin, Principal, ToolCall, ToolResult, ToolSpec};
use serde_json::Value;

use crate::args::{Dispatch, Workspace};
use crate::attend::attend;
use crate::incoming::{made_id, parser, read_all};
use crate::problem::{Problem, warn};
use crate::show::still_read;
use crate::{definitions, prompt, setup};

pub(crate) fn run(workspace: &Workspace, dispatch: &Dispatch) -> Result<ExitCode, Problem> {
    dogu_runtime::warm_up();
    let setup = setup::build(workspace, prompt::approver_beside_stdin(dispatch.approve)?)?;
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    setup::warn_unusable(&tokio.block_on(setup.gateway.load()));
    let catalog = match &dispatch.output.tools {
        Some(path) => listed(&setup.runtime, definitions::read(path)?),
        None => setup.runtime.catalog(),
    };
    let settings = &setup.runtime.settings().protocol;
    let mut parser = parser(&dispatch.output, settings, catalog.callable());
    let asked = read_calls(&mut parser)?;
    let principal = Principal::process("dispatch");
    let step = setup.runtime.step_with(Arc::new(Origin::of(principal.clone())), catalog);
    let answers = tokio.block_on(answer_all(&setup.runtime, &principal, &step, asked))?;
    print(&answers, &parser)?;
    // A terminal prompt may still wait for a line that nobody will write.
    tokio.shutdown_background();
    Ok(ExitCode::SUCCESS)
}

/// The tools of a file: those that can be run, and those that are only known by name.
fn listed(runtime: &Runtime, specs: Vec<ToolSpec>) -> Catalog {
    let all = runtime.catalog();
    let mut catalog = all.clone();
    catalog.retain(|_| false);
    for spec in specs {
        match all.entry(spec.name.as_str()) {
            Some(entry) => catalog.add(entry),
            None => catalog.list_only(spec),
        }
    }
    catalog
}

/// A call, made or failed.
enum Asked {
    Call(ParsedCall),
    Failed(FailedCall),
}

impl Asked {
    fn index(&self) -> usize {
        match self {
            Self::Call(call) => call.index,
            Self::Failed(call) => call.index,
        }
    }
}

/// An answer with what its call came with.
struct Answered {
    index: usize,
    id: Option<String>,
    result: ToolResult,
}

/// All calls of the message, in its order. None is made before the message is over: a message
/// that is cut off in the middle may not be what its model meant.
fn read_calls(parser: &mut MessageParser) -> Result<Vec<Asked>, Problem> {
    let (mut asked, mut had_text) = (Vec::new(), false);
    let mut each = |event: Event<'_>| match event {
        Event::Ended(call) => asked.push(Asked::Call(call)),
        Event::Failed(call) => asked.push(Asked::Failed(call)),
        Event::Text(text) => had_text |= !text.trim().is_empty(),
        Event::Started { .. } | Event::Delta { .. } => {}
    };
    read_all(parser, None, &mut each, || Ok(true))?;
    match parser.problem() {
        Some(problem) if asked.is_empty() && !had_text => {
            return Err(Problem::wrong_use("the input could not be read").because(problem));
        }
        Some(problem) => warn(problem),
        None => {}
    }
    asked.sort_by_key(Asked::index);
    Ok(asked)
}

async fn answer_all(
    runtime: &Runtime,
    principal: &Principal,
    step: &Step,
    asked: Vec<Asked>,
) -> std::io::Result<Vec<Answered>> {
    let mut answers = Vec::with_capacity(asked.len());
    let (mut calls, mut places) = (Vec::new(), Vec::new());
    for one in asked {
        match one {
            Asked::Call(call) => {
                let id = call.id.clone().unwrap_or_else(|| made_id(call.index));
                places.push((call.index, call.id));
                calls.push(ToolCall::new(id, call.name, call.input).with_notes(call.notes));
            }
            Asked::Failed(call) => answers.push(refused(step, call).await),
        }
    }
    let ids: Vec<String> = calls.iter().map(|call| call.id.clone()).collect();
    let cancel = || {
        for id in &ids {
            runtime.cancel(principal, id);
        }
    };
    let listener = runtime.listen(principal);
    let (results, _causes) = attend(step.dispatch_all(calls), listener, cancel).await?;
    let made = places.into_iter().zip(results);
    answers.extend(made.map(|((index, id), result)| Answered { index, id, result }));
    answers.sort_by_key(|answer| answer.index);
    Ok(answers)
}

async fn refused(step: &Step, failed: FailedCall) -> Answered {
    let id = failed.id.clone().unwrap_or_else(|| made_id(failed.index));
    // Some providers refuse an answer to nobody.
    let name = failed.name.unwrap_or_else(|| "unknown".to_owned());
    let call = ToolCall::new(id, name, Value::Null);
    let result = step.refuse(call, failed.error).await;
    Answered { index: failed.index, id: failed.id, result }
}

fn print(answers: &[Answered], parser: &MessageParser) -> Result<(), Problem> {
    let mut stdout = std::io::stdout().lock();
    let mut rest = answers;
    while let Some(first) = rest.first() {
        let form = parser.form_of(first.index);
        let alike = rest.iter().take_while(|answer| parser.form_of(answer.index) == form).count();
        let (now, later) = rest.split_at(alike);
        if !still_read(print_alike(&mut stdout, form, now))? {
            return Ok(());
        }
        rest = later;
    }
    Ok(())
}

/// Answers in one form: a text, or the messages to append, a line each.
fn print_alike(
    out: &mut impl Write,
    form: ResultForm,
    answers: &[Answered],
) -> std::io::Result<()> {
    let answers: Vec<Answer<'_>> = answers
        .iter()
        .map(|answer| Answer { result: &answer.result, id: answer.id.as_deref() })
        .collect();
    match results(form, &answers) {
        Rendered::Text { text, .. } => writeln!(out, "{text}"),
        Rendered::Messages(messages) => {
            messages.iter().try_for_each(|message| writeln!(out, "{message}"))
        }
    }
}
