//! `dogu mcp tokens`, and the tokens of the clients that dogu is installed in.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use dogu_install::Client;
use dogu_mcp::{TokenError, TokenInfo, TokenStore};
use serde_json::json;

use crate::args::{Entry, Tokens, TokensCommand};
use crate::commands::trust::said;
use crate::problem::{Problem, note, warn};
use crate::show::{Layout, exact, still_read, when};
use crate::{sandbox, setup};

/// The name of an entry that nobody named.
const USUAL_ENTRY: &str = "dogu";

pub(super) fn run(tokens: &Tokens) -> Result<ExitCode, Problem> {
    match &tokens.command {
        None => list(tokens.json),
        Some(TokensCommand::Add { name }) => add(name),
        Some(TokensCommand::Revoke { names }) => revoke(names),
    }
}

/// The tokens of this user.
pub(crate) fn store() -> Result<TokenStore, Problem> {
    TokenStore::open(&setup::open_state()?).map_err(|error| problem(&error))
}

/// Why there is no token, and what to do about it.
pub(crate) fn problem(error: &TokenError) -> Problem {
    let problem = Problem::of(error);
    match error.hint() {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}

fn list(json: bool) -> Result<ExitCode, Problem> {
    let tokens = store()?.list().map_err(|error| problem(&error))?;
    let mut stdout = std::io::stdout().lock();
    let written = if json {
        let all: Vec<_> = tokens.iter().map(as_json).collect();
        writeln!(stdout, "{:#}", json!(all))
    } else {
        tokens.iter().try_for_each(|token| {
            writeln!(stdout, "{}  {}", when(seconds(token.since)), token.name)
        })
    };
    still_read(written)?;
    if !json {
        for problem in tokens.iter().filter_map(|token| token.problem.as_ref()) {
            warn(&format!("{problem}; it does not count"));
        }
        if tokens.is_empty() {
            anstream::eprintln!("nobody has a token");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn seconds(since: Option<SystemTime>) -> u64 {
    let since = since.and_then(|since| since.duration_since(UNIX_EPOCH).ok());
    since.unwrap_or_default().as_secs()
}

fn as_json(token: &TokenInfo) -> serde_json::Value {
    json!({
        "name": token.name, "since": when(seconds(token.since)),
        "problem": token.problem.as_ref().map(ToString::to_string),
    })
}

fn add(name: &str) -> Result<ExitCode, Problem> {
    sandbox::refuse("make tokens")?;
    let store = store()?;
    let token = store.find_or_add(name).map_err(|error| problem(&error))?;
    if !token.is_new {
        let file = store.file(name).map_err(|error| problem(&error))?;
        return Err(Problem::wrong_use(format!("there is a token named {name} already")).hint(
            format!("it is in {}; `dogu mcp tokens revoke {name}` takes it away", file.display()),
        ));
    }
    still_read(writeln!(std::io::stdout(), "{}", token.secret))?;
    Ok(ExitCode::SUCCESS)
}

fn revoke(names: &[String]) -> Result<ExitCode, Problem> {
    sandbox::refuse("take tokens away")?;
    let store = store()?;
    let mut all_there = true;
    for name in names {
        if store.revoke(name).map_err(|error| problem(&error))? {
            said(&format!("{name} is revoked"))?;
        } else {
            let name = exact(name, Layout::Line);
            warn(&format!("there is no token `{name}`; `dogu mcp tokens` shows them"));
            all_there = false;
        }
    }
    Ok(if all_there { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The token of an entry in a client's settings. One that was made for an entry which is then
/// not written goes away again.
pub(super) struct EntryToken {
    store: TokenStore,
    pub(super) name: String,
    pub(super) secret: String,
    is_pending: bool,
}

impl EntryToken {
    /// The one that there is, or a new one.
    pub(super) fn find_or_add(client: Client, entry: &Entry) -> Result<Self, Problem> {
        let (store, name) = (store()?, name_of(client, entry));
        let token = store.find_or_add(&name).map_err(|error| problem(&error))?;
        Ok(Self { store, name, secret: token.secret, is_pending: token.is_new })
    }

    /// The one that there is, or what is shown in the place of one.
    pub(super) fn find_or(shown: &str, client: Client, entry: &Entry) -> Result<Self, Problem> {
        let (store, name) = (store()?, name_of(client, entry));
        let found = store.find(&name).map_err(|error| problem(&error))?;
        let secret = found.unwrap_or_else(|| shown.to_owned());
        Ok(Self { store, name, secret, is_pending: false })
    }

    /// The entry is written: the token stays.
    pub(super) fn keep(&mut self) {
        self.is_pending = false;
    }

    /// Takes the token of an entry away; gives its name where there was one.
    pub(super) fn revoke(client: Client, entry: &Entry) -> Option<String> {
        let name = name_of(client, entry);
        match store().and_then(|store| store.revoke(&name).map_err(|error| problem(&error))) {
            Ok(was_there) => was_there.then_some(name),
            Err(problem) => {
                problem.print();
                warn(&format!("its token, {name}, may still count"));
                None
            }
        }
    }
}

impl Drop for EntryToken {
    fn drop(&mut self) {
        if self.is_pending && self.store.revoke(&self.name).is_err() {
            note(&format!("`dogu mcp tokens revoke {}` takes away what nobody uses", self.name));
        }
    }
}

/// Each entry of each client has a token of its own.
fn name_of(client: Client, entry: &Entry) -> String {
    let place = format!("{}-{}", client.as_str(), super::entry::scope(entry.scope).as_str());
    if entry.name == USUAL_ENTRY { place } else { format!("{place}-{}", entry.name) }
}
