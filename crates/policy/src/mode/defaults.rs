//! Roo's five modes.

use dogu_tool::Group;

use super::{GroupEntry, GroupLimit, Mode};

/// The modes that are always there; the first is the default one.
pub fn default_modes() -> Vec<Mode> {
    use Group::{Command, Edit, Mcp, Read};
    vec![
        mode(
            "architect",
            "🏗️ Architect",
            "You plan before anything is built: you look around, ask what is unclear, and write the plan down.",
            vec![whole(Read), markdown(), whole(Mcp)],
        ),
        mode(
            "code",
            "💻 Code",
            "You write and change code, in the style of the project at hand.",
            vec![whole(Read), whole(Edit), whole(Command), whole(Mcp)],
        ),
        mode(
            "ask",
            "❓ Ask",
            "You answer questions and explain, and change nothing.",
            vec![whole(Read), whole(Mcp)],
        ),
        mode(
            "debug",
            "🪲 Debug",
            "You find the cause of a fault before you mend it.",
            vec![whole(Read), whole(Edit), whole(Command), whole(Mcp)],
        ),
        mode(
            "orchestrator",
            "🪃 Orchestrator",
            "You split large work into tasks and give each to the mode that suits it.",
            Vec::new(),
        ),
    ]
}

fn whole(group: Group) -> GroupEntry {
    GroupEntry::Whole(group)
}

fn markdown() -> GroupEntry {
    let limit = GroupLimit {
        file_regex: Some(r"\.md$".to_owned()),
        description: Some("Markdown files only".to_owned()),
    };
    GroupEntry::Limited(Group::Edit, limit)
}

fn mode(slug: &str, name: &str, role: &str, groups: Vec<GroupEntry>) -> Mode {
    Mode {
        slug: slug.to_owned(),
        name: name.to_owned(),
        role_definition: role.to_owned(),
        when_to_use: None,
        description: None,
        groups,
        custom_instructions: None,
    }
}
