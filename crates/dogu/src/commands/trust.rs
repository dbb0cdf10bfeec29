//! `dogu trust`: whether what a workspace brings counts.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use dogu_runtime::trust::{Standing, TrustedFolder, WorkspaceFiles};

use crate::args::{Trust, TrustCommand, Workspace};
use crate::problem::Problem;
use crate::show::{Layout, exact, still_read, when};
use crate::{prompt, sandbox, setup};

pub(crate) fn run(workspace: &Workspace, trust: &Trust) -> Result<ExitCode, Problem> {
    if trust.command.is_some() && (trust.path.is_some() || trust.yes) {
        let problem = Problem::wrong_use("a folder and --yes belong after the last word");
        return Err(problem.hint("write `dogu trust revoke PATH`, `dogu trust reset --yes`"));
    }
    match &trust.command {
        None => give(&folder(workspace, trust.path.as_deref())?, trust.yes),
        Some(TrustCommand::List { json }) => list(*json),
        Some(TrustCommand::Revoke { path }) => revoke(&folder(workspace, path.as_deref())?),
        Some(TrustCommand::Reset { yes }) => reset(*yes),
    }
}

/// The folder that is meant; it need not exist any more.
fn folder(workspace: &Workspace, path: Option<&Path>) -> Result<PathBuf, Problem> {
    let workdir = setup::scope(workspace)?.workdir().canonicalize()?;
    let Some(path) = path else { return Ok(workdir) };
    let folder = workdir.join(path);
    Ok(folder.canonicalize().unwrap_or_else(|_| setup::by_name(&folder)))
}

fn give(folder: &Path, yes: bool) -> Result<ExitCode, Problem> {
    sandbox::refuse("trust a folder")?;
    let files = WorkspaceFiles::scan(folder).map_err(|error| {
        Problem::wrong_use(format!("{} cannot be looked at", folder.display())).because(error)
    })?;
    let trust = setup::open_stores()?.trust;
    let root = files.root().display().to_string();
    if trust.standing(&files) == Standing::Trusted {
        return said(&format!("{root} is already trusted, as it is now"));
    }
    let text = format!("{} brings:\n{}", exact(&root, Layout::Line), setup::described(&files));
    still_read(write!(std::io::stdout(), "{text}"))?;
    if files.unfit().is_none() && !yes && !asked("Trust it as it is now? [y]es, [n]o: ")? {
        return Ok(ExitCode::from(1));
    }
    trust.trust(&files).map_err(|error| Problem::of(&error))?;
    said(&format!("{root} is trusted, as it is now"))
}

/// Asks, where somebody is there.
pub(super) fn asked(question: &str) -> Result<bool, Problem> {
    if !prompt::is_someone_there() {
        let problem = Problem::wrong_use("this needs a yes, and nobody can be asked here");
        return Err(problem.hint("--yes is the yes of whoever writes the command"));
    }
    Ok(prompt::confirm("", question))
}

fn list(json: bool) -> Result<ExitCode, Problem> {
    let folders = setup::open_stores()?.trust.list();
    let mut stdout = std::io::stdout().lock();
    let written = if json {
        serde_json::to_writer_pretty(&mut stdout, &folders)
            .map_err(std::io::Error::from)
            .and_then(|()| writeln!(stdout))
    } else {
        folders.iter().try_for_each(|folder| writeln!(stdout, "{}", line(folder)))
    };
    still_read(written)?;
    if folders.is_empty() && !json {
        anstream::eprintln!("no folder is trusted");
    }
    Ok(ExitCode::SUCCESS)
}

fn line(folder: &TrustedFolder) -> String {
    let path = folder.path.display().to_string();
    let changed = match WorkspaceFiles::scan(&folder.path) {
        Ok(files) if files.unfit().is_none() && files.digest() == folder.digest => "",
        Ok(_) => "  (changed since: not trusted any more)",
        Err(_) => "  (gone)",
    };
    format!("{}  {}{changed}", when(folder.since), exact(&path, Layout::Line))
}

fn revoke(folder: &Path) -> Result<ExitCode, Problem> {
    sandbox::refuse("change what is trusted")?;
    let path = folder.display();
    let revoked = setup::open_stores()?.trust.revoke(folder);
    if revoked.map_err(|error| Problem::of(&error))? {
        return said(&format!("{path} is not trusted any more"));
    }
    Err(Problem::wrong_use(format!("{path} was not trusted"))
        .hint("`dogu trust list` shows the folders that are"))
}

fn reset(yes: bool) -> Result<ExitCode, Problem> {
    sandbox::refuse("change what is trusted")?;
    if !yes && !asked("Trust no folder any more? [y]es, [n]o: ")? {
        return Ok(ExitCode::from(1));
    }
    setup::open_stores()?.trust.reset().map_err(|error| Problem::of(&error))?;
    said("no folder is trusted")
}

/// Says what was done.
pub(super) fn said(text: &str) -> Result<ExitCode, Problem> {
    still_read(writeln!(std::io::stdout(), "{}", exact(text, Layout::Line)))?;
    Ok(ExitCode::SUCCESS)
}
