//! `--help`, and completions.

use std::process::Command;

use insta::assert_snapshot;

use crate::support::Home;

fn help(arguments: &[&str]) -> String {
    Home::new().dogu(arguments).quiet().to_owned()
}

#[test]
fn the_help_of_dogu() {
    assert_snapshot!(help(&["--help"]), @"
    The tool layer for AI agents: a library, a command line and an MCP server

    Usage: dogu [OPTIONS] <COMMAND>

    Commands:
      serve        Offer the tools to an MCP client, over stdio or HTTP
      mcp          Put other MCP servers behind the gate, and dogu into the settings of MCP clients
      call         Make one call, through the whole pipeline
      parse        Print the calls in a model's output on stdin, and run nothing
      dispatch     Run the calls in a model's output on stdin, and print their results in its protocol
      edit         Replace a text in a file, right or not at all
      tools        Show the tools that a model is offered
      policy       See what would be allowed, test rules, and take back what was granted
      trust        Let the settings, rules, modes and servers count that a workspace brings
      undo         Take back what calls did to files
      log          Show what was called, and how it ended
      doctor       Say what is here, and what each lack costs
      completions  Print a completion script for your shell
      help         Print this message or the help of the given subcommand(s)

    Options:
          --root <DIR>   A workspace folder; may be given more than once, and the first is the working
                         folder [default: the current folder]
          --mode <MODE>  The mode to work in, such as code, ask or architect: only its tools and files
                         are there
          --trust        Trust what the workspace brings, for this run only
      -h, --help         Print help
      -V, --version      Print version

    Examples:
      dogu tools                                    what a model is offered
      dogu call read_file path=README.md            one call, through the whole pipeline
      dogu call write_file path=a.txt content=hi    writing asks first
      dogu parse < answer.txt                       the calls in a model's answer
      dogu dispatch < answer.txt                    the same, run and answered
      dogu serve                                    an MCP server for Claude Code, Codex, Zed …
      dogu mcp install claude-code                  connect a client
      dogu edit a.rs --old old.txt --new new.txt    replace a text, right or not at all
      dogu policy check 'git push --force'          what the gate would say, and why
      dogu trust                                    let the settings of this folder count
      dogu undo                                     take back what the last call did to files
      dogu log --follow                             what was called, and how it ended
      dogu doctor                                   what is here, and what each lack costs

    Exit codes: 0 done, 1 the tool or the gate said no, 2 wrong use.
    ");
}

#[test]
fn the_help_of_commands_that_read_a_message() {
    assert_snapshot!(help(&["parse", "--help"]), @"
    Print the calls in a model's output on stdin, and run nothing

    Usage: dogu parse [OPTIONS]

    Options:
          --protocol <PROTOCOL>  The protocol that the output is in [default: what the settings say,
                                 else auto] [possible values: auto, xml, openai, responses, anthropic,
                                 gemini]
          --root <DIR>           A workspace folder; may be given more than once, and the first is the
                                 working folder [default: the current folder]
          --forms <FORMS>        The forms of calls that are read in text [default: what the settings
                                 say, else those of the protocol] [possible values: xml, invoke,
                                 tool_call, function, bracket, fenced_tool, fenced_json, bare_json]
          --mode <MODE>          The mode to work in, such as code, ask or architect: only its tools and
                                 files are there
          --tools <FILE>         The tools that may be called: a JSON list of definitions, in dogu's,
                                 MCP's, OpenAI's, Anthropic's or Gemini's form [default: the tools of
                                 the workspace]
          --trust                Trust what the workspace brings, for this run only
          --chunk <N>            Cut the input into chunks of so many bytes, to see that it makes no
                                 difference
          --final                Leave out what a call looks like while it is growing
      -h, --help                 Print help
    ");
    assert_snapshot!(help(&["dispatch", "--help"]), @"
    Run the calls in a model's output on stdin, and print their results in its protocol

    Usage: dogu dispatch [OPTIONS]

    Options:
          --protocol <PROTOCOL>
              The protocol that the output is in [default: what the settings say, else auto]
              
              [possible values: auto, xml, openai, responses, anthropic, gemini]

          --root <DIR>
              A workspace folder; may be given more than once, and the first is the working folder
              [default: the current folder]

          --forms <FORMS>
              The forms of calls that are read in text [default: what the settings say, else those of
              the protocol]
              
              [possible values: xml, invoke, tool_call, function, bracket, fenced_tool, fenced_json,
              bare_json]

          --mode <MODE>
              The mode to work in, such as code, ask or architect: only its tools and files are there

          --tools <FILE>
              The tools that may be called: a JSON list of definitions, in dogu's, MCP's, OpenAI's,
              Anthropic's or Gemini's form [default: the tools of the workspace]

          --trust
              Trust what the workspace brings, for this run only

          --approve <APPROVE>
              What happens to calls that need approval [default: ask at a terminal, else none]

              Possible values:
              - ask:  Ask at the terminal
              - all:  Allow whatever is not refused outright
              - none: Refuse

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn the_help_of_commands_that_call() {
    assert_snapshot!(help(&["call", "--help"]), @"
    Make one call, through the whole pipeline

    Usage: dogu call [OPTIONS] <TOOL> [KEY=VALUE]...

    Arguments:
      <TOOL>
              The tool; `dogu tools` lists them

      [KEY=VALUE]...
              Arguments as key=value; values that are not texts are read as JSON

    Options:
          --input <JSON|->
              All arguments as one JSON object, or `-` to read it from stdin

          --root <DIR>
              A workspace folder; may be given more than once, and the first is the working folder
              [default: the current folder]

          --approve <APPROVE>
              What happens if the call needs approval [default: ask at a terminal, else none]

              Possible values:
              - ask:  Ask at the terminal
              - all:  Allow whatever is not refused outright
              - none: Refuse

          --mode <MODE>
              The mode to work in, such as code, ask or architect: only its tools and files are there

          --json
              Print the whole result as JSON

          --trust
              Trust what the workspace brings, for this run only

      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn the_help_of_commands_that_show() {
    assert_snapshot!(help(&["tools", "--help"]), @"
    Show the tools that a model is offered

    Usage: dogu tools [OPTIONS] [NAME]

    Arguments:
      [NAME]
              Only this tool, in full

    Options:
          --root <DIR>
              A workspace folder; may be given more than once, and the first is the working folder
              [default: the current folder]

          --tools <FILE>
              The tools of this file instead of the workspace's: a JSON list of definitions

          --format <FORMAT>
              The form of the list

              Possible values:
              - table:            For people
              - json:             Everything that dogu knows of them
              - openai:           OpenAI's chat completions
              - openai-strict:    The same, strict where that can be
              - responses:        OpenAI's responses
              - responses-strict: The same, strict where that can be
              - anthropic:        Anthropic's messages
              - gemini:           Gemini's function declarations
              - mcp:              MCP's tools/list
              - xml:              What to write in a system prompt for calls in XML
              - text:             Headings and descriptions, for prompts
              
              [default: table]

          --mode <MODE>
              The mode to work in, such as code, ask or architect: only its tools and files are there

          --json
              The same as --format json

          --trust
              Trust what the workspace brings, for this run only

      -h, --help
              Print help (see a summary with '-h')
    ");
    assert_snapshot!(help(&["log", "--help"]), @"
    Show what was called, and how it ended

    Usage: dogu log [OPTIONS]

    Options:
          --root <DIR>       A workspace folder; may be given more than once, and the first is the
                             working folder [default: the current folder]
          --tool <TOOL>      Only calls of this tool
          --mode <MODE>      The mode to work in, such as code, ask or architect: only its tools and
                             files are there
          --status <STATUS>  Only calls with this status: generated, waiting, calling, done, errored,
                             canceled or interrupted
          --since <TIME>     Only calls since then: 10m, 2h, 3d, or a time such as 2026-11-15T12:00:00Z
          --trust            Trust what the workspace brings, for this run only
      -n, --limit <N>        At most so many, the newest [default: 50]
      -f, --follow           Go on with new calls as they happen
          --json             One JSON object a line
      -h, --help             Print help
    ");
    assert_snapshot!(help(&["serve", "--help"]), @"
    Offer the tools to an MCP client, over stdio or HTTP

    Usage: dogu serve [OPTIONS]

    Options:
          --http <ADDR>
              Listen here instead of stdio, such as 127.0.0.1:8765; each client needs a token, which
              `dogu mcp install` gives it

          --root <DIR>
              A workspace folder; may be given more than once, and the first is the working folder
              [default: the current folder]

          --allow-remote
              Let other machines in, where ADDR can be reached by them

          --mode <MODE>
              The mode to work in, such as code, ask or architect: only its tools and files are there

          --approve <APPROVE>
              What happens to a call that needs approval

              Possible values:
              - ask:  Ask through the client where it can show a form, else the program in `delegate` of
                the settings, else refuse
              - all:  Allow whatever is not refused outright
              - none: Refuse
              
              [default: ask]

          --trust
              Trust what the workspace brings, for this run only

      -h, --help
              Print help (see a summary with '-h')
    ");
    assert_snapshot!(help(&["completions", "--help"]), @"
    Print a completion script for your shell

    Usage: dogu completions [OPTIONS] <SHELL>

    Arguments:
      <SHELL>  The shell [possible values: bash, elvish, fish, powershell, zsh]

    Options:
          --root <DIR>   A workspace folder; may be given more than once, and the first is the working
                         folder [default: the current folder]
          --mode <MODE>  The mode to work in, such as code, ask or architect: only its tools and files
                         are there
          --trust        Trust what the workspace brings, for this run only
      -h, --help         Print help
    ");
}

#[test]
fn no_command_and_a_wrong_one_are_wrong_use() {
    let home = Home::new();
    assert_eq!(home.dogu(&[]).code, Some(2));
    assert_snapshot!(home.dogu(&["cal"]), @"
    exit 2
    --- stdout
    --- stderr
    error: unrecognized subcommand 'cal'

      tip: a similar subcommand exists: 'call'

    Usage: dogu [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
}

#[test]
fn the_version_is_the_crates() {
    assert_eq!(help(&["--version"]), format!("dogu {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_are_scripts_that_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = help(&["completions", shell]);
        for word in ["serve", "call", "tools", "log", "approve"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
}

#[test]
fn bash_can_parse_its_completions() {
    let script = help(&["completions", "bash"]);
    let home = Home::new();
    let mut bash = Command::new("bash");
    bash.arg("-n");
    home.run(bash, script.as_bytes()).quiet();
}

#[test]
fn the_help_of_permissions() {
    assert_snapshot!(help(&["policy", "--help"]), @"
    See what would be allowed, test rules, and take back what was granted

    Usage: dogu policy [OPTIONS] <COMMAND>

    Commands:
      check   Say what the gate would decide about command lines, and why
      test    Check the rules with their examples, the lists and the modes of all settings
      grants  Show what was allowed or denied for good
      help    Print this message or the help of the given subcommand(s)

    Options:
          --root <DIR>   A workspace folder; may be given more than once, and the first is the working
                         folder [default: the current folder]
          --mode <MODE>  The mode to work in, such as code, ask or architect: only its tools and files
                         are there
          --trust        Trust what the workspace brings, for this run only
      -h, --help         Print help
    ");
    assert_snapshot!(help(&["policy", "check", "--help"]), @r#"
    Say what the gate would decide about command lines, and why

    Usage: dogu policy check [OPTIONS] [COMMAND]...

    Arguments:
      [COMMAND]...  Command lines, each as one argument

    Options:
          --cwd <DIR>    The folder that they would run in [default: the working folder]
          --root <DIR>   A workspace folder; may be given more than once, and the first is the working
                         folder [default: the current folder]
          --json         One JSON object for each
          --mode <MODE>  The mode to work in, such as code, ask or architect: only its tools and files
                         are there
          --lines        Read questions from stdin, a JSON object a line, and answer each with one line
          --trust        Trust what the workspace brings, for this run only
      -h, --help         Print help

    Examples:
      dogu policy check 'git log | head'
      dogu policy check --mode architect 'cargo build'
      echo '{"command":"git push","deny":["git push"]}' | dogu policy check --lines
      echo '{"action":{"type":"FileWrite","path":"a.txt"}}' | dogu policy check --lines

    Exit codes: 0 all would be allowed, 1 something would ask or be denied, 2 wrong use.
    "#);
    assert_snapshot!(help(&["policy", "grants", "--help"]), @"
    Show what was allowed or denied for good

    Usage: dogu policy grants [OPTIONS] [COMMAND]

    Commands:
      revoke  Take grants back
      reset   Forget all of them, also where what is stored cannot be used any more
      help    Print this message or the help of the given subcommand(s)

    Options:
          --json         Print them as JSON
          --root <DIR>   A workspace folder; may be given more than once, and the first is the working
                         folder [default: the current folder]
          --mode <MODE>  The mode to work in, such as code, ask or architect: only its tools and files
                         are there
          --trust        Trust what the workspace brings, for this run only
      -h, --help         Print help
    ");
    assert_snapshot!(help(&["trust", "--help"]), @"
    Let the settings, rules, modes and servers count that a workspace brings

    Usage: dogu trust [OPTIONS] [PATH] [COMMAND]

    Commands:
      list    Show the folders that are trusted
      revoke  Take trust back
      reset   Trust no folder any more, also where what is stored cannot be used any more
      help    Print this message or the help of the given subcommand(s)

    Arguments:
      [PATH]  The folder [default: the working folder]

    Options:
          --root <DIR>   A workspace folder; may be given more than once, and the first is the working
                         folder [default: the current folder]
          --yes          Do not ask
          --mode <MODE>  The mode to work in, such as code, ask or architect: only its tools and files
                         are there
          --trust        Trust what the workspace brings, for this run only
      -h, --help         Print help
    ");
}
