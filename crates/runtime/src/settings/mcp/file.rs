//! `.mcp.json` and the like: `mcpServers` of Claude Code, Cursor and Roo, `servers` of VS Code.
//!
//! Such a file is made for other programs, so keys that dogu does not know are none of its
//! business; what it does know must be right.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Era, McpServer, place};
use crate::settings::{Settings, SettingsError};

/// A `timeout` above this is in milliseconds, as some programs write it.
const MOST_SECONDS: u64 = 3_600;

/// The whole file.
#[derive(Deserialize)]
struct File {
    #[serde(default, rename = "mcpServers", alias = "servers")]
    servers: BTreeMap<String, Entry>,
}

/// One server, as far as dogu understands it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    command: Option<String>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    #[serde(alias = "serverUrl", alias = "httpUrl")]
    url: Option<String>,
    headers: BTreeMap<String, String>,
    disabled: bool,
    #[serde(rename = "alwaysAllow", alias = "always_allow", alias = "autoApprove")]
    always_allow: Vec<String>,
    #[serde(rename = "disabledTools", alias = "disabled_tools", alias = "excludeTools")]
    disabled_tools: Vec<String>,
    timeout: Option<u64>,
    era: Era,
    #[serde(rename = "sharedProcesses", alias = "shared_processes")]
    shared_processes: bool,
}

impl Settings {
    /// These settings with the servers of a file such as `.mcp.json`; one that is there already
    /// under the same name is replaced. `path` is for messages. Only for a workspace that is
    /// trusted, or for the user's own file.
    pub fn and_servers(mut self, text: &str, path: &Path) -> Result<Self, SettingsError> {
        self.mcp_servers.extend(servers(text, path)?);
        Ok(self)
    }
}

fn servers(text: &str, path: &Path) -> Result<BTreeMap<String, McpServer>, SettingsError> {
    if text.trim().is_empty() {
        return Ok(BTreeMap::new());
    }
    let invalid = |line: usize, column: usize, reason: String| SettingsError::Invalid {
        path: path.to_owned(),
        line: line as u64,
        column: column as u64,
        reason,
    };
    let file: File = serde_json::from_str(text).map_err(|error| {
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
        invalid(error.line(), error.column().max(1), reason)
    })?;
    let entries = file.servers.into_iter().map(|(name, entry)| match entry.read() {
        Ok(server) => Ok((name, server)),
        Err(reason) => {
            let (line, column) = place_of(text, &name);
            Err(invalid(line, column, format!("server `{name}`: {reason}")))
        }
    });
    entries.collect()
}

/// Where a name stands, as well as that can be said after parsing.
fn place_of(text: &str, name: &str) -> (usize, usize) {
    let quoted = serde_json::Value::from(name).to_string();
    let at = text.find(&quoted).unwrap_or(0);
    let line = text[..at].matches('\n').count() + 1;
    let begin = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    (line, text[begin..at].chars().count() + 1)
}

impl Entry {
    fn read(self) -> Result<McpServer, String> {
        let timeout = self.timeout.filter(|time| *time > 0).map(seconds);
        Ok(McpServer {
            place: place(self.command, self.args, self.env, self.cwd, (self.url, self.headers))?,
            disabled: self.disabled,
            always_allow: self.always_allow,
            disabled_tools: self.disabled_tools,
            timeout,
            era: self.era,
            shared_processes: self.shared_processes,
            ..McpServer::default()
        })
    }
}

fn seconds(written: u64) -> u64 {
    if written > MOST_SECONDS { written.div_ceil(1_000) } else { written }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Place;
    use super::*;

    fn read(text: &str) -> Result<BTreeMap<String, McpServer>, String> {
        servers(text, Path::new(".mcp.json")).map_err(|error| error.to_string())
    }

    #[test]
    fn the_shapes_of_other_programs_are_understood() {
        let claude = r#"{"mcpServers": {"x": {"type": "stdio", "command": "npx", "args": ["-y", "p"],
            "env": {"K": "${K}"}, "alwaysAllow": ["t"], "timeout": 600000, "icon": "ignored"}}}"#;
        let server = &read(claude).unwrap()["x"];
        assert_eq!(server.timeout, Some(600));
        assert_eq!(server.always_allow, ["t"]);
        assert!(matches!(&server.place, Place::Program { command, args, env, .. }
            if command == "npx" && args == &["-y", "p"] && env["K"] == "${K}"));
        let code = r#"{"servers": {"y": {"type": "http", "url": "https://h/mcp"}}, "inputs": []}"#;
        assert_eq!(read(code).unwrap()["y"], McpServer::address("https://h/mcp"));
        let roo = r#"{"mcpServers": {"z": {"command": "a", "disabled": true, "timeout": 30,
            "disabledTools": ["q"]}}}"#;
        let server = &read(roo).unwrap()["z"];
        assert!(server.disabled && server.disabled_tools == ["q"] && server.timeout == Some(30));
        assert_eq!(read("").unwrap(), BTreeMap::new());
        assert_eq!(read(r#"{"other": 1}"#).unwrap(), BTreeMap::new());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, expected) in [
            ("{\n  nonsense", "settings .mcp.json:2:3: key must be a string"),
            (
                "{\"mcpServers\": {\n  \"a\": {\"command\": 5}}}",
                "settings .mcp.json:2:20: invalid type: integer `5`, expected a string",
            ),
            (
                "{\"mcpServers\": {\n  \"a\": {}}}",
                "settings .mcp.json:2:3: server `a`: a server needs a `command` or a `url`",
            ),
            (
                "{\"mcpServers\": {\"b\": {\"command\": \"x\", \"url\": \"y\"}}}",
                "settings .mcp.json:1:17: server `b`: a server has a `command` or a `url`, not both",
            ),
        ] {
            assert_eq!(read(text).unwrap_err(), expected);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            let _ = read(&text);
            let nested = format!("{{\"mcpServers\": {{\"a\": {text}}}}}");
            let _ = read(&nested);
        }

        #[test]
        fn what_is_written_is_read_again(
            name in "[a-z\"é /]{1,12}", command in "[ -~]{1,20}", args in prop::collection::vec(any::<String>(), 0..4)
        ) {
            prop_assume!(!command.trim().is_empty());
            let server = McpServer::program(command, args);
            let text = serde_json::json!({"mcpServers": {name.clone(): server.clone()}}).to_string();
            prop_assert_eq!(&read(&text).unwrap()[&name], &server);
        }
    }
}
