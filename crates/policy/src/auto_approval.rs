//! What is approved unasked, by kind.

use serde::{Deserialize, Serialize};

/// What is approved unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the settings")]
pub struct AutoApproval {
    /// The master switch: off, everything asks that nobody was asked about before.
    pub enabled: bool,
    /// Reads inside the workspace.
    pub read: bool,
    /// Writes inside the workspace, protected files aside.
    pub write: bool,
    /// Lines in which no command is riskier than caution.
    pub execute: bool,
    /// Public addresses.
    pub network: bool,
    /// Tools of MCP servers that are also flagged as always allowed.
    pub mcp: bool,
}

impl Default for AutoApproval {
    fn default() -> Self {
        Self { enabled: true, read: true, write: false, execute: false, network: false, mcp: false }
    }
}

/// The switches as they stand in settings; those that are left out stay as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AutoApprovalSettings {
    /// The master switch.
    #[serde(alias = "autoApprovalEnabled", skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Reads.
    #[serde(alias = "alwaysAllowReadOnly", skip_serializing_if = "Option::is_none")]
    pub read: Option<bool>,
    /// Writes.
    #[serde(alias = "alwaysAllowWrite", skip_serializing_if = "Option::is_none")]
    pub write: Option<bool>,
    /// Command lines.
    #[serde(alias = "alwaysAllowExecute", skip_serializing_if = "Option::is_none")]
    pub execute: Option<bool>,
    /// Addresses.
    #[serde(alias = "alwaysAllowNetwork", skip_serializing_if = "Option::is_none")]
    pub network: Option<bool>,
    /// Tools of MCP servers.
    #[serde(alias = "alwaysAllowMcp", skip_serializing_if = "Option::is_none")]
    pub mcp: Option<bool>,
}

impl AutoApproval {
    /// These switches, with those of settings over them. `may_loosen` is false for settings that
    /// come with a workspace nobody trusts: they can only switch things off.
    pub fn with(self, settings: &AutoApprovalSettings, may_loosen: bool) -> Self {
        let switch = |now: bool, set: Option<bool>| match set {
            Some(set) if may_loosen => set,
            Some(set) => now && set,
            None => now,
        };
        Self {
            enabled: switch(self.enabled, settings.enabled),
            read: switch(self.read, settings.read),
            write: switch(self.write, settings.write),
            execute: switch(self.execute, settings.execute),
            network: switch(self.network, settings.network),
            mcp: switch(self.mcp, settings.mcp),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_that_is_not_trusted_only_switches_off() {
        let settings: AutoApprovalSettings =
            serde_json::from_str(r#"{"alwaysAllowWrite": true, "read": false}"#).unwrap();
        let auto = AutoApproval::default().with(&settings, false);
        assert!(!auto.write && !auto.read);
        let auto = AutoApproval::default().with(&settings, true);
        assert!(auto.write && !auto.read);
    }
}
