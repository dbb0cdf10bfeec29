//! What a command is kept from: plain data, which travels to the process that starts it.

use std::net::IpAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What one command may change, see and reach.
///
/// All paths are absolute and real: a link in one of `writable` or `fixed` is a refusal, because
/// it can only have come there after the path was judged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Confinement {
    /// Folders in which everything may be changed. Empty: nothing may be.
    pub writable: Vec<PathBuf>,
    /// Files and folders below them that stay as they are. What is there is read-only with all
    /// that is below it and cannot be renamed away, nor can the folders above it; what is not there
    /// cannot come to exist: an empty folder stands there meanwhile, also outside (see
    /// `Spawned::kept`), at the first name of the path that is missing.
    pub fixed: Vec<PathBuf>,
    /// Files and folders below them that stay as they are, wherever they are moved to: read-only
    /// with all that is below. Folders above them can be renamed, so that a new one can come to
    /// exist at the same place. What does not exist is skipped.
    pub held: Vec<PathBuf>,
    /// Files and folders whose content is not seen: they look empty. What does not exist is
    /// skipped; a link is followed.
    pub hidden: Vec<PathBuf>,
    /// Folders that are seen as they are and cannot be changed, wherever they lie: in a private
    /// folder or an emptied home folder, too.
    pub seen: Vec<PathBuf>,
    /// What may be read besides.
    pub reads: Reads,
    /// What may be reached over the network.
    pub network: Network,
    /// With [`Network::Host`]: TCP ports that stay closed, whatever the address.
    pub closed_ports: Vec<u16>,
    /// With [`Network::Host`]: addresses that stay closed. Needs
    /// [`Machine::watched_connections`](crate::Machine).
    pub closed_ranges: Vec<AddressRange>,
    /// Addresses in those ranges that names may be asked of all the same, at port 53.
    pub name_servers: Vec<IpAddr>,
    /// How much of the machine it may take.
    pub limits: Limits,
}

/// Addresses that begin alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressRange {
    /// One of them.
    pub address: IpAddr,
    /// How many bits of it they have in common.
    pub prefix: u8,
}

impl AddressRange {
    /// Whether an address is one of them.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let differs = u32::from(own) ^ u32::from(other);
                differs.leading_zeros() >= u32::from(self.prefix)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let differs = u128::from(own) ^ u128::from(other);
                differs.leading_zeros() >= u32::from(self.prefix)
            }
            _ => false,
        }
    }
}

/// What may be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reads {
    /// What the user may read, without what is hidden.
    #[default]
    Everything,
    /// The home folder looks empty, but for the writable folders in it and what is shown.
    Without {
        /// The home folder.
        home: PathBuf,
        /// Files and folders in it that may be read, such as toolchains. What does not exist is
        /// skipped.
        shown: Vec<PathBuf>,
    },
}

/// What may be reached over the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Only a loopback of its own.
    #[default]
    None,
    /// What the machine reaches.
    Host,
    /// Nothing, and no internet socket can be made.
    NoSockets,
}

/// Limits of the kernel, each only where it is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Processes and threads at once; root may have 300 more. Needs
    /// [`Machine::process_limit`](crate::Machine).
    pub processes: Option<u64>,
    /// Bytes of memory of each process that only it can write.
    pub memory: Option<u64>,
    /// Bytes of a file that is written.
    pub file_size: Option<u64>,
    /// Seconds of computing of each process.
    pub cpu_seconds: Option<u64>,
    /// Open files of each process.
    pub open_files: Option<u64>,
    /// Bytes in the private `/tmp`, `/var/tmp`, `/run` and `/dev/shm` together; two gibibytes
    /// unless given.
    pub scratch: Option<u64>,
}
