//! A command with everything that could be worked out before its first process.

use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::rc::Rc;

use super::landlock;
use super::placeholder::Placeholders;
use super::plan::MountPlan;
use super::seccomp::{self, Addresses};
use super::sys::confine::Instruction;
use super::sys::process::namespaces;
use super::warden::{Closed, Places, Reach};
use crate::{Apart, Command, Confinement, Limits, Machine, Network, SpawnError};

/// What the last process of the chain does in the end.
#[derive(Debug)]
pub(crate) enum Program {
    /// Becomes the first of these files that can be started.
    Start(Vec<CString>),
    /// Ends with 0: only the way to it is tried.
    Nothing,
}

/// One command, ready to be started.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) program: Program,
    pub(crate) argv: Vec<CString>,
    pub(crate) env: Vec<CString>,
    pub(crate) cwd: CString,
    pub(crate) stdio: [OwnedFd; 3],
    pub(crate) terminal: bool,
    pub(crate) walls: Option<Walls>,
    /// Where there are no walls: how its processes get numbers of their own.
    pub(crate) apart: Option<Apart>,
}

/// What a confined command is behind.
#[derive(Debug)]
pub(crate) struct Walls {
    pub(crate) plan: MountPlan,
    pub(crate) machine: Machine,
    pub(crate) own_network: bool,
    pub(crate) limits: Limits,
    pub(crate) filter: Option<Rc<[Instruction]>>,
    pub(crate) ports: Option<Rc<OwnedFd>>,
    /// What may be reached, where connections are watched over.
    pub(crate) reach: Option<Reach>,
}

impl Job {
    pub(crate) fn new(
        command: Command,
        machine: &Machine,
        kept: &mut Placeholders,
    ) -> Result<Self, SpawnError> {
        let Command { argv, env, cwd, stdio, terminal, confinement } = command;
        let program = program(&argv, &env)?;
        let walls = match confinement {
            Some(confinement) => Some(Walls::new(&confinement, machine, kept)?),
            None => None,
        };
        Ok(Self { program, argv, env, cwd, stdio, terminal, walls, apart: None })
    }

    /// One without walls, whose processes have numbers of their own.
    pub(crate) fn apart(command: Command, apart: Apart) -> Result<Self, SpawnError> {
        let Command { argv, env, cwd, stdio, terminal, .. } = command;
        let program = program(&argv, &env)?;
        Ok(Self { program, argv, env, cwd, stdio, terminal, walls: None, apart: Some(apart) })
    }

    /// The namespaces of its first process.
    pub(crate) fn namespaces(&self) -> u64 {
        use namespaces::{IPC, MOUNT, NETWORK, PID, USER};
        let Some(walls) = &self.walls else { return self.apart.map_or(0, Apart::namespaces) };
        let own = if walls.machine.namespaces { USER | PID | MOUNT | IPC } else { 0 };
        own | if walls.own_network { NETWORK } else { 0 }
    }

    /// Whether its processes are in a PID namespace.
    pub(crate) fn numbered_apart(&self) -> bool {
        self.namespaces() & namespaces::PID != 0
    }
}

impl Walls {
    pub(crate) fn new(
        confinement: &Confinement,
        machine: &Machine,
        kept: &mut Placeholders,
    ) -> Result<Self, SpawnError> {
        let own_network = machine.namespaces
            && machine.network_namespaces
            && confinement.network != Network::Host;
        let internet = match confinement.network {
            Network::Host => true,
            Network::None => own_network,
            Network::NoSockets => false,
        };
        let closed = if internet && !own_network {
            Closed {
                ports: confinement.closed_ports.clone(),
                ranges: confinement.closed_ranges.clone(),
                name_servers: confinement.name_servers.clone(),
            }
        } else {
            Closed::default()
        };
        let mut plan = if machine.namespaces {
            MountPlan::new(confinement, kept)?
        } else {
            MountPlan::without_mounts(confinement)?
        };
        let (mut reach, mut ports) = (None, None);
        let addresses = if machine.watched_connections && machine.seccomp {
            let places = if machine.namespaces {
                Places::WritableMounts
            } else {
                Places::Below(landlock::shared_paths(&plan))
            };
            let abstract_names = own_network || machine.landlock >= landlock::SCOPES_SINCE;
            reach = Some(Reach { closed, places, abstract_names });
            Addresses::Watched
        } else {
            if machine.namespaces {
                plan.mask_sockets(&confinement.writable);
            }
            ports = landlock::closed_ports(&closed.ports, machine.landlock)
                .map_err(|errno| SpawnError::System(errno.into()))?;
            if ports.is_some() { Addresses::PortsClosed } else { Addresses::Open }
        };
        let kind = seccomp::Kind { internet, mounts: machine.namespaces, addresses };
        Ok(Self {
            plan,
            machine: machine.clone(),
            own_network,
            limits: confinement.limits,
            filter: machine.seccomp.then(|| seccomp::filter(kind)),
            ports,
            reach,
        })
    }

    /// The version of Landlock that helps: the first one forbids moving files, which mounts need
    /// not.
    pub(crate) fn landlock(&self) -> Option<u32> {
        let version = self.machine.landlock;
        let least = if self.machine.namespaces { landlock::MOVES } else { 1 };
        (version >= least).then_some(version)
    }
}

fn program(argv: &[CString], env: &[CString]) -> Result<Program, SpawnError> {
    let Some(name) = argv.first() else {
        return Err(SpawnError::Invalid("there is no program to start".into()));
    };
    Ok(Program::Start(candidates(name, env)))
}

/// The files that a program's name can mean.
fn candidates(name: &CString, env: &[CString]) -> Vec<CString> {
    if name.as_bytes().contains(&b'/') {
        return vec![name.clone()];
    }
    let path = env.iter().find_map(|variable| variable.as_bytes().strip_prefix(b"PATH="));
    let join = |folder: &[u8]| {
        let folder = if folder.is_empty() { b"." } else { folder };
        CString::new([folder, b"/", name.as_bytes()].concat()).ok()
    };
    path.unwrap_or(b"/usr/bin:/bin").split(|byte| *byte == b':').filter_map(join).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_looked_for_in_the_given_path() {
        let env = [c"A=1".to_owned(), c"PATH=/a::/b".to_owned()];
        let found = candidates(&c"x".to_owned(), &env);
        assert_eq!(found, [c"/a/x".to_owned(), c"./x".to_owned(), c"/b/x".to_owned()]);
        assert_eq!(candidates(&c"./x".to_owned(), &env), [c"./x".to_owned()]);
    }
}
