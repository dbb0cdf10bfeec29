//! The talk about one question, whatever it is held on.

use std::io::Result;

use dogu_runtime::{Answer, GrantScope, Question};

use super::page;

/// Where a person reads and types.
pub(super) trait Console {
    /// Shows a text.
    fn say(&mut self, text: &str) -> Result<()>;

    /// Shows what is asked and waits for a line; nothing at the end of input. What was typed
    /// before does not count.
    fn hear(&mut self, asked: &str) -> Result<Option<String>>;
}

/// What a line means.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Yes,
    Session,
    Always,
    No,
    Word(String),
    Nothing,
    Unclear,
}

/// Shows a question and asks until the answer is clear.
pub(super) fn ask(console: &mut impl Console, question: &Question) -> Result<Answer> {
    console.say(&page::text_of(question))?;
    let asked = asked_line(question);
    loop {
        let Some(line) = console.hear(&asked)? else { return Ok(Answer::no()) };
        match meaning(&line, question) {
            Said::Yes => return Ok(Answer::yes()),
            Said::Session => return Ok(Answer::Allow { scope: GrantScope::Session }),
            Said::Always if is_meant(console, question)? => {
                return Ok(Answer::Allow { scope: GrantScope::Permanent });
            }
            Said::No => return Ok(Answer::no()),
            Said::Word(word) => return Ok(Answer::no_because(word)),
            Said::Always | Said::Nothing => {}
            Said::Unclear => console.say("That is none of the answers.\n")?,
        }
    }
}

/// Shows a text and asks once. Only `y` and `yes` are a yes: what is not clear is none.
pub(super) fn confirm(console: &mut impl Console, text: &str, asked: &str) -> Result<bool> {
    console.say(text)?;
    let line = console.hear(asked)?.unwrap_or_default();
    Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn meaning(line: &str, question: &Question) -> Said {
    let offered = |scope, said| if question.offer(scope).is_some() { said } else { Said::Unclear };
    let line = line.trim();
    match line.to_lowercase().as_str() {
        "" => Said::Nothing,
        "y" | "yes" => Said::Yes,
        "n" | "no" => Said::No,
        "s" | "session" => offered(GrantScope::Session, Said::Session),
        "a" | "always" => offered(GrantScope::Permanent, Said::Always),
        // One stray key is not a word.
        _ if line.chars().count() == 1 => Said::Unclear,
        _ => Said::Word(line.to_owned()),
    }
}

/// What counts for good is never one key: the rules are shown again, and `yes` is typed in full.
fn is_meant(console: &mut impl Console, question: &Question) -> Result<bool> {
    let rules = question.offer(GrantScope::Permanent).map_or(&[][..], |offer| &offer.rules);
    console.say(&rules.iter().map(|rule| page::rule("  ", rule)).collect::<String>())?;
    let which = if rules.len() == 1 { "this rule" } else { "these rules" };
    let line = console.hear(&format!("Store {which} for good? type yes: "))?;
    Ok(line.is_some_and(|line| line.trim() == "yes"))
}

fn asked_line(question: &Question) -> String {
    let session = question.offer(GrantScope::Session).map_or("", |_| "[s]ession, ");
    let always = question.offer(GrantScope::Permanent).map_or("", |_| "[a]lways, ");
    format!("Allow? [y]es, {session}{always}[n]o, or no with a word to the model: ")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::prompt::page::tests::question;

    /// Types its lines in order and keeps what it is shown.
    pub(in crate::prompt) struct Typist {
        lines: std::collections::VecDeque<&'static str>,
        pub(in crate::prompt) seen: String,
    }

    impl Typist {
        pub(in crate::prompt) fn new(lines: &[&'static str]) -> Self {
            Self { lines: lines.iter().copied().collect(), seen: String::new() }
        }

        pub(in crate::prompt) fn is_done(&self) -> bool {
            self.lines.is_empty()
        }
    }

    impl Console for Typist {
        fn say(&mut self, text: &str) -> Result<()> {
            self.seen.push_str(text);
            Ok(())
        }

        fn hear(&mut self, asked: &str) -> Result<Option<String>> {
            self.seen.push_str(asked);
            let line = self.lines.pop_front();
            self.seen.push_str(&format!("{}\n", line.unwrap_or("^D")));
            Ok(line.map(|line| format!("{line}\n")))
        }
    }

    fn typed(question: &Question, lines: &[&'static str]) -> (Answer, String) {
        let mut typist = Typist::new(lines);
        let answer = ask(&mut typist, question).unwrap();
        assert!(typist.is_done(), "asked until it was clear: {}", typist.seen);
        (answer, typist.seen)
    }

    fn offered() -> Question {
        question(&[
            (GrantScope::Session, &["Execute(cargo test)"]),
            (GrantScope::Permanent, &["Execute(cargo test)"]),
        ])
    }

    fn allow(scope: GrantScope) -> Answer {
        Answer::Allow { scope }
    }

    #[test]
    fn every_answer_is_heard() {
        for (lines, answer) in [
            (&["y"][..], Answer::yes()),
            (&["Yes"], Answer::yes()),
            (&["s"], allow(GrantScope::Session)),
            (&["n"], Answer::no()),
            (&[], Answer::no()),
            (&["", "", "no"], Answer::no()),
            (&["x", "y"], Answer::yes()),
            (&["use b.txt"], Answer::no_because("use b.txt")),
            (&["yes but not there"], Answer::no_because("yes but not there")),
        ] {
            assert_eq!(typed(&offered(), lines).0, answer, "{lines:?}");
        }
    }

    #[test]
    fn only_a_plain_yes_confirms() {
        for (typed, meant) in [("y", true), ("Yes", true), ("", false), ("n", false), ("yo", false)]
        {
            let mut typist = Typist::new(&[typed]);
            assert_eq!(confirm(&mut typist, "All of it.\n", "Sure? ").unwrap(), meant, "{typed}");
            assert!(typist.seen.starts_with("All of it.\nSure? "));
        }
        let mut gone = Typist::new(&[]);
        assert!(!confirm(&mut gone, "", "Sure? ").unwrap());
    }

    #[test]
    fn always_is_never_one_key() {
        let (answer, seen) = typed(&offered(), &["a", "yes"]);
        assert_eq!(answer, allow(GrantScope::Permanent));
        assert!(
            seen.contains("  Execute(cargo test)\nStore this rule for good? type yes: yes\n"),
            "{seen}"
        );
        for stray in ["y", "a", "", "no"] {
            assert_eq!(typed(&offered(), &["a", stray, "n"]).0, Answer::no(), "{stray}");
        }
        assert_eq!(typed(&offered(), &["always", "n", "y"]).0, Answer::yes());
    }

    #[test]
    fn what_is_not_offered_is_neither_shown_nor_taken() {
        let plain = question(&[(GrantScope::Permanent, &[])]);
        let (answer, seen) = typed(&plain, &["s", "a", "always", "session", "y"]);
        assert_eq!(answer, Answer::yes());
        assert!(!seen.contains("[s]ession") && !seen.contains("[a]lways"), "{seen}");
        assert!(seen.contains("Allow? [y]es, [n]o, or no with a word to the model: "), "{seen}");
    }
}
