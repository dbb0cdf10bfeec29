//! One type for the arguments of each tool.
//!
//! What may be left out may also be `null`: strict schemas make every parameter required and
//! the optional ones nullable. Neither is written back. Keys that a shape does not have are
//! dropped.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Declares shapes: each a plain struct that reads and writes JSON.
macro_rules! shapes {
    ($($(#[$meta:meta])* $name:ident {
        $($(#[$field_meta:meta])* $field:ident: $type:ty,)*
        $(; $($(#[$optional_meta:meta])* $optional:ident: $optional_type:ty,)*)?
    })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
            $($(
                $(#[$optional_meta])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $optional: Option<$optional_type>,
            )*)?
        }
    )*};
}

// After the semicolon: what may be left out.
shapes! {
    /// Reads a resource of an MCP server.
    AccessMcpResource {
        /// The server.
        server_name: String,
        /// The resource.
        uri: String,
    }

    /// Reads files.
    ReadFile {
        /// Which.
        files: Vec<FileEntry>,
    }

    /// A file to read, in whole or in part.
    FileEntry {
        /// Where it is.
        path: String,
        ;
        /// The first line, from 1.
        start_line: u64,
        /// The last line.
        end_line: u64,
    }

    /// Says that the task is done.
    AttemptCompletion {
        /// What was done.
        result: String,
    }

    /// Runs a command.
    ExecuteCommand {
        /// The command line.
        command: String,
        ;
        /// Where to run it.
        cwd: String,
    }

    /// Changes a file by search-and-replace blocks.
    ApplyDiff {
        /// The file.
        path: String,
        /// The blocks.
        diff: String,
    }

    /// Changes a file by several replacements.
    SearchAndReplace {
        /// The file.
        path: String,
        /// The replacements, in order.
        operations: Vec<Replacement>,
    }

    /// One replacement.
    Replacement {
        /// What to look for.
        search: String,
        /// What to put there.
        replace: String,
    }

    /// Changes one place of a file.
    SearchReplace {
        /// The file.
        file_path: String,
        /// The text there now.
        old_string: String,
        /// The text to put there.
        new_string: String,
    }

    /// Changes files by a patch.
    ApplyPatch {
        /// The patch.
        patch: String,
    }

    /// Asks the user.
    AskFollowupQuestion {
        /// The question.
        question: String,
        /// Answers to choose from.
        follow_up: Vec<FollowUp>,
    }

    /// An answer to choose.
    FollowUp {
        /// The answer.
        text: String,
        ;
        /// The mode to switch to with it.
        mode: String,
    }

    /// Does something in a browser.
    BrowserAction {
        /// What to do.
        action: BrowserVerb,
        ;
        /// The page to open.
        url: String,
        /// Where to point, as `x,y@WIDTHxHEIGHT`.
        coordinate: String,
        /// The size of the window, as `width,height`.
        size: String,
        /// What to type or press.
        text: String,
        /// Where to put a screenshot.
        path: String,
    }

    /// Searches the code base by meaning.
    CodebaseSearch {
        /// What to look for.
        query: String,
        ;
        /// The folder to look in.
        path: String,
    }

    /// Fetches instructions for a kind of task.
    FetchInstructions {
        /// The kind of task.
        task: String,
    }

    /// Makes an image.
    GenerateImage {
        /// What it shall show.
        prompt: String,
        /// Where to put it.
        path: String,
        ;
        /// An image to start from.
        image: String,
    }

    /// Runs a slash command.
    RunSlashCommand {
        /// The command.
        command: String,
        ;
        /// Its arguments.
        args: String,
    }

    /// Searches files by a pattern.
    SearchFiles {
        /// The folder to look in.
        path: String,
        /// The pattern.
        regex: String,
        ;
        /// Which files to look at.
        file_pattern: String,
    }

    /// Switches to another mode.
    SwitchMode {
        /// The mode.
        mode_slug: String,
        /// Why.
        reason: String,
    }

    /// Replaces the list of things to do.
    UpdateTodoList {
        /// The list, as a Markdown checklist.
        todos: String,
    }

    /// Calls a tool of an MCP server.
    UseMcpTool {
        /// The server.
        server_name: String,
        /// The tool.
        tool_name: String,
        ;
        /// Its arguments.
        arguments: Map<String, Value>,
    }

    /// Writes a file.
    WriteToFile {
        /// The file.
        path: String,
        /// All that shall be in it.
        content: String,
    }
}

/// What a browser can be told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BrowserVerb {
    /// Open it at a page.
    Launch,
    /// Move the pointer.
    Hover,
    /// Press and release the button.
    Click,
    /// Write a text.
    Type,
    /// Press a key.
    Press,
    /// Change the window's size.
    Resize,
    /// Go down by a page.
    ScrollDown,
    /// Go up by a page.
    ScrollUp,
    /// Take a picture of the page.
    Screenshot,
    /// Close it.
    Close,
}
