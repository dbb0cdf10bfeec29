//! What must still work behind the walls.

use dogu_sandbox::{Machine, Reads, Strength};
use serde_json::json;

use super::world::{World, helper_path, machine, run, users};

#[test]
fn work_in_the_workspace_goes_on() {
    for user in users() {
        let full = machine(user);
        for machine in [full.clone(), full.clone().without_landlock(), full.without_namespaces()] {
            let world = World::new(user);
            let line = "set -e; echo a > f; mkdir -p d/e; mv f d/e/g; ln -s g d/e/l; cat d/e/l; rm -r d; t=$(mktemp); echo b > $t; cat $t; echo c > /dev/null; head -c 1 /dev/zero | wc -c; cat < /dev/null; [ -w . ]; python3 -c 'import multiprocessing as m; print(m.Lock())'; echo <(true) > x; pwd";
            let mut wish = world.line(line);
            wish["machine"] = json!(machine);
            let answer = run(&wish);
            assert_eq!(answer.end(), "exit 0", "{machine:?} {answer:?}");
            assert!(answer.output.starts_with("a\nb\n1\n<Lock"), "{answer:?}");
        }
    }
}

#[test]
fn git_sees_no_placeholders() {
    for user in users() {
        let world = World::new(user);
        let line = "export HOME=/tmp; cd /tmp; git init -q r; cd r; git status --porcelain; cd $OLDPWD; cp -r r/.git/. /tmp/g; GIT_DIR=/tmp/g GIT_WORK_TREE=$WS git -C $WS status --porcelain -uall";
        let mut wish = world.line(line);
        let ws = format!("WS={}", world.at("ws").display());
        wish["env"].as_array_mut().unwrap().push(json!(ws));
        let answer = run(&wish);
        assert_eq!(answer.end(), "exit 0", "{answer:?}");
        assert!(answer.output.contains("rules.md"), "{answer:?}");
        for name in [".mcp.json", ".dogu", ".agent"] {
            assert!(!answer.output.contains(name), "{answer:?}");
        }
    }
}

#[test]
fn its_own_loopback_works() {
    for user in users() {
        let world = World::new(user);
        let program = "import socket\nfor f, a in ((2, '127.0.0.1'), (10, '::1')):\n l = socket.socket(f); l.bind((a, 0)); l.listen(); socket.create_connection(l.getsockname()[:2]); print('reached')";
        assert_eq!(run(&world.wish(&["python3", "-c", program])).output, "reached\nreached\n");
    }
}

#[test]
fn a_workspace_below_a_private_folder_is_there() {
    let user = users()[0];
    let world = World::new(user);
    for base in ["/tmp", "/var/tmp", "/dev/shm"] {
        let folder = tempfile::tempdir_in(base).unwrap();
        std::fs::write(folder.path().join("f"), "content").unwrap();
        let mut wish = world.line("cat f; echo new > g; ls -A ..");
        wish["cwd"] = json!(folder.path());
        wish["confinement"] = json!({"writable": [folder.path()]});
        let answer = run(&wish);
        let name = folder.path().file_name().unwrap().to_str().unwrap();
        assert_eq!(answer.output, format!("content{name}\n"), "{answer:?}");
        assert_eq!(std::fs::read_to_string(folder.path().join("g")).unwrap(), "new\n");
    }
}

#[test]
fn a_home_can_be_empty_but_for_what_is_shown() {
    for user in users() {
        let world = World::new(user);
        std::fs::create_dir_all(world.at("home/.toolchain/bin")).unwrap();
        std::fs::write(world.at("home/.toolchain/bin/x"), "tool").unwrap();
        let mut wish = world.line("ls -A $H; cat $H/.toolchain/bin/x; echo; echo new > $H/ws/f; cat $H/ws/f; echo > $H/new; echo > $H/.toolchain/new");
        std::fs::create_dir_all(world.at("home/ws")).unwrap();
        std::os::unix::fs::chown(world.at("home/ws"), Some(user), Some(user)).unwrap();
        let home = world.at("home");
        wish["env"].as_array_mut().unwrap().push(json!(format!("H={}", home.display())));
        wish["cwd"] = json!("/");
        wish["confinement"] = json!({
            "writable": [home.join("ws")],
            "reads": Reads::Without { shown: vec![home.join(".toolchain"), home.join("absent")], home },
        });
        let answer = run(&wish);
        assert!(answer.output.starts_with(".toolchain\nws\ntool\nnew\n"), "{answer:?}");
        assert_eq!(answer.output.matches("Read-only file system").count(), 2, "{answer:?}");
        assert!(!world.at("home/new").exists());
    }
}

#[test]
fn an_empty_list_of_writable_folders_makes_everything_read_only() {
    for user in users() {
        let world = World::new(user);
        let mut wish = world.line("echo x > f; echo y > /tmp/f && cat /tmp/f");
        wish["confinement"] = json!({});
        let answer = run(&wish);
        assert!(answer.output.contains("f: Read-only file system"), "{answer:?}");
        assert!(answer.output.ends_with("y\n"), "{answer:?}");
    }
}

#[test]
fn what_is_held_is_read_and_moved_with_its_folder() {
    for user in users() {
        let world = World::new(user);
        let line = "mv lib lib2 && cat lib2/nested/CLAUDE.md && rm -r lib2; mkdir -p lib && ls lib2/nested -A";
        let answer = run(&world.line(line));
        assert!(answer.output.starts_with("content"), "{answer:?}");
        assert!(answer.output.ends_with(".git\nCLAUDE.md\n"), "{answer:?}");
        for word in ["Device or resource busy", "Read-only file system"] {
            assert!(answer.output.contains(word), "{answer:?}");
        }
        let rules = std::fs::read_to_string(world.at("ws/lib2/nested/CLAUDE.md")).unwrap();
        assert_eq!(rules, "content");
    }
}

#[test]
fn the_scratch_space_is_bounded() {
    let world = World::new(users()[0]);
    let mut wish = world.line("head -c 3000000 /dev/zero > /tmp/a; stat -c %s /tmp/a");
    wish["confinement"]["limits"] = json!({"scratch": 1 << 20});
    let answer = run(&wish);
    assert!(answer.output.contains("No space left"), "{answer:?}");
}

#[test]
fn a_terminal_can_be_given() {
    for user in users() {
        let full = machine(user);
        for machine in [full.clone(), full.without_namespaces()] {
            let world = World::new(user);
            let mut wish = world
                .line("[ -t 0 ] && [ -t 1 ] && echo hello > /dev/tty; ps -o tpgid= $$; echo $$");
            wish["machine"] = json!(machine);
            wish["terminal"] = json!(true);
            let answer = run(&wish);
            assert!(answer.output.starts_with("hello"), "{answer:?}");
        }
    }
}

#[test]
fn nothing_of_the_callers_environment_comes_in() {
    let world = World::new(users()[0]);
    let mut wish = world.wish(&["/usr/bin/env"]);
    wish["env"] = json!(["ONLY=this"]);
    assert_eq!(run(&wish).output, "ONLY=this\n");
}

#[test]
fn a_command_without_confinement_has_its_own_session_and_ends_whole() {
    for user in users() {
        let world = World::new(user);
        let mut wish = world.line("(setsid sleep 1000 >/dev/null 2>&1 &); echo x > ../outside/new; ps -o sid= $$; echo $$");
        wish["confinement"] = serde_json::Value::Null;
        let answer = run(&wish);
        let numbers: Vec<_> = answer.output.split_whitespace().collect();
        assert_eq!(numbers.len(), 2, "{answer:?}");
        assert_eq!(numbers[0], numbers[1]);
        assert!(world.at("outside/new").exists());
    }
}

/// Behind the walls there are no namespaces to be had, as in most containers.
#[test]
fn what_a_machine_lacks_is_found_out_and_done_without() {
    for user in users() {
        let world = World::new(user);
        let inner = json!({
            "argv": ["bash", "-c", "echo x > f; echo x > /etc/f; echo done"], "cwd": world.at("ws"),
            "env": ["PATH=/usr/bin:/bin"], "confinement": {"writable": [world.at("ws")]},
        });
        // In the workspace it is seen wherever it was built.
        let path = world.at("ws/confined");
        std::fs::copy(helper_path(), &path).unwrap();
        let answer = run(&world.wish(&[path.to_str().unwrap(), &inner.to_string()]));
        let inner: super::world::Answer = serde_json::from_str(&answer.output)
            .unwrap_or_else(|error| panic!("{error} {answer:?}"));
        assert!(!inner.machine.namespaces);
        assert_eq!(inner.machine.landlock, answer.machine.landlock);
        assert_eq!(inner.machine.strength(), Strength::Partial);
        assert_eq!(inner.reports, ["running", "exit 0"]);
        assert!(inner.output.ends_with("done\n") && world.at("ws/f").exists(), "{inner:?}");
    }
}

#[test]
fn what_does_not_work_until_the_deadline_is_not_there() {
    let world = World::new(users()[0]);
    let mut wish = world.line("echo ran");
    wish["probe"] = json!(0);
    let answer = run(&wish);
    assert_eq!(answer.machine, Machine::default());
    assert_eq!(answer.machine.strength(), Strength::None);
}
