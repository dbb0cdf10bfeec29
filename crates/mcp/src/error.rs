//! Why a server could not be started or had to end.

use std::io;
use std::net::SocketAddr;

/// Why a server could not be started or had to end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Other machines could reach it, and nobody said that they may.
    #[error("{addr} can be reached from other machines")]
    Remote {
        /// The address.
        addr: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("could not listen on {addr}")]
    Bind {
        /// The address.
        addr: SocketAddr,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
    /// No random numbers.
    #[error("the system gave no random numbers")]
    Random(#[source] io::Error),
    /// A tool of the server's own was refused.
    #[error("the server's own tools cannot be registered")]
    Register(#[from] dogu_runtime::RegisterError),
    /// The conversation broke off in a way that the protocol does not have.
    #[error("the MCP session failed: {0}")]
    Session(String),
}

impl ServeError {
    /// What the person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Remote { addr } => Some(format!(
                "listen on 127.0.0.1:{}, or allow remote clients explicitly",
                addr.port()
            )),
            Self::Bind { source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                Some("another process has this port; port 0 takes a free one".to_owned())
            }
            _ => None,
        }
    }
}
