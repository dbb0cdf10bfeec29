//! `dogu parse`: the calls in a model's output, as JSON lines.

use std::io::{BufWriter, StdoutLock, Write};
use std::process::ExitCode;

use dogu_protocol::{Event, MessageParser};
use serde_json::{Value, json};

use crate::args::{Parse, Workspace};
use crate::incoming::{made_id, parser, read_all};
use crate::problem::{Problem, warn};
use crate::show::still_read;
use crate::{definitions, setup};

pub(crate) fn run(workspace: &Workspace, parse: &Parse) -> Result<ExitCode, Problem> {
    let mut parser = prepared(workspace, parse)?;
    let lines = std::cell::RefCell::new(Lines::new(parse.only_final));
    let chunk = parse.chunk.map(|bytes| bytes as usize);
    let mut each = |event: Event<'_>| lines.borrow_mut().take(event);
    read_all(&mut parser, chunk, &mut each, || lines.borrow_mut().flush())?;
    let mut lines = lines.into_inner();
    lines.end_text();
    lines.flush()?;
    if let Some(problem) = parser.problem() {
        warn(problem);
    }
    let failed = lines.failed || parser.problem().is_some();
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn prepared(workspace: &Workspace, parse: &Parse) -> Result<MessageParser, Problem> {
    let runtime = setup::build_to_show(workspace, setup::Asking::Nobody)?;
    let settings = &runtime.settings().protocol;
    Ok(match &parse.output.tools {
        Some(path) => parser(&parse.output, settings, &definitions::read(path)?),
        None => parser(&parse.output, settings, runtime.catalog().callable()),
    })
}

/// Writes events, a line each.
struct Lines {
    out: BufWriter<StdoutLock<'static>>,
    only_final: bool,
    /// A line with text is begun: all text that belongs together is one line, which is written
    /// as it comes, so that it may be of any length.
    in_text: bool,
    failed: bool,
    written: std::io::Result<()>,
}

impl Lines {
    fn new(only_final: bool) -> Self {
        let out = BufWriter::new(std::io::stdout().lock());
        Self { out, only_final, in_text: false, failed: false, written: Ok(()) }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) if self.only_final => self.go_on_with_text(text),
            Event::Started { .. } | Event::Delta { .. } if self.only_final => {}
            event => {
                self.failed |= matches!(event, Event::Failed(_));
                self.end_text();
                self.write(&format!("{}\n", as_json(event)));
            }
        }
    }

    fn go_on_with_text(&mut self, text: &str) {
        if !std::mem::replace(&mut self.in_text, true) {
            self.write(r#"{"event":"text","text":""#);
        }
        let quoted = Value::from(text).to_string();
        self.write(&quoted[1..quoted.len() - 1]);
    }

    fn end_text(&mut self) {
        if std::mem::take(&mut self.in_text) {
            self.write("\"}\n");
        }
    }

    fn write(&mut self, text: &str) {
        if self.written.is_ok() {
            self.written = self.out.write_all(text.as_bytes());
        }
    }

    /// Hands over what is written; false where nobody reads it.
    fn flush(&mut self) -> Result<bool, Problem> {
        let written = std::mem::replace(&mut self.written, Ok(()));
        still_read(written.and_then(|()| self.out.flush()))
    }
}

fn as_json(event: Event<'_>) -> Value {
    match event {
        Event::Text(text) => json!({"event": "text", "text": text}),
        Event::Started { index, id, name } => {
            let id = id.map_or_else(|| made_id(index), str::to_owned);
            json!({"event": "start", "index": index, "id": id, "name": name})
        }
        Event::Delta { index, parameter: None, text } => {
            json!({"event": "delta", "index": index, "text": text})
        }
        Event::Delta { index, parameter, text } => {
            json!({"event": "delta", "index": index, "parameter": parameter, "text": text})
        }
        Event::Ended(call) => json!({
            "event": "call",
            "index": call.index,
            "id": call.id.unwrap_or_else(|| made_id(call.index)),
            "name": call.name,
            "input": call.input,
            "notes": call.notes,
        }),
        Event::Failed(call) => json!({
            "event": "failed",
            "index": call.index,
            "id": call.id.unwrap_or_else(|| made_id(call.index)),
            "name": call.name,
            "code": call.error.code,
            "message": call.error.message,
            "suggestion": call.error.suggestion,
        }),
    }
}
