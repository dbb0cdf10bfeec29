//! What a person sees of a question. All of it may come from a model, so none of it is shown as
//! it came, and nothing is shown without bounds.

use std::fmt::Write as _;

use dogu_runtime::{GrantScope, Question};
use serde_json::Value;

use super::shown::line;

/// How many characters of one action or command are shown.
const MOST_OF_ACTION: usize = 4_000;
/// How many of an argument, a reason or a line of a preview.
const MOST_OF_TEXT: usize = 500;
/// How many actions, commands, reasons or arguments.
const MOST_ENTRIES: usize = 40;
/// How many lines of a preview.
const MOST_LINES: usize = 80;

/// The text of a question.
pub(super) fn text_of(question: &Question) -> String {
    let mut text = String::new();
    let title = question.title.as_deref().unwrap_or(&question.tool);
    let head = format!("{title} ({}, {})", question.tool, question.source);
    let _ = writeln!(text, "dogu asks: may this run? {}", line(&head, MOST_OF_TEXT));
    if let Some(summary) = &question.summary {
        let _ = writeln!(text, "{}", line(summary, MOST_OF_TEXT));
    }
    entries(&mut text, "would do", &question.actions, MOST_OF_ACTION);
    entries(&mut text, "runs", &question.asked.commands, MOST_OF_ACTION);
    if let Some(risk) = &question.asked.risk {
        let _ = writeln!(text, "risk: {}", line(risk, MOST_OF_TEXT));
    }
    entries(&mut text, "asks because", &question.reasons, MOST_OF_TEXT);
    if let Some(said) = &question.said_by_model {
        let _ = writeln!(text, "the model says: {}", line(said, MOST_OF_TEXT));
    }
    preview(&mut text, question);
    offers(&mut text, question);
    text.truncate(text.trim_end().len());
    text
}

fn entries(text: &mut String, label: &str, entries: &[String], limit: usize) {
    for entry in entries.iter().take(MOST_ENTRIES) {
        let _ = writeln!(text, "{label}: {}", line(entry, limit));
    }
    if entries.len() > MOST_ENTRIES {
        let _ = writeln!(text, "{label}: {} more are not shown", entries.len() - MOST_ENTRIES);
    }
}

/// What the tool shows of it; where it shows nothing, its arguments say what it would do.
fn preview(text: &mut String, question: &Question) {
    if let Some(preview) = &question.preview {
        let _ = writeln!(text, "{}", line(&preview.summary, MOST_OF_TEXT));
        let lines: Vec<&str> = preview.detail.iter().flat_map(|detail| detail.lines()).collect();
        for shown in lines.iter().take(MOST_LINES) {
            let _ = writeln!(text, "  {}", line(shown, MOST_OF_TEXT));
        }
        if lines.len() > MOST_LINES {
            let _ = writeln!(text, "  {} more lines are not shown", lines.len() - MOST_LINES);
        }
        return;
    }
    let Value::Object(arguments) = &question.input else { return };
    if question.asked.commands.is_empty() {
        let shown = arguments.iter().map(|(name, value)| {
            format!("{name} = {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        });
        entries(text, "with", &shown.collect::<Vec<_>>(), MOST_OF_TEXT);
    }
}

/// All of what an answer would store: nothing is stored unseen.
fn offers(text: &mut String, question: &Question) {
    for (scope, word) in [(GrantScope::Session, "session"), (GrantScope::Permanent, "always")] {
        for rule in question.offer(scope).map_or(&[][..], |offer| &offer.rules) {
            let _ = writeln!(text, "{word} would store: {}", line(rule, usize::MAX));
        }
    }
}

#[cfg(test)]
mod tests {
    use dogu_runtime::{Asked, Offer};
    use dogu_tool::Preview;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_question_says_what_would_happen_and_why_it_asks() {
        let mut question = Question::new("execute_command", "builtin");
        question.title = Some("Run a command".to_owned());
        question.input = json!({"command": "cargo test"});
        question.said_by_model = Some("Runs the\u{202e} tests\nrisk: none".to_owned());
        question.actions = vec!["Execute(cargo test)".to_owned()];
        question.reasons = vec!["it runs a program".to_owned()];
        let rules = vec!["Execute(cargo test)".to_owned()];
        question.asked = Asked {
            offers: vec![Offer { scope: GrantScope::Session, rules }],
            commands: vec!["cargo test   caution: runs the project's code".to_owned()],
            risk: Some("caution".to_owned()),
        };
        question.preview =
            Some(Preview { summary: "Run it".to_owned(), detail: Some("a\nb".to_owned()) });
        assert_eq!(
            text_of(&question),
            "dogu asks: may this run? Run a command (execute_command, builtin)\n\
             would do: Execute(cargo test)\n\
             runs: cargo test   caution: runs the project's code\n\
             risk: caution\n\
             asks because: it runs a program\n\
             the model says: Runs the\\u{202e} tests\\nrisk: none\n\
             Run it\n  a\n  b\n\
             session would store: Execute(cargo test)"
        );
    }

    #[test]
    fn a_flood_is_bounded_and_says_so() {
        let mut question = Question::new("t", "builtin");
        question.actions = (0..500).map(|n| format!("Write({n}{})", "x".repeat(9_000))).collect();
        question.preview =
            Some(Preview { summary: "s".repeat(9_000), detail: Some("line\n".repeat(9_000)) });
        let text = text_of(&question);
        assert!(text.len() < 200_000, "{}", text.len());
        assert!(text.contains("would do: 460 more are not shown"));
        assert!(text.contains("8920 more lines are not shown"));
    }
}
