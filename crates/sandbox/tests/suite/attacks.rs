//! Everything that a hostile command tries, in every mode that the machine can be forced into, as
//! root and as nobody, directly and through a child of a child.

use dogu_sandbox::{Machine, Network};
use serde_json::{Value, json};

use super::world::{Answer, World, machine, run, users};

const ATTACKS: &str = include_str!("attacks.py");

/// Starts a program through a child of a child in another session.
const INDIRECTLY: &str = r#"setsid -w bash -c '"$@"; exit $?' bash "$@"; exit $?"#;

fn attack(world: &World, change: impl FnOnce(&mut Value)) -> Answer {
    let facts = world.attack_facts().to_string();
    let mut wish = world.wish(&["python3", "-c", ATTACKS, &facts]);
    wish["under_terminal"] = json!(true);
    change(&mut wish);
    let answer = run(&wish);
    assert!(answer.output.contains("tried all"), "{answer:#?}");
    answer
}

fn indirectly(wish: &mut Value) {
    let direct = wish["argv"].as_array().unwrap().clone();
    let mut argv = vec![json!("bash"), json!("-c"), json!(INDIRECTLY), json!("bash")];
    argv.extend(direct);
    wish["argv"] = json!(argv);
}

/// What a machine must hold.
fn claims(machine: &Machine, user: u32) -> Vec<&'static str> {
    let mut claims = vec!["terminal", "capabilities", "leaks"];
    if machine.seccomp {
        claims.extend(["filter", "network", "attributes", "x32", "set-uid-files"]);
    }
    if machine.landlock >= 2 {
        claims.push("write");
    }
    if machine.landlock >= 3 {
        claims.push("truncate");
    }
    if machine.landlock >= 6 {
        claims.extend(["abstract-sockets", "signals"]);
    }
    if machine.landlock > 0 {
        claims.extend(["kernel-files", "other-memory", "hidden"]);
    }
    if machine.namespaces {
        claims.extend([
            "write",
            "truncate",
            "kernel-files",
            "attributes",
            "hidden",
            "hidden-names",
            "fixed",
            "unix-sockets",
            "other-memory",
            "devices",
            "signals",
        ]);
        if machine.network_namespaces {
            claims.extend(["network", "abstract-sockets"]);
        }
        if machine.own_processes_view {
            claims.push("processes-view");
        }
    } else if user != 0 {
        claims.push("devices");
    }
    claims
}

fn breaches<'a>(answer: &'a Answer, claims: &[&str]) -> Vec<&'a str> {
    let claimed =
        |line: &&str| line.split_once('/').is_some_and(|(claim, _)| claims.contains(&claim));
    answer.output.lines().filter(|line| line.ends_with("BREACH")).filter(claimed).collect()
}

fn hold(modes: impl Fn(Machine) -> Machine) {
    for user in users() {
        let machine = modes(machine(user));
        for change in [|_: &mut Value| (), indirectly] {
            let world = World::new(user);
            let answer = attack(&world, |wish| {
                wish["machine"] = json!(machine);
                change(wish);
            });
            let breaches = breaches(&answer, &claims(&machine, user));
            assert_eq!(breaches, [""; 0], "user {user}, {machine:?}\n{}", answer.output);
            assert_eq!(answer.terminal_output, "", "something was written to the terminal");
            if machine.namespaces {
                assert!(answer.placeholders > 0);
            }
            for name in ["ws/.mcp.json", "ws/.dogu", "ws/.agent"] {
                let there = world.at(name).symlink_metadata().is_ok();
                assert!(!machine.namespaces || !there, "{name} is left");
            }
        }
    }
}

#[test]
fn everything_holds_with_all_that_the_machine_has() {
    hold(|machine| machine);
}

#[test]
fn it_holds_without_landlock() {
    hold(Machine::without_landlock);
}

#[test]
fn it_holds_with_an_old_landlock() {
    hold(|machine| machine.with_landlock_at_most(1));
}

#[test]
fn it_holds_without_its_own_view_of_processes() {
    hold(Machine::without_own_processes_view);
}

#[test]
fn it_holds_without_network_namespaces() {
    hold(Machine::without_network_namespaces);
}

#[test]
fn namespaces_hold_what_they_claim_without_seccomp() {
    hold(Machine::without_seccomp);
}

#[test]
fn landlock_and_seccomp_hold_what_they_claim() {
    hold(Machine::without_namespaces);
}

#[test]
fn an_old_landlock_holds_what_it_claims() {
    hold(|machine| machine.without_namespaces().with_landlock_at_most(3));
}

#[test]
fn landlock_alone_holds_what_it_claims() {
    hold(|machine| machine.without_namespaces().without_seccomp());
}

#[test]
fn seccomp_alone_holds_what_it_claims() {
    hold(|machine| machine.without_namespaces().without_landlock());
}

/// The attacks are real: without walls they succeed, but for those that need a kernel or a right
/// that is not there.
#[test]
fn without_walls_the_attacks_succeed() {
    const NOT_HERE: &[&str] = &[
        // The test is root already, and has no other command's terminal or first process.
        "set_uid_program",
        "key_through_init",
        "write_to_the_terminal",
        "open_descriptors",
        "memory_of_init",
        // Kernels are built without these.
        "x32_calls",
        "other_architecture",
        "crypto_sockets",
        "audit_socket",
        "magic_keys",
        "memory_device",
        "device_settings",
        "new_control_group",
        "ipv6",
        "ipv4_fast_open",
        "disk",
        "attribute_outside",
        // An attack before it has put something there.
        "remove_the_folder",
        // There is none.
        "file_in_the_placeholder",
    ];
    let Some(0) = users().first() else { return };
    let world = World::new(0);
    let answer = attack(&world, |wish| wish["confinement"] = Value::Null);
    let held: Vec<_> = answer.output.lines().filter(|line| line.contains(" held")).collect();
    let expected = |line: &&&str| NOT_HERE.iter().any(|name| line.contains(&format!("/{name} ")));
    let unexpected: Vec<_> = held.iter().filter(|line| !expected(line)).collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");
}

#[test]
fn a_strict_network_makes_no_internet_sockets() {
    for user in users() {
        let world = World::new(user);
        let program = "import socket\nfor f in (socket.AF_INET, socket.AF_INET6):\n try: socket.socket(f); print('made')\n except PermissionError: print('refused')\nsocket.socketpair()";
        let mut wish = world.wish(&["python3", "-c", program]);
        wish["confinement"]["network"] = json!(Network::NoSockets);
        assert_eq!(run(&wish).output, "refused\nrefused\n");
    }
}

#[test]
fn a_granted_network_reaches_all_but_the_closed_ports() {
    for user in users() {
        let machine = machine(user);
        let unwatched = machine.clone().without_watched_connections();
        let machines = [
            machine.clone().without_namespaces(),
            machine,
            unwatched.clone().without_namespaces(),
            unwatched,
        ];
        for machine in machines {
            let world = World::new(user);
            let open = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let program = "import socket, sys\nfor p in sys.argv[1:]:\n try: socket.create_connection(('127.0.0.1', int(p)), 5); print('reached')\n except PermissionError: print('refused')\ns = socket.socket()\ntry:\n s.sendto(b'x', 0x20000000, ('127.0.0.1', int(sys.argv[2]))); print('reached')\nexcept PermissionError: print('refused')\ntry: socket.socket(2, 1, 262); print('made')\nexcept OSError: print('refused')";
            let (free, closed) = (open.local_addr().unwrap().port(), world.ipv4_port());
            let ports = [free.to_string(), closed.to_string()];
            let mut wish = world.wish(&["python3", "-c", program, &ports[0], &ports[1]]);
            wish["confinement"]["network"] = json!(Network::Host);
            wish["confinement"]["closed_ports"] = json!([closed]);
            wish["machine"] = json!(machine);
            let answer = run(&wish);
            let expected = if machine.watched_connections || machine.landlock >= 4 {
                "reached\nrefused\nrefused\nrefused\n"
            } else {
                "reached\nreached\nreached\nrefused\n"
            };
            assert_eq!(answer.output, expected);
        }
    }
}

/// Connects and sends in every way that there is, to open and to closed addresses. Prints one word
/// for each.
const WATCHED: &str = r"
import ctypes, os, socket, struct, sys, tempfile, threading
libc = ctypes.CDLL(None, use_errno=True)
open_port, closed_port, datagram_port = map(int, sys.argv[1:4])
def told(what, work):
    try: work(); print(what, 'reached')
    except PermissionError: print(what, 'refused')
    except OSError as error: print(what, error.strerror)
def tcp(address, family=socket.AF_INET, timeout=5):
    with socket.socket(family) as s:
        s.settimeout(timeout); s.connect(address)
def udp(address, family=socket.AF_INET):
    with socket.socket(family, socket.SOCK_DGRAM) as s: s.sendto(b'one', address)
def udp_message(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        assert s.sendmsg([b'o', b'ne'], [], 0, address) == 3
def udp_connected(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s: s.connect(address); s.send(b'one')
told('blocking', lambda: tcp(('127.0.0.1', open_port), timeout=None))
told('not blocking', lambda: tcp(('127.0.0.1', open_port)))
told('nobody', lambda: tcp(('127.0.0.1', 1)))
told('closed port', lambda: tcp(('127.0.0.1', closed_port)))
told('closed port by zero', lambda: tcp(('0.0.0.0', closed_port)))
told('closed port mapped', lambda: tcp(('::ffff:127.0.0.1', closed_port), socket.AF_INET6))
told('link-local', lambda: tcp(('169.254.169.254', 80)))
told('link-local mapped', lambda: tcp(('::ffff:169.254.169.254', 80), socket.AF_INET6))
told('link-local six', lambda: tcp(('fe80::1', 80, 0, 1), socket.AF_INET6))
told('message', lambda: udp(('127.0.0.1', datagram_port)))
told('message parts', lambda: udp_message(('127.0.0.1', datagram_port)))
told('message connected', lambda: udp_connected(('127.0.0.1', datagram_port)))
told('message link-local', lambda: udp(('169.254.169.254', 53)))
told('message parts link-local', lambda: udp_message(('169.254.169.254', 53)))
told('message connected link-local', lambda: udp_connected(('169.254.169.254', 53)))
def run_in_thread(work):
    failed = []
    def run():
        try: work()
        except OSError as error: failed.append(error)
    thread = threading.Thread(target=run); thread.start(); thread.join()
    if failed: raise failed[0]
told('thread', lambda: run_in_thread(lambda: tcp(('169.254.169.254', 80))))
told('thread open', lambda: run_in_thread(lambda: tcp(('127.0.0.1', open_port), timeout=None)))
os.chdir(tempfile.mkdtemp())
server = socket.socket(socket.AF_UNIX); server.bind('own'); server.listen()
for name in ('own', os.getcwd() + '/own'):
    client = socket.socket(socket.AF_UNIX)
    told('unix', lambda: client.connect(name))
abstract = socket.socket(socket.AF_UNIX); abstract.bind(f'\0{os.getcwd()}'); abstract.listen()
client = socket.socket(socket.AF_UNIX)
told('abstract', lambda: client.connect(f'\0{os.getcwd()}'))
left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
socket.send_fds(left, [b'x'], [0])
told('descriptors', lambda: socket.recv_fds(right, 9, 1))
sys.stdout.flush()
child = os.fork()
if child == 0:
    told('child', lambda: tcp(('169.254.169.254', 80)))
    sys.stdout.flush(); os._exit(0)
sys.stdout.flush(); os.waitpid(child, 0)
class Message(ctypes.Structure):
    _fields_ = [('name', ctypes.c_char_p), ('name_length', ctypes.c_uint), ('parts', ctypes.c_void_p),
        ('count', ctypes.c_size_t), ('control', ctypes.c_void_p), ('control_length', ctypes.c_size_t),
        ('flags', ctypes.c_int), ('gap', ctypes.c_int), ('length', ctypes.c_uint)]
class Part(ctypes.Structure):
    _fields_ = [('base', ctypes.c_char_p), ('length', ctypes.c_size_t)]
part = Part(b'three', 5)
def list_of(address):
    name = struct.pack('=H', 2) + struct.pack('!H', address[1]) + socket.inet_aton(address[0]) + bytes(8)
    return (Message * 2)(*[Message(name, 16, ctypes.addressof(part), 1, None, 0, 0, 0, 0) for _ in range(2)])
for address in (('127.0.0.1', datagram_port), ('169.254.169.254', 53)):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        messages = list_of(address)
        sent = libc.sendmmsg(s.fileno(), messages, 2, 0)
        print('list', sent, messages[0].length if sent > 0 else os.strerror(ctypes.get_errno()))
";

const WATCHED_ANSWER: &str = "\
blocking reached
not blocking reached
nobody Connection refused
closed port refused
closed port by zero refused
closed port mapped refused
link-local refused
link-local mapped refused
link-local six refused
message reached
message parts reached
message connected reached
message link-local refused
message parts link-local refused
message connected link-local refused
thread refused
thread open reached
unix reached
unix reached
abstract reached
descriptors reached
child refused
list 2 5
list -1 Permission denied
";

#[test]
fn a_granted_network_does_not_reach_closed_addresses() {
    for user in users() {
        let machine = machine(user);
        assert!(machine.watched_connections, "this machine cannot close addresses");
        for machine in [machine.clone(), machine.without_namespaces()] {
            let world = World::new(user);
            let open = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let datagrams = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
            let ports = [
                open.local_addr().unwrap().port(),
                world.ipv4_port(),
                datagrams.local_addr().unwrap().port(),
            ];
            let [first, second, third] = ports.map(|port| port.to_string());
            let mut wish = world.wish(&["python3", "-c", WATCHED, &first, &second, &third]);
            wish["confinement"]["network"] = json!(Network::Host);
            wish["confinement"]["closed_ports"] = json!([ports[1]]);
            wish["confinement"]["closed_ranges"] = json!([
                { "address": "169.254.0.0", "prefix": 16 },
                { "address": "fe80::", "prefix": 10 },
            ]);
            wish["machine"] = json!(machine);
            let answer = run(&wish);
            assert_eq!(answer.output, WATCHED_ANSWER);
            let mut received = Vec::new();
            datagrams.set_nonblocking(true).unwrap();
            let mut buffer = [0; 16];
            while let Ok(count) = datagrams.recv(&mut buffer) {
                received.push(String::from_utf8_lossy(&buffer[..count]).into_owned());
            }
            assert_eq!(received, ["one", "one", "one", "three", "three"]);
        }
    }
}
