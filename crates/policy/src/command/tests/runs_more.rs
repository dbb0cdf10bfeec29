//! Commands that do more than their words show.

use super::*;
use crate::command::runs_more;

#[test]
fn options_that_run_or_write_more_are_found() {
    for line in include_str!("lines/does_more.txt").lines() {
        assert!(runs_more(&words(line)).is_some(), "{line}");
    }
}

#[test]
fn ordinary_commands_do_what_they_say() {
    for line in include_str!("lines/does_no_more.txt").lines() {
        assert_eq!(runs_more(&words(line)), None, "{line}");
    }
    assert_eq!(runs_more(&[]), None);
}
