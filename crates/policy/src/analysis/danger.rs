//! `detect`: is there anything dangerous anywhere in a line, understood or not?

use std::collections::HashMap;

use super::{Analysis, FilePlace, Found, Place, UsedFile};
use crate::command::{self, Access, Arg, Inner};
use crate::risk::Risk;
use crate::shell::scan::{self, Scan};

/// How many scripts inside of scripts are looked at.
const MAX_SCRIPTS: usize = 4;

/// Adds what `detect` finds to what is already known of a line.
pub(super) fn add(line: &str, place: Place<'_>, analysis: &mut Analysis) {
    let mut found = Vec::new();
    let scan = scan_text(line, place.home, &mut found, 0);
    // What the walk knows of a command is more exact, unless it has missed the worst.
    let mut known: HashMap<Vec<Arg>, Risk> = HashMap::new();
    for command in &analysis.commands {
        let risk = known.entry(command.words.clone()).or_default();
        *risk = command.risk.max(*risk);
    }
    for found in found {
        let worse = known
            .get(&found.words)
            .is_none_or(|risk| found.risk == Risk::Forbidden && *risk < Risk::Forbidden);
        if worse {
            known.insert(found.words.clone(), found.risk);
            analysis.commands.push(found);
        }
    }
    for name in scan.writes {
        let at = if name.starts_with('/') { name.clone() } else { format!("{}/{name}", place.cwd) };
        let used = UsedFile {
            access: Access::Write,
            named: name,
            redirected: true,
            place: FilePlace::At(at),
        };
        if !is_stream(&used.named) && !analysis.files.contains(&used) {
            analysis.files.push(used);
        }
    }
    let worst = analysis.commands.iter().map(|found| found.risk).max().unwrap_or_default();
    analysis.risk = analysis.risk.max(worst);
}

/// Adds the commands that could be in a text.
pub(super) fn scan_into(text: &str, home: Option<&str>, found: &mut Vec<Found>) {
    scan_text(text, home, found, 0);
}

fn scan_text(text: &str, home: Option<&str>, found: &mut Vec<Found>, depth: usize) -> Scan {
    let scan = scan::scan(text, home);
    let mut fetched = false;
    for scanned in &scan.commands {
        let first = found.len();
        judge_into(scanned.words.clone(), home, found, depth);
        fetched &= scanned.piped;
        let own = first..found.len();
        let interprets =
            found[own.clone()].iter().any(|found| command::interprets_stdin(&found.words));
        if (scanned.piped || scanned.fed) && interprets {
            found[first].run_unseen(fetched);
        }
        fetched |= found[own].iter().any(|found| command::fetches(&found.words));
    }
    for (words, document) in &scan.documents {
        if depth < MAX_SCRIPTS && is_shell(words) {
            scan_text(document, home, found, depth + 1);
        }
    }
    for path in &scan.writes {
        if let Some((risk, reason)) = redirect(path, Access::Write) {
            found.push(known(vec![Arg::literal(">"), Arg::literal(path)], risk, reason));
        }
    }
    if let Some(name) = fork_bomb(text) {
        found.push(known(vec![Arg::literal(name)], Risk::Forbidden, "starts itself without end"));
    }
    scan
}

/// It is a shell, whose text is a script like this one.
pub(super) fn is_shell(words: &[Arg]) -> bool {
    let name = words.first().and_then(Arg::as_literal).unwrap_or_default();
    let shells = ["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"];
    shells.contains(&name.rsplit('/').next().unwrap_or_default())
}

fn judge_into(words: Vec<Arg>, home: Option<&str>, found: &mut Vec<Found>, depth: usize) {
    let words = without_assignments(words);
    let too_long = depth > 0 && words.len() > super::run::MAX_INNER_WORDS;
    if words.is_empty() || depth > MAX_SCRIPTS || too_long {
        return;
    }
    let effects = command::judge(&words);
    found.push(Found {
        words,
        risk: effects.risk,
        reason: effects.reason.into_owned(),
        hint: effects.hint.map(Into::into),
        wrapper: !effects.inner.is_empty(),
    });
    for inner in effects.inner {
        match inner {
            Inner::Elsewhere(words) => {
                let text: Vec<String> = words.iter().map(ToString::to_string).collect();
                scan_text(&text.join(" "), home, found, depth + 1);
            }
            Inner::Command(words) | Inner::PerInput { command: words, .. } => {
                judge_into(words, home, found, depth + 1);
            }
            Inner::Script(Arg::Literal(text)) => {
                scan_text(&text, home, found, depth + 1);
            }
            Inner::Script(_) => {}
        }
    }
}

fn without_assignments(mut words: Vec<Arg>) -> Vec<Arg> {
    let is_assignment = |arg: &Arg| {
        let (Arg::Literal(text) | Arg::Glob(text) | Arg::Unknown { starts: text, .. }) = arg else {
            return false;
        };
        text.split_once('=')
            .is_some_and(|(name, _)| crate::shell::simple::is_name(name.trim_end_matches('+')))
    };
    let first = words.iter().position(|word| !is_assignment(word)).unwrap_or(words.len());
    words.drain(..first);
    words
}

fn known(words: Vec<Arg>, risk: Risk, reason: &str) -> Found {
    Found { words, risk, reason: reason.to_owned(), hint: None, wrapper: false }
}

fn is_stream(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/stdin")
        || path.bytes().all(|b| b.is_ascii_digit() || b == b'-')
}

/// How the names of devices begin that hold all the data of a machine.
const DEVICES: [&str; 14] = [
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mem", "kmem", "port", "mapper/",
    "md", "dm-",
];

/// What is wrong with redirecting from or to a path, whatever the rules say.
pub(super) fn redirect(path: &str, access: Access) -> Option<(Risk, &'static str)> {
    if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
        return Some((Risk::Dangerous, "opens a connection to another machine"));
    }
    if access == Access::Read {
        return None;
    }
    if path == "/proc/sysrq-trigger" {
        return Some((Risk::Forbidden, "takes the machine down"));
    }
    let device = path
        .strip_prefix("/dev/")
        .is_some_and(|name| DEVICES.iter().any(|device| name.starts_with(device)));
    if device {
        return Some((Risk::Forbidden, "overwrites a device"));
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    (name.starts_with('.') && name.ends_with("_history"))
        .then_some((Risk::Forbidden, "wipes the history of a shell"))
}

/// The name of a function that does nothing but start itself twice.
fn fork_bomb(text: &str) -> Option<&str> {
    let with_brackets = text.match_indices("()").map(|(at, _)| {
        let before = text[..at].trim_end();
        let start = before.rfind(|c: char| " ;\n\t&|({".contains(c)).map_or(0, |at| at + 1);
        (&before[start..], &text[at + 2..])
    });
    let with_word = text.match_indices("function ").map(|(at, word)| {
        let after = text[at + word.len()..].trim_start();
        after.split_at(after.find(|c: char| " \n\t({".contains(c)).unwrap_or(after.len()))
    });
    with_brackets
        .chain(with_word)
        .find(|(name, body)| starts_itself(name, body))
        .map(|found| found.0)
}

fn starts_itself(name: &str, body: &str) -> bool {
    let body = body.trim_start().trim_start_matches("()").trim_start();
    let Some(body) = body.strip_prefix('{').filter(|_| !name.is_empty()) else { return false };
    // Bombs are short; a long body is something else.
    let body = body.chars().take(200).take_while(|c| *c != '}');
    let compact: String = body.filter(|c| !c.is_whitespace()).collect();
    compact.contains(&format!("{name}|{name}")) || compact.contains(&format!("{name}&{name}"))
}
