//! The user's own file of servers, as other programs write theirs. What is in it besides the one
//! entry stays as it is.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use dogu_runtime::Settings;
use serde_json::{Map, Value, json};

use crate::args::AddServer;
use crate::problem::{Problem, note};
use crate::{sandbox, setup};

/// The key of the servers.
const KEY: &str = "mcpServers";
/// Leaves room for the names of tools.
const MAX_NAME: usize = 32;
/// It may hold secrets.
const PRIVATE: u32 = 0o600;

pub(super) fn add(add: &AddServer) -> Result<(), Problem> {
    sandbox::refuse("add a server")?;
    fits(&add.name)?;
    let path = path()?;
    let mut content = read(&path)?;
    let servers = servers(&mut content, &path)?;
    if servers.contains_key(&add.name) && !add.force {
        let message = format!("there is a server `{}` already", add.name);
        return Err(Problem::wrong_use(message).hint("replace it with --force"));
    }
    servers.insert(add.name.clone(), entry(add)?);
    let text = written(&content);
    // What could not be read again is not written.
    Settings::default().and_servers(&text, &path)?;
    write(&path, &text)?;
    note(&format!("{} is in {}; its tools are called {}__…", add.name, path.display(), add.name));
    Ok(())
}

pub(super) fn remove(name: &str) -> Result<(), Problem> {
    sandbox::refuse("remove a server")?;
    let path = path()?;
    let mut content = read(&path)?;
    if servers(&mut content, &path)?.shift_remove(name).is_none() {
        let message = format!("there is no server `{name}` in {}", path.display());
        return Err(Problem::wrong_use(message)
            .hint("one that a settings file or the workspace brings is removed there"));
    }
    write(&path, &written(&content))
}

/// A name that stands in the names of its tools as it is.
fn fits(name: &str) -> Result<(), Problem> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(plain) && !name.contains("__")
    {
        return Ok(());
    }
    Err(Problem::wrong_use(format!("`{name}` cannot be the name of a server")).hint(format!(
        "at most {MAX_NAME} letters, digits, `-` and `_`, without `__`: its tools are called NAME__tool"
    )))
}

fn entry(add: &AddServer) -> Result<Value, Problem> {
    if let Some(url) = &add.url {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            let hint = format!("a program stands behind `--`: dogu mcp add {} -- {url}", add.name);
            return Err(Problem::wrong_use(format!("`{url}` is no address")).hint(hint));
        }
        let headers = pairs(&add.headers, ':', "NAME: VALUE")?;
        return Ok(json!({"type": "http", "url": url, "headers": headers}));
    }
    let Some((command, args)) = add.command.split_first() else {
        return Err(Problem::wrong_use("there is neither a program nor an address")
            .hint("an example: dogu mcp add files -- npx -y some-server"));
    };
    let env = pairs(&add.env, '=', "NAME=VALUE")?;
    let mut entry = json!({"type": "stdio", "command": command, "args": args, "env": env});
    if let Some(cwd) = &add.cwd {
        entry["cwd"] = cwd.display().to_string().into();
    }
    Ok(entry)
}

fn pairs(given: &[String], between: char, form: &str) -> Result<Map<String, Value>, Problem> {
    let pair = |text: &String| {
        let Some((name, value)) = text.split_once(between) else {
            return Err(Problem::wrong_use(format!("`{text}` is not {form}")));
        };
        Ok((name.trim().to_owned(), Value::from(value.trim_start())))
    };
    given.iter().map(pair).collect()
}

fn path() -> Result<PathBuf, Problem> {
    let folder = setup::config_folder().ok_or_else(|| {
        Problem::wrong_use("there is no folder for settings").hint("set HOME or XDG_CONFIG_HOME")
    })?;
    Ok(folder.join(setup::SERVERS))
}

fn read(path: &Path) -> Result<Value, Problem> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(json!({})),
        Err(error) => return Err(unusable(path, error)),
    };
    if text.trim().is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_str(&text).map_err(|error| unusable(path, error))
}

fn servers<'a>(content: &'a mut Value, path: &Path) -> Result<&'a mut Map<String, Value>, Problem> {
    let wrong = || unusable(path, format!("its `{KEY}` are no servers"));
    let file = content.as_object_mut().ok_or_else(wrong)?;
    file.entry(KEY).or_insert_with(|| json!({})).as_object_mut().ok_or_else(wrong)
}

fn unusable(path: &Path, why: impl std::fmt::Display) -> Problem {
    Problem::wrong_use(format!("{} cannot be used", path.display())).because(why)
}

fn written(content: &Value) -> String {
    let mut text = serde_json::to_string_pretty(content).unwrap_or_default();
    text.push('\n');
    text
}

/// All of it or nothing.
fn write(path: &Path, text: &str) -> Result<(), Problem> {
    let try_write = || -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let draft = path.with_extension(format!("json.{}.new", std::process::id()));
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, path)
    };
    try_write().map_err(|error| unusable(path, error))
}
