//! The few settings of a repository that say how its files are compared. Includes are not
//! followed, and whatever names a program is not read.

use dogu_tool::ToolError;

/// No list of settings that a person wrote is longer, in bytes.
pub(super) const MAX_CONFIG_BYTES: usize = 1_000_000;

/// How line ends are converted where no attribute says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AutoCrlf {
    /// They are not.
    #[default]
    Off,
    /// To `\n` in the repository.
    On,
}

/// What the settings say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Config {
    pub(super) auto_crlf: AutoCrlf,
    /// Whether the executable bit on the disk means anything.
    pub(super) file_mode: bool,
    /// Whether links on the disk are links.
    pub(super) symlinks: bool,
    /// The working tree is elsewhere.
    pub(super) worktree: Option<String>,
    pub(super) object_format: Option<String>,
    pub(super) ref_storage: Option<String>,
    /// Each working tree has settings of its own.
    pub(super) own_per_worktree: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            auto_crlf: AutoCrlf::Off,
            file_mode: true,
            symlinks: true,
            worktree: None,
            object_format: None,
            ref_storage: None,
            own_per_worktree: false,
        }
    }
}

impl Config {
    /// Takes over what a file says; later files decide over earlier ones.
    pub(super) fn read(&mut self, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        let mut section = String::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let mut rest = line.trim_start();
            if let Some(header) = rest.strip_prefix('[') {
                let Some((name, after)) = header.split_once(']') else { continue };
                section = name.trim().to_lowercase();
                rest = after.trim_start();
            }
            if rest.is_empty() || rest.starts_with(['#', ';']) {
                continue;
            }
            let (name, value) = match rest.split_once('=') {
                Some((name, value)) => (name, Some(joined(value, &mut lines))),
                None => (rest, None),
            };
            self.set(&section, &name.trim().to_lowercase(), value.as_deref().map(plain).as_deref());
        }
    }

    /// A name without a value means yes.
    fn set(&mut self, section: &str, name: &str, value: Option<&str>) {
        let text = || value.map(str::to_owned);
        match (section, name) {
            ("core", "autocrlf") => {
                let input = value.is_some_and(|value| value.eq_ignore_ascii_case("input"));
                let on = input || is_yes(value);
                self.auto_crlf = if on { AutoCrlf::On } else { AutoCrlf::Off };
            }
            ("core", "filemode") => self.file_mode = is_yes(value),
            ("core", "symlinks") => self.symlinks = is_yes(value),
            ("core", "worktree") => self.worktree = text(),
            ("extensions", "objectformat") => self.object_format = text(),
            ("extensions", "refstorage") => self.ref_storage = text(),
            ("extensions", "worktreeconfig") => self.own_per_worktree = is_yes(value),
            _ => {}
        }
    }

    /// Refuses what cannot be read here.
    pub(super) fn check(&self) -> Result<(), ToolError> {
        let other = |value: &Option<String>, known: &str| {
            value.clone().filter(|value| !value.eq_ignore_ascii_case(known))
        };
        if let Some(format) = other(&self.object_format, "sha1") {
            return Err(unsupported(&format!("its objects are named by {format}, not by sha1")));
        }
        if let Some(storage) = other(&self.ref_storage, "files") {
            return Err(unsupported(&format!("its branches are kept as {storage}, not as files")));
        }
        Ok(())
    }
}

/// This repository is of a kind that cannot be compared here.
pub(super) fn unsupported(why: &str) -> ToolError {
    ToolError::failed(format!("this repository cannot be compared here: {why}"))
        .suggest("Run `git diff` with the tool for commands, if there is one.")
}

fn is_yes(value: Option<&str>) -> bool {
    match value {
        None => true,
        Some(value) => {
            ["true", "yes", "on"].iter().any(|yes| value.eq_ignore_ascii_case(yes))
                || value.parse::<i64>().is_ok_and(|number| number != 0)
        }
    }
}

/// A value goes on in the next line where a line ends in a backslash.
fn joined<'a>(value: &str, lines: &mut impl Iterator<Item = &'a str>) -> String {
    let mut whole = value.to_owned();
    while whole.ends_with('\\') {
        whole.pop();
        match lines.next() {
            Some(line) => whole.push_str(line),
            None => break,
        }
    }
    whole
}

/// A value without its quotes, its escapes and the comment after it.
fn plain(value: &str) -> String {
    let (mut text, mut quoted, mut kept) = (String::new(), false, 0);
    let mut characters = value.trim().chars();
    while let Some(c) = characters.next() {
        match c {
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => break,
            '\\' => match characters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(other) => text.push(other),
                None => {}
            },
            c => text.push(c),
        }
        // Spaces before a comment are no part of the value.
        if quoted || !c.is_whitespace() {
            kept = text.len();
        }
    }
    text.truncate(kept);
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn config(text: &str) -> Config {
        let mut config = Config::default();
        config.read(text.as_bytes());
        config
    }

    #[test]
    fn settings_are_read_as_git_writes_them() {
        let read = config(
            "# c\n[core]\n\tautocrlf = input\n\tfilemode = false ; no\n\tsymlinks\n[extensions]\nobjectFormat = \"sha256\"\n[Core \"sub\"] worktree = x\n[core] worktree = \"../a # b\" # c\n",
        );
        assert_eq!(read.auto_crlf, AutoCrlf::On);
        assert!(!read.file_mode && read.symlinks);
        assert_eq!(read.object_format.as_deref(), Some("sha256"));
        assert_eq!(read.worktree.as_deref(), Some("../a # b"));
        assert!(read.check().is_err());
        assert!(config("[extensions]\nrefstorage=reftable\n").check().is_err());
        assert!(config("[extensions]\nrefStorage=files\nobjectformat=SHA1\n").check().is_ok());
        assert_eq!(
            config("[core]\nautocrlf = true\n[core]\nautocrlf = false\n"),
            Config::default()
        );
        assert_eq!(config("[core]\nworktree = a\\\nb\n").worktree.as_deref(), Some("ab"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_fail(text in "([\\[\\]\"\\\\#;=\n a-z]|core|autocrlf){0,60}") {
            config(&text);
        }
    }
}
