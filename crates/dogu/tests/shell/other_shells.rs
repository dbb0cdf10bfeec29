//! Lines through shells other than bash, for real. Installed by `scripts/setup-shells`, so that
//! these tests are left out by plain `cargo test`. `PowerShell` is not to be had there: what it is
//! given is tested by its words alone (`dogu_tool::ShellKind`).

use std::fs;
use std::path::Path;

use dogu_tool::ShellKind;
use serde_json::{Value, json};

use crate::support::{World, gone};

const SHELLS: [&str; 4] = ["/usr/bin/zsh", "/usr/bin/fish", "/usr/bin/dash", "/usr/bin/ksh"];

/// What shells trip over.
const WORDS: [&str; 16] = [
    "plain",
    "two  spaces",
    "it's",
    "say \"hi\"",
    "wow! !! !x",
    "$HOME $(id) `id` ${x}",
    "back\\slash\\\\ \\n \\'",
    "한국어 🙂 é",
    "one\ntwo\n",
    "\ttab",
    "*?[a]{b,c}~",
    "; rm -rf x & | > <",
    "-n",
    "#no comment",
    "%s %d",
    "",
];

fn world(shell: &str) -> World {
    assert!(Path::new(shell).exists(), "{shell} is installed by scripts/setup-shells");
    World::with_settings(&format!("shell: {{ program: {shell} }}"))
}

fn kind(shell: &str) -> ShellKind {
    ShellKind::of(Path::new(shell)).unwrap()
}

async fn structured(world: &World, tool: &str, input: Value) -> Value {
    let result = world.call(tool, input.clone()).await;
    result.structured.clone().unwrap_or_else(|| panic!("{input}: {}", result.to_text()))
}

#[tokio::test]
#[ignore = "needs scripts/setup-shells"]
async fn s7_each_shell_gives_output_errors_and_exit_code() {
    for shell in SHELLS {
        let world = world(shell);
        let ran = world.run("echo out; echo err >&2; exit 3").await;
        assert_eq!(ran["exit_code"], 3, "{shell}: {ran}");
        assert_eq!(
            (ran["stdout"].as_str(), ran["stderr"].as_str()),
            (Some("out\n"), Some("err\n"))
        );
        // What is understood and only looks needs to write nothing.
        let profile = if kind(shell).is_understood() { "read-only" } else { "workspace" };
        assert_eq!(ran["sandbox"], profile, "{shell}: {ran}");
        let ran = world.run("echo x | cat > made.txt; cat made.txt").await;
        assert_eq!(ran["stdout"], "x\n", "{shell}: {ran}");
        let ran = world.run("no-such-program-anywhere").await;
        assert_eq!(ran["exit_code"], 127, "{shell}: {ran}");
    }
}

#[tokio::test]
#[ignore = "needs scripts/setup-shells"]
async fn s7_it_is_that_shell_that_runs() {
    for (shell, line, expected) in [
        (SHELLS[0], "print -r -- ${(j:-:)$(echo a b)}", "a-b\n"),
        (SHELLS[1], "string join - a b", "a-b\n"),
        (SHELLS[2], "echo \"${KSH_VERSION-}${ZSH_VERSION-}${BASH_VERSION-}dash\"", "dash\n"),
        (SHELLS[3], "x=(a b); print -r -- \"${x[1]}\"", "b\n"),
    ] {
        let ran = world(shell).run(line).await;
        assert_eq!(ran["stdout"], expected, "{shell}: {ran}");
    }
}

#[tokio::test]
#[ignore = "needs scripts/setup-shells"]
async fn s7_a_line_reaches_each_shell_as_it_is() {
    for shell in SHELLS {
        let world = world(shell);
        let quoted: Vec<String> = WORDS.iter().map(|word| kind(shell).quote(word)).collect();
        let ran = world.run(&format!("printf '[%s]' {}", quoted.join(" "))).await;
        let expected: String = WORDS.iter().map(|word| format!("[{word}]")).collect();
        assert_eq!(ran["stdout"].as_str(), Some(expected.as_str()), "{shell}: {ran}");
        // More than one line, a comment, and one that begins like an option.
        let ran = world.run("echo 'one\ntwo'\n# nothing\n\necho three").await;
        assert_eq!(ran["stdout"], "one\ntwo\nthree\n", "{shell}: {ran}");
        let ran = world.run("-n echo not an option").await;
        assert_eq!(ran["exit_code"], 127, "{shell}: {ran}");
    }
}

#[tokio::test]
#[ignore = "needs scripts/setup-shells"]
async fn s7_variables_of_a_call_are_set_in_each_shell() {
    for shell in SHELLS {
        let world = world(shell);
        for value in WORDS {
            let input = json!({"command": "printenv GREETING", "env": {"GREETING": value}});
            let ran = structured(&world, "execute_command", input).await;
            assert_eq!(
                ran["stdout"].as_str(),
                Some(format!("{value}\n").as_str()),
                "{shell}: {ran}"
            );
        }
        let input = json!({"command": "printenv A B", "env": {"A": 3, "B": true}});
        let ran = structured(&world, "execute_command", input).await;
        assert_eq!(ran["stdout"], "3\ntrue\n", "{shell}: {ran}");
    }
}

#[tokio::test]
#[ignore = "needs scripts/setup-shells"]
async fn s7_scripts_get_their_arguments_as_they_are() {
    for shell in SHELLS {
        let world = world(shell);
        let every = if kind(shell) == ShellKind::Fish { "$argv" } else { "\"$@\"" };
        fs::write(world.work("-s.sh"), format!("printf '[%s]' {every}\nexit 5\n")).unwrap();
        let input = json!({"path": "-s.sh", "args": WORDS, "shell": shell});
        let ran = structured(&world, "bash_script", input).await;
        let expected: String = WORDS.iter().map(|word| format!("[{word}]")).collect();
        assert_eq!(ran["stdout"].as_str(), Some(expected.as_str()), "{shell}: {ran}");
        assert_eq!(ran["exitCode"], 5, "{shell}: {ran}");
    }
}

#[tokio::test]
#[ignore = "needs scripts/setup-shells"]
async fn s7_a_time_out_ends_all_that_a_shell_started() {
    for (number, shell) in SHELLS.iter().enumerate() {
        let world = world(shell);
        let mark = format!("sleep 87.{number}");
        let input = json!({"command": format!("{mark} & {mark}"), "timeout": 0.4});
        let ran = structured(&world, "execute_command", input).await;
        assert_eq!(ran["timed_out"], true, "{shell}: {ran}");
        assert_eq!(gone(&mark).await, Vec::<String>::new(), "{shell}");
    }
}

/// What a shell reads at its start would change what a judged line means.
#[tokio::test]
#[ignore = "needs scripts/setup-shells"]
async fn s7_no_shell_reads_files_of_its_user() {
    for shell in SHELLS {
        let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let files =
            [".zshenv", ".zshrc", ".zprofile", ".profile", ".kshrc", ".config/fish/config.fish"];
        for name in files {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "echo polluted\n").unwrap();
        }
        let world = World::with_settings(&format!(
            "shell: {{ program: {shell}, environment: {{ HOME: {0}, ENV: {0}/.kshrc }} }}",
            home.path().display()
        ));
        let ran = world.run("echo clean").await;
        assert_eq!(ran["stdout"], "clean\n", "{shell}: {ran}");
        assert_eq!(ran["stderr"], "", "{shell}: {ran}");
    }
}

#[tokio::test]
#[ignore = "needs scripts/setup-shells"]
async fn s7_only_lines_that_are_read_alike_run_unasked() {
    for shell in SHELLS {
        let world = world(shell);
        world.run("ls").await;
        let asks = !matches!(kind(shell), ShellKind::Sh);
        assert_eq!(world.asked.count(), usize::from(asks), "{shell}");
    }
    // A comparison to bash, and to dash a file that is written.
    let world = world(SHELLS[2]);
    for line in ["[[ x > made ]]", "((1 > made))", "cat {a,b}", "cat $'a'"] {
        let before = world.asked.count();
        world.run(line).await;
        assert_eq!(world.asked.count(), before + 1, "{line}");
    }
    assert!(world.work("made").exists(), "dash takes it for a redirection");
}
