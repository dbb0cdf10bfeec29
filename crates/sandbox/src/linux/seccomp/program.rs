//! Rules as a program of the kernel's packet filter.

use super::super::sys::confine::Instruction;
use super::rules::Rule;

const LOAD: u16 = 0x20;
const JUMP: u16 = 0x05;
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
const IF_BITS: u16 = 0x45;
const RETURN: u16 = 0x06;

const ALLOW: u32 = 0x7fff_0000;
const WAIT: u32 = 0x7fc0_0000;
const ERROR: u32 = 0x0005_0000;
const KILL: u32 = 0x8000_0000;

// Where the kernel puts things for the filter to read.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

#[cfg(target_arch = "x86_64")]
const NATIVE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const NATIVE: u32 = 0xc000_00b7;
/// Where filters are not used (see `probe`), nothing is native.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const NATIVE: u32 = 0;

/// From this number on `x86_64` means its x32 calls; nothing else has such numbers.
const FOREIGN_NUMBERS: u32 = 0x4000_0000;

const IPPROTO_MPTCP: u32 = 262;
const NETLINK_ROUTE: u32 = 0;

/// The program of some rules, which are sorted by number.
pub(super) fn assemble(rules: &[(u32, Rule)]) -> Vec<Instruction> {
    let mut program = vec![
        load(ARCHITECTURE),
        branch(IF_EQUAL, NATIVE, 1, 0),
        give(KILL),
        load(NUMBER),
        branch(IF_AT_LEAST, FOREIGN_NUMBERS, 0, 1),
        refuse(libc::ENOSYS),
    ];
    program.extend(tree(rules));
    program
}

/// Finds the rule of the loaded number by halving.
fn tree(rules: &[(u32, Rule)]) -> Vec<Instruction> {
    match rules {
        [] => vec![give(ALLOW)],
        [(number, rule)] => {
            let mut code = vec![branch(IF_EQUAL, *number, 1, 0), give(ALLOW)];
            code.extend(apply(*rule));
            code
        }
        _ => {
            let (left, right) = rules.split_at(rules.len() / 2);
            let pivot = right[0].0;
            let left = tree(left);
            // A condition jumps at most 255 instructions far; a plain jump has no such limit.
            let mut code = vec![branch(IF_AT_LEAST, pivot, 0, 1), jump(left.len())];
            code.extend(left);
            code.extend(tree(right));
            code
        }
    }
}

fn apply(rule: Rule) -> Vec<Instruction> {
    match rule {
        Rule::Refuse(errno) => vec![refuse(errno)],
        Rule::RefuseBits { argument, bits, errno } => {
            vec![load_argument(argument), branch(IF_BITS, bits, 0, 1), refuse(errno), give(ALLOW)]
        }
        Rule::RefuseValues { argument, values, errno } => {
            let mut code = vec![load_argument(argument)];
            for value in values {
                code.extend([branch(IF_EQUAL, *value, 0, 1), refuse(errno)]);
            }
            code.push(give(ALLOW));
            code
        }
        Rule::Wait { flags, never, address } => wait(flags, never, address),
        Rule::Socket { internet } => socket(internet),
    }
}

fn wait(flags: u8, never: u32, address: Option<u8>) -> Vec<Instruction> {
    let mut code = vec![load_argument(flags), branch(IF_BITS, never, 0, 1), refuse(libc::EPERM)];
    if let Some(address) = address {
        let [low, high] = load_halves(address);
        code.extend([low, branch(IF_EQUAL, 0, 0, 3), high, branch(IF_EQUAL, 0, 0, 1), give(ALLOW)]);
    }
    code.push(give(WAIT));
    code
}

/// Unix sockets, those that ask for routes and interfaces, and the internet's if allowed: without
/// multipath TCP, which Landlock does not know.
fn socket(internet: bool) -> Vec<Instruction> {
    let family = |family: i32| branch(IF_EQUAL, family.cast_unsigned(), 0, 1);
    let mut code = vec![
        load_argument(0),
        family(libc::AF_UNIX),
        give(ALLOW),
        branch(IF_EQUAL, libc::AF_INET.cast_unsigned(), 6, 0),
        branch(IF_EQUAL, libc::AF_INET6.cast_unsigned(), 5, 0),
        branch(IF_EQUAL, libc::AF_NETLINK.cast_unsigned(), 0, 3),
        load_argument(2),
        branch(IF_EQUAL, NETLINK_ROUTE, 0, 1),
        give(ALLOW),
        refuse(libc::EAFNOSUPPORT),
    ];
    if internet {
        code.extend([
            load_argument(2),
            branch(IF_EQUAL, IPPROTO_MPTCP, 0, 1),
            refuse(libc::EPROTONOSUPPORT),
            give(ALLOW),
        ]);
    } else {
        code.push(refuse(libc::EPERM));
    }
    code
}

fn load(offset: u32) -> Instruction {
    Instruction { code: LOAD, if_true: 0, if_false: 0, value: offset }
}

/// The low half of an argument: all that are looked at are numbers of 32 bits.
fn load_argument(argument: u8) -> Instruction {
    let half = if cfg!(target_endian = "big") { 4 } else { 0 };
    load(ARGUMENTS + 8 * u32::from(argument) + half)
}

/// Both halves of an argument that is a pointer.
fn load_halves(argument: u8) -> [Instruction; 2] {
    let first = ARGUMENTS + 8 * u32::from(argument);
    [load(first), load(first + 4)]
}

fn branch(code: u16, value: u32, if_true: u8, if_false: u8) -> Instruction {
    Instruction { code, if_true, if_false, value }
}

fn jump(over: usize) -> Instruction {
    Instruction { code: JUMP, if_true: 0, if_false: 0, value: u32::try_from(over).unwrap_or(0) }
}

fn give(answer: u32) -> Instruction {
    Instruction { code: RETURN, if_true: 0, if_false: 0, value: answer }
}

fn refuse(errno: i32) -> Instruction {
    give(ERROR | errno.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::super::rules::rules;
    use super::super::{Addresses, Kind};
    use super::*;

    /// What the kernel would answer, and after how many instructions.
    fn run(
        program: &[Instruction],
        architecture: u32,
        number: u32,
        arguments: [u32; 5],
    ) -> (u32, usize) {
        let (mut at, mut held, mut steps) = (0, 0, 0);
        loop {
            let now = program[at];
            steps += 1;
            at += 1;
            let taken = match now.code {
                LOAD => {
                    held = match now.value {
                        NUMBER => number,
                        ARCHITECTURE => architecture,
                        offset => arguments[(offset - ARGUMENTS) as usize / 8],
                    };
                    continue;
                }
                JUMP => {
                    at += now.value as usize;
                    continue;
                }
                RETURN => return (now.value, steps),
                IF_EQUAL => held == now.value,
                IF_AT_LEAST => held >= now.value,
                IF_BITS => held & now.value != 0,
                code => panic!("unknown instruction {code}"),
            };
            at += usize::from(if taken { now.if_true } else { now.if_false });
        }
    }

    fn kinds() -> impl Iterator<Item = Kind> {
        [Addresses::Open, Addresses::PortsClosed, Addresses::Watched].into_iter().flat_map(
            |addresses| {
                (0..4).map(move |bits| Kind {
                    internet: bits & 1 != 0,
                    mounts: bits & 2 != 0,
                    addresses,
                })
            },
        )
    }

    const E: fn(i32) -> u32 = |errno| ERROR | errno.cast_unsigned();

    #[test]
    fn each_number_gets_its_own_rule() {
        for kind in kinds() {
            let rules = rules(kind);
            let program = assemble(&rules);
            for number in 0..1000 {
                let (answer, steps) = run(&program, NATIVE, number, [u32::MAX; 5]);
                let expected = match rules.iter().find(|(call, _)| *call == number) {
                    Some((_, Rule::Refuse(errno) | Rule::RefuseBits { errno, .. })) => E(*errno),
                    None | Some((_, Rule::RefuseValues { .. })) => ALLOW,
                    Some((_, Rule::Socket { .. })) => E(libc::EAFNOSUPPORT),
                    Some((_, Rule::Wait { never: 0, .. })) => WAIT,
                    Some((_, Rule::Wait { .. })) => E(libc::EPERM),
                };
                assert_eq!(answer, expected, "call {number} of {kind:?}");
                assert!(steps < 32, "call {number} took {steps} instructions");
            }
        }
    }

    #[test]
    fn no_rule_is_given_twice() {
        for kind in kinds() {
            let rules = rules(kind);
            assert!(rules.windows(2).all(|pair| pair[0].0 < pair[1].0), "{rules:?}");
        }
    }

    #[test]
    fn other_architectures_are_killed_and_x32_is_unknown() {
        let kind = Kind { internet: true, mounts: true, addresses: Addresses::Open };
        let program = assemble(&rules(kind));
        assert_eq!(run(&program, I386, 4, [0; 5]).0, KILL);
        assert_eq!(run(&program, NATIVE, FOREIGN_NUMBERS | 1, [0; 5]).0, E(libc::ENOSYS));
    }

    #[test]
    fn sockets_are_judged_by_family_and_protocol() {
        for internet in [true, false] {
            let program =
                assemble(&rules(Kind { internet, mounts: true, addresses: Addresses::Open }));
            let socket = |family: i32, protocol: u32| {
                let call = u32::try_from(libc::SYS_socket).unwrap();
                run(&program, NATIVE, call, [family.cast_unsigned(), 1, protocol, 0, 0]).0
            };
            let internet_answer = if internet { ALLOW } else { E(libc::EPERM) };
            assert_eq!(socket(libc::AF_UNIX, 0), ALLOW);
            assert_eq!(socket(libc::AF_NETLINK, 0), ALLOW);
            assert_eq!(socket(libc::AF_NETLINK, 12), E(libc::EAFNOSUPPORT));
            // The protocol's number is that of a family: the two must not be mixed up.
            assert_eq!(socket(libc::AF_NETLINK, 2), E(libc::EAFNOSUPPORT));
            assert_eq!(socket(libc::AF_INET, 0), internet_answer);
            assert_eq!(socket(libc::AF_INET6, 6), internet_answer);
            if internet {
                assert_eq!(socket(libc::AF_INET, IPPROTO_MPTCP), E(libc::EPROTONOSUPPORT));
            }
            for family in [libc::AF_ALG, libc::AF_PACKET, libc::AF_VSOCK, libc::AF_BLUETOOTH] {
                assert_eq!(socket(family, 0), E(libc::EAFNOSUPPORT));
            }
        }
    }

    #[test]
    fn new_namespaces_are_refused_and_threads_are_not() {
        let program = assemble(&rules(Kind {
            internet: true,
            mounts: true,
            addresses: Addresses::PortsClosed,
        }));
        let call = |number: i64, arguments| {
            run(&program, NATIVE, u32::try_from(number).unwrap(), arguments).0
        };
        assert_eq!(call(libc::SYS_clone, [THREAD, 0, 0, 0, 0]), ALLOW);
        assert_eq!(call(libc::SYS_clone, [0x11, 0, 0, 0, 0]), ALLOW);
        assert_eq!(call(libc::SYS_clone, [0x1000_0011, 0, 0, 0, 0]), E(libc::EPERM));
        assert_eq!(call(libc::SYS_unshare, [0x0000_0400, 0, 0, 0, 0]), ALLOW);
        assert_eq!(call(libc::SYS_unshare, [0x0000_0080, 0, 0, 0, 0]), E(libc::EPERM));
        assert_eq!(call(libc::SYS_sendto, [0, 0, 0, 0x4000, 0]), ALLOW);
        assert_eq!(call(libc::SYS_sendto, [0, 0, 0, MSG_FASTOPEN, 0]), E(libc::EPERM));
        assert_eq!(call(libc::SYS_ioctl, [0, 0x5412, 0, 0, 0]), E(libc::EPERM));
    }

    #[test]
    fn calls_that_give_an_address_wait_and_others_do_not() {
        let kind = Kind { internet: true, mounts: true, addresses: Addresses::Watched };
        let program = assemble(&rules(kind));
        let call = |number: i64, arguments| {
            run(&program, NATIVE, u32::try_from(number).unwrap(), arguments).0
        };
        assert_eq!(call(libc::SYS_connect, [3, 0, 0, 0, 0]), WAIT);
        assert_eq!(call(libc::SYS_sendto, [3, 0, 0, 0x4000, 0]), ALLOW);
        assert_eq!(call(libc::SYS_sendto, [3, 0, 0, 0x4000, 1]), WAIT);
        assert_eq!(call(libc::SYS_sendto, [3, 0, 0, MSG_FASTOPEN, 1]), E(libc::EPERM));
        assert_eq!(call(libc::SYS_sendmsg, [3, 0, 0, 0, 0]), WAIT);
        assert_eq!(call(libc::SYS_sendmmsg, [3, 0, 0, MSG_FASTOPEN, 0]), E(libc::EPERM));
    }

    const MSG_FASTOPEN: u32 = 0x2000_0000;
    const I386: u32 = 0x4000_0003;
    /// The flags with which a thread is made.
    const THREAD: u32 = 0x003d_0f00;
}
