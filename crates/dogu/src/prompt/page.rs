//! What a person sees of a question: the tool, what it would do, why it asks, what would be
//! stored. All of it may come from a model, so none of it is shown as it came.

use std::collections::BTreeSet;

use dogu_runtime::{GrantScope, Question};
use serde_json::Value;

use crate::show::{Layout, cut_middle, cut_text, escaped, exact, lookalikes};

/// How much of one action is shown; a command line that is longer is not even parsed.
const MOST_OF_ACTION: usize = 64 * 1024;

/// How much is shown of an argument, of a line of a preview and of what the model says.
const MOST_OF_TEXT: usize = 1_000;

/// How many lines of a preview are shown.
const MOST_LINES: usize = 200;

/// How many actions, commands and reasons are shown.
const MOST_ENTRIES: usize = 100;

/// The text of a question.
pub(super) fn text_of(question: &Question) -> String {
    let mut page = Page::default();
    page.head(question);
    page.preview(question);
    page.arguments(question);
    if let Some(said) = &question.said_by_model {
        page.line("the model says: ", &cut_text(said, MOST_OF_TEXT));
    }
    page.entries("would do", &question.actions);
    page.commands(question);
    page.entries("asks because", &question.reasons);
    page.offers(question);
    page.warnings();
    page.text
}

/// A rule as it would be stored.
pub(super) fn rule(before: &str, rule: &str) -> String {
    format!("{before}{}\n", exact(rule, Layout::Line))
}

#[derive(Default)]
struct Page {
    text: String,
    suspects: BTreeSet<String>,
}

impl Page {
    fn head(&mut self, question: &Question) {
        let title = question.title.as_deref().unwrap_or(&question.tool);
        let head = format!("{title} ({}, {})", question.tool, question.source);
        let head = self.exact(&head);
        self.text.push_str(&format!("\n{head}\n"));
        if let Some(summary) = &question.summary {
            self.line("", summary);
        }
    }

    fn preview(&mut self, question: &Question) {
        let Some(preview) = &question.preview else { return };
        self.line("", &preview.summary);
        let lines: Vec<&str> = preview.detail.iter().flat_map(|detail| detail.lines()).collect();
        let (head, hidden, tail) = cut_middle(&lines, MOST_LINES);
        self.content(head);
        if hidden > 0 {
            self.text.push_str(&format!("  … {hidden} lines are not shown …\n"));
        }
        self.content(tail);
    }

    fn content(&mut self, lines: &[&str]) {
        for line in lines {
            self.text.push_str(&format!("  {}\n", escaped(&cut_text(line, MOST_OF_TEXT))));
        }
    }

    /// Where the tool shows nothing of its own, its arguments say what it would do.
    fn arguments(&mut self, question: &Question) {
        let Value::Object(arguments) = &question.input else { return };
        if question.preview.is_some() || !question.asked.commands.is_empty() {
            return;
        }
        let said = question.said_by_model.is_some();
        for (name, value) in arguments.iter().filter(|(name, _)| !said || *name != "description") {
            let label = format!("with {}", self.exact(name));
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            self.entry(&label, &cut_text(&value, MOST_OF_TEXT));
        }
    }

    fn entries(&mut self, label: &str, entries: &[String]) {
        let (head, hidden, tail) = cut_middle(entries, MOST_ENTRIES);
        for entry in head {
            self.entry(label, entry);
        }
        if hidden > 0 {
            self.text.push_str(&format!("  {label}: … {hidden} more are not shown …\n"));
        }
        for entry in tail {
            self.entry(label, entry);
        }
    }

    /// Whole, with its lines counted: what scrolled away is missed.
    fn entry(&mut self, label: &str, entry: &str) {
        let entry = cut_text(entry, MOST_OF_ACTION);
        let characters = entry.chars().count();
        let lines: Vec<&str> = entry.split('\n').collect();
        if lines.len() == 1 && characters <= MOST_OF_TEXT {
            return self.line(&format!("{label}: "), &entry);
        }
        let count =
            if lines.len() == 1 { String::new() } else { format!("{} lines, ", lines.len()) };
        self.text.push_str(&format!("  {label} ({count}{characters} characters):\n"));
        for line in lines {
            self.line("  | ", line);
        }
    }

    fn commands(&mut self, question: &Question) {
        if !question.asked.commands.is_empty() {
            self.entries("runs", &question.asked.commands);
        }
        if let Some(risk) = &question.asked.risk {
            self.line("risk: ", risk);
        }
    }

    fn offers(&mut self, question: &Question) {
        let rules = |scope| question.offer(scope).map_or(&[][..], |offer| &offer.rules);
        let (session, always) = (rules(GrantScope::Session), rules(GrantScope::Permanent));
        if session == always {
            return self.stores("session/always", session);
        }
        self.stores("session", session);
        self.stores("always", always);
    }

    /// All of them: nothing is stored unseen.
    fn stores(&mut self, answer: &str, rules: &[String]) {
        for rule in rules {
            self.line(&format!("{answer} would store: "), rule);
        }
    }

    fn warnings(&mut self) {
        for word in &self.suspects {
            let warning = format!("  warning: contains letters that look like others: {word}\n");
            self.text.push_str(&warning);
        }
    }

    fn line(&mut self, label: &str, text: &str) {
        let line = format!("  {label}{}\n", self.exact(text));
        self.text.push_str(&line);
    }

    fn exact(&mut self, text: &str) -> String {
        self.suspects.extend(lookalikes(text));
        exact(text, Layout::Line).into_owned()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use dogu_runtime::{Asked, Offer};
    use dogu_tool::Preview;
    use insta::assert_snapshot;
    use serde_json::json;

    use super::*;

    /// A question about `cargo test` with these offers.
    pub(in crate::prompt) fn question(offers: &[(GrantScope, &[&str])]) -> Question {
        let offers = offers.iter().map(|(scope, rules)| Offer {
            scope: *scope,
            rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
        });
        let mut question = Question::new("execute_command", "builtin");
        question.title = Some("Run a command".to_owned());
        question.input = json!({"command": "cargo test", "description": "Runs the tests"});
        question.said_by_model = Some("Runs the tests".to_owned());
        question.actions = vec!["Execute(cargo test)".to_owned()];
        question.reasons = vec!["it runs a program".to_owned()];
        question.asked = Asked {
            offers: offers.collect(),
            commands: vec!["cargo test   caution: runs the project's code".to_owned()],
            risk: Some("caution".to_owned()),
        };
        question
    }

    #[test]
    fn a_command_is_shown_with_its_parts_and_what_would_be_stored() {
        let rules: &[&str] = &["Execute(cargo test)"];
        let asked = question(&[(GrantScope::Session, rules), (GrantScope::Permanent, rules)]);
        assert_snapshot!(text_of(&asked), @"
        Run a command (execute_command, builtin)
          the model says: Runs the tests
          would do: Execute(cargo test)
          runs: cargo test   caution: runs the project's code
          risk: caution
          asks because: it runs a program
          session/always would store: Execute(cargo test)
        ");
        let asked = question(&[(GrantScope::Session, &["Execute(cargo *)"])]);
        assert!(text_of(&asked).contains("  session would store: Execute(cargo *)\n"));
    }

    #[test]
    fn a_line_of_many_lines_is_whole_and_counted() {
        let mut asked = question(&[]);
        let middle = "x".repeat(50_000);
        asked.actions = vec![format!("Execute(echo a\n\n{middle}; rm b\n)")];
        let text = text_of(&asked);
        assert!(
            text.contains(
                "  would do (4 lines, 50024 characters):\n    | Execute(echo a\n    | \n    | xx"
            ),
            "{}",
            &text[..300]
        );
        assert!(text.contains("xx; rm b\n    | )\n"));
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let mut asked = question(&[]);
        let detail = (0..1_000).map(|n| format!("+ {n}\n")).collect();
        asked.preview = Some(Preview { summary: "Create a".to_owned(), detail: Some(detail) });
        asked.actions = (0..300).map(|n| format!("FileWrite({n})")).collect();
        let text = text_of(&asked);
        assert!(text.contains("  + 99\n  … 800 lines are not shown …\n  + 900\n"), "{text}");
        assert!(text.contains("  would do: … 200 more are not shown …\n"), "{text}");
        assert!(text.contains("  would do: FileWrite(299)\n"), "{text}");
    }

    #[test]
    fn nothing_in_a_question_can_pretend_to_be_another_part_of_it() {
        let mut asked = question(&[]);
        asked.title = Some("Harmless\n  would do: nothing\u{1b}[8m".to_owned());
        asked.said_by_model = Some("fine\nAllow? yes\u{202e}".to_owned());
        asked.asked.commands = vec!["g\u{456}t push".to_owned()];
        let text = text_of(&asked);
        assert!(!text.contains("\n  would do: nothing") && !text.contains("\nAllow?"), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{456}']), "{text}");
        let warning = "  warning: contains letters that look like others: g\\u{456}t\n";
        assert!(text.ends_with(warning), "{text}");
    }

    #[test]
    fn a_tool_that_shows_nothing_is_shown_by_its_arguments() {
        let mut asked = question(&[]);
        asked.asked.commands.clear();
        asked.actions = vec!["Mcp(mail/send)".to_owned()];
        asked.input = json!({"to": "x@example.org", "text": "a\nb"});
        let text = text_of(&asked);
        let shown =
            "  with to: x@example.org\n  with text (2 lines, 3 characters):\n    | a\n    | b\n";
        assert!(text.contains(shown), "{text}");
    }
}
