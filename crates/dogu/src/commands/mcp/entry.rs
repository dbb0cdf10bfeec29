//! Which entry of which file is meant.

use std::path::{Path, PathBuf};

use dogu_install::{Client, Machine, Scope, Target};

use crate::args::{Entry, EntryScope, Workspace};
use crate::problem::Problem;
use crate::setup;

/// This machine, with the workspace's folder as the project.
pub(super) fn machine(workspace: &Workspace) -> Result<Machine, Problem> {
    let project = setup::scope(workspace)?.workdir().to_path_buf();
    Machine::here(project, |name| std::env::var_os(name)).ok_or_else(|| {
        Problem::wrong_use("there is no home folder").hint("set HOME to the folder of your files")
    })
}

pub(super) const fn scope(scope: EntryScope) -> Scope {
    match scope {
        EntryScope::User => Scope::User,
        EntryScope::Project => Scope::Project,
    }
}

pub(super) fn target(machine: &Machine, client: Client, entry: &Entry) -> Result<Target, Problem> {
    let scope = scope(entry.scope);
    let path = machine.file(client, scope, &entry.name, |path: &Path| path.exists());
    let path = path.ok_or_else(|| {
        Problem::wrong_use(format!("{} has no settings for a project", client.title()))
            .hint("leave --scope out: it is for you, in every project")
    })?;
    let within = (scope == Scope::Project).then(|| machine.project.clone());
    Ok(Target { client, path, within, name: entry.name.clone() })
}

/// A path in a settings file must be text.
pub(super) fn text_of(path: PathBuf) -> Result<String, Problem> {
    path.into_os_string().into_string().map_err(|path| {
        Problem::wrong_use(format!("{} is not UTF-8 text", Path::new(&path).display()))
    })
}
