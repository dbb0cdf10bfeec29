//! What holds for every text.

use dogu_policy::command::Arg;
use dogu_policy::public_address::check_public;
use dogu_policy::rule::{Address, Match, Pattern, Rule, WordPattern};
use dogu_tool::{Action, Group, Verdict};
use proptest::prelude::*;

use crate::common::{Call, found, line, on_path, spec};

/// Texts that look like rules.
fn rule_text() -> impl Strategy<Value = String> {
    let actions = prop::sample::select(vec![
        "Execute",
        "FileRead",
        "FileReadSensitive",
        "FileWrite",
        "FileDelete",
        "Network",
        "Mcp",
        "Custom",
        "Tool",
        "",
        "Nothing",
    ]);
    let pattern = prop::sample::select(vec![
        "*", "**", "a", "b c", "/", "\\", "'", "\"", "[", "]", "{", "}", ",", "?", "(", ")", "~/",
        "https://", "x.y", ":", "@", "*.rs", "!", "-", "é", " ", "../", "dogu", "\n",
    ]);
    let pattern = prop::collection::vec(pattern, 0..9).prop_map(|parts| parts.concat());
    (actions, pattern).prop_map(|(action, pattern)| format!("{action}({pattern})"))
}

proptest! {
    #[test]
    fn reading_a_rule_never_panics(text in ".{0,60}") {
        let _ = Rule::parse(Verdict::Allow, &text);
        let _ = Rule::parse(Verdict::Deny, &text);
        let _ = Address::parse(&text);
        let _ = check_public(&text);
    }

    #[test]
    fn a_rule_reads_back_from_what_it_shows(text in rule_text()) {
        if let Ok(rule) = Rule::parse(Verdict::Deny, &text) {
            let again = Rule::parse(Verdict::Deny, &rule.to_string());
            prop_assert_eq!(again, Ok(rule));
        }
    }

    #[test]
    fn the_column_of_an_error_lies_in_the_text(text in rule_text()) {
        if let Err(error) = Rule::parse(Verdict::Allow, &text) {
            prop_assert!((1..=text.chars().count() + 1).contains(&error.column), "{}", error);
        }
    }

    #[test]
    fn an_offered_command_is_that_command_alone(
        words in prop::collection::vec(".{0,12}", 1..5),
        extra in ".{0,6}",
    ) {
        let refs: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut judged = line("x");
        judged.command.as_mut().unwrap().analysis.commands =
            vec![found(&refs, dogu_policy::Risk::Unknown)];
        judged.command.as_mut().unwrap().analysis.risk = dogu_policy::Risk::Unknown;
        let call = Call::new(spec("bash", Group::Command), vec![judged]);
        let Some(offer) = call.decide().offer else { return Ok(()) };
        prop_assert_eq!(offer.len(), 1);
        let Pattern::Execute(pattern) = &offer[0].pattern else {
            return Err(TestCaseError::fail("not about a command"));
        };
        let mut args: Vec<Arg> = words.iter().map(Arg::literal).collect();
        prop_assert_eq!(pattern.matches(&args, true), Match::Yes);
        args.push(Arg::literal(extra));
        prop_assert_eq!(pattern.matches(&args, true), Match::No);
        prop_assert_eq!(pattern.matches(&args[..words.len() - 1], true), Match::No);
    }

    #[test]
    fn an_offered_file_is_that_file_alone(name in "[^/\0]{1,20}", other in "[^/\0]{1,20}") {
        prop_assume!(name != other && !matches!(name.as_str(), "." | ".."));
        let write = |name: &str| Call::new(
            spec("write_file", Group::Edit),
            vec![on_path(Action::write(name))],
        );
        let decision = write(&name).decide();
        let Some(offer) = decision.offer else { return Ok(()) };
        let text = offer[0].to_string();
        let granted = |call: Call| call.with(&[&format!("always {text}")]).verdict();
        prop_assert_eq!(granted(write(&name)), Verdict::Allow);
        prop_assert_ne!(granted(write(&other)), Verdict::Allow);
    }

    #[test]
    fn an_offered_address_is_that_address_alone(path in "[a-z*/%?=.]{0,12}", more in "[a-z?/]{1,4}") {
        let url = format!("https://docs.rs/{path}");
        let Some(offer) = Call::fetch(&url).decide().offer else { return Ok(()) };
        let granted = |url: &str| {
            let mut call = Call::fetch(url);
            call.engine.user.rules.extend(offer.clone());
            call.verdict()
        };
        prop_assert_eq!(granted(&url), Verdict::Allow);
        prop_assert_eq!(granted(&format!("{url}{more}")), Verdict::Ask);
    }

    #[test]
    fn words_without_wildcards_match_themselves(words in prop::collection::vec("\\PC{0,8}", 1..4)) {
        let pattern = WordPattern::literal(words.iter().map(String::as_str));
        let again = WordPattern::parse(&pattern.to_string());
        prop_assert_eq!(again, Ok(pattern));
    }
}
