//! What takes rights away: capabilities, Landlock, seccomp.
#![expect(unsafe_code, reason = "system calls that no library of the workspace has")]

use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use super::files::owned;
use super::process::setting;
use super::{Errno, Sys, done};

/// No program that is started from here on gives more rights than there are now.
pub(crate) fn no_new_privileges() -> Sys<()> {
    setting(libc::PR_SET_NO_NEW_PRIVS, 1)
}

/// Takes all capabilities, and all ways to get one by starting a program.
pub(crate) fn drop_capabilities() -> Sys<()> {
    /// More than any kernel has; the first number that is not known ends the loop.
    const MOST: libc::c_ulong = 64;
    let locked = libc::SECBIT_NOROOT
        | libc::SECBIT_NOROOT_LOCKED
        | libc::SECBIT_NO_SETUID_FIXUP
        | libc::SECBIT_NO_SETUID_FIXUP_LOCKED
        | libc::SECBIT_KEEP_CAPS_LOCKED
        | libc::SECBIT_NO_CAP_AMBIENT_RAISE
        | libc::SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    setting(libc::PR_SET_SECUREBITS, libc::c_ulong::from(locked.cast_unsigned()))?;
    setting(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL as libc::c_ulong)?;
    for capability in 0..MOST {
        match setting(libc::PR_CAPBSET_DROP, capability) {
            Ok(()) => {}
            Err(Errno(libc::EINVAL)) if capability > 0 => break,
            Err(errno) => return Err(errno),
        }
    }
    set_no_capabilities()
}

/// `_LINUX_CAPABILITY_VERSION_3` of the kernel's headers, for this process.
const CAPABILITIES: [u32; 2] = [0x2008_0522, 0];

/// Takes the capabilities that are held now.
pub(crate) fn set_no_capabilities() -> Sys<()> {
    set_capabilities([0; 6])
}

/// Takes the capabilities that are held now, but for what looking into the processes of a command
/// and speaking in their name takes.
pub(crate) fn keep_capabilities_over_others() -> Sys<()> {
    /// `CAP_SYS_PTRACE` and `CAP_SYS_ADMIN` of the kernel's headers.
    const KEPT: u32 = 1 << 19 | 1 << 21;
    let mut sets = [0_u32; 6];
    // SAFETY: header and sets are laid out as version 3 of the call wants them.
    done(unsafe { libc::syscall(libc::SYS_capget, CAPABILITIES.as_ptr(), sets.as_mut_ptr()) })?;
    let [effective, permitted, ..] = sets;
    set_capabilities([effective & KEPT, permitted & KEPT, 0, 0, 0, 0])
}

/// Effective, permitted and inheritable ones among the first 32, then among the others.
fn set_capabilities(sets: [u32; 6]) -> Sys<()> {
    // SAFETY: header and sets are laid out as version 3 of the call wants them.
    done(unsafe { libc::syscall(libc::SYS_capset, CAPABILITIES.as_ptr(), sets.as_ptr()) })
}

/// `struct landlock_ruleset_attr`; older kernels take the beginning of it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Handled {
    pub(crate) files: u64,
    pub(crate) network: u64,
    pub(crate) scopes: u64,
}

/// `struct landlock_path_beneath_attr`.
#[repr(C, packed)]
struct Beneath {
    allowed: u64,
    parent: i32,
}

/// `struct landlock_net_port_attr`.
#[repr(C)]
struct Port {
    allowed: u64,
    port: u64,
}

/// The version of Landlock, 0 if there is none.
pub(crate) fn landlock_version() -> u32 {
    let nothing: *const Handled = std::ptr::null();
    // SAFETY: with the version flag nothing is read.
    let answer = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0, 1) };
    u32::try_from(answer).unwrap_or(0)
}

/// A set of rules that refuses what it handles, but for what is added to it.
pub(crate) fn new_rules(handled: &Handled, version: u32) -> Sys<OwnedFd> {
    let size = match version {
        0..=3 => 8,
        4 | 5 => 16,
        _ => size_of::<Handled>(),
    };
    // SAFETY: the struct is at least as long as the size says.
    owned(unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::from_ref(handled), size, 0)
    })
}

/// Allows something to a file, or to a folder and all below it.
pub(crate) fn allow_beneath(rules: BorrowedFd<'_>, place: BorrowedFd<'_>, allowed: u64) -> Sys<()> {
    let rule = Beneath { allowed, parent: place.as_raw_fd() };
    // SAFETY: the struct lives through the call, and type 1 is this struct.
    done(unsafe {
        libc::syscall(libc::SYS_landlock_add_rule, rules.as_raw_fd(), 1, &raw const rule, 0)
    })
}

/// Allows something to a TCP port.
pub(crate) fn allow_port(rules: BorrowedFd<'_>, port: u16, allowed: u64) -> Sys<()> {
    let rule = Port { allowed, port: u64::from(port) };
    // SAFETY: the struct lives through the call, and type 2 is this struct.
    done(unsafe {
        libc::syscall(libc::SYS_landlock_add_rule, rules.as_raw_fd(), 2, &raw const rule, 0)
    })
}

/// Puts this process under a set of rules.
pub(crate) fn obey(rules: BorrowedFd<'_>) -> Sys<()> {
    // SAFETY: numbers only.
    done(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) })
}

/// One instruction of a filter, as the kernel takes it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) code: u16,
    pub(crate) if_true: u8,
    pub(crate) if_false: u8,
    pub(crate) value: u32,
}

/// `struct sock_fprog`.
#[repr(C)]
struct Program {
    length: u16,
    first: *const Instruction,
}

/// Puts this process under a filter of system calls.
pub(crate) fn filter(instructions: &[Instruction]) -> Sys<()> {
    with_program(instructions, |program| {
        // SAFETY: the program and its instructions live through the call.
        done(unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, program) })
    })
}

/// Instructions as the kernel takes them, for as long as `apply` runs.
pub(super) fn with_program<T>(
    instructions: &[Instruction],
    apply: impl FnOnce(*const libc::c_void) -> Sys<T>,
) -> Sys<T> {
    let length = u16::try_from(instructions.len()).map_err(|_| Errno(libc::E2BIG))?;
    let program = Program { length, first: instructions.as_ptr() };
    apply((&raw const program).cast())
}
