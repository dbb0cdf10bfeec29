//! Roo's tools by group, for the names of its dialect.

use dogu_tool::Group;

/// The tools of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupMembers {
    /// The group.
    pub group: Group,
    /// Its tools.
    pub tools: &'static [&'static str],
    /// Tools that other versions of Roo have in it.
    pub later: &'static [&'static str],
}

/// Every group with its tools.
pub const GROUPS: &[GroupMembers] = &[
    GroupMembers {
        group: Group::Read,
        tools: &["read_file", "list_files", "search_files", "codebase_search"],
        later: &["list_code_definition_names"],
    },
    GroupMembers {
        group: Group::Edit,
        tools: &[
            "write_to_file",
            "apply_diff",
            "search_replace",
            "search_and_replace",
            "multi_apply_diff",
            "apply_patch",
        ],
        later: &["edit", "edit_file", "insert_content", "append_to_file"],
    },
    GroupMembers { group: Group::Browser, tools: &["browser_action"], later: &[] },
    GroupMembers {
        group: Group::Command,
        tools: &["execute_command"],
        later: &["read_command_output"],
    },
    GroupMembers { group: Group::Mcp, tools: &["use_mcp_tool", "access_mcp_resource"], later: &[] },
    GroupMembers { group: Group::Modes, tools: &["switch_mode", "new_task"], later: &[] },
];

/// Tools that every mode has.
pub const ALWAYS_AVAILABLE: &[&str] = &[
    "ask_followup_question",
    "attempt_completion",
    "switch_mode",
    "new_task",
    "update_todo_list",
    "run_slash_command",
    "skill",
    "fetch_instructions",
    "generate_image",
];

/// The group of one of Roo's tools; none where every mode has it, an error where there is no
/// such tool. Tools of MCP servers are called `mcp_…`.
pub fn group_of(tool: &str) -> Result<Option<Group>, &'static str> {
    if ALWAYS_AVAILABLE.contains(&tool) {
        return Ok(None);
    }
    let holds =
        |members: &&GroupMembers| members.tools.contains(&tool) || members.later.contains(&tool);
    match GROUPS.iter().find(holds) {
        Some(members) => Ok(Some(members.group)),
        None if tool.starts_with("mcp_") || tool.starts_with("mcp--") => Ok(Some(Group::Mcp)),
        None => Err("there is no such tool"),
    }
}
