//! `dogu tools`.

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::Home;

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
    read_file   reads  builtin   Reads a text file
    write_file  acts   builtin   Writes the whole content of a file
    list_files  reads  builtin   Lists a folder

    3 tools, about 435 tokens for a model
    ");
    assert_snapshot!(home.dogu(&["tools", "write_file"]).quiet(), @"
    Write file (write_file, builtin)
    Writes the whole content of a file. Creates the file and the folders on the way, or replaces what is there.

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
    assert_snapshot!(Home::new().dogu(&["tools", "--format", "text"]).quiet(), @"
    ## read_file
    Reads a text file. Lines come numbered, as `cat -n` prints them; the numbers are not part of the file. Shows 2000 lines at most: use offset and limit to read on.
    ## write_file
    Writes the whole content of a file. Creates the file and the folders on the way, or replaces what is there.
    ## list_files
    Lists a folder. Folders end in `/`, symbolic links in `@` and are not followed; files show their size. Nearest folders come first, 1000 names at most.
    ");
}

#[test]
fn the_json_form_has_everything() {
    let tools = listed(&["tools", "--json"]);
    assert_eq!(tools, listed(&["tools", "--format", "json"]));
    assert_eq!(tools.as_array().unwrap().len(), 3);
    assert_snapshot!(serde_json::to_string_pretty(&tools[2]).unwrap(), @r#"
    {
      "name": "list_files",
      "title": "List files",
      "description": "Lists a folder. Folders end in `/`, symbolic links in `@` and are not followed; files show their size. Nearest folders come first, 1000 names at most.",
      "input_schema": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "path": {
            "type": "string",
            "description": "The folder, relative to the working folder or absolute.",
            "default": "."
          },
          "recursive": {
            "type": "boolean",
            "description": "List the folders below it too.",
            "default": false
          }
        },
        "description": "What to list."
      },
      "group": "read",
      "category": "filesystem",
      "read_only": true,
      "non_blocking": false,
      "primary_argument": "path",
      "exposure": "direct",
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
        // What a provider's schemas cannot say would be told on stderr.
        let names = listed(&["tools", "--format", form]);
        assert_eq!(names.as_array().unwrap().len(), 3, "{form}");
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
