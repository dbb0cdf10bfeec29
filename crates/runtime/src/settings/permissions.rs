//! The section `permissions`, and what else decides about calls.

use serde::{Deserialize, Serialize};

use super::rule::{Located, Rule};

/// The section `permissions`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Permissions {
    /// The master switch; with `false` everything asks.
    pub auto_approval: bool,
    /// What is approved without asking, by kind.
    pub auto_approve: AutoApprove,
    /// Rules, as they are written.
    pub rules: Vec<Rule>,
    /// Lists of command prefixes as Roo has them.
    pub roo: RooLists,
    /// Lists of tools as Continue has them.
    #[serde(rename = "continue")]
    pub continue_lists: ContinueLists,
}

impl Default for Permissions {
    fn default() -> Self {
        Self {
            auto_approval: true,
            auto_approve: AutoApprove::default(),
            rules: Vec::new(),
            roo: RooLists::default(),
            continue_lists: ContinueLists::default(),
        }
    }
}

/// What is approved without asking, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own in the file")]
pub struct AutoApprove {
    /// Reading files of the workspace.
    pub read: bool,
    /// Writing files of the workspace.
    pub write: bool,
    /// Command lines in which nothing is riskier than caution.
    pub execute: bool,
    /// Reading from public addresses.
    pub network: bool,
    /// Tools of MCP servers that are flagged for it as well.
    pub mcp: bool,
}

impl Default for AutoApprove {
    fn default() -> Self {
        Self { read: true, write: false, execute: false, network: false, mcp: false }
    }
}

impl AutoApprove {
    /// What both approve.
    pub(super) fn tightened_by(self, other: Self) -> Self {
        Self {
            read: self.read && other.read,
            write: self.write && other.write,
            execute: self.execute && other.execute,
            network: self.network && other.network,
            mcp: self.mcp && other.mcp,
        }
    }
}

/// Prefixes of commands: the longest that fits decides, a tie denies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RooLists {
    /// What may run.
    pub allowed_commands: Vec<Located>,
    /// What may not.
    pub denied_commands: Vec<Located>,
}

/// Patterns of tools, such as `Bash(git status*)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContinueLists {
    /// What may run.
    pub allow: Vec<Located>,
    /// What asks.
    pub ask: Vec<Located>,
    /// What may not run.
    pub exclude: Vec<Located>,
}

/// What happens to a question when nobody can be asked. The order is the rule: of two, the
/// smaller is the stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unattended {
    /// The call is refused.
    #[default]
    Refuse,
    /// The call runs, unless something refuses it.
    Allow,
}

impl Permissions {
    /// The switches that both have on. Lists are joined elsewhere.
    pub(super) fn tightened_by(self, other: &Self) -> Self {
        Self {
            auto_approval: self.auto_approval && other.auto_approval,
            auto_approve: self.auto_approve.tightened_by(other.auto_approve),
            ..self
        }
    }
}
