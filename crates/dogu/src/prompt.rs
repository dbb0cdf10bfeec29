//! Asking at the terminal: what would happen, why it asks, yes or no.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use dogu_runtime::{Answer, ApproveAll, PermissionDelegate, Question};
use dogu_tool::BoxFuture;

use crate::args::Approve;
use crate::show::escaped;

/// Who approves, by flag or by whether someone is there.
pub(crate) fn delegate(approve: Option<Approve>) -> Option<Arc<dyn PermissionDelegate>> {
    let there = std::io::stderr().is_terminal() && std::io::stdin().is_terminal();
    chosen(approve, there)
}

/// The same for a command that reads its work from stdin: someone who sees what it says is there.
pub(crate) fn delegate_beside_stdin(
    approve: Option<Approve>,
) -> Option<Arc<dyn PermissionDelegate>> {
    chosen(approve, std::io::stderr().is_terminal())
}

fn chosen(approve: Option<Approve>, there: bool) -> Option<Arc<dyn PermissionDelegate>> {
    match approve {
        Some(Approve::All) => Some(Arc::new(ApproveAll)),
        Some(Approve::None) => None,
        Some(Approve::Ask) | None => there.then(|| Arc::new(Terminal::default()) as Arc<_>),
    }
}

/// Asks on the controlling terminal, one question at a time.
#[derive(Default)]
struct Terminal {
    asking: Arc<Mutex<()>>,
}

impl PermissionDelegate for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let text = text_of(question);
        let asking = Arc::clone(&self.asking);
        Box::pin(async move {
            let answer = tokio::task::spawn_blocking(move || {
                let _one_at_a_time = asking.lock().unwrap_or_else(PoisonError::into_inner);
                ask_terminal(&text)
            });
            // A terminal that cannot be read has not said yes.
            let refused = || Answer::Deny { message: None };
            answer.await.ok().and_then(Result::ok).unwrap_or_else(refused)
        })
    }
}

fn ask_terminal(text: &str) -> std::io::Result<Answer> {
    let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    let mut lines = BufReader::new(terminal.try_clone()?);
    write!(terminal, "{text}")?;
    loop {
        write!(terminal, "Allow? [y]es, [n]o, or no with a word to the model: ")?;
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 {
            return Ok(Answer::Deny { message: None });
        }
        match line.trim() {
            "y" | "yes" => return Ok(Answer::Allow),
            "n" | "no" => return Ok(Answer::Deny { message: None }),
            "" => {}
            word => return Ok(Answer::Deny { message: Some(word.to_owned()) }),
        }
    }
}

fn text_of(question: &Question) -> String {
    let title = question.title.as_deref().unwrap_or(&question.tool);
    let mut text = format!("\n{title} ({}, {})\n", question.tool, question.source);
    if let Some(preview) = &question.preview {
        text.push_str(&format!("  {}\n", preview.summary));
        for line in preview.detail.iter().flat_map(|detail| detail.lines()) {
            text.push_str(&format!("  {line}\n"));
        }
    }
    for action in &question.actions {
        text.push_str(&format!("  would do: {action}\n"));
    }
    for reason in &question.reasons {
        text.push_str(&format!("  asks because: {reason}\n"));
    }
    escaped(&text).into_owned()
}
