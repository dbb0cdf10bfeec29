//! What holds for every document.

use dogu_install::{Client, Outcome, edit};
use proptest::prelude::*;

use crate::documents::{Document, any_document};
use crate::support::{World, entry, http, stdio};

/// Every line of `before` is in `after`, in order; a line may have got a comma, and that of the
/// container itself may have been opened.
fn keeps_lines(before: &str, after: &str, container: &str) -> Result<(), String> {
    let bare = |line: &str| line.replace([',', '\u{feff}'], "");
    let mut lines = after.lines();
    for line in before.lines().filter(|line| !line.contains(container) && !is_bracket(line)) {
        if bare(line).is_empty() {
            continue;
        }
        if !lines.any(|other| bare(other) == bare(line)) {
            return Err(format!("{line:?} is gone from {after:?}"));
        }
    }
    Ok(())
}

/// `{}` is opened when it gets something in it.
fn is_bracket(line: &str) -> bool {
    line.trim().trim_start_matches('\u{feff}') == "{}"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn an_entry_is_put_in_and_nothing_else_changes(document in any_document()) {
        let Document { client, text } = document;
        let (place, entry) = (client.place(), entry(client));
        let after = edit::insert(place, &text, "dogu", &entry).expect(&text);
        prop_assert_eq!(edit::find(place, &after, "dogu").unwrap(), Some(entry));
        keeps_lines(&text, &after, place.keys[0]).map_err(TestCaseError::fail)?;
        let bytes = |text: &str| text.contains("\r\n");
        if text.contains('\n') {
            prop_assert_eq!(bytes(&text), bytes(&after));
            prop_assert_eq!(after.matches('\n').count() == after.matches("\r\n").count(), bytes(&text));
        }
        prop_assert_eq!(text.starts_with('\u{feff}'), after.starts_with('\u{feff}'));
    }

    #[test]
    fn an_entry_is_taken_out_and_nothing_else_changes(document in any_document()) {
        let Document { client, text } = document;
        let place = client.place();
        let with = edit::insert(place, &text, "dogu", &entry(client)).expect(&text);
        let again = edit::remove(place, &with, "dogu").expect(&with);
        prop_assert_eq!(edit::find(place, &again, "dogu").unwrap(), None);
        keeps_lines(&text, &again, place.keys[0]).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn what_is_no_document_is_refused_and_never_a_panic(
        text in any::<String>(),
        document in any_document(),
        at in any::<prop::sample::Index>(),
        junk in "[\\[\\]{}\",:#/* \n\t\r|&-]{0,3}",
    ) {
        // A document with a few bytes too many in the middle of it.
        let mut broken: Vec<char> = document.text.chars().collect();
        let at = at.index(broken.len() + 1);
        broken.splice(at..at, junk.chars());
        let broken: String = broken.into_iter().collect();
        for client in [Client::Zed, Client::Codex, Client::Goose, Client::Continue] {
            for text in [&text, &broken] {
                if let Ok(after) = edit::insert(client.place(), text, "dogu", &entry(client)) {
                    let found = edit::find(client.place(), &after, "dogu").unwrap();
                    prop_assert_eq!(found, Some(entry(client)));
                }
                let _ = edit::remove(client.place(), text, "dogu");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn on_disk_twice_is_once_and_back_is_back(document in any_document()) {
        let world = World::new();
        let target = world.with(document.client, document.text.as_bytes());
        let on_disk = || std::fs::read_to_string(&target.path).unwrap();
        let first = target.install(&stdio(), false).expect(&document.text);
        prop_assert_eq!(first.outcome, Outcome::Added);
        first.apply().unwrap();
        let once = on_disk();
        let second = target.install(&stdio(), false).unwrap();
        prop_assert_eq!(second.outcome, Outcome::AlreadyThere);
        prop_assert!(second.apply().unwrap().backup.is_none());
        prop_assert_eq!(on_disk(), once);
        prop_assert!(target.install(&http(), false).is_err(), "another entry needs a word");
        target.install(&http(), true).unwrap().apply().unwrap();
        target.install(&stdio(), true).unwrap().apply().unwrap();
        target.uninstall().unwrap().apply().unwrap();
        prop_assert_eq!(target.uninstall().unwrap().outcome, Outcome::NotThere);
        // Straight back is back to the byte.
        std::fs::write(&target.path, &document.text).unwrap();
        target.install(&stdio(), false).unwrap().apply().unwrap();
        target.uninstall().unwrap().apply().unwrap();
        prop_assert_eq!(on_disk(), document.text);
    }
}
