//! The calls that are refused, or allowed only with certain arguments. All others are allowed.

use super::{Addresses, Kind};

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// It fails with this error.
    Refuse(i32),
    /// It fails with this error if an argument has one of these bits.
    RefuseBits { argument: u8, bits: u32, errno: i32 },
    /// It fails with this error if an argument is one of these.
    RefuseValues { argument: u8, values: &'static [u32], errno: i32 },
    /// It waits for another process, if it has an address; refused if its flags have a bit.
    Wait { flags: u8, never: u32, address: Option<u8> },
    /// A socket of a family.
    Socket { internet: bool },
}

/// `CLONE_NEW*`: all namespaces.
const NAMESPACES: u32 = 0x7e02_0000 | 0x80;
const MSG_FASTOPEN: u32 = 0x2000_0000;

/// Typing into a terminal for its user, and the console's menu of such things.
const TYPING: &[u32] = &[0x5412, 0x541c];
/// The same, and the flags of files and of their projects.
const TYPING_AND_FLAGS: &[u32] = &[0x5412, 0x541c, 0x4008_6602, 0x401c_5820];

/// Calls that look into other processes, change the kernel, or are a large part of its known holes.
const NEVER: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    OPEN_TREE_ATTR,
    libc::SYS_setns,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_settimeofday,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_vhangup,
];

#[cfg(target_arch = "x86_64")]
const NEVER_HERE: &[i64] = &[libc::SYS_iopl, libc::SYS_ioperm];
#[cfg(not(target_arch = "x86_64"))]
const NEVER_HERE: &[i64] = &[];

/// What changes modes, owners, times and attributes: Landlock does not know of it.
const ATTRIBUTES: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
];

#[cfg(target_arch = "x86_64")]
const ATTRIBUTES_HERE: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const ATTRIBUTES_HERE: &[i64] = &[];

// Numbers of newer kernels, the same for all architectures.
const FCHMODAT2: i64 = 452;
const OPEN_TREE_ATTR: i64 = 467;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;

/// The rules of a kind of filter, by number of the call.
pub(super) fn rules(kind: Kind) -> Vec<(u32, Rule)> {
    let mut rules: Vec<(i64, Rule)> = Vec::new();
    let refused = NEVER.iter().chain(NEVER_HERE);
    rules.extend(refused.map(|call| (*call, Rule::Refuse(libc::EPERM))));
    // Its flags are in memory, which a filter cannot read; libraries fall back to clone.
    rules.push((libc::SYS_clone3, Rule::Refuse(libc::ENOSYS)));
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        rules.push((
            call,
            Rule::RefuseBits { argument: 0, bits: bits_of(call), errno: libc::EPERM },
        ));
    }
    rules.push((libc::SYS_socket, Rule::Socket { internet: kind.internet }));
    let values = if kind.mounts { TYPING } else { TYPING_AND_FLAGS };
    rules.push((libc::SYS_ioctl, Rule::RefuseValues { argument: 1, values, errno: libc::EPERM }));
    if kind.mounts {
        rules.extend(set_uid_rules());
    } else {
        let refused = ATTRIBUTES.iter().chain(ATTRIBUTES_HERE);
        rules.extend(refused.map(|call| (*call, Rule::Refuse(libc::EPERM))));
    }
    rules.extend(address_rules(kind.addresses));
    let mut rules: Vec<_> = rules
        .into_iter()
        .filter_map(|(call, rule)| Some((u32::try_from(call).ok()?, rule)))
        .collect();
    rules.sort_by_key(|(call, _)| *call);
    rules
}

/// Connecting by sending is refused: Landlock does not look at it, and nobody should have to.
fn address_rules(addresses: Addresses) -> Vec<(i64, Rule)> {
    let refuse = |argument| Rule::RefuseBits { argument, bits: MSG_FASTOPEN, errno: libc::EPERM };
    let wait = |flags, address| Rule::Wait { flags, never: MSG_FASTOPEN, address };
    match addresses {
        Addresses::Open => Vec::new(),
        Addresses::PortsClosed => vec![
            (libc::SYS_sendto, refuse(3)),
            (libc::SYS_sendmsg, refuse(2)),
            (libc::SYS_sendmmsg, refuse(3)),
        ],
        Addresses::Watched => vec![
            (libc::SYS_connect, Rule::Wait { flags: 0, never: 0, address: None }),
            (libc::SYS_sendto, wait(3, Some(4))),
            (libc::SYS_sendmsg, wait(2, None)),
            (libc::SYS_sendmmsg, wait(3, None)),
        ],
    }
}

/// A set-uid program in the workspace would outlive the walls. One that is made with the bit loses
/// it with the first byte that is written, so that only changes of modes have to be looked at.
fn set_uid_rules() -> Vec<(i64, Rule)> {
    const SET_UID: u32 = 0o4000;
    let refuse = |argument| Rule::RefuseBits { argument, bits: SET_UID, errno: libc::EPERM };
    vec![
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chmod, refuse(1)),
        (libc::SYS_fchmod, refuse(1)),
        (libc::SYS_fchmodat, refuse(2)),
        (FCHMODAT2, refuse(2)),
    ]
}

/// In the flags of clone the lowest byte is the signal of the end, where unshare has a namespace.
fn bits_of(call: i64) -> u32 {
    if call == libc::SYS_clone { NAMESPACES & !0xff } else { NAMESPACES }
}
