//! Programs with options that name other programs, as data.

use super::Arg;

/// Options of some programs.
struct Hidden {
    names: &'static [&'static str],
    /// Long options; the beginning of one is as good.
    long: &'static [&'static str],
    /// Letters among others.
    letters: &'static str,
    /// Letters with a value, after which no letters follow in a word.
    valued: &'static str,
    /// Words that begin so.
    words: &'static [&'static str],
    reason: &'static str,
}

const PROGRAM: &str = "runs a program that an option names";
const SETTINGS: &str = "takes settings that can name programs";

const HIDDEN: &[Hidden] = &[
    Hidden {
        names: &["tar", "gtar", "bsdtar"],
        long: &[
            "--to-command",
            "--checkpoint-action",
            "--use-compress-program",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
            "--rmt-command",
        ],
        letters: "IF",
        valued: "fbCTXKNVgLH",
        words: &[],
        reason: PROGRAM,
    },
    Hidden {
        names: &["rsync"],
        long: &["--rsh", "--rsync-path", "--daemon", "--config"],
        letters: "e",
        valued: "fBMT",
        words: &[],
        reason: PROGRAM,
    },
    Hidden {
        names: &["sort"],
        long: &["--compress-program"],
        letters: "",
        valued: "",
        words: &[],
        reason: PROGRAM,
    },
    Hidden {
        names: &["split"],
        long: &["--filter"],
        letters: "",
        valued: "",
        words: &[],
        reason: PROGRAM,
    },
    Hidden {
        names: &["rg"],
        long: &["--pre", "--hostname-bin"],
        letters: "",
        valued: "",
        words: &[],
        reason: PROGRAM,
    },
    Hidden {
        names: &["ag", "ack", "bat", "batcat", "delta", "mysql", "mariadb"],
        long: &["--pager"],
        letters: "",
        valued: "",
        words: &[],
        reason: PROGRAM,
    },
    Hidden {
        names: &["man"],
        long: &["--pager", "--html", "--config-file"],
        letters: "PHC",
        valued: "",
        words: &[],
        reason: PROGRAM,
    },
    Hidden {
        names: &["vim", "vi", "nvim", "view", "ex", "vimdiff"],
        long: &["--cmd", "--remote-send", "--remote-expr", "--startuptime"],
        letters: "cSsuUwW",
        valued: "Tti",
        words: &[],
        reason: "runs commands of the editor",
    },
    Hidden {
        names: &["emacs", "emacsclient"],
        long: &["--eval", "--execute", "--load", "--funcall", "--script"],
        letters: "elf",
        valued: "",
        words: &[],
        reason: "runs commands of the editor",
    },
    Hidden {
        names: &["make", "gmake"],
        long: &["--eval"],
        letters: "E",
        valued: "CfIjloW",
        words: &[],
        reason: "takes rules that its files do not have",
    },
    Hidden {
        names: &["npm", "npx", "pnpm", "yarn"],
        long: &[
            "--script-shell",
            "--shell",
            "--node-options",
            "--userconfig",
            "--globalconfig",
            "--use-yarnrc",
            "--onload-script",
            "--init-module",
            "--editor",
            "--viewer",
            "--browser",
            "--git",
        ],
        letters: "",
        valued: "",
        words: &[],
        reason: SETTINGS,
    },
    Hidden {
        names: &["cargo"],
        long: &["--config"],
        letters: "",
        valued: "",
        words: &[],
        reason: SETTINGS,
    },
    Hidden {
        names: &["rustc", "rustdoc"],
        long: &["--codegen"],
        letters: "",
        valued: "",
        words: &["-Clinker", "linker=", "-Zcodegen", "codegen-backend="],
        reason: PROGRAM,
    },
    Hidden {
        names: &["go"],
        long: &["--exec", "--toolexec", "--vettool", "--overlay"],
        letters: "",
        valued: "",
        words: &["-exec", "-toolexec", "-vettool", "-overlay"],
        reason: PROGRAM,
    },
    Hidden {
        names: &["gcc", "cc", "clang", "g++", "c++", "clang++"],
        long: &[],
        letters: "",
        valued: "",
        words: &["-B", "-wrapper", "-fplugin", "-specs", "--specs", "-fuse-ld", "-load", "@"],
        reason: PROGRAM,
    },
    Hidden {
        names: &["hg"],
        long: &["--config", "--cwd", "--repository"],
        letters: "R",
        valued: "",
        words: &[],
        reason: SETTINGS,
    },
    Hidden {
        names: &["svn"],
        long: &["--diff-cmd", "--diff3-cmd", "--editor-cmd", "--config-option", "--config-dir"],
        letters: "",
        valued: "",
        words: &[],
        reason: PROGRAM,
    },
    Hidden {
        names: &["wget"],
        long: &["--execute", "--use-askpass", "--config"],
        letters: "e",
        valued: "aoiBtOwTQPUlARDIX",
        words: &[],
        reason: SETTINGS,
    },
    Hidden {
        names: &["zip"],
        long: &["--unzip-command"],
        letters: "",
        valued: "",
        words: &["-TT"],
        reason: PROGRAM,
    },
];

/// What the options of a program run; nothing if it has none of those.
pub(super) fn look(name: &str, args: &[Arg]) -> Option<&'static str> {
    let hidden = HIDDEN.iter().find(|hidden| hidden.names.contains(&name))?;
    let mut old_style = matches!(name, "tar" | "gtar" | "bsdtar");
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let Some(word) = arg.as_literal() else {
            if arg.may_be_option() {
                return Some("has a word that may be any option");
            }
            continue;
        };
        if word == "--" {
            return None;
        }
        let letters = word.strip_prefix('-').unwrap_or(if old_style { word } else { "" });
        old_style = false;
        let attached = hidden.letter(letters);
        let spelled =
            has_long(hidden.long, word) || hidden.words.iter().any(|start| word.starts_with(start));
        if !spelled && attached.is_none() {
            continue;
        }
        if !(name == "rsync" && is_ssh(word, attached, &mut rest)) {
            return Some(hidden.reason);
        }
    }
    None
}

impl Hidden {
    /// What follows one of its letters in a word of letters.
    fn letter<'a>(&self, letters: &'a str) -> Option<&'a str> {
        if letters.starts_with('-') {
            return None;
        }
        let at =
            letters.find(|letter| self.letters.contains(letter) || self.valued.contains(letter))?;
        let letter = letters[at..].chars().next()?;
        self.letters.contains(letter).then(|| &letters[at + letter.len_utf8()..])
    }
}

/// A long option, its value aside, or the beginning of its name.
pub(super) fn has_long(options: &[&str], word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    name.len() > 2
        && name.starts_with("--")
        && options.iter().any(|option| option.starts_with(name))
}

/// `rsync -e ssh` is what rsync does anyway.
fn is_ssh(word: &str, attached: Option<&str>, rest: &mut std::slice::Iter<'_, Arg>) -> bool {
    if !"--rsh".starts_with(word.split('=').next().unwrap_or(word)) && attached.is_none() {
        return false;
    }
    let value = match (attached, word.split_once('=')) {
        (Some(""), _) | (None, None) => rest.next().and_then(Arg::as_literal),
        (Some(attached), _) => Some(attached),
        (None, Some((_, value))) => Some(value),
    };
    value == Some("ssh")
}
