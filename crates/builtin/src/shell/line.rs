//! What a call wants to run: one line, and everything that it would do.
//!
//! Variables of a call become part of its line, so that what is judged, shown and run is the same
//! text. Those by which programs are made to run others are an action of their own besides.

use std::collections::BTreeMap;
use std::path::PathBuf;

use dogu_tool::{
    ANY_ADDRESS, Action, Keep, OUTSIDE_SANDBOX, ProcessInput, ProcessRequest, Scope, ToolError,
};
use serde_json::{Value, json};

use super::steering::steers;

/// What a call wants to run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    /// The line as the model wrote it.
    pub(crate) command: String,
    /// The folder, as the model wrote it.
    pub(crate) cwd: Option<String>,
    /// Variables.
    pub(crate) env: BTreeMap<String, Value>,
    /// The network shall be open.
    pub(crate) network: bool,
    /// It shall run without the sandbox.
    pub(crate) outside: bool,
    /// At a terminal of its own.
    pub(crate) terminal: bool,
}

impl Line {
    /// The whole line.
    pub(crate) fn text(&self, scope: &Scope) -> String {
        let values: Vec<(&str, String)> =
            self.env.iter().map(|(name, value)| (name.as_str(), plain(value))).collect();
        let pairs = values.iter().map(|(name, value)| (*name, value.as_str()));
        scope.shell().with_variables(&self.command, pairs)
    }

    /// The folder that it starts in.
    pub(crate) fn folder(&self, scope: &Scope) -> PathBuf {
        match self.cwd.as_deref().filter(|cwd| !cwd.is_empty()) {
            Some(cwd) => scope.resolve(cwd),
            None => scope.workdir().to_path_buf(),
        }
    }

    /// Everything that it would do.
    pub(crate) fn actions(&self, scope: &Scope) -> Vec<Action> {
        let (command, cwd) = (self.text(scope), self.folder(scope));
        let mut actions = Vec::new();
        if self.outside {
            let details = json!({ "command": command, "cwd": cwd.to_string_lossy() });
            actions.push(Action::Custom { name: OUTSIDE_SANDBOX.to_owned(), details });
        }
        if self.network {
            actions.push(Action::Network { url: ANY_ADDRESS.to_owned() });
        }
        for (name, value) in &self.env {
            if let Some(why) = steers(name) {
                let details = json!({ "name": name, "value": plain(value), "why": why });
                actions.push(Action::Custom { name: "environment".to_owned(), details });
            }
        }
        actions.insert(0, Action::Execute { command, cwd, terminal: self.terminal });
        actions
    }

    /// What is asked of the capability.
    pub(crate) fn request(&self, scope: &Scope, input: ProcessInput, keep: Keep) -> ProcessRequest {
        ProcessRequest {
            command: self.text(scope),
            cwd: self.folder(scope),
            input,
            keep,
            outside: self.outside,
        }
    }

    /// Refuses what no shell can mean.
    pub(crate) fn check(&self) -> Result<(), ToolError> {
        if self.command.trim().is_empty() {
            return Err(ToolError::invalid("The command is empty.")
                .suggest("Send the command line that shall run."));
        }
        for (name, value) in &self.env {
            check_variable(name, value)?;
        }
        Ok(())
    }
}

fn check_variable(name: &str, value: &Value) -> Result<(), ToolError> {
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name {
        let shown: String = name.escape_default().take(100).collect();
        return Err(ToolError::invalid(format!("`{shown}` is no name of a variable."))
            .suggest("Names have letters, digits and underscores, and begin with no digit."));
    }
    if plain(value).contains('\0') {
        return Err(ToolError::invalid(format!("The variable `{name}` has a NUL byte in it.")));
    }
    if matches!(value, Value::Array(_) | Value::Object(_)) {
        return Err(ToolError::invalid(format!("The variable `{name}` is no text.")));
    }
    Ok(())
}

/// The value as text: numbers and truths are written as such.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(env: &[(&str, Value)]) -> Line {
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Line { command: "make".to_owned(), env, ..Line::default() }
    }

    #[test]
    fn variables_are_part_of_the_line() {
        let line = line(&[("A", json!("it's")), ("N", json!(3))]);
        let actions = line.actions(&Scope::new("/w"));
        assert_eq!(actions, [Action::execute(r"export A='it'\''s'; export N=3; make", "/w")]);
    }

    #[test]
    fn variables_that_steer_are_actions() {
        let actions = line(&[("PATH", json!("/x"))]).actions(&Scope::new("/w"));
        assert_eq!(actions.len(), 2);
        assert_eq!(actions[1].to_string(), "Custom(environment)");
    }

    #[test]
    fn the_way_out_and_the_network_are_actions() {
        let line = Line { outside: true, network: true, ..line(&[]) };
        let shown: Vec<String> =
            line.actions(&Scope::new("/w")).iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["Execute(make)", "Custom(outside_sandbox)", "Network(*)"]);
    }

    #[test]
    fn what_is_no_variable_is_refused() {
        assert!(line(&[("A B", json!(1))]).check().is_err());
        assert!(line(&[("A", json!("x\0y"))]).check().is_err());
        assert!(line(&[("A", json!([1]))]).check().is_err());
        assert!(line(&[("_A1", json!(true))]).check().is_ok());
        assert!(Line::default().check().is_err());
    }
}
