//! For any text: no panic, nothing outside of the spans changes, and a corrupted edit gives
//! exactly what was meant or a refusal.

mod support;

use dogu_edit::{Edit, Outcome, apply};
use proptest::prelude::*;
use support::check_outside;

/// A file of lines that are all different, with indents.
fn file() -> impl Strategy<Value = Vec<String>> {
    let line = (0_usize..4, "[a-z]{3,8}", "[a-z]{3,8}");
    prop::collection::vec(line, 6..30).prop_map(|lines| {
        let lines = lines.into_iter().enumerate();
        lines
            .map(|(n, (depth, a, b))| format!("{}{a}{n}(\"{b}\", {n});", "    ".repeat(depth)))
            .collect()
    })
}

/// What a model does to old and new alike.
type Corruption = fn(&str) -> String;

fn shift(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn tabs(text: &str) -> String {
    text.replace("    ", "\t")
}

fn curly(text: &str) -> String {
    text.replace('"', "\u{201d}")
}

fn crlf(text: &str) -> String {
    text.replace('\n', "\r\n")
}

fn blank(text: &str) -> String {
    text.replace('\n', "\n\n")
}

fn trailing(text: &str) -> String {
    text.replace('\n', "  \n")
}

fn fence(text: &str) -> String {
    format!("```\n{text}\n```")
}

fn numbers(text: &str) -> String {
    text.lines()
        .enumerate()
        .map(|(n, line)| format!("{:>6}\t{line}", n + 7))
        .collect::<Vec<_>>()
        .join("\n")
}

fn escaped(text: &str) -> String {
    text.replace('"', "\\\"").replace('\n', "\\n")
}

const CORRUPTIONS: [Corruption; 9] =
    [shift, tabs, curly, crlf, blank, trailing, fence, numbers, escaped];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_strings_never_panic(content in any::<String>(), old in any::<String>(), new in any::<String>()) {
        if let Ok(Outcome::Applied(applied)) = apply(&content, &Edit::new(&old, &new)) {
            check_outside(&content, &applied);
        }
    }

    #[test]
    fn odd_strings_never_panic(content in "[ab \t\n\r\"'.#/\\\\,;(){}\u{201c}\u{e9}\u{301}\u{200b}0-3]{0,80}", old in "[ab \t\n\r\"'.#/\\\\,;(){}\u{201c}\u{e9}\u{301}\u{200b}0-3]{0,30}", new in "[ab \t\n\"'.#/;()]{0,30}") {
        if let Ok(Outcome::Applied(applied)) = apply(&content, &Edit::new(&old, &new)) {
            check_outside(&content, &applied);
        }
    }

    #[test]
    fn pieces_of_a_text_never_panic(content in "[ab \t\n\r.#,;()]{1,120}", from in 0_usize..120, len in 1_usize..60, new in "[ab \n#;]{0,20}") {
        let from = from.min(content.len());
        let to = (from + len).min(content.len());
        let old = content[from..to].replace(' ', "");
        if let Ok(Outcome::Applied(applied)) = apply(&content, &Edit::new(&old, &new)) {
            check_outside(&content, &applied);
        }
    }

    #[test]
    fn b3_meant_or_refused(lines in file(), from in 0_usize..100, len in 2_usize..8, kind in 0_usize..5, first in 0_usize..9, second in 0_usize..9) {
        let from = from % (lines.len() - 1);
        let to = (from + len).min(lines.len());
        let block = &lines[from..to];
        let mut changed = block.to_vec();
        let at = kind % changed.len();
        match kind {
            0 => changed[at] = changed[at].replace("(\"", "_renamed(\""),
            1 => changed.insert(at + 1, format!("{}added(\"line\");", " ".repeat(block[at].len() - block[at].trim_start().len()))),
            2 if changed.len() > 2 => { changed.remove(1); }
            _ => changed[at] = changed[at].replace(");", ", true);"),
        }
        let content = lines.join("\n") + "\n";
        let mut wanted = lines[..from].to_vec();
        wanted.extend(changed.clone());
        wanted.extend(lines[to..].to_vec());
        let wanted = wanted.join("\n") + "\n";
        let corrupt = |text: &str| {
            let once = CORRUPTIONS[first](text);
            if second == first { once } else { CORRUPTIONS[second](&once) }
        };
        let (old, new) = (corrupt(&block.join("\n")), corrupt(&changed.join("\n")));
        match apply(&content, &Edit::new(&old, &new)) {
            Ok(Outcome::Applied(applied)) => {
                check_outside(&content, &applied);
                prop_assert_eq!(&applied.text, &wanted, "old {:?} new {:?} at {}", old, new, applied.level);
                let again = apply(&applied.text, &Edit::new(&old, &new));
                let stays = match again { Ok(Outcome::Applied(twice)) => twice.text == wanted, _ => true };
                prop_assert!(stays, "applied twice: {:?} {:?}", old, new);
            }
            Ok(Outcome::AlreadyApplied { .. }) => prop_assert!(false, "not applied yet: {:?}", old),
            Err(_) => {}
        }
    }

    #[test]
    fn every_single_corruption_is_undone(lines in file(), from in 0_usize..100, kind in 0_usize..9) {
        let from = from % (lines.len() - 3);
        let block = &lines[from..from + 3];
        let mut changed = block.to_vec();
        changed[1] = changed[1].replace("(\"", "_renamed(\"");
        let content = lines.join("\n") + "\n";
        let wanted = content.replace(&block[1], &changed[1]);
        let corrupt = CORRUPTIONS[kind];
        let outcome = apply(&content, &Edit::new(&corrupt(&block.join("\n")), &corrupt(&changed.join("\n"))));
        match outcome {
            Ok(Outcome::Applied(applied)) => prop_assert_eq!(applied.text, wanted),
            other => prop_assert!(false, "{:?}", other),
        }
    }
}
