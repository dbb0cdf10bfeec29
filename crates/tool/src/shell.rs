//! How a line is given to a shell.
//!
//! Only lines for `bash` and `sh` are understood by dogu's policy; what other shells make of the
//! same text may differ, so that whoever chooses one is asked about each of its lines.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The family of a shell: by this its arguments and its quotes are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShellKind {
    /// GNU bash.
    Bash,
    /// The Z shell.
    Zsh,
    /// Any shell as POSIX has it: dash, ash, busybox.
    Sh,
    /// fish.
    Fish,
    /// `PowerShell` 6 and later.
    Pwsh,
}

/// A shell that lines are given to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    /// What it understands.
    pub kind: ShellKind,
    /// The program.
    pub program: PathBuf,
    /// Its arguments before the line, where they are not those of its kind.
    pub arguments: Option<Vec<String>>,
}

impl ShellKind {
    /// The kind of a program, by its name.
    pub fn of(program: &Path) -> Option<Self> {
        let name = program.file_name()?.to_str()?;
        Some(match name.strip_suffix(".exe").unwrap_or(name) {
            "bash" | "rbash" => Self::Bash,
            "zsh" => Self::Zsh,
            "sh" | "dash" | "ash" | "busybox" | "ksh" => Self::Sh,
            "fish" => Self::Fish,
            "pwsh" | "powershell" => Self::Pwsh,
            _ => return None,
        })
    }

    /// Its usual program.
    pub fn program(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Sh => "sh",
            Self::Fish => "fish",
            Self::Pwsh => "pwsh",
        }
    }

    /// What stands before the line. No file of the user's is read: what they set is in the
    /// environment already, and an alias would change what a judged line means.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Bash | Self::Sh => &["-c"],
            Self::Zsh => &["-f", "-c"],
            Self::Fish => &["--no-config", "-c"],
            Self::Pwsh => &["-NoLogo", "-NoProfile", "-NonInteractive", "-Command"],
        }
    }

    /// Its lines are those that the policy understands, at least those that it reads as bash does.
    pub fn is_understood(self) -> bool {
        matches!(self, Self::Bash | Self::Sh)
    }

    /// It reads this line as bash does. To a plain `sh` a comparison in `[[ a > b ]]` is a file
    /// that is written, and `((1))` a command.
    pub fn reads_as_bash(self, line: &str) -> bool {
        match self {
            Self::Bash => true,
            Self::Sh => !has_more_than_sh(line),
            Self::Zsh | Self::Fish | Self::Pwsh => false,
        }
    }

    /// A word that it takes as it is.
    pub fn quote(self, word: &str) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            return word.to_owned();
        }
        match self {
            Self::Bash | Self::Zsh | Self::Sh => format!("'{}'", word.replace('\'', r"'\''")),
            Self::Fish => format!("'{}'", word.replace('\\', r"\\").replace('\'', r"\'")),
            Self::Pwsh => format!("'{}'", word.replace('\'', "''")),
        }
    }

    /// The line with variables set before it, so that what is judged is what runs.
    pub fn with_variables<'a>(
        self,
        line: &str,
        variables: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> String {
        let mut text = String::new();
        for (name, value) in variables {
            let value = self.quote(value);
            text.push_str(&match self {
                Self::Bash | Self::Zsh | Self::Sh => format!("export {name}={value}; "),
                Self::Fish => format!("set -gx {name} {value}; "),
                Self::Pwsh => format!("$env:{name} = {value}; "),
            });
        }
        text + line
    }

    /// The line that runs a script with this shell.
    pub fn script(self, program: &str, path: &str, arguments: &[String]) -> String {
        let mut words = vec![self.quote(program)];
        // A path that begins with a dash is no option.
        let path = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
        words.push(self.quote(&path));
        words.extend(arguments.iter().map(|argument| self.quote(argument)));
        words.join(" ")
    }
}

/// It has what only bash has: tests, arithmetic, braces, further quotes and redirections; or a
/// backslash after `echo`, which a plain `sh` writes as what it stands for. A line may be taken for
/// one that has; never for one that has not.
fn has_more_than_sh(line: &str) -> bool {
    const MORE: [&str; 9] = ["[[", "((", "$'", "$\"", "&>", ">&", "<<<", "<(", ">("];
    /// With these it takes a shell to say what is quoted.
    const NESTS: [&str; 6] = ["\"", "\\", "`", "$", "#", "<<"];
    let simple = !NESTS.iter().any(|nests| line.contains(nests));
    // Of a simple line every second part stands between quotes.
    let step = if simple { 2 } else { 1 };
    let plain: String = line.split('\'').step_by(step).collect::<Vec<_>>().join("'");
    let numbered = plain.replace(">&1", "").replace(">&2", "");
    let braces = plain.contains('{') && (plain.contains(',') || plain.contains(".."));
    let echoes = line.contains("echo") && line.contains('\\');
    braces || echoes || MORE.iter().any(|more| numbered.contains(more))
}

impl Shell {
    /// The shell of this kind that is found by its usual name.
    pub fn usual(kind: ShellKind) -> Self {
        Self { kind, program: kind.program().into(), arguments: None }
    }

    /// The words that run a line.
    pub fn words(&self, line: &str) -> Vec<OsString> {
        let mut words = vec![self.program.clone().into_os_string()];
        match &self.arguments {
            Some(own) => words.extend(own.iter().map(OsString::from)),
            None => words.extend(self.kind.arguments().iter().map(OsString::from)),
        }
        // A line that begins like an option would be taken for one.
        let looks_like_option = line.starts_with(['-', '+']);
        words.push(if looks_like_option { format!(" {line}") } else { line.to_owned() }.into());
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(kind: ShellKind, line: &str) -> Vec<String> {
        let words = Shell::usual(kind).words(line).into_iter();
        words.map(|word| word.into_string().unwrap()).collect()
    }

    #[test]
    fn each_shell_has_its_own_argument_form() {
        assert_eq!(words(ShellKind::Bash, "ls"), ["bash", "-c", "ls"]);
        assert_eq!(words(ShellKind::Zsh, "ls"), ["zsh", "-f", "-c", "ls"]);
        assert_eq!(words(ShellKind::Sh, "ls"), ["sh", "-c", "ls"]);
        assert_eq!(words(ShellKind::Fish, "ls"), ["fish", "--no-config", "-c", "ls"]);
        assert_eq!(
            words(ShellKind::Pwsh, "ls"),
            ["pwsh", "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", "ls"]
        );
    }

    #[test]
    fn a_plain_shell_reads_only_some_lines_as_bash_does() {
        let same = |line: &str| ShellKind::Sh.reads_as_bash(line);
        for line in [
            "ls -l",
            "echo 'a [[ b'",
            "cat a 2>&1 | grep -n 'x{1,2}'",
            "[ a = b ] && echo \"it's\" $x # so",
            "printf '%s,%s' a b",
        ] {
            assert!(same(line), "{line}");
        }
        for line in [
            "[[ a > b ]]",
            "((1 > b))",
            "rm {a,b}",
            "rm {1..3}",
            "cat $'a'",
            "ls &> f",
            "ls >& f",
            "cat <(ls)",
            "cat <<< x",
            "echo 'a\\nb' | xargs rm",
            "echo \"'\" [[ x > f ]] \"'\"",
            "echo \\' [[ x > f ]] \\'",
            "echo \"$(echo \"'\")\" [[ x > f ]]",
            "ls # it's\n[[ x > f ]] # '",
            "cat <<E\n'\nE\n[[ x > f ]] # '",
        ] {
            assert!(!same(line), "{line}");
            assert!(ShellKind::Bash.reads_as_bash(line));
        }
        assert!(!ShellKind::Zsh.reads_as_bash("ls") && !ShellKind::Fish.reads_as_bash("ls"));
    }

    #[test]
    fn a_line_that_looks_like_an_option_is_a_line() {
        assert_eq!(words(ShellKind::Bash, "-x")[2], " -x");
    }

    #[test]
    fn the_users_own_arguments_take_the_place_of_the_usual_ones() {
        let arguments = Some(vec!["-e".to_owned(), "-c".to_owned()]);
        let shell = Shell { kind: ShellKind::Bash, program: "/opt/bash".into(), arguments };
        assert_eq!(shell.words("ls"), ["/opt/bash", "-e", "-c", "ls"]);
    }

    #[test]
    fn kinds_are_told_by_name() {
        let kind = |path: &str| ShellKind::of(Path::new(path));
        assert_eq!(kind("/usr/bin/bash"), Some(ShellKind::Bash));
        assert_eq!(kind("/bin/dash"), Some(ShellKind::Sh));
        assert_eq!(kind("pwsh.exe"), Some(ShellKind::Pwsh));
        assert_eq!(kind("/usr/bin/python3"), None);
    }

    #[test]
    fn values_are_quoted_for_their_shell() {
        let set = |kind: ShellKind| kind.with_variables("x", [("A", "it's $b\\")]);
        assert_eq!(set(ShellKind::Bash), r"export A='it'\''s $b\'; x");
        assert_eq!(set(ShellKind::Fish), r"set -gx A 'it\'s $b\\'; x");
        assert_eq!(set(ShellKind::Pwsh), r"$env:A = 'it''s $b\'; x");
    }

    #[test]
    fn a_script_gets_its_arguments_as_they_are() {
        let arguments = ["a b".to_owned(), "$(id)".to_owned(), String::new()];
        let line = ShellKind::Bash.script("bash", "-run.sh", &arguments);
        assert_eq!(line, "bash ./-run.sh 'a b' '$(id)' ''");
    }
}
