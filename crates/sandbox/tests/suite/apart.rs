//! Commands with numbers of their own and nothing else around them.

use std::path::Path;

use serde_json::{Value, json};

use super::world::{World, run, users};

fn apart(world: &World, line: &str) -> Value {
    let mut wish = world.line(line);
    wish["apart"] = json!({"confined": false});
    wish
}

fn for_each_user(test: impl Fn(&World)) {
    for user in users() {
        test(&World::new(user));
    }
}

#[test]
fn it_sees_only_its_own_processes_and_a_parent_that_is_not_the_first() {
    for_each_user(|world| {
        let line = "echo $$ $PPID $(readlink /proc/self) $BASHPID; ls /proc | grep -c '^[0-9]'; cat /proc/$PPID/comm; [ -d /proc/$$/fd ] && echo own";
        let answer = run(&apart(world, line));
        assert_eq!(answer.end(), "exit 0", "{answer:?}");
        let lines: Vec<&str> = answer.output.lines().collect();
        let numbers: Vec<u32> = lines[0].split(' ').map(|n| n.parse().unwrap()).collect();
        let [own, parent, _, shell] = numbers[..] else { panic!("{answer:?}") };
        assert_eq!((own, parent), (shell, 2), "{answer:?}");
        assert!(lines[1].parse::<u32>().unwrap() < 10, "{answer:?}");
        assert_eq!(&lines[2..], ["dogu-init", "own"], "{answer:?}");
    });
}

#[test]
fn all_else_is_as_it_is_outside() {
    for_each_user(|world| {
        let (outside, port) = (world.at("outside"), world.ipv4_port());
        let line = format!(
            "id -u; id -g; echo new > {0}/made && cat {0}/made; cat {1}/id; touch /tmp/dogu-apart-$$ && rm /tmp/dogu-apart-$$; exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached; [ -w /proc/self/oom_score_adj ] && echo proc",
            outside.display(),
            world.at("home/.ssh").display(),
        );
        let answer = run(&apart(world, &line));
        let user = world.user;
        let expected = format!("{user}\n{user}\nnew\nSECRETreached\nproc\n");
        assert_eq!(answer.output, expected, "{answer:?}");
        assert!(Path::new(&outside).join("made").exists());
    });
}

#[test]
fn exit_codes_signals_and_failures_are_told() {
    for_each_user(|world| {
        for (line, end) in [
            ("exit 7", "exit 7"),
            ("kill -9 $$", "signal 9"),
            ("kill -SEGV $$", "signal 11"),
            ("kill -TERM $$; sleep 9", "signal 15"),
            ("kill -USR1 $$; sleep 9", "signal 10"),
        ] {
            assert_eq!(run(&apart(world, line)).reports, ["running", end], "{line}");
        }
        let mut missing = apart(world, "");
        missing["argv"] = json!(["/no/such/program"]);
        assert_eq!(
            run(&missing).reports,
            ["failed: start the program /no/such/program: No such file or directory (os error 2)"]
        );
        missing["argv"] = json!(["true"]);
        missing["cwd"] = json!(world.at("nowhere"));
        assert!(run(&missing).end().starts_with("failed: enter the folder"));
    });
}

#[test]
fn a_signal_reaches_everything_and_is_no_end_by_itself() {
    for_each_user(|world| {
        let line = "trap 'echo first; exit 3' TERM; (setsid -w bash -c 'trap \"echo second; exit\" TERM; echo ready; while :; do sleep 0.05; done') & while :; do sleep 0.05; done";
        let mut wish = apart(world, line);
        wish["signals"] = json!([["ready", 50, 15]]);
        let answer = run(&wish);
        assert!(answer.output.contains("first"), "{answer:?}");
        assert_eq!(answer.end(), "exit 3");
    });
}

#[test]
fn nothing_outlives_its_end_its_parents_end_or_a_kill() {
    for_each_user(|world| {
        let stray = "trap '' TERM INT HUP; (trap '' TERM; setsid setsid sleep 1000 &)";
        let ends = run(&apart(world, &format!("{stray}; sleep 0.1; exit 5")));
        assert_eq!(ends.end(), "exit 5");
        // The parent is only a process: whoever kills it has killed everything.
        let kills = run(&apart(world, &format!("{stray}; kill -9 $PPID; sleep 1000")));
        assert_eq!(kills.end(), "signal 9");
        let mut wish = apart(world, &format!("{stray}; echo ready; while :; do sleep 0.05; done"));
        wish["signals"] = json!([["ready", 20, 15], ["ready", 100, 9]]);
        assert_eq!(run(&wish).reports, ["running"]);
    });
}

#[test]
fn a_confinement_is_not_dropped_silently() {
    let world = World::new(users()[0]);
    let mut wish = apart(&world, "true");
    wish["apart"] = json!({"confined": true});
    assert!(run(&wish).end().starts_with("not started"), "{wish}");
}
