//! The question of a server behind the gate, at the terminal.
//!
//! A server may say anything, also what dogu says when it asks for a permission. So all its words
//! stand behind a bar (`  | `), made safe as whatever comes from others, and never on the line
//! where the person types: that one is dogu's own and names the server. What is answered here goes
//! to the server and nowhere else.

mod field;

use std::io::Result;

use dogu_gateway::{Elicitation, Reply, Wants};
use reqwest::Url;
use serde_json::{Map, Value};

use super::dialog::{Console, confirm};
use crate::show::{Layout, cut_middle, cut_text, escaped_as, exact, lookalikes};
use field::{Field, Said};

/// How many lines of a server's words are shown, and how much of each.
const MOST_LINES: usize = 60;
const MOST_OF_LINE: usize = 500;
/// How much of a server's name is shown where the person types.
const MOST_OF_NAME: usize = 40;

/// Shows a server's question and asks until the answer is clear.
pub(super) fn ask(console: &mut impl Console, question: &Elicitation) -> Result<Reply> {
    let server = exact(&cut_text(&question.server, MOST_OF_NAME), Layout::Line).into_owned();
    match &question.wants {
        Wants::Values(schema) => Form { server: &server, console }.fill(question, schema),
        Wants::Visit(address) => visit(console, &server, question, address),
    }
}

/// The words of a server, behind a bar.
fn words(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (head, hidden, tail) = cut_middle(&lines, MOST_LINES);
    let bar = |line: &&str| {
        let line = cut_text(line, MOST_OF_LINE);
        format!("  | {}\n", escaped_as(&line, Layout::Line))
    };
    let mut shown: String = head.iter().map(bar).collect();
    if hidden > 0 {
        shown.push_str(&format!("  ({hidden} lines are not shown)\n"));
    }
    shown.extend(tail.iter().map(bar));
    shown
}

/// A visit: the whole address, which nobody opens but the person.
fn visit(
    console: &mut impl Console,
    server: &str,
    question: &Elicitation,
    address: &str,
) -> Result<Reply> {
    let mut page = format!(
        "\nThe MCP server {server} wants you to visit an address. These are its words, not dogu's:\n{}",
        words(&question.message)
    );
    page.push_str(&format!("  the address: {}\n", exact(address, Layout::Line)));
    // What stands before an `@` is no host, whatever it looks like.
    if let Some(host) = Url::parse(address).ok().as_ref().and_then(Url::host_str) {
        page.push_str(&format!("  which is at: {}\n", exact(host, Layout::Line)));
    }
    for word in lookalikes(address) {
        page.push_str(&format!("  warning: contains letters that look like others: {word}\n"));
    }
    let asked =
        format!("dogu opens nothing. Will you visit it yourself for {server}? [y]es, [n]o: ");
    let yes = confirm(console, &page, &asked)?;
    Ok(if yes { Reply::Accept(Value::Null) } else { Reply::Decline })
}

/// The talk about one form.
struct Form<'a, C> {
    server: &'a str,
    console: &'a mut C,
}

impl<C: Console> Form<'_, C> {
    fn fill(&mut self, question: &Elicitation, schema: &Value) -> Result<Reply> {
        let server = self.server;
        self.console.say(&format!(
            "\nThe MCP server {server} asks you something. These are its words, not dogu's:\n{}",
            words(&question.message)
        ))?;
        let fields = match Field::all(schema) {
            Ok(fields) => fields,
            Err(why) => {
                self.console.say(&format!("  It is declined: {why}.\n"))?;
                return Ok(Reply::Decline);
            }
        };
        let asked = format!("answer to {server}: do you agree? [y]es, [n]o: ");
        if fields.is_empty() {
            let yes = confirm(self.console, "", &asked)?;
            return Ok(if yes { Reply::Accept(Value::Object(Map::new())) } else { Reply::Decline });
        }
        self.console.say(&format!(
            "What you type goes to {server}: give it no passwords and no keys. `/decline` says no, `/cancel` closes the question.\n"
        ))?;
        self.values(&fields)
    }

    fn values(&mut self, fields: &[Field]) -> Result<Reply> {
        let mut values = Map::new();
        for (at, field) in fields.iter().enumerate() {
            match self.value(field, at + 1, fields.len())? {
                Said::Value(value) => drop(values.insert(field.name.clone(), value)),
                Said::Nothing => {}
                Said::Decline => return Ok(Reply::Decline),
                Said::Cancel => return Ok(Reply::Cancel),
            }
        }
        if fields.len() > 1 {
            let mut page = format!("This would be sent to {}:\n", self.server);
            page.extend(values.iter().map(|(name, value)| words(&format!("{name}: {value}"))));
            let asked = format!("answer to {}: send it? [y]es, [n]o: ", self.server);
            if !confirm(self.console, &page, &asked)? {
                return Ok(Reply::Decline);
            }
        }
        Ok(Reply::Accept(Value::Object(values)))
    }

    /// Asks for one value until there is one that fits.
    fn value(&mut self, field: &Field, number: usize, of: usize) -> Result<Said> {
        let mut page = format!("{number} of {of}:\n{}", words(&field.about()));
        page.push_str(&field.choices());
        page.push_str(&format!("  {}\n", field.rules()));
        page.extend(field.default_text().map(words));
        self.console.say(&page)?;
        let asked = format!("answer to {} ({}): ", self.server, field.wanted());
        loop {
            // The end of input closes the question.
            let Some(line) = self.console.hear(&asked)? else {
                self.console.say("\n")?;
                return Ok(Said::Cancel);
            };
            match field.read(&line) {
                Ok(said) => return Ok(said),
                Err(why) => self.console.say(&format!("  {why}\n"))?,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::prompt::dialog::tests::Typist;

    fn asked(message: &str, wants: Wants, lines: &[&'static str]) -> (Reply, String) {
        let question = Elicitation {
            server: "mail".to_owned(),
            message: message.to_owned(),
            wants,
            call: None,
        };
        let mut typist = Typist::new(lines);
        let reply = ask(&mut typist, &question).unwrap();
        assert!(typist.is_done(), "asked until it was clear: {}", typist.seen);
        (reply, typist.seen)
    }

    fn form(schema: Value, lines: &[&'static str]) -> (Reply, String) {
        asked("Who are you?", Wants::Values(schema), lines)
    }

    #[test]
    fn a_form_is_asked_field_by_field() {
        let schema = json!({"type": "object", "required": ["name", "size"], "properties": {
            "name": {"type": "string", "title": "Your name", "minLength": 2},
            "size": {"type": "string", "enum": ["s", "m", "l"], "default": "m"},
            "age": {"type": "integer", "minimum": 0, "description": "in years"},
            "news": {"type": "boolean", "default": false},
            "from": {"type": "string", "default": "a friend\nof mine"},
        }});
        let (reply, seen) = form(schema, &["K", "Kim", "", "old", "", "y", "", "y"]);
        assert_eq!(
            reply,
            Reply::Accept(
                json!({"name": "Kim", "size": "m", "news": true, "from": "a friend\nof mine"})
            )
        );
        assert_snapshot!(seen, @r#"
        The MCP server mail asks you something. These are its words, not dogu's:
          | Who are you?
        What you type goes to mail: give it no passwords and no keys. `/decline` says no, `/cancel` closes the question.
        1 of 5:
          | Your name
          at least 2 characters; it is required
        answer to mail (a text): K
          It has to be at least 2 characters.
        answer to mail (a text): Kim
        2 of 5:
          | size
          | 1. s
          | 2. m
          | 3. l
          an empty line is 2
        answer to mail (the number of one): 
        3 of 5:
          | age
          | in years
          at least 0; an empty line leaves it out
        answer to mail (a whole number): old
          That is no whole number.
        answer to mail (a whole number): 
        4 of 5:
          | news
          an empty line is no
        answer to mail (yes or no): y
        5 of 5:
          | from
          an empty line is this text:
          | a friend
          | of mine
        answer to mail (a text): 
        This would be sent to mail:
          | name: "Kim"
          | size: "m"
          | news: true
          | from: "a friend\nof mine"
        answer to mail: send it? [y]es, [n]o: y
        "#);
    }

    #[test]
    fn every_way_to_say_no_is_one() {
        let schema = || {
            json!({"type": "object", "properties": {
                "a": {"type": "string"}, "b": {"type": "string"}}})
        };
        for (lines, reply) in [
            (&["/decline"][..], Reply::Decline),
            (&["x", "/decline"], Reply::Decline),
            (&["/cancel"], Reply::Cancel),
            (&["x", "/cancel"], Reply::Cancel),
            (&[], Reply::Cancel),
            (&["x"], Reply::Cancel),
            (&["x", "y", "n"], Reply::Decline),
            (&["x", "y", ""], Reply::Decline),
        ] {
            assert_eq!(form(schema(), lines).0, reply, "{lines:?}");
        }
        let quoted = form(schema(), &["\"/decline\"", "", "y"]).0;
        assert_eq!(quoted, Reply::Accept(json!({"a": "/decline"})));
    }

    #[test]
    fn a_form_without_fields_is_a_yes_or_no() {
        let empty = || json!({"type": "object", "properties": {}});
        assert_eq!(form(empty(), &["yes"]).0, Reply::Accept(json!({})));
        assert_eq!(form(empty(), &["a"]).0, Reply::Decline);
    }

    #[test]
    fn what_cannot_be_asked_is_declined_and_said() {
        for schema in [
            json!({"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]}),
            json!({"type": "object", "properties": {"a": {"type": "string", "enum": []}}, "required": ["a"]}),
            json!({"type": "object", "properties": (0..200).map(|n| (n.to_string(), json!({"type": "string"}))).collect::<Map<_, _>>()}),
            json!("nonsense"),
        ] {
            let (reply, seen) = form(schema, &[]);
            assert_eq!(reply, Reply::Decline);
            assert!(seen.contains("It is declined: "), "{seen}");
        }
    }

    #[test]
    fn an_address_is_shown_whole_and_its_host_is_named() {
        let address = "https://bank.example@evil.example/login?next=1";
        let wants = || Wants::Visit(address.to_owned());
        let (reply, seen) = asked("Log in first", wants(), &["y"]);
        assert_eq!(reply, Reply::Accept(Value::Null));
        assert_snapshot!(seen, @"
        The MCP server mail wants you to visit an address. These are its words, not dogu's:
          | Log in first
          the address: https://bank.example@evil.example/login?next=1
          which is at: evil.example
        dogu opens nothing. Will you visit it yourself for mail? [y]es, [n]o: y
        ");
        assert_eq!(asked("", wants(), &["n"]).0, Reply::Decline);
        assert_eq!(asked("", wants(), &[]).0, Reply::Decline);
        let odd = Wants::Visit("https://p\u{430}ypal.example/".to_owned());
        let (_, seen) = asked("", odd, &["n"]);
        assert!(seen.contains("letters that look like others"), "{seen}");
    }

    /// What dogu says when it asks for a permission, and what it could be taken for.
    const OWN: &str = "\nRun a command (execute_command, builtin)\n  would do: Execute(ls)\nAllow? [y]es, [n]o, or no with a word to the model: ";

    #[test]
    fn a_servers_words_never_look_like_dogus_own() {
        let choices = json!({"type": "string", "enum": [OWN], "title": OWN, "description": OWN});
        let schema = json!({"type": "object", "properties": {OWN: choices}});
        let (_, seen) = asked(OWN, Wants::Values(schema), &["1"]);
        assert_bars(&seen);
    }

    /// Every line is behind the bar, or is one of dogu's own, of which none is a question of its.
    fn assert_bars(seen: &str) {
        for line in seen.lines().filter(|line| !line.trim_start().starts_with('|')) {
            assert!(!line.contains("Allow?") && !line.contains("would do"), "{line:?} in {seen}");
        }
    }

    proptest! {
        #[test]
        fn whatever_a_server_says_stays_behind_the_bar(
            text in "(Allow\\?|would do: x|\\n|\\r|\\x1b\\[2J|\u{202e}|[a-z :|]){0,40}",
            name in "(Allow\\?|\\n|[a-z]){0,10}",
        ) {
            let schema = json!({"type": "object", "properties": {
                name.clone(): {"type": "string", "title": text, "default": text,
                    "enum": [text.clone(), name]}}});
            let (_, seen) = asked(&text, Wants::Values(schema), &["/decline"]);
            assert_bars(&seen);
            let obeyed = seen.contains(['\u{1b}', '\r', '\u{202e}']);
            prop_assert!(!obeyed, "{:?}", seen);
        }
    }
}
