//! Unix sockets: those of others are out of reach whenever they were made, one's own work.

use std::process::{Child, Stdio};

use dogu_sandbox::{Machine, Network};
use serde_json::{Value, json};

use super::world::{Answer, World, machine, run, users};

const OUTSIDE: &str = include_str!("outside.py");
const ATTACKS: &str = include_str!("attacks.py");
const OWN: &str = include_str!("own.py");

/// How often each race is run. An address that is looked at and then used by name loses one of some
/// hundred rounds.
const ROUNDS: &str = "2500";

/// Somebody outside who makes sockets once the command has started.
fn outside(world: &World, name: &str) -> Child {
    std::process::Command::new("/usr/bin/python3")
        .args(["-c", OUTSIDE, world.at("ws").to_str().unwrap(), name])
        .current_dir(world.at("outside"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What the command says about its attempts, and how often somebody came to the one outside.
fn attack(world: &World, change: impl FnOnce(&mut Value)) -> (Answer, u64) {
    let name = world.at("late-name").to_str().unwrap().to_owned();
    let listener = outside(world, &name);
    let path = |name: &str| world.at(name).to_str().unwrap().to_owned();
    let mut wish = world.wish(&[
        "/usr/bin/python3",
        "-c",
        ATTACKS,
        &path("ws"),
        &path("outside"),
        &name,
        ROUNDS,
    ]);
    change(&mut wish);
    let answer = run(&wish);
    // It waits for this to end; a command that failed has not made it.
    std::fs::write(world.at("ws/done"), "").unwrap();
    std::fs::write(world.at("ws/started"), "").unwrap();
    let came = listener.wait_with_output().unwrap().stdout;
    let came = String::from_utf8_lossy(&came).trim().parse().unwrap();
    assert!(answer.output.ends_with("tried all\n"), "{answer:#?}");
    (answer, came)
}

fn nobody_comes(modes: impl Fn(Machine) -> Machine, network: Network) {
    for user in users() {
        let machine = modes(machine(user));
        assert!(machine.watched_connections, "this machine cannot hold sockets");
        let world = World::new(user);
        let (answer, came) = attack(&world, |wish| {
            wish["machine"] = json!(machine);
            wish["confinement"]["network"] = json!(network);
        });
        let breaches: Vec<_> =
            answer.output.lines().filter(|line| line.ends_with("BREACH")).collect();
        assert_eq!(breaches, [""; 0], "user {user}, {machine:?}\n{}", answer.output);
        assert_eq!(came, 0, "user {user}, {machine:?}\n{}", answer.output);
    }
}

#[test]
fn sockets_that_come_later_are_out_of_reach() {
    nobody_comes(|machine| machine, Network::None);
}

#[test]
fn with_a_network_too() {
    nobody_comes(|machine| machine, Network::Host);
}

#[test]
fn with_a_network_and_without_landlock() {
    nobody_comes(Machine::without_landlock, Network::Host);
}

#[test]
fn without_its_own_view_of_processes() {
    nobody_comes(Machine::without_own_processes_view, Network::None);
}

#[test]
fn without_namespaces() {
    nobody_comes(Machine::without_namespaces, Network::NoSockets);
}

#[test]
fn from_a_command_that_only_looks() {
    let user = users()[0];
    let world = World::new(user);
    let listener = outside(&world, world.at("late-name").to_str().unwrap());
    std::fs::write(world.at("ws/started"), "").unwrap();
    let program = "import socket, sys\nfor p in sys.argv[1:]:\n try: socket.socket(1).connect(p); print('reached')\n except OSError as e: print(e.strerror)\ns = socket.socket(1); s.bind('/tmp/s'); s.listen(); socket.socket(1).connect('/tmp/s'); print('own')";
    while !world.at("ws/go").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let late = world.at("outside/late");
    let mut wish = world.wish(&["python3", "-c", program, late.to_str().unwrap()]);
    wish["confinement"]["writable"] = json!([]);
    assert_eq!(run(&wish).output, "Permission denied\nown\n");
    std::fs::write(world.at("ws/done"), "").unwrap();
    assert_eq!(listener.wait_with_output().unwrap().stdout, b"0\n");
}

/// The attempts are real: without walls they succeed, and the races hit.
#[test]
fn without_walls_somebody_comes() {
    const NOT_HERE: &[&str] = &["by_32_bits", "by_a_ring"];
    let Some(0) = users().first() else { return };
    let world = World::new(0);
    let (answer, came) = attack(&world, |wish| wish["confinement"] = Value::Null);
    let lines = answer.output.lines().filter(|line| line.contains(" held"));
    let held: Vec<_> = lines
        .filter(|line| !line.starts_with("racing_"))
        .filter(|line| !NOT_HERE.iter().any(|name| line.starts_with(&format!("{name} "))))
        .collect();
    assert_eq!(held, [""; 0]);
    let direct = answer.output.lines().filter(|line| line.ends_with("BREACH")).count();
    assert!(came > direct as u64 + 1000, "{came} came, {direct} of them not by racing");
}

/// Where nobody looks at connections, what there was before is still masked.
#[test]
fn without_a_listener_only_what_was_there_is_masked() {
    for user in users() {
        let machine = machine(user).without_watched_connections();
        let world = World::new(user);
        let (answer, _) = attack(&world, |wish| wish["machine"] = json!(machine));
        assert!(answer.output.contains("absolute BREACH"), "{}", answer.output);
    }
}

const OWN_WAYS: &str = "asyncio\nmany clients\nmanagers\nhandles\ndescriptors\nlarge\nwho\npeer\n\
    messages\npackets\nlong paths\nbroken pipe\nfull queue\ninternet\nssh-agent\ngit\nnode\n";

fn own_sockets_work(modes: impl Fn(Machine) -> Machine, network: Network) {
    for user in users() {
        let machine = modes(machine(user));
        let world = World::new(user);
        let who = if machine.namespaces { "who" } else { "nobody" };
        let internet = if network == Network::NoSockets { "nothing" } else { "internet" };
        for base in [world.at("ws").to_str().unwrap(), "/tmp"] {
            let mut wish = world.wish(&["/usr/bin/python3", "-c", OWN, base, who, internet]);
            wish["machine"] = json!(machine);
            wish["confinement"]["network"] = json!(network);
            let answer = run(&wish);
            assert_eq!(answer.output, OWN_WAYS, "user {user} in {base}, {machine:?}");
            assert_eq!(answer.end(), "exit 0");
        }
    }
}

#[test]
fn own_sockets_work_with_all_that_the_machine_has() {
    own_sockets_work(|machine| machine, Network::None);
}

#[test]
fn own_sockets_work_with_a_network() {
    own_sockets_work(|machine| machine, Network::Host);
}

#[test]
fn own_sockets_work_without_a_view_of_processes() {
    own_sockets_work(Machine::without_own_processes_view, Network::None);
}

#[test]
fn own_sockets_work_without_namespaces() {
    own_sockets_work(Machine::without_namespaces, Network::NoSockets);
}

#[test]
fn own_sockets_work_unwatched() {
    own_sockets_work(Machine::without_watched_connections, Network::None);
}
