//! Interpreters of languages: code in an argument, a module, a file, or a prompt.

use super::{Access, Arg, Effects, FileUse, Inner};
use crate::risk::Risk;

/// How an interpreter takes its code.
struct Interpreter {
    names: &'static [&'static str],
    /// Options whose value is code.
    code: &'static [&'static str],
    /// Options whose value is a module.
    module: &'static [&'static str],
    /// Options that do not matter.
    flags: &'static [&'static str],
    /// Options that do not matter, with a value.
    values: &'static [&'static str],
    /// Options that only tell about it.
    version: &'static [&'static str],
}

/// Files by which managers of versions choose the interpreter that runs.
const CHOOSERS: &[&str] = &[
    ".python-version",
    ".node-version",
    ".nvmrc",
    ".ruby-version",
    ".php-version",
    ".tool-versions",
];

const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &["python", "python2", "python3", "pypy", "pypy3"],
        code: &["-c"],
        module: &["-m"],
        flags: &[
            "-B", "-E", "-I", "-O", "-OO", "-s", "-S", "-u", "-v", "-q", "-b", "-d", "-P", "-x",
        ],
        values: &["-W", "-X"],
        version: &["--version", "-V", "-VV"],
    },
    Interpreter {
        names: &["node", "nodejs"],
        code: &["-e", "--eval", "-p", "--print", "-pe"],
        module: &[],
        flags: &[
            "--test",
            "--trace-warnings",
            "--no-warnings",
            "--enable-source-maps",
            "--check",
            "-c",
            "--watch",
        ],
        values: &[],
        version: &["--version", "-v"],
    },
    Interpreter {
        names: &["ruby"],
        code: &["-e"],
        module: &["-r"],
        flags: &["-w", "-W", "-v"],
        values: &["-I"],
        version: &["--version"],
    },
    Interpreter {
        names: &["perl"],
        code: &["-e", "-E"],
        module: &["-M"],
        flags: &["-w", "-T", "-c"],
        values: &["-I"],
        version: &["--version", "-v"],
    },
    Interpreter {
        names: &["php"],
        code: &["-r", "-R", "-B", "-E"],
        module: &[],
        flags: &["-n", "-q"],
        values: &["-d", "-c"],
        version: &["--version", "-v"],
    },
    Interpreter {
        names: &["lua", "luajit", "lua5.3", "lua5.4"],
        code: &["-e"],
        module: &["-l"],
        flags: &["-W", "-E"],
        values: &[],
        version: &["-v"],
    },
    Interpreter {
        names: &[
            "tclsh",
            "guile",
            "Rscript",
            "julia",
            "osascript",
            "groovy",
            "scala",
            "elixir",
            "erl",
            "swipl",
        ],
        code: &["-e", "-c", "--eval", "-E"],
        module: &["-m"],
        flags: &[],
        values: &[],
        version: &["--version"],
    },
];

/// It is an interpreter of a language.
pub(super) fn is_interpreter(program: &str) -> bool {
    find(program).is_some()
}

fn find(program: &str) -> Option<&'static Interpreter> {
    let python = program.strip_prefix("python3.").is_some_and(|rest| rest.parse::<u8>().is_ok());
    let program = if python { "python3" } else { program };
    INTERPRETERS.iter().find(|interpreter| interpreter.names.contains(&program))
}

/// Judges an interpreter; nothing if it is none.
pub(super) fn judge(program: &str, args: &[Arg]) -> Option<Effects> {
    let interpreter = find(program)?;
    Some(interpreter.judge(args).unwrap_or_else(|| Effects {
        hint: Some("give it a script as a file".into()),
        ..Effects::of(Risk::Interactive, "waits for code at a terminal")
    }))
}

impl Interpreter {
    fn judge(&self, args: &[Arg]) -> Option<Effects> {
        let mut at = 0;
        while let Some(arg) = args.get(at) {
            let Some(word) = arg.as_literal() else {
                return Some(Effects::of(Risk::Unknown, "runs what is known only when it runs"));
            };
            if word == "-" {
                return Some(Effects::of(Risk::Unknown, "runs whatever it reads"));
            }
            if !word.starts_with('-') {
                return Some(file(arg));
            }
            match self.option(word, args.get(at + 1..).unwrap_or_default()) {
                Ok(used) => at += used,
                Err(effects) => return Some(*effects),
            }
        }
        let tests = args.iter().any(|arg| arg.as_literal() == Some("--test"));
        tests.then(|| Effects::of(Risk::Caution, "runs the tests of the project"))
    }

    /// How many words an option takes, or what the rest is because of it.
    fn option(&self, word: &str, rest: &[Arg]) -> Result<usize, Box<Effects>> {
        let of = |risk, reason: &'static str| Box::new(Effects::of(risk, reason));
        if self.version.contains(&word) && rest.is_empty() {
            let version =
                Effects { steered_by: CHOOSERS, ..Effects::of(Risk::Safe, "tells its version") };
            return Err(Box::new(version));
        }
        if matches!(word, "--help") && rest.is_empty() {
            let usage =
                Effects { steered_by: CHOOSERS, ..Effects::of(Risk::Safe, "tells how it is used") };
            return Err(Box::new(usage));
        }
        let starts = |names: &[&str]| names.iter().any(|name| is_option(word, name));
        if starts(self.code) || self.hides_code(word) {
            return Err(of(Risk::Dangerous, "runs code that is given in an argument"));
        }
        if starts(self.module) {
            return Err(Box::new(self.module(word, rest)));
        }
        if self.flags.contains(&word) {
            return Ok(1);
        }
        if self.values.contains(&word) {
            return Ok(2);
        }
        if self.values.iter().any(|name| word.starts_with(name)) {
            return Ok(1);
        }
        if word == "-i" && !self.names.contains(&"perl") && !self.names.contains(&"ruby") {
            let mut effects = Effects::of(Risk::Interactive, "waits for code at a terminal");
            effects.hint = Some("give it a script as a file, without -i".into());
            return Err(Box::new(effects));
        }
        Err(Box::new(Effects::of(Risk::Unknown, format!("is not known with `{word}`"))))
    }

    /// One of letters that are put together takes code: `-ne`, `-Bc`.
    fn hides_code(&self, word: &str) -> bool {
        let short = |name: &&&str| name.len() == 2;
        let letters: Vec<_> =
            self.code.iter().filter(short).filter_map(|name| name.chars().nth(1)).collect();
        let known =
            self.flags.contains(&word) || self.values.iter().any(|name| word.starts_with(name));
        !word.starts_with("--") && !known && word.chars().any(|letter| letters.contains(&letter))
    }

    /// A module is taken from the folder that it runs in, if there is one of its name.
    fn module(&self, word: &str, rest: &[Arg]) -> Effects {
        let mut effects = Effects::of(Risk::Caution, "runs a module, of this folder if it has one");
        let name = match word.get(2..) {
            Some(name) if !name.is_empty() => Some(Arg::literal(name)),
            _ => rest.first().cloned(),
        };
        let args = if word.len() > 2 { rest } else { rest.get(1..).unwrap_or_default() };
        match name.as_ref().and_then(Arg::as_literal) {
            Some("pip" | "pip3" | "pytest" | "ensurepip" | "twine")
                if self.names.contains(&"python") =>
            {
                let command = name.into_iter().chain(args.iter().cloned()).collect();
                effects.inner.push(Inner::Command(command));
            }
            Some("http.server" | "SimpleHTTPServer") => {
                effects = Effects::of(Risk::Dangerous, "serves the folder to others");
            }
            Some(_) if self.names.contains(&"python") => {}
            _ => effects = Effects::of(Risk::Unknown, "loads a module"),
        }
        effects
    }
}

fn is_option(word: &str, name: &str) -> bool {
    if name.starts_with("--") {
        return word == name || word.strip_prefix(name).is_some_and(|rest| rest.starts_with('='));
    }
    word.starts_with(name) && !word.starts_with("--")
}

fn file(arg: &Arg) -> Effects {
    let device = arg
        .as_literal()
        .is_some_and(|word| word.starts_with("/dev/") || word.starts_with("/proc/"));
    if device {
        return Effects::of(Risk::Unknown, "runs whatever it reads");
    }
    Effects {
        files: vec![FileUse { access: Access::Read, path: arg.clone() }],
        ..Effects::of(Risk::Caution, "runs a program of the project")
    }
}
