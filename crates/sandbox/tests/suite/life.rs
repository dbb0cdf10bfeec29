//! How commands end: themselves, by signals, with their caller; and what is left then.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use dogu_sandbox::Machine;
use serde_json::{Value, json};

use super::world::{World, helper, machine, run, users};

/// With a PID namespace, and without.
fn modes(user: u32) -> [Machine; 2] {
    let machine = machine(user);
    [machine.clone(), machine.without_namespaces()]
}

fn in_each_mode(test: impl Fn(&World, &Machine)) {
    for user in users() {
        for machine in modes(user) {
            test(&World::new(user), &machine);
        }
    }
}

fn with(machine: &Machine, mut wish: Value) -> Value {
    wish["machine"] = json!(machine);
    wish
}

#[test]
fn exit_codes_and_signals_are_told() {
    in_each_mode(|world, machine| {
        assert_eq!(run(&with(machine, world.line("exit 7"))).reports, ["running", "exit 7"]);
        assert_eq!(run(&with(machine, world.line("kill -9 $$"))).end(), "signal 9");
        assert_eq!(run(&with(machine, world.line("kill -TERM $$; sleep 9"))).end(), "signal 15");
    });
}

#[test]
fn what_cannot_be_started_is_told() {
    in_each_mode(|world, machine| {
        let missing = run(&with(machine, world.wish(&["/no/such/program"])));
        assert_eq!(
            missing.reports,
            ["failed: start the program /no/such/program: No such file or directory (os error 2)"]
        );
        let unfound = run(&with(machine, world.wish(&["no-such-program"])));
        assert!(unfound.end().contains("No such file"), "{unfound:?}");
        let mut wish = with(machine, world.line("true"));
        wish["cwd"] = json!(world.at("nowhere"));
        assert!(run(&wish).end().starts_with("failed: enter the folder"));
    });
}

#[test]
fn a_link_in_the_way_of_a_writable_folder_is_a_refusal() {
    in_each_mode(|world, machine| {
        std::os::unix::fs::symlink(world.at("outside"), world.at("swapped")).unwrap();
        let mut wish = with(machine, world.line("true"));
        wish["confinement"]["fixed"] = json!([]);
        wish["confinement"]["writable"] = json!([world.at("swapped")]);
        let end = run(&wish);
        assert!(end.end().starts_with("failed: prepare the writable folder"), "{end:?}");
    });
}

#[test]
fn impossible_confinements_are_refused() {
    let world = World::new(users()[0]);
    for path in ["/", "/proc", "/sys/kernel", "relative", "/a/../etc", "/dev"] {
        let mut wish = world.line("true");
        wish["confinement"]["writable"] = json!([path]);
        let answer = run(&wish);
        assert!(answer.end().starts_with("not started"), "{path}: {answer:?}");
    }
}

#[test]
fn descendants_end_with_the_command() {
    in_each_mode(|world, machine| {
        let line = "setsid sleep 1000 & (setsid setsid sleep 1000 >/dev/null 2>&1 &) ; nohup sleep 1000 >/dev/null & sleep 0.2";
        let answer = run(&with(machine, world.line(line)));
        assert_eq!(answer.end(), "exit 0");
    });
}

#[test]
fn a_signal_reaches_everything() {
    in_each_mode(|world, machine| {
        let line = "trap 'echo first; exit 3' TERM; (trap 'echo second' TERM; setsid -w bash -c 'trap \"echo third; exit\" TERM; echo ready; while :; do sleep 0.05; done'); while :; do sleep 0.05; done";
        let mut wish = with(machine, world.line(line));
        wish["signals"] = json!([["ready", 50, 15]]);
        let answer = run(&wish);
        for word in ["first", "second", "third"] {
            assert!(answer.output.contains(word), "{answer:?}");
        }
        assert_eq!(answer.end(), "exit 3");
    });
}

#[test]
fn a_kill_ends_what_ignores_everything_else() {
    in_each_mode(|world, machine| {
        let line = "trap '' TERM INT HUP; (trap '' TERM; setsid sleep 1000 &); echo ready; while :; do sleep 0.05; done";
        let mut wish = with(machine, world.line(line));
        wish["signals"] = json!([["ready", 20, 15], ["ready", 200, 9]]);
        if machine.namespaces {
            assert_eq!(run(&wish).reports, ["running"]);
        } else {
            // The caller's part: what the first process held falls to it. Here the command dies
            // with the first process, and what it started is ended by the helper's end.
            wish["left_may_be"] = json!(true);
            assert_eq!(run(&wish).reports, ["running"]);
        }
    });
}

#[test]
fn a_signal_from_inside_to_the_first_process_is_not_passed_on() {
    for user in users() {
        let world = World::new(user);
        let line = "trap 'echo hit' TERM; kill -TERM 1; kill -KILL 1; kill -KILL -1; sleep 0.1; echo alive";
        let answer = run(&with(&machine(user), world.line(line)));
        assert_eq!(answer.end(), "exit 0", "{answer:?}");
        assert!(answer.output.ends_with("alive\n") && !answer.output.contains("hit"), "{answer:?}");
    }
}

#[test]
fn killing_the_caller_leaves_nothing() {
    in_each_mode(|world, machine| {
        // Of this mode of this run only.
        let mark = format!("{}{}{}", 100_000 + std::process::id(), world.user, machine.landlock);
        let line = format!("(setsid sleep {mark} &); sleep {mark}");
        let wish = with(machine, world.line(&line));
        let mut child = helper(&wish).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        until("both run", || processes_with(&mark).len() == 2);
        let below = children(child.id());
        // The helper is below `timeout`, which would not be told to kill it.
        assert_eq!(below.len(), 1);
        kill(below[0]);
        child.wait().unwrap();
        until("all is gone by itself", || processes_with(&mark).is_empty());
    });
}

#[test]
fn a_fork_bomb_ends() {
    for user in users() {
        let machine = machine(user);
        if !machine.process_limit {
            continue;
        }
        let world = World::new(user);
        let line = "bomb() { bomb | bomb & sleep 0.01; }; bomb 2>/dev/null; echo ready; sleep 1";
        let mut wish = with(&machine, world.line(line));
        wish["confinement"]["limits"] = json!({"processes": 60});
        wish["signals"] = json!([["ready", 300, 9]]);
        let answer = run(&wish);
        assert_eq!(answer.reports[0], "running");
    }
}

#[test]
fn limits_hold() {
    in_each_mode(|world, machine| {
        let mut wish = with(machine, world.line(
            "ulimit -c; ulimit -n; head -c 100000 /dev/zero > big; stat -c %s big; python3 -c 'x = bytearray(1 << 30)' 2>&1 | tail -1",
        ));
        wish["confinement"]["limits"] =
            json!({"file_size": 50000, "open_files": 64, "memory": 200 << 20});
        let output = run(&wish).output;
        assert!(output.starts_with("0\n64\n"), "{output}");
        assert!(output.contains("\n50000\n") && output.contains("MemoryError"), "{output}");
        let mut wish = with(machine, world.line("while :; do :; done"));
        wish["confinement"]["limits"] = json!({"cpu_seconds": 1});
        assert_eq!(run(&wish).end(), "signal 24");
    });
}

#[test]
fn a_process_limit_holds() {
    for user in users() {
        let machine = machine(user);
        let program = "import os, time\nn = 0\ntry:\n while n < 2000:\n  if os.fork() == 0: time.sleep(100)\n  n += 1\nexcept OSError: pass\nprint(n)";
        let world = World::new(user);
        let mut wish = with(&machine, world.wish(&["python3", "-c", program]));
        wish["confinement"]["limits"] = json!({"processes": 50});
        let started: u64 = run(&wish).output.trim().parse().unwrap();
        // Root's limit is by numbers, of which a namespace keeps 300 more.
        let most = if user == 0 { 351 } else { 50 };
        assert!(!machine.process_limit || started <= most, "{started} for user {user}");
    }
}

#[test]
fn a_thousand_commands_leave_nothing() {
    let user = users()[0];
    let world = World::new(user);
    let mut wish = world.wish(&["true"]);
    wish["times"] = json!(1000);
    let answer = run(&wish);
    assert_eq!(answer.end(), "exit 0");
    assert_eq!(answer.descriptors.0, answer.descriptors.1);
    assert!(answer.placeholders > 0);
    let names: Vec<_> = std::fs::read_dir(world.at("ws")).unwrap().flatten().collect();
    let known = [".git", "sub", "lib", "secret", "rules.md", "linked.md", "device"];
    assert!(names.iter().all(|entry| known.contains(&entry.file_name().to_str().unwrap())));
}

#[test]
fn placeholders_stay_as_long_as_anybody_needs_them() {
    let user = users()[0];
    let world = World::new(user);
    let write = "sleep 0.2; until [ -e go ]; do sleep 0.02; done; echo x > .mcp.json; mkdir -p .dogu/x; echo tried";
    let long = helper(&world.line(write)).stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let long = long.unwrap();
    until("the placeholder is there", || world.at("ws/.mcp.json").exists());
    for _ in 0..20 {
        assert_eq!(run(&world.line("true")).placeholders, 3);
        assert!(world.at("ws/.mcp.json").exists());
    }
    std::fs::write(world.at("ws/go"), "").unwrap();
    let output = long.wait_with_output().unwrap();
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.contains(".mcp.json: Is a directory") && output.contains("tried"), "{output}");
    assert!(!world.at("ws/.mcp.json").exists() && !world.at("ws/.dogu").exists());
}

#[test]
fn placeholders_of_a_killed_caller_are_adopted() {
    let world = World::new(users()[0]);
    let wish = world.line("touch started; sleep 1000");
    let mut child = helper(&wish).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    until("it started", || world.at("ws/started").exists());
    kill(children(child.id())[0]);
    child.wait().unwrap();
    assert!(world.at("ws/.mcp.json").exists());
    assert_eq!(run(&world.line("true")).placeholders, 3);
    assert!(!world.at("ws/.mcp.json").exists());
}

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_mins(1);
    while !done() {
        assert!(Instant::now() < end, "waited too long until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn children(pid: u32) -> Vec<u32> {
    let list = std::fs::File::open(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    let line = BufReader::new(list).lines().next();
    let line = line.transpose().unwrap().unwrap_or_default();
    line.split_ascii_whitespace().map(|word| word.parse().unwrap()).collect()
}

/// Processes that run `sleep` with this argument.
fn processes_with(argument: &str) -> Vec<u32> {
    let wanted = format!("sleep\0{argument}\0");
    let all = std::fs::read_dir(Path::new("/proc")).unwrap().flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| {
            std::fs::read(format!("/proc/{pid}/cmdline"))
                .is_ok_and(|line| line.ends_with(wanted.as_bytes()))
        })
        .collect()
}

fn kill(pid: u32) {
    let status = std::process::Command::new("kill").args(["-KILL", &pid.to_string()]).status();
    assert!(status.unwrap().success());
}
