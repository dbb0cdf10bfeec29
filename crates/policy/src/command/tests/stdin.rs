//! The two ends of a fetched script.

use super::*;
use crate::command::{fetches, interprets_stdin};

#[test]
fn programs_that_fetch() {
    for line in ["curl x", "/usr/bin/wget -qO- x", "nc h 1", "ssh h cat x"] {
        assert!(fetches(&words(line)), "{line}");
    }
    for line in ["cat x", "echo curl", "$X", "./curl"] {
        assert!(!fetches(&words(line)), "{line}");
    }
}

#[test]
fn programs_that_run_their_input() {
    for line in [
        "sh",
        "bash",
        "bash -s",
        "bash -s -- x",
        "/bin/bash -x",
        "bash -",
        "python",
        "python3 -",
        "python3 -u",
        "node",
        "perl",
        "ruby",
        "bash /dev/stdin",
        "source /dev/stdin",
        ". /dev/stdin",
        "xargs sh -c",
        "xargs -0 bash",
        "zsh -es",
        "bash -o pipefail",
    ] {
        assert!(interprets_stdin(&words(line)), "{line}");
    }
    for line in [
        "cat",
        "bash x.sh",
        "bash -c ls",
        "bash -lc ls",
        "python x.py",
        "python -c x",
        "python3 -m json.tool",
        "node -e x",
        "xargs ls",
        "source x",
        "node --version",
    ] {
        assert!(!interprets_stdin(&words(line)), "{line}");
    }
}
