//! `dogu mcp install` and `dogu mcp uninstall`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use dogu_install::{
    Change, Client, Outcome, Server, Target, TargetError, Transport, has_no_project,
    project_variable,
};
use serde_json::{Value, json};

use super::tokens::EntryToken;
use super::{address, clients, entry};
use crate::args::{Entry, EntryScope, Install, Uninstall, Workspace};
use crate::problem::{Problem, note, warn};
use crate::show::{Layout, exact, still_read};
use crate::{sandbox, setup};

/// What a token is shown as.
const HIDDEN: &str = "<token>";

pub(super) fn install(workspace: &Workspace, install: &Install) -> Result<ExitCode, Problem> {
    let machine = entry::machine(workspace)?;
    let Some(client) = install.client else { return clients::list(&machine, &install.entry) };
    check(workspace, install, client)?;
    let target = entry::target(&machine, client, &install.entry)?;
    let mut token = None;
    let transport = match &install.http {
        Some(url) => http(url, install, client, &mut token)?,
        None => stdio(workspace, install, client)?,
    };
    let server = Server { name: install.entry.name.clone(), transport };
    if install.print {
        let printed = print(&server, client)?;
        token.iter_mut().for_each(EntryToken::keep);
        return Ok(printed);
    }
    sandbox::refuse("change the settings of MCP clients")?;
    let change = target.install(&server, install.force);
    let change = change.map_err(|error| problem(&error, &server, client))?;
    let backup = applied(&change, &install.entry)?;
    token.iter_mut().for_each(EntryToken::keep);
    let name = token.as_ref().map(|token| token.name.as_str());
    let told = Told { target: &target, change: &change, backup, token: name };
    told.tell(&install.entry, secret(&server))
}

pub(super) fn uninstall(workspace: &Workspace, uninstall: &Uninstall) -> Result<ExitCode, Problem> {
    sandbox::refuse("change the settings of MCP clients")?;
    let machine = entry::machine(workspace)?;
    let (client, entry) = (uninstall.client, &uninstall.entry);
    let target = entry::target(&machine, client, entry)?;
    let change = target.uninstall().map_err(|error| {
        let name = &uninstall.entry.name;
        Problem::of(&error).hint(format!("take {name:?} out by hand, in an editor"))
    })?;
    let backup = applied(&change, entry)?;
    // Also where the entry was taken out by hand.
    let token = if entry.dry_run { None } else { EntryToken::revoke(client, entry) };
    let told = Told { target: &target, change: &change, backup, token: token.as_deref() };
    told.tell(entry, None)
}

/// How the client reaches a server that listens, with the token for it.
fn http(
    url: &str,
    install: &Install,
    client: Client,
    made: &mut Option<EntryToken>,
) -> Result<Transport, Problem> {
    let is_here = address::is_here(url)?;
    let token = match &install.token_file {
        Some(file) => address::read(file)?,
        None if is_here => {
            // What is only shown makes nothing.
            let token = if install.entry.dry_run {
                EntryToken::find_or(HIDDEN, client, &install.entry)?
            } else {
                sandbox::refuse("make tokens")?;
                EntryToken::find_or_add(client, &install.entry)?
            };
            made.insert(token).secret.clone()
        }
        None => return Err(address::elsewhere(url)),
    };
    Ok(Transport::Http { url: url.to_owned(), token })
}

/// What does not go together.
fn check(workspace: &Workspace, install: &Install, client: Client) -> Result<(), Problem> {
    if workspace.trust {
        return Err(Problem::wrong_use("--trust is for one run, not for settings that stay")
            .hint("trust a folder with `dogu trust`"));
    }
    if install.http.is_none() {
        return Ok(());
    }
    if !workspace.roots.is_empty() || workspace.mode.is_some() {
        return Err(Problem::wrong_use("--root and --mode are the server's to know")
            .hint("give them to `dogu serve --http`"));
    }
    if install.entry.scope == EntryScope::Project {
        let problem = "the token is yours alone, and the settings of a project are shared";
        return Err(Problem::wrong_use(problem).hint(format!(
            "leave --scope out, or let {} start dogu itself, without --http",
            client.title()
        )));
    }
    Ok(())
}

/// How the client starts this program.
fn stdio(workspace: &Workspace, install: &Install, client: Client) -> Result<Transport, Problem> {
    let program = std::env::current_exe()
        .map_err(|error| Problem::wrong_use("dogu does not find its own program").because(error))?;
    let mut arguments = vec!["serve".to_owned()];
    for root in roots(workspace, install, client)? {
        arguments.extend(["--root".to_owned(), root]);
    }
    if let Some(mode) = &workspace.mode {
        arguments.extend(["--mode".to_owned(), mode.clone()]);
    }
    Ok(Transport::Stdio { program: entry::text_of(program)?, arguments })
}

/// The folders to name. A client that starts its servers in the project needs none.
fn roots(workspace: &Workspace, install: &Install, client: Client) -> Result<Vec<String>, Problem> {
    let scope = setup::scope(workspace)?;
    if !workspace.roots.is_empty() {
        return scope.roots().iter().map(|root| entry::text_of(real(root))).collect();
    }
    if has_no_project(client) {
        let folder = entry::text_of(real(scope.workdir()))?;
        if !install.print {
            note(&format!(
                "{} knows no projects: it gets {folder}; --root names another",
                client.title()
            ));
        }
        return Ok(vec![folder]);
    }
    Ok(project_variable(client).map(str::to_owned).into_iter().collect())
}

fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| setup::by_name(folder))
}

fn print(server: &Server, client: Client) -> Result<ExitCode, Problem> {
    let snippet = server.snippet(client).map_err(|error| Problem::of(&error))?;
    still_read(write!(std::io::stdout(), "{snippet}"))?;
    if secret(server).is_some() {
        warn("this holds your token: whoever has it can call");
    }
    Ok(ExitCode::SUCCESS)
}

fn secret(server: &Server) -> Option<&str> {
    match &server.transport {
        Transport::Http { token, .. } => Some(token),
        Transport::Stdio { .. } => None,
    }
}

/// Why nothing was written, and what to do instead.
fn problem(error: &TargetError, server: &Server, client: Client) -> Problem {
    let paste = || {
        let snippet = hidden(server.snippet(client).unwrap_or_default(), secret(server));
        format!("put this there by hand (`--print` prints it alone):\n{snippet}")
    };
    match error {
        TargetError::Different { old, new, .. } => {
            let shown = |value: &Value| hidden(value.to_string(), secret(server));
            let problem = Problem::of(error).because(format!("there:  {}", masked(old)));
            let problem = problem.because(format!("wanted: {}", shown(new)));
            problem.hint("--force replaces it; --name gives the new one another name")
        }
        TargetError::Server(_) => Problem::of(error),
        _ => Problem::of(error).hint(paste()),
    }
}

fn hidden(text: String, token: Option<&str>) -> String {
    match token {
        Some(token) => text.replace(token, HIDDEN),
        None => text,
    }
}

/// An entry of which nobody knows what secrets are in it: headers and variables by name only.
fn masked(entry: &Value) -> String {
    let mut entry = entry.clone();
    for key in ["headers", "http_headers", "env", "envs", "environment", "requestOptions"] {
        let Some(Value::Object(members)) = entry.get_mut(key) else { continue };
        for value in members.values_mut() {
            *value = "…".into();
        }
    }
    entry.to_string()
}

/// Makes the change, unless it is only to be shown; gives the copy of what was there.
fn applied(change: &Change, entry: &Entry) -> Result<Option<String>, Problem> {
    if entry.dry_run {
        return Ok(None);
    }
    let done = change.apply().map_err(|error| Problem::of(&error))?;
    Ok(done.backup.map(|path| path.display().to_string()))
}

/// What was done, or would be.
struct Told<'a> {
    target: &'a Target,
    change: &'a Change,
    backup: Option<String>,
    /// The token that was given, or taken away, by its name.
    token: Option<&'a str>,
}

impl Told<'_> {
    fn tell(&self, entry: &Entry, secret: Option<&str>) -> Result<ExitCode, Problem> {
        let Self { target, change, backup, token } = self;
        let diff = hidden(diff(target, change), secret);
        if entry.json {
            let file = target.path.display().to_string();
            let said = json!({
                "client": target.client.as_str(),
                "scope": super::entry::scope(entry.scope).as_str(),
                "name": target.name, "file": file, "outcome": change.outcome.as_str(),
                "dry_run": entry.dry_run, "backup": backup, "diff": diff, "token": token,
            });
            still_read(writeln!(std::io::stdout(), "{said:#}"))?;
        } else if entry.dry_run && change.is_one() {
            still_read(write!(std::io::stdout(), "{}", exact(&diff, Layout::Lines)))?;
        } else {
            tell(target, change, backup.as_deref())?;
            match (secret, token) {
                (Some(_), _) if change.is_one() => tell_token(change, *token),
                (None, Some(token)) => note(&format!("its token, {token}, is revoked")),
                _ => {}
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn diff(target: &Target, change: &Change) -> String {
    let path = target.path.display().to_string();
    let path = path.trim_start_matches('/');
    let before = change.before.as_deref().map(|text| (path, text));
    let after = change.after.as_deref().map(|text| (path, text));
    dogu_edit::diff::file(before, after).text
}

fn tell(target: &Target, change: &Change, backup: Option<&str>) -> Result<(), Problem> {
    let (name, file) = (&target.name, target.path.display());
    let said = match change.outcome {
        Outcome::Added => format!("{name} is in {file}"),
        Outcome::Replaced => format!("{name} is replaced in {file}"),
        Outcome::AlreadyThere => format!("{name} is already in {file}, just so"),
        Outcome::Removed if change.after.is_none() => {
            format!("{file} is gone: only {name} was in it")
        }
        Outcome::Removed => format!("{name} is out of {file}"),
        Outcome::NotThere => format!("{name} is not in {file}"),
    };
    still_read(writeln!(std::io::stdout(), "{}", exact(&said, Layout::Line)))?;
    if let (Outcome::Replaced, Some(old), Some(new)) = (change.outcome, &change.old, &change.new) {
        let (old, new) = (masked(old), masked(new));
        let both = format!("  was: {old}\n  is:  {new}");
        still_read(writeln!(std::io::stdout(), "{}", exact(&both, Layout::Lines)))?;
    }
    if let Some(backup) = backup {
        note(&format!("what it was is in {backup}"));
    }
    if matches!(change.outcome, Outcome::Added | Outcome::Replaced) {
        note(target.client.next_step());
    }
    Ok(())
}

fn tell_token(change: &Change, token: Option<&str>) {
    let token = token.map_or_else(|| "a token".to_owned(), |name| format!("its own token, {name}"));
    if change.is_read_by_others() {
        warn(&format!(
            "the file now holds {token}, and others on this machine can read it: chmod 600"
        ));
    } else {
        note(&format!("the file now holds {token}; only you can read it"));
    }
}
