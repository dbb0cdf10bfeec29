//! Nothing that is given makes a judgement fail.

use proptest::prelude::*;

use super::*;
use crate::command::{fetches, interprets_stdin, runs_more, without_leading_options};

fn arg() -> impl Strategy<Value = Arg> {
    let known = prop_oneof![
        "[-+a-z0-9=/.~*{};!()\\[\\]]{0,8}",
        "-{1,2}[a-zA-Z0-9=é]{0,6}",
        Just("--".to_owned()),
        Just("-exec".to_owned()),
        Just("{}".to_owned()),
        Just(";".to_owned()),
        Just("s/a/b/".to_owned()),
        "\\PC{0,6}",
    ];
    (known, 0..5u8, any::<bool>()).prop_map(|(text, kind, flag)| match kind {
        0 => Arg::Glob(text),
        1 => Arg::Unknown { starts: text, one: flag },
        2 => Arg::Listed { below: vec![text], exact: flag },
        3 if flag => Arg::Input,
        _ => Arg::Literal(text),
    })
}

fn name() -> impl Strategy<Value = String> {
    let names = [
        "find", "sed", "awk", "git", "cargo", "xargs", "env", "sudo", "bash", "python", "test",
        "[", "tar", "rm", "cp", "grep", "sort", "printf", "date", "kill", "nice", "docker", "ssh",
        "export", "jq", "mv", "rsync", "make", "vim", "npm", "scp",
    ];
    prop::sample::select(names.to_vec()).prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn any_words_are_judged(words in prop::collection::vec(arg(), 0..8)) {
        judge(&words);
        fetches(&words);
        interprets_stdin(&words);
        runs_more(&words);
        without_leading_options(&words);
    }

    #[test]
    fn any_words_after_a_known_name_are_judged(
        name in name(),
        args in prop::collection::vec(arg(), 0..8),
    ) {
        let mut words = vec![Arg::Literal(name)];
        words.extend(args);
        let effects = judge(&words);
        prop_assert!(!effects.reason.is_empty());
        prop_assert!(effects.risk != Risk::Interactive || effects.hint.is_some());
        fetches(&words);
        interprets_stdin(&words);
        runs_more(&words);
        without_leading_options(&words);
    }

    #[test]
    fn texts_of_sed_and_awk_are_read_to_their_end(text in "[-swepy/\\[\\]{};a\\\\\n0-9$!,|>\"@: ]{0,24}") {
        judge(&[Arg::literal("sed"), Arg::literal(text.as_str())]);
        judge(&[Arg::literal("awk"), Arg::literal(text)]);
    }
}
