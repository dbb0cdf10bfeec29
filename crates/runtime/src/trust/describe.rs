//! What trusting a workspace would start or allow, in words for a person.
//!
//! Best effort: what cannot be understood is named as such, never left out.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};

use super::WorkspaceFiles;

/// How many lines are shown; the last one says how many are not.
const MAX_LINES: usize = 200;
/// How many characters of a text are shown.
const MAX_SHOWN: usize = 400;
/// How many names of files of a folder are shown.
const MAX_NAMES: usize = 8;

type Describe = fn(&str, &Value) -> Vec<String>;

/// Who understands which file; the others are listed by name.
const READERS: &[(&str, Describe)] = &[
    ("dogu.yaml", settings),
    (".mcp.json", servers),
    ("mcp.json", servers),
    (".roo/mcp.json", servers),
    (".dogu/mcp.json", servers),
    (".roomodes", modes),
];
const BUNDLE: &str = "goondan.yaml";

impl WorkspaceFiles {
    /// What trusting the workspace would start or allow, a line each. The texts are the
    /// workspace's: whoever shows them escapes what a terminal would obey.
    pub fn describe(&self) -> Vec<String> {
        let mut lines: Vec<String> = self
            .unfit()
            .map(|reason| format!("it cannot be trusted: {reason}"))
            .into_iter()
            .collect();
        lines.extend(self.suspicious());
        let mut others: BTreeMap<&Path, Vec<&Path>> = BTreeMap::new();
        for (path, bytes) in self.contents() {
            match lines_of(path, bytes) {
                Some(more) => lines.extend(more),
                None => others.entry(folder_of(path)).or_default().push(path),
            }
        }
        lines.extend(others.iter().map(|(folder, files)| brings(folder, files)));
        bounded(lines)
    }
}

fn lines_of(path: &Path, bytes: &[u8]) -> Option<Vec<String>> {
    let name = path.to_str()?;
    if name == BUNDLE {
        return Some(bundle(name, bytes));
    }
    let (_, reader) = READERS.iter().find(|(known, _)| *known == name)?;
    Some(match parsed(bytes) {
        Ok(Value::Null) => Vec::new(),
        Ok(value) => reader(name, &value),
        Err(reason) => vec![format!("{name} cannot be understood: {}", cut(&reason))],
    })
}

/// JSON is tried first: it is stricter, and some of it is no YAML.
fn parsed(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(text)
        .or_else(|_| crate::yaml::parse(text).map_err(|error| error.without_snippet().to_string()))
}

fn settings(name: &str, value: &Value) -> Vec<String> {
    let Some(top) = value.as_object() else {
        return vec![format!("{name} cannot be understood: it is not a map")];
    };
    let mut lines = Vec::new();
    for (key, value) in top {
        match key.as_str() {
            "permissions" => lines.extend(permissions(name, value)),
            "tools" => lines.extend(tools(name, value)),
            "mcp_servers" => lines.extend(each_server(name, value)),
            "modes" => lines.extend(list_of_modes(name, value)),
            "mode" => lines.push(format!("{name} begins in the mode: {}", shown(value))),
            "unattended" if value == "allow" => {
                lines.push(format!("{name} lets calls run when nobody can be asked"));
            }
            _ => lines.push(format!("{name} sets {}: {}", cut(key), shown(value))),
        }
    }
    lines
}

fn permissions(name: &str, value: &Value) -> Vec<String> {
    let rules = items(&value["rules"]).filter_map(|rule| rule.get("allow"));
    let lists = items(&value["continue"]["allow"]);
    let mut lines: Vec<String> =
        rules.chain(lists).map(|rule| format!("{name} allows: {}", shown(rule))).collect();
    lines.extend(
        items(&value["roo"]["allowed_commands"])
            .map(|prefix| format!("{name} allows commands that begin with: {}", shown(prefix))),
    );
    let kinds: Vec<&str> = entries(&value["auto_approve"])
        .filter(|(_, on)| **on != Value::Bool(false))
        .map(|(kind, _)| kind.as_str())
        .collect();
    if !kinds.is_empty() {
        lines.push(format!("{name} approves without asking: {}", cut(&kinds.join(", "))));
    }
    if value["auto_approval"] == Value::Bool(true) {
        lines.push(format!("{name} turns approval without asking on"));
    }
    lines
}

fn tools(name: &str, value: &Value) -> Vec<String> {
    let each = entries(value).map(|(tool, section)| {
        let tool = cut(tool);
        if section["auto_approve"] == Value::Bool(true) {
            format!("{name} approves the tool {tool} without asking")
        } else {
            format!("{name} sets the tool {tool}: {}", shown(section))
        }
    });
    each.collect()
}

/// `mcpServers` as other tools write it.
fn servers(name: &str, value: &Value) -> Vec<String> {
    let map = value.get("mcpServers").or_else(|| value.get("servers")).unwrap_or(value);
    each_server(name, map)
}

fn each_server(name: &str, value: &Value) -> Vec<String> {
    entries(value).map(|(server, section)| one_server(name, server, section)).collect()
}

fn one_server(name: &str, server: &str, section: &Value) -> String {
    let server = cut(server);
    if let Some(command) = section["command"].as_str() {
        let mut words = vec![command.to_owned()];
        words.extend(items(&section["args"]).map(plain));
        let line = format!("{name} starts: {} (server {server})", cut(&words.join(" ")));
        return with_environment(line, &section["env"]);
    }
    match section.get("url").or_else(|| section.get("serverUrl")) {
        Some(url) => format!("{name} connects to: {} (server {server})", shown(url)),
        None => format!("{name} has the server {server}: {}", shown(section)),
    }
}

fn with_environment(line: String, variables: &Value) -> String {
    let names: Vec<&str> = entries(variables).map(|(name, _)| name.as_str()).collect();
    if names.is_empty() { line } else { format!("{line} with {}", cut(&names.join(", "))) }
}

fn modes(name: &str, value: &Value) -> Vec<String> {
    list_of_modes(name, &value["customModes"])
}

fn list_of_modes(name: &str, value: &Value) -> Vec<String> {
    let slugs: Vec<String> = items(value).map(|mode| plain(&mode["slug"])).collect();
    if slugs.is_empty() {
        return vec![format!("{name} defines modes that cannot be understood")];
    }
    vec![format!("{name} defines modes: {}", cut(&slugs.join(", ")))]
}

/// A bundle has many documents in one file.
fn bundle(name: &str, bytes: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let documents: Vec<Value> = crate::yaml::parse_all(text).unwrap_or_default();
    let mut lines = vec![format!("{name} brings a bundle, whose tools run programs")];
    lines.extend(documents.iter().filter(|document| !document.is_null()).map(|document| {
        let (kind, title) = (plain(&document["kind"]), plain(&document["metadata"]["name"]));
        let line = format!("{name} has: {} {}", cut(&kind), cut(&title));
        match document["spec"].get("entry") {
            Some(entry) => format!("{line}, which runs {}", shown(entry)),
            None => line,
        }
    }));
    if documents.is_empty() {
        lines.push(format!("{name} cannot be understood"));
    }
    lines
}

fn brings(folder: &Path, files: &[&Path]) -> String {
    let names: Vec<String> =
        files.iter().take(MAX_NAMES).map(|file| file.display().to_string()).collect();
    let more = match files.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{} brings {} files: {}{more}", folder.display(), files.len(), cut(&names.join(", ")))
}

fn folder_of(path: &Path) -> &Path {
    path.iter().next().map_or(path, Path::new)
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

/// A text as it is, anything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn shown(value: &Value) -> String {
    cut(&plain(value))
}

/// The beginning of a text, and how much is missing.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => {
            format!("{}… ({} characters more)", &text[..end], text[end..].chars().count())
        }
    }
}

fn bounded(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > MAX_LINES {
        let more = lines.len() - (MAX_LINES - 1);
        lines.truncate(MAX_LINES - 1);
        lines.push(format!("and {more} more that are not shown here"));
    }
    lines
}
