//! What a command has to do with data from outside: the two ends of `curl … | sh`.

use super::verdict::program;
use super::{Arg, interpreter, shells};

/// Programs that bring data from another machine.
const FETCHING: &[&str] = &[
    "curl",
    "wget",
    "fetch",
    "aria2c",
    "axel",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "telnet",
    "ssh",
    "scp",
    "sftp",
    "ftp",
    "tftp",
    "rsync",
    "lynx",
    "w3m",
    "links",
    "elinks",
    "http",
    "https",
    "httpie",
    "xh",
    "lwp-request",
    "GET",
    "gh",
    "aws",
    "gsutil",
    "s3cmd",
    "ipfs",
    "openssl",
    "Invoke-WebRequest",
    "iwr",
];

/// It brings data from another machine.
pub fn fetches(words: &[Arg]) -> bool {
    name_of(words).is_some_and(|name| FETCHING.contains(&name))
}

/// It runs what it reads from its standard input.
pub fn interprets_stdin(words: &[Arg]) -> bool {
    let Some(name) = name_of(words) else { return false };
    let args = words.get(1..).unwrap_or_default();
    match name {
        "source" | "." => args.first().is_some_and(is_stdin),
        // What it reads becomes words of a shell or of an interpreter.
        "xargs" | "parallel" => args.iter().any(runs_code),
        name if shells::is_shell(name) => {
            reads(args, &["-c", "-o", "-O", "--rcfile", "--init-file"], &['c'])
        }
        name if interpreter::is_interpreter(name) => {
            reads(args, &["-W", "-X", "-I", "-d"], &['c', 'e', 'm', 'E', 'r', 'p'])
        }
        "at" | "batch" | "psql" | "mysql" | "sqlite3" => true,
        _ => false,
    }
}

fn name_of(words: &[Arg]) -> Option<&str> {
    program(words.first()?.as_literal()?)
}

fn runs_code(arg: &Arg) -> bool {
    let name = arg.as_literal().and_then(program);
    name.is_some_and(|name| {
        shells::is_shell(name) || interpreter::is_interpreter(name) || name == "eval"
    })
}

fn is_stdin(arg: &Arg) -> bool {
    matches!(arg.as_literal(), Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
}

/// No operand names a script, or the one that does is the standard input. `code` are the
/// letters of options that bring code of their own.
fn reads(args: &[Arg], valued: &[&str], code: &[char]) -> bool {
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let Some(word) = arg.as_literal() else { return arg.may_be_option() };
        match word {
            "--version" | "--help" | "--eval" | "--print" => return false,
            "-s" => return true,
            _ if is_stdin(arg) => return true,
            _ if !word.starts_with(['-', '+']) => return false,
            _ if !word.starts_with("--") && word.contains(code) => return false,
            _ if valued.contains(&word) => {
                rest.next();
            }
            _ if !word.starts_with("--") && word.contains('s') => return true,
            _ => {}
        }
    }
    true
}
