//! The parser against a real bash: whatever is understood runs nothing that was not found.
//!
//! Random lines are made of the pieces that shells trip over. Those that are said to be
//! understood are run by bash in a folder where the only programs are stubs that write their
//! arguments down; every call must be one of the commands that the analysis found.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use dogu_policy::analysis::{Analysis, Place, analyse};
use dogu_policy::command::Arg;

/// How many understood lines are run; more with `DOGU_BASH_LINES`.
const LINES: usize = 600;

/// Writes its name and arguments down, in one write: others write at the same time.
const STUB: &str = "#!/bin/sh
end=$(printf '\\036')
all=
for word in \"${0##*/}\" \"$@\"; do all=$all$word$end; done
printf '%s\\035' \"$all\" >> \"$DOGU_LOG\"
";

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Pieces that are thrown in anywhere.
const NOISE: &[&str] = &[
    "'", "\"", "\\", "`", "$(", ")", "(", "{", "}", ";", "&", "|", "\n", "#", " # ", "$", "${x",
    "}", "~", "*", "[", "]", "<", ">", "<<E\n", "\nE\n", "<<<", "$'", "\\\n", "=", "x=", ",", "..",
    "!", "a", " b ", "((", "))", "[[ ", " ]]", ";;", "&&", "||", "|&", "2>&1", ">&2", "<(", "$((",
    "then ", "do ", "done", "fi", "esac", "\t", "-", "{a,b}", "$x", "\"$x\"", "${x:-", "in ",
    "for ", "if ", "case ", "time ", "! ", "{ ", "; }", "\\'", "$\"", "${#x}", "\r", "\u{a0}",
    "\0", "#\\\n", "\\\n#", "'\\''", "\"\\\"\"", "a#b", "`\\`", "$(#", "\\`", "<<'E'\n",
    "<<-E\n\t",
];

fn word(random: &mut Random, depth: usize) -> String {
    match random.below(if depth > 0 { 22 } else { 16 }) {
        0..=3 => random.pick(&["a", "b", "c", "x", "f1"]).to_owned(),
        4 => format!("'{}'", random.pick(&["a b", "$(c)", "\"", "\\", "`c`", "#", ""])),
        5 => {
            format!(
                "\"{}\"",
                random.pick(&["a b", "'c'", "\\\"", "\\$(c)", "\\`c\\`", "", "x\\\\"])
            )
        }
        6 => random.pick(&["a\\ b", "\\'", "\\\"", "\\$x", "\\#", "a\\\nb"]).to_owned(),
        7 => random
            .pick(&[
                "$x",
                "\"$x\"",
                "${x}",
                "${x:-d}",
                "\"${y:-e}\"",
                "$1",
                "$?",
                "${#x}",
                "${x%b}",
            ])
            .to_owned(),
        8 => random.pick(&["*", "f?", "[fg]*", "'*'", "\"*\"", "\\*"]).to_owned(),
        9 => random
            .pick(&["{a,b}", "{1..3}", "x{a,b}y", "{}", "a{b", "{a,{b,c}}", "'{a,b}'"])
            .to_owned(),
        10 => random.pick(&["$'a\\tb'", "$'\\x61'", "$'\\'c'", "$'\\101'"]).to_owned(),
        11 => random
            .pick(&["a#b", "#c", "a=b", "=a", "-x", "--", "!", "time", "if", "}", "{"])
            .to_owned(),
        12 => random.pick(&["$((1+2))", "$((3))", "$(( (1) ))", "~", "~/q", "a~"]).to_owned(),
        13..=15 => format!("{}{}", word(random, 0), random.pick(&["a", "'b'", "\"c\"", "\\d"])),
        16..=18 => format!("$({})", script(random, depth - 1)),
        19 => format!("\"$({})\"", script(random, depth - 1)),
        20 => format!("`{}`", script(random, 0).replace(['`', '\\'], "")),
        _ => format!("<({})", script(random, depth - 1)),
    }
}

fn simple(random: &mut Random, depth: usize) -> String {
    let mut text = random
        .pick(&["a", "b", "c", "'a'", "\\b", "\"c\"", "x=1", "x=b", "x='a b'", "y=$x"])
        .to_owned();
    for _ in 0..random.below(4) {
        text.push_str(random.pick(&[" ", " ", "  ", "\t", " \\\n"]));
        text.push_str(&word(random, depth));
    }
    if random.below(6) == 0 {
        text.push_str(random.pick(&[
            " >o1",
            " 2>&1",
            " <f1",
            " >>o1",
            " &>o2",
            " <<<x",
            " <<E\nz $x\nE\n",
            " <<'E'\n$(c)\nE\n",
            " >&2",
            " >|o1",
        ]));
    }
    text
}

fn compound(random: &mut Random, depth: usize) -> String {
    let one = script(random, depth - 1);
    let two = script(random, depth - 1);
    match random.below(9) {
        0 => format!("( {one} )"),
        1 => format!("{{ {one}; }}"),
        2 => format!("if {one}; then {two}; fi"),
        3 => format!("if {one}\nthen {two}\nelse a\nfi"),
        4 => format!("for x in {} {}; do {one}; done", word(random, 0), word(random, depth - 1)),
        5 => format!(
            "case {} in a) {one} ;; {}|c) {two};; *) b; esac",
            word(random, 0),
            word(random, 0)
        ),
        6 => format!("! {one}"),
        7 => format!("[[ {} == {} ]] && {one}", word(random, 0), word(random, 0)),
        _ => format!("({one})"),
    }
}

fn script(random: &mut Random, depth: usize) -> String {
    const BETWEEN: &[&str] =
        &["; ", " && ", " || ", " | ", "\n", " & ", ";", "|", " |& ", "\n\n", "; # c'\n", " #\"\n"];
    let mut text = String::new();
    for at in 0..=random.below(3) {
        if at > 0 {
            text.push_str(random.pick(BETWEEN));
        }
        let nested = depth > 0 && random.below(3) == 0;
        text.push_str(&if nested { compound(random, depth) } else { simple(random, depth) });
    }
    text
}

fn line(random: &mut Random) -> String {
    let depth = random.below(4);
    let mut text = script(random, depth);
    for _ in 0..random.below(3) {
        let at = random.below(text.len() + 1);
        if text.is_char_boundary(at) {
            text.insert_str(at, random.pick(NOISE));
        }
    }
    text
}

fn run(line: &str, folder: &Path, number: usize) -> Vec<Vec<String>> {
    // A log of its own: what an earlier line left in the background may still write.
    let log = folder.join(format!("log{number}"));
    fs::write(&log, "").unwrap();
    let work = folder.join("work");
    fs::create_dir_all(&work).unwrap();
    for name in ["f1", "g2"] {
        fs::write(work.join(name), "").unwrap();
    }
    let done = Command::new("/usr/bin/timeout")
        .args(["5", "/bin/bash", "-c", line])
        .env_clear()
        .env("PATH", folder.join("bin"))
        .env("HOME", "/home/nobody")
        .env("DOGU_LOG", &log)
        .current_dir(&work)
        .stdin(Stdio::null())
        .output();
    assert!(done.is_ok(), "{done:?}");
    fs::remove_dir_all(&work).unwrap();
    let text = String::from_utf8_lossy(&fs::read(&log).unwrap()).into_owned();
    let calls = text.split('\u{1d}').filter(|call| !call.is_empty());
    calls.map(|call| call.split_terminator('\u{1e}').map(str::to_owned).collect()).collect()
}

/// The call is one of the commands that were found.
fn was_found(call: &[String], analysis: &Analysis) -> bool {
    analysis.commands.iter().any(|found| fits(&found.words, call))
}

fn fits(words: &[Arg], call: &[String]) -> bool {
    let Some((word, rest)) = words.split_first() else { return call.is_empty() };
    let first = call.first().map(String::as_str);
    let one = |fits_word: bool| fits_word && fits(rest, &call[1..]);
    match word {
        Arg::Number => one(first.is_some_and(|given| given.bytes().all(|b| b.is_ascii_digit()))),
        Arg::Literal(text) if text.starts_with("/dev/fd/") => {
            one(first.is_some_and(|given| given.starts_with("/dev/fd/")))
        }
        Arg::Literal(text) => one(first == Some(text)),
        Arg::Unknown { starts, one: true } => {
            one(first.is_some_and(|given| given.starts_with(starts.as_str())))
        }
        _ => (0..=call.len()).any(|taken| fits(rest, &call[taken..])),
    }
}

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn bash_runs_nothing_that_was_not_found() {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    for name in ["a", "b", "c", "x", "f1", "time", "if", "}", "{", "!", "d"] {
        fs::write(bin.join(name), STUB).unwrap();
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let cwd = folder.path().join("work");
    let place = Place { cwd: cwd.to_str().unwrap(), home: Some("/home/nobody") };
    let wanted = setting("DOGU_BASH_LINES", LINES);
    let mut random = Random(setting("DOGU_BASH_SEED", 1) as u64);
    let (mut ran, mut made, mut calls) = (0, 0, 0);
    let mut missed = Vec::new();
    while ran < wanted {
        let line = line(&mut random);
        made += 1;
        let analysis = analyse(&line, place);
        if analysis.understood.is_err() || line.contains('\0') {
            continue;
        }
        ran += 1;
        for call in run(&line, folder.path(), ran) {
            calls += 1;
            if !was_found(&call, &analysis) {
                let found: Vec<_> = analysis.commands.iter().map(|found| &found.words).collect();
                missed.push(format!("{line:?}\n  ran {call:?}\n  found {found:?}"));
            }
        }
    }
    eprintln!("{made} lines made, {ran} understood and run, {calls} calls");
    assert!(calls > ran / 2, "too few calls: {calls}");
    let first = missed[..missed.len().min(10)].join("\n");
    assert!(missed.is_empty(), "{} missed:\n{first}", missed.len());
}
