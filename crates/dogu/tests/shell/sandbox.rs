use std::fs;
use std::io::Read as _;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;

use serde_json::{Value, json};

use crate::support::World;

/// Runs a line by itself, and through a child of a child.
async fn both(world: &World, line: &str) -> [Value; 2] {
    let nested = format!("bash -c {}", quoted(&format!("bash -c {}", quoted(line))));
    [world.run(line).await, world.run(&nested).await]
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A line that must fail.
async fn refused(world: &World, line: &str) {
    for ran in both(world, &format!("{line} && echo DONE")).await {
        assert!(!ran["stdout"].as_str().unwrap().contains("DONE"), "{line}: {ran}");
        assert_eq!(ran["sandbox"], "workspace", "{line}: {ran}");
    }
}

fn python(code: &str) -> String {
    format!("python3 -c {}", quoted(code))
}

#[tokio::test]
async fn b5_the_workspace_can_be_written_and_nothing_else() {
    let world = World::new();
    let outside = world.path("outside");
    let ran = world.run("echo x > a.txt && cat a.txt && rm a.txt").await;
    assert_eq!(ran["exit_code"], 0, "{ran}");
    let place = outside.display();
    refused(&world, &python(&format!("open('{place}/x', 'w')"))).await;
    refused(&world, &python(&format!("import os; os.chmod('{place}', 0o777)"))).await;
    refused(&world, &python(&format!("import os; os.utime('{place}')"))).await;
    refused(&world, &python(&format!("import os; os.symlink('{place}', 'l'); open('l/x', 'w')")))
        .await;
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[tokio::test]
async fn b5_a_refusal_is_told_with_what_to_do() {
    let world = World::new();
    let ran = world.run(&python("open('/usr/dogu-test', 'w')")).await;
    let told = ran["refused"][0].as_str().unwrap();
    assert!(told.contains("outside_sandbox: true"), "{ran}");
}

#[tokio::test]
async fn b5_secrets_and_dogus_own_state_are_not_there() {
    let world = World::new();
    let home = world.path("home");
    refused(&world, &python(&format!("open('{}/.ssh/id_ed25519').read()", home.display()))).await;
    let state = world.path("state");
    for ran in
        both(&world, &python(&format!("import os; print(os.listdir('{}'))", state.display()))).await
    {
        // Empty, or below a `/tmp` that is the command's own.
        let not_there = ran["stderr"].as_str().unwrap().contains("FileNotFoundError");
        assert!(ran["stdout"] == "[]\n" || not_there, "{ran}");
    }
}

#[tokio::test]
async fn b5_files_that_steer_others_cannot_be_changed_or_made() {
    let world = World::new();
    world.repository();
    for name in STEERING {
        fs::create_dir_all(world.work(name).parent().unwrap()).unwrap();
        fs::write(world.work(name), "be kind").unwrap();
    }
    refused(&world, &python("open('.git/hooks/pre-commit', 'w')")).await;
    refused(&world, &python("open('.git/config', 'a')")).await;
    refused(&world, &python("import os; os.rename('.git', '.g')")).await;
    for name in STEERING {
        refused(&world, &python(&format!("open('{name}', 'w')"))).await;
        assert_eq!(fs::read_to_string(world.work(name)).unwrap(), "be kind", "{name}");
    }
    refused(&world, &python("open('.mcp.json', 'w')")).await;
    refused(&world, &python("open('dogu.yaml', 'w')")).await;
    refused(&world, &python("import os; os.mkdir('.dogu')")).await;
    let names: Vec<String> = fs::read_dir(world.work(""))
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    assert!(!names.iter().any(|name| name.contains("mcp") || name.contains("dogu")), "{names:?}");
    // What is masked is nothing to git.
    let ran = world.run("python3 -c 1; git status --short").await;
    let listed = ran["stdout"].as_str().unwrap();
    assert!(listed.contains("?? CLAUDE.md\n") && !listed.contains("mcp"), "{listed}");
}

/// Of each kind one: for agents, in a folder that is not theirs, for whoever commits or comes in.
const STEERING: [&str; 6] = [
    "CLAUDE.md",
    ".cursor/rules/a.mdc",
    ".github/copilot-instructions.md",
    ".geminiignore",
    ".husky/pre-commit",
    ".envrc",
];

#[tokio::test]
async fn b5_no_socket_reaches_out() {
    let world = World::new();
    let v4 = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = v4.local_addr().unwrap().port();
    let connect = |family: &str, address: &str| {
        python(&format!("import socket; socket.socket(socket.{family}).connect({address})"))
    };
    refused(&world, &connect("AF_INET", &format!("('127.0.0.1', {port})"))).await;
    if let Ok(v6) = TcpListener::bind("[::1]:0") {
        let port = v6.local_addr().unwrap().port();
        refused(&world, &connect("AF_INET6", &format!("('::1', {port})"))).await;
    }
    refused(&world, &connect("AF_INET", "('192.0.2.1', 80)")).await;
    let socket = world.path("home/agent.sock");
    let _listener = UnixListener::bind(&socket).unwrap();
    refused(&world, &connect("AF_UNIX", &format!("'{}'", socket.display()))).await;
    // What is granted works.
    let line = connect("AF_INET", &format!("('127.0.0.1', {port})"));
    let result = world.call("execute_command", json!({"command": line, "network": true})).await;
    assert_eq!(result.structured.clone().unwrap()["exit_code"], 0, "{}", result.to_text());
    // But not dogu's own port.
    world.runtime().processes().unwrap().close_port(port);
    let result = world.call("execute_command", json!({"command": line, "network": true})).await;
    assert_eq!(result.structured.clone().unwrap()["exit_code"], 1, "{}", result.to_text());
    // Nor what gives out the keys of a machine in a cloud, in any form.
    for (family, address) in [
        ("AF_INET", "('169.254.169.254', 80)"),
        ("AF_INET6", "('::ffff:169.254.169.254', 80)"),
        ("AF_INET6", "('fe80::1', 80, 0, 1)"),
    ] {
        let line = connect(family, address);
        let result = world.call("execute_command", json!({"command": line, "network": true})).await;
        let text = result.to_text();
        assert_eq!(result.structured.unwrap()["exit_code"], 1, "{text}");
        assert!(text.contains("Permission denied"), "{text}");
    }
    // And within itself a command may have its servers.
    let own = "python3 -m http.server 8999 --bind 127.0.0.1 >/dev/null 2>&1 & sleep 1; python3 -c \"import urllib.request as u; print(u.urlopen('http://127.0.0.1:8999/').status)\"";
    let ran = world.run(own).await;
    assert_eq!(ran["stdout"], "200\n", "{ran}");
}

#[tokio::test(flavor = "multi_thread")]
async fn b5_a_socket_that_is_made_later_is_out_of_reach() {
    for (profile, allowed) in [("workspace", ""), ("read-only", "/tmp/"), ("strict", "")] {
        let world = World::with_settings(&format!("sandbox: {{ profile: {profile} }}"));
        let late = world.path("outside/late.sock");
        let go = world.work("go");
        let made = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(300));
            let listener = UnixListener::bind(late).unwrap();
            fs::write(go, "").unwrap();
            listener
        });
        let late = world.path("outside/late.sock");
        let line = python(&format!(
            "import os, socket, time\nwhile not os.path.exists('go'): time.sleep(0.01)\n\
             s = socket.socket(1); s.bind('{allowed}own'); s.listen(); socket.socket(1).connect('{allowed}own'); print('own')\n\
             socket.socket(1).connect('{}'); print('REACHED')",
            late.display()
        ));
        let ran = world.run(&line).await;
        assert_eq!(
            (ran["stdout"].as_str(), ran["sandbox"].as_str()),
            (Some("own\n"), Some(profile))
        );
        // Refused, or below a `/tmp` that is the command's own.
        let errors = ran["stderr"].as_str().unwrap();
        let not_there = errors.contains("FileNotFoundError");
        assert!(errors.contains("Permission denied") || not_there, "{ran}");
        let listener = made.join().unwrap();
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "somebody came");
    }
}

#[tokio::test]
async fn caches_are_of_the_workspace_and_not_of_its_user() {
    let world = World::new();
    fs::create_dir_all(world.path("home/.npm")).unwrap();
    refused(&world, &python(&format!("open('{}/x', 'w')", world.path("home/.npm").display())))
        .await;
    let ran = world.run("mkdir -p $npm_config_cache && echo kept > $npm_config_cache/x").await;
    assert_eq!(ran["exit_code"], 0, "{ran}");
    let ran = world.run("python3 -c 1; cat $npm_config_cache/x; echo $npm_config_cache").await;
    let text = ran["stdout"].as_str().unwrap();
    let own = world.path("home/.cache/dogu/caches");
    assert!(text.starts_with(&format!("kept\n{}", own.display())), "{text}");
    assert!(World::new().run("python3 -c 1; ls $npm_config_cache").await["exit_code"] != 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn sockets_that_come_and_go_hold_nobody_up() {
    let world = World::new();
    let home = world.path("home");
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = std::sync::Arc::clone(&stop);
    let busy = std::thread::spawn(move || {
        while !seen.load(std::sync::atomic::Ordering::Relaxed) {
            let path = home.join("s.sock");
            drop(UnixListener::bind(&path));
            let _ = fs::remove_file(path);
        }
    });
    for number in 0..100 {
        assert_eq!(world.run(&format!("bash -c 'echo {number}'")).await["exit_code"], 0);
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    busy.join().unwrap();
}

#[tokio::test]
async fn b5_the_kernel_is_out_of_reach() {
    let world = World::new();
    let call = |number: u32, arguments: &str| {
        python(&format!(
            "import ctypes,sys; c=ctypes.CDLL(None,use_errno=True); sys.exit(c.syscall({number},{arguments})==-1)"
        ))
    };
    // ptrace, mount, init_module, bpf, io_uring_setup, keyctl, unshare of a user namespace.
    for (number, arguments) in [
        (101, "16,1,0,0"),
        (165, "0,b'/',0,0,0"),
        (175, "b'x',1,b''"),
        (321, "0,0,0"),
        (425, "1,0"),
        (250, "0,0,0"),
        (272, "0x10000000"),
    ] {
        refused(&world, &call(number, arguments)).await;
    }
    refused(&world, "python3 -c \"open('/dev/tty','w')\"").await;
    refused(&world, "python3 -c \"import os; os.kill(os.getppid() + 100000, 9)\"").await;
}

#[tokio::test]
async fn b5_other_processes_are_neither_seen_nor_killed() {
    let world = World::new();
    let mut victim = std::process::Command::new("sleep").arg("89.1").spawn().unwrap();
    let line = format!("kill -9 {}", victim.id());
    refused(&world, &python(&format!("import os; os.kill({}, 9)", victim.id()))).await;
    let _ = world
        .run(&format!("bash -c '{line}'; python3 -c 'import os; os.kill(-1, 15)'; echo alive"))
        .await;
    assert!(victim.try_wait().unwrap().is_none());
    for ran in both(&world, "python3 -c \"import os; print(len([p for p in os.listdir('/proc') if p.isdigit()]) < 20)\"").await {
        assert_eq!(ran["stdout"], "True\n", "{ran}");
    }
    victim.kill().unwrap();
    victim.wait().unwrap();
    // Whoever kills everything it can kills only itself.
    let after = world.run("echo still here").await;
    assert_eq!(after["stdout"], "still here\n");
}

#[tokio::test]
async fn b5_a_set_uid_program_gains_nothing() {
    let world = World::new();
    for ran in both(&world, "python3 -c \"print([l for l in open('/proc/self/status') if l.startswith(('CapEff','CapBnd','NoNewPrivs'))])\"").await {
        let shown = ran["stdout"].as_str().unwrap();
        assert!(shown.contains("CapEff:\\t0000000000000000") && shown.contains("NoNewPrivs:\\t1"), "{shown}");
    }
}

#[tokio::test]
async fn b5_dogu_itself_gives_nothing_away_inside() {
    let world = World::new();
    // In the workspace it is seen wherever the binary lies.
    fs::hard_link(env!("CARGO_BIN_EXE_dogu"), world.work("tool")).unwrap();
    let dogu = "./tool";
    let ran = world
        .run(&format!(
            "{dogu} call write_file path=x.txt content=hi --approve all; {dogu} trust --yes; ls"
        ))
        .await;
    let text = ran["text"].as_str().unwrap();
    assert!(text.contains("does not trust a folder inside its own sandbox"), "{text}");
    let ran =
        world.run(&format!("{dogu} call execute_command command='touch y' --approve all")).await;
    assert!(ran["text"].as_str().unwrap().contains("inside its own sandbox"), "{ran}");
}

#[tokio::test]
async fn b5_the_strict_profile_has_no_home_and_no_sockets() {
    let world = World::with_settings("sandbox: { profile: strict }");
    fs::write(world.path("home/notes.txt"), "private").unwrap();
    let line = python(&format!("import os; print(os.listdir('{}'))", world.path("home").display()));
    assert_eq!(world.run(&line).await["stdout"], "[]\n");
    let ran = world.run(&python("import socket; socket.socket(socket.AF_INET)")).await;
    assert!(ran["stderr"].as_str().unwrap().contains("Error"), "{ran}");
    let ran = world.run("echo x > a.txt && cat a.txt").await;
    assert_eq!(ran["stdout"], "x\n", "{ran}");
}

#[tokio::test]
async fn b5_the_profile_off_is_off_and_read_only_is_read_only() {
    let world = World::with_settings("sandbox: { profile: off }");
    let place = world.path("outside/x");
    let ran = world.run(&python(&format!("open('{}', 'w').write('x')", place.display()))).await;
    assert_eq!((ran["exit_code"].as_i64(), ran["sandbox"].as_str()), (Some(0), Some("off")));
    let mut text = String::new();
    fs::File::open(&place).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "x");
    let world = World::with_settings("sandbox: { profile: read-only }");
    let ran = world.run("echo x > a.txt").await;
    assert!(ran["text"].as_str().unwrap().contains("Read-only file system"), "{ran}");
}
