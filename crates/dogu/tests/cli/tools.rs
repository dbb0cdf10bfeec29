//! `dogu tools`.

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::{Home, offered};

fn listed(arguments: &[&str]) -> Value {
    let home = Home::new();
    let done = home.dogu(arguments);
    done.quiet();
    done.json()
}

#[test]
fn the_table_and_one_tool() {
    let home = Home::new();
    assert_snapshot!(home.dogu(&["tools"]).quiet(), @"
    read_file                   698  reads  builtin   Reads a file, or several with `files`
    write_file                  142  acts   builtin   Writes the whole content of a file
    edit_file                   266  acts   builtin   Replaces a text in a file
    multi_edit                  248  acts   builtin   Makes several replacements in one file, in order; where one of them cannot be made, none is
    apply_diff                  195  acts   builtin   Changes a file by SEARCH/REPLACE blocks, all or none
    apply_patch                 173  acts   builtin   Adds, changes, moves and deletes files by a patch: all of it, or nothing
    delete_file                  73  acts   builtin   Deletes a file
    move_file                   103  acts   builtin   Moves or renames a file
    list_files                  177  reads  builtin   Lists a folder, with `recursive` all that is below it, the nearest names first
    view_subdirectory           177  reads  builtin   Shows a folder as an indented tree, with how many files and folders are below each folder
    glob                        314  reads  builtin   Finds files by a pattern of their path, such as `*.rs` or `src/**/*.{ts,tsx}`, the newest first
    grep                        808  reads  builtin   Searches files for a regular expression with ripgrep's engine
    codebase_search             221  reads  builtin   Finds code by what it does
    view_repo_map               212  reads  builtin   Shows what a code base defines
    view_diff                   347  reads  builtin   Shows what changed in the git repository
    read_currently_open_file     67  reads  builtin   Reads the file that the user looks at in their editor, with changes that are not saved yet
    execute_command             330  acts   builtin   Runs a command line in a sandbox and gives back its output and exit code
    read_command_output         186  reads  builtin   Shows the whole output of a command whose result was cut: by pages of lines, or the lines that match
    process_start               272  acts   builtin   Starts a command that runs on after the call: a server, a watcher, a program to talk to (with `pty`)
    process_wait                256  reads  builtin   Waits for a process: for its end, for output that matches, for an open port, or until it is quiet
    process_logs                201  reads  builtin   Shows what a process wrote: its last lines, lines that match, errors, or what is new since a cursor
    process_send                161  acts   builtin   Sends input to a process that process_start began, and shows what it answers
    process_stop                100  acts   builtin   Ends a process and everything that it started: asked to first, killed after three seconds
    process_list                 49  reads  builtin   Lists the processes that were started to run on, and the last ones that ended
    process_status               83  reads  builtin   Says how a process does: whether it runs, for how long, at which ports it listens, how much it wrote, how it ended

    25 tools, about 5859 tokens for a model
    also callable by name: search_tools, call_tool, edit, search_replace, single_find_and_replace, search_and_replace, multi_apply_diff, read_file_range, ls, glob_search, search_files, grep_search, bash, run_terminal_command, bash_exec, bash_script, codebase
    ");
    assert_snapshot!(home.dogu(&["tools", "write_file"]).quiet(), @"
    Write file (write_file, builtin, about 142 tokens)
    Writes the whole content of a file. Creates the file and the folders on the way, or replaces what is there. Use edit_file to change a part of it.

      path: string, required. The file, relative to the working folder or absolute.
      content: string, required. The whole new content; may be empty.
      create_directories: boolean, optional. Make the folders on the way.
    ");
    assert_snapshot!(home.dogu(&["tools", "write_fil"]), @"
    exit 2
    --- stdout
    --- stderr
    error: there is no tool `write_fil`

    hint: `dogu tools` lists the tools
    ");
    assert!(!home.path("state").exists(), "looking leaves nothing behind");
}

#[test]
fn the_text_for_prompts() {
    let done = Home::new().dogu(&["tools", "--format", "text"]);
    let text = done.quiet();
    let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(headings, offered(|_| true));
    assert_eq!(text.lines().count(), 2 * headings.len());
    let write = "## write_file\nWrites the whole content of a file. Creates the file and the folders on the way, or replaces what is there. Use edit_file to change a part of it.\n";
    assert!(text.contains(write), "{text}");
}

#[test]
fn the_json_form_has_everything() {
    let tools = listed(&["tools", "--json"]);
    assert_eq!(tools, listed(&["tools", "--format", "json"]));
    assert_eq!(tools.as_array().unwrap().len(), offered(|_| true).len());
    assert_snapshot!(serde_json::to_string_pretty(&tools[1]).unwrap(), @r#"
    {
      "name": "write_file",
      "title": "Write file",
      "description": "Writes the whole content of a file. Creates the file and the folders on the way, or replaces what is there. Use edit_file to change a part of it.",
      "input_schema": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "path": {
            "type": "string",
            "description": "The file, relative to the working folder or absolute."
          },
          "content": {
            "type": "string",
            "description": "The whole new content; may be empty."
          },
          "create_directories": {
            "type": "boolean",
            "description": "Make the folders on the way.",
            "default": true
          }
        },
        "required": [
          "path",
          "content"
        ]
      },
      "aliases": {
        "file_path": "path"
      },
      "group": "edit",
      "category": "filesystem",
      "read_only": false,
      "non_blocking": false,
      "primary_argument": "path",
      "exposure": "direct",
      "tokens": 142,
      "source": "builtin"
    }
    "#);
}

#[test]
fn the_forms_of_providers_hold_the_same_schema() {
    let own = &listed(&["tools", "list_files", "--json"])[0]["input_schema"];
    let openai = &listed(&["tools", "list_files", "--format", "openai"])[0];
    assert_eq!(openai["type"], "function");
    assert_eq!(openai["function"]["name"], "list_files");
    assert_eq!(&openai["function"]["parameters"], own);
    let anthropic = &listed(&["tools", "list_files", "--format", "anthropic"])[0];
    assert_eq!(anthropic["name"], "list_files");
    assert_eq!(&anthropic["input_schema"], own);
    let mcp = &listed(&["tools", "list_files", "--format", "mcp"])[0];
    assert_eq!(mcp["name"], "list_files");
    assert_eq!(&mcp["inputSchema"], own);
    assert_eq!(mcp["annotations"]["readOnlyHint"], true);
}

#[test]
fn b8_every_provider_takes_the_built_in_tools_as_they_are() {
    let forms =
        ["openai", "openai-strict", "responses", "responses-strict", "anthropic", "gemini", "mcp"];
    for form in forms {
        let done = Home::new().dogu(&["tools", "--format", form]);
        assert_eq!(done.json().as_array().unwrap().len(), offered(|_| true).len(), "{form}");
        // What a provider's schemas cannot say is told on stderr: variables have any name, which no
        // strict schema can say.
        let told = done.stderr.lines().filter(|line| !line.contains("`env` takes keys"));
        assert_eq!(told.collect::<Vec<_>>(), Vec::<&str>::new(), "{form}");
    }
}

#[test]
fn two_forms_at_once_are_wrong_use() {
    assert_eq!(Home::new().dogu(&["tools", "--json", "--format", "mcp"]).code, Some(2));
}

#[test]
fn a_workspace_that_is_no_folder_is_told() {
    let home = Home::new();
    assert_snapshot!(home.dogu(&["tools", "--root", "nowhere"]), @"
    exit 2
    --- stdout
    --- stderr
    error: the workspace [ROOT]/work/nowhere is not a folder

    hint: name an existing folder with --root
    ");
}
