//! The folders that slash commands are read from.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use rustix::fs::OFlags;
use serde_json::Value;

use super::command::{Command, MOST_TEXT};
use crate::ask::link::Client;
use crate::ask::shown::{is_unseen, line};
use crate::offers::{Offers, PromptFuture};

/// How many commands are offered.
const MOST_COMMANDS: usize = 500;
/// How large a command's file may be, in bytes.
const MOST_BYTES: u64 = 256 * 1024;
/// How many folders deep commands are looked for.
const MOST_DEPTH: usize = 4;
/// How long a name may be.
const MOST_NAME: usize = 128;
/// How much is shown of what a command says about its arguments.
const MOST_HINT: usize = 200;

/// Offers the Markdown files of some folders as prompts: `review.md` is `review`, and
/// `git/commit.md` is `git:commit`. Of two with the same name the one in the earlier folder
/// counts. The files are looked at anew for each request.
///
/// Whose folders these are is for the caller to say: a workspace's own count only where its user
/// trusts it.
#[derive(Clone, Debug, Default)]
pub struct CommandFolders(Vec<PathBuf>);

impl CommandFolders {
    /// Commands from these folders, which need not be there.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(folders.into_iter().collect())
    }

    fn files(&self) -> BTreeMap<String, PathBuf> {
        let mut found = BTreeMap::new();
        for folder in &self.0 {
            if let Ok(real) = folder.canonicalize() {
                gather(&real, &real, 0, &mut found);
            }
        }
        found
    }

    fn find(&self, name: &str) -> Option<Command> {
        read(self.files().get(name)?)
    }
}

/// Adds the commands below a folder. Links are not followed: a command is a file of its folder.
fn gather(root: &Path, folder: &Path, depth: usize, found: &mut BTreeMap<String, PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if found.len() >= MOST_COMMANDS {
            return;
        }
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < MOST_DEPTH => {
                gather(root, &path, depth + 1, found);
            }
            Ok(kind) if kind.is_file() => {
                if let Some(name) = name_of(root, &path) {
                    found.entry(name).or_insert(path);
                }
            }
            _ => {}
        }
    }
}

/// The name of a command; none where the file is none, or its name could not be typed.
fn name_of(root: &Path, path: &Path) -> Option<String> {
    let relative = path.strip_prefix(root).ok()?.to_str()?.strip_suffix(".md")?;
    let seen = |c: char| c.is_alphanumeric() && !is_unseen(c);
    let plain = |c: char| seen(c) || matches!(c, '-' | '_' | '.' | '/');
    (relative.len() <= MOST_NAME && relative.chars().all(plain)).then(|| relative.replace('/', ":"))
}

fn read(path: &Path) -> Option<Command> {
    let mut text = String::new();
    // What was put in the file's place since it was listed is neither followed nor waited for.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let file = file.ok().filter(|file| file.metadata().is_ok_and(|facts| facts.is_file()))?;
    file.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    Some(Command::parse(&text))
}

fn prompt_of(name: &str, command: &Command) -> Prompt {
    let arguments = command.arguments().into_iter().map(|argument| {
        let described = match &command.hint {
            Some(hint) => PromptArgument::new(argument).with_description(line(hint, MOST_HINT)),
            None => PromptArgument::new(argument),
        };
        described.with_required(false)
    });
    let arguments: Vec<PromptArgument> = arguments.collect();
    Prompt::new(name, Some(command.shown()), (!arguments.is_empty()).then_some(arguments))
}

impl Offers for CommandFolders {
    fn prompts(&self) -> Vec<Prompt> {
        let files = self.files();
        let prompts = files.iter().filter_map(|(name, path)| Some(prompt_of(name, &read(path)?)));
        prompts.collect()
    }

    fn prompt(&self, name: &str, arguments: &JsonObject, _: &Client) -> Option<PromptFuture> {
        let command = self.find(name)?;
        let Some(text) = command.filled(|name| arguments.get(name).and_then(Value::as_str)) else {
            let words = format!("the prompt would be longer than {MOST_TEXT} bytes");
            return Some(Box::pin(async { Err(ErrorData::invalid_params(words, None)) }));
        };
        let message = PromptMessage::new_text(Role::User, text);
        let result = GetPromptResult::new(vec![message]).with_description(command.shown());
        Some(Box::pin(async { Ok::<_, ErrorData>(result) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_commands_by_their_path_and_links_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let (own, users) = (folder.path().join("own"), folder.path().join("users"));
        fs::create_dir_all(own.join("git")).unwrap();
        fs::create_dir_all(&users).unwrap();
        fs::write(own.join("review.md"), "---\ndescription: Ours\n---\nLook").unwrap();
        fs::write(own.join("git/commit.md"), "Commit $1").unwrap();
        fs::write(own.join("notes.txt"), "no command").unwrap();
        fs::write(own.join("a\u{202e}b.md"), "no name").unwrap();
        fs::write(users.join("review.md"), "theirs").unwrap();
        fs::write(folder.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret"), own.join("link.md")).unwrap();
        let folders = CommandFolders::new([own, users, folder.path().join("missing")]);
        let names: Vec<String> = folders.prompts().into_iter().map(|prompt| prompt.name).collect();
        assert_eq!(names, ["git:commit", "review"]);
        assert_eq!(folders.prompts()[1].description.as_deref(), Some("Ours"));
        assert_eq!(folders.find("link"), None);
        assert_eq!(folders.find("../secret"), None);
    }

    #[test]
    fn what_is_put_in_a_files_place_is_neither_followed_nor_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("secret"), "secret").unwrap();
        let path = folder.path().join("a.md");
        std::os::unix::fs::symlink(folder.path().join("secret"), &path).unwrap();
        assert_eq!(read(&path), None);
        fs::remove_file(&path).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o600.into()).unwrap();
        assert_eq!(read(&path), None);
    }

    #[test]
    fn what_a_command_says_of_its_arguments_is_one_short_line() {
        let command =
            Command::parse(&format!("---\nargument-hint: a\u{202e}{}\n---\n$1", "x".repeat(9_000)));
        let shown = prompt_of("x", &command).arguments.unwrap()[0].description.clone().unwrap();
        assert!(shown.starts_with("a\\u{202e}xx") && shown.len() < 300, "{shown}");
    }
}
