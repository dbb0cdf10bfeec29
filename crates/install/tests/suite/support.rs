//! Servers, and targets in a folder that is gone after the test.

use std::path::{Path, PathBuf};

use dogu_install::{Client, Machine, Platform, Scope, Server, Target, Transport};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const SCOPES: [Scope; 2] = [Scope::User, Scope::Project];

pub(crate) fn stdio() -> Server {
    let arguments = ["serve", "--root", "/home/me/my project"].map(str::to_owned).to_vec();
    let program = "/usr/local/bin/dogu".to_owned();
    Server { name: "dogu".to_owned(), transport: Transport::Stdio { program, arguments } }
}

pub(crate) fn http() -> Server {
    let url = "http://127.0.0.1:8765/mcp".to_owned();
    let transport = Transport::Http { url, token: "dogu_0123456789abcdef".to_owned() };
    Server { name: "dogu".to_owned(), transport }
}

pub(crate) fn entry(client: Client) -> Value {
    stdio().entry(client).unwrap()
}

/// A home and a project.
pub(crate) struct World {
    pub(crate) root: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let world = Self { root: tempfile::tempdir().unwrap() };
        for folder in ["home", "project"] {
            std::fs::create_dir(world.root.path().join(folder)).unwrap();
        }
        world
    }

    pub(crate) fn machine(&self) -> Machine {
        Machine {
            platform: Platform::Linux,
            home: self.root.path().join("home"),
            project: self.root.path().join("project"),
            config: None,
            claude: None,
            codex: None,
        }
    }

    pub(crate) fn target(&self, client: Client, scope: Scope) -> Option<Target> {
        let path = self.machine().file(client, scope, "dogu", Path::exists)?;
        let within = (scope == Scope::Project).then(|| self.root.path().join("project"));
        Some(Target { client, path, within, name: "dogu".to_owned() })
    }

    /// The client's file for its user, with this in it.
    pub(crate) fn with(&self, client: Client, content: &[u8]) -> Target {
        let target = self.target(client, Scope::User).unwrap();
        std::fs::create_dir_all(target.path.parent().unwrap()).unwrap();
        std::fs::write(&target.path, content).unwrap();
        target
    }

    /// Everything beside the target, by name.
    pub(crate) fn beside(target: &Target) -> Vec<PathBuf> {
        let folder = std::fs::read_dir(target.path.parent().unwrap()).unwrap();
        let mut paths: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    }
}
