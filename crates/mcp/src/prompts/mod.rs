//! Prompts from slash commands: Markdown files in folders that are named for them.

mod command;
mod folder;

pub use folder::CommandFolders;
