//! What a workspace brings, and how much of it counts.
//!
//! Its files are read once: what was trusted is what is used.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use dogu_runtime::trust::{Standing, Trust, WorkspaceFiles};
use dogu_runtime::{Layering, Settings};

use super::gateway::WORKSPACE_SERVERS;
use crate::problem::{Problem, note, warn};
use crate::prompt;
use crate::show::{Layout, exact};

/// The project's settings file, in the working folder.
const PROJECT_SETTINGS: &str = "dogu.yaml";

/// The modes of a workspace, as Roo has them.
const MODES: &str = ".roomodes";

/// Who hears about a workspace that is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    /// A person at the terminal, who may trust it.
    Person,
    /// Whoever reads stderr.
    Warning,
    /// Nobody: nothing is called.
    Nobody,
}

/// The files of a workspace's first root, and how they stand.
pub(super) struct Brought<'a> {
    pub(super) files: WorkspaceFiles,
    pub(super) trust: Option<&'a Trust>,
    pub(super) standing: Standing,
}

impl<'a> Brought<'a> {
    pub(super) fn by(root: &Path, trust: Option<&'a Trust>) -> Result<Self, Problem> {
        let files = WorkspaceFiles::scan(root)?;
        let standing = trust.map_or(Standing::Untrusted, |trust| trust.standing(&files));
        Ok(Self { files, trust, standing })
    }

    /// The settings, and whether the workspace is trusted.
    pub(super) fn settings(
        &self,
        user: Settings,
        for_this_run: bool,
        asking: Asking,
    ) -> Result<(Settings, bool), Problem> {
        if for_this_run || self.standing == Standing::Trusted {
            return Ok((self.with_all(user)?, true));
        }
        let strict = self.with_project(user.clone(), Layering::Tighten)?;
        // What cannot be read matters only to whoever trusts it.
        let full = self.with_all(user);
        let all_in = full.as_ref().is_ok_and(|full| self.is_all_in(&strict, full));
        if all_in || !self.is_trusted_now(asking) {
            return Ok((strict, false));
        }
        Ok((full?, true))
    }

    /// All that it brings.
    fn with_all(&self, mut user: Settings) -> Result<Settings, Problem> {
        for name in WORKSPACE_SERVERS {
            if let Some(text) = self.text(name)? {
                user = user.and_servers(text, &self.files.root().join(name))?;
            }
        }
        let settings = self.with_project(user, Layering::Override)?;
        match self.text(MODES)? {
            Some(text) => Ok(settings.and_modes(text, &self.files.root().join(MODES))?),
            None => Ok(settings),
        }
    }

    fn with_project(&self, user: Settings, layering: Layering) -> Result<Settings, Problem> {
        match self.text(PROJECT_SETTINGS)? {
            Some(text) => {
                let path = self.files.root().join(PROJECT_SETTINGS);
                Ok(user.and_project(text, &path, layering)?)
            }
            None => Ok(user),
        }
    }

    /// Whether there is anything that only counts with trust.
    pub(super) fn is_nothing(&self) -> bool {
        self.files.is_empty()
    }

    /// The text of a file. One that is there and cannot be used is no file that says nothing: it
    /// may be the one that forbids.
    fn text(&self, name: &str) -> Result<Option<&str>, Problem> {
        let path = self.files.root().join(name);
        let unusable = |why: &str| {
            let problem = Problem::wrong_use(format!("{} cannot be used", path.display()));
            Err(problem.because(why))
        };
        match self.files.bytes(name).map(std::str::from_utf8) {
            Some(Ok(text)) => Ok(Some(text)),
            Some(Err(_)) => unusable("it is not text"),
            None if path.symlink_metadata().is_err() => Ok(None),
            None => unusable(self.files.unfit().unwrap_or("it is not a file of this folder")),
        }
    }

    /// Whether trust would change nothing.
    fn is_all_in(&self, strict: &Settings, full: &Settings) -> bool {
        let others = self.files.contents().any(|(path, _)| path != Path::new(PROJECT_SETTINGS));
        let (mut strict, mut full) = (strict.clone(), full.clone());
        for rule in strict.permissions.rules.iter_mut().chain(&mut full.permissions.rules) {
            rule.only_tightens = true;
        }
        self.files.unfit().is_none() && !others && strict == full
    }

    /// Asks, where somebody can be asked, and says what is left out otherwise.
    fn is_trusted_now(&self, asking: Asking) -> bool {
        match asking {
            Asking::Person if self.files.unfit().is_none() && self.trust.is_some() => self.ask(),
            Asking::Person | Asking::Warning => {
                warn(&self.left_out());
                false
            }
            Asking::Nobody => false,
        }
    }

    fn ask(&self) -> bool {
        let text = format!("\n{}\n{}", self.stands(), described(&self.files));
        if !prompt::confirm(&text, "Trust it as it is now? [y]es, [n]o: ") {
            note("what it brings can only tighten in this run; `dogu trust` asks again");
            return false;
        }
        if let Some(Err(error)) = self.trust.map(|trust| trust.trust(&self.files)) {
            warn(&format!("{error}; it is trusted for this run only"));
        }
        true
    }

    fn stands(&self) -> String {
        let root = self.files.root().display().to_string();
        let root = exact(&root, Layout::Line);
        match self.standing {
            Standing::Changed => format!("{root} has changed since it was trusted. It brings:"),
            _ => format!("{root} is not trusted. It brings:"),
        }
    }

    fn left_out(&self) -> String {
        let root = self.files.root().display();
        if let Some(reason) = self.files.unfit() {
            return format!("{root} cannot be trusted ({reason}); what it brings can only tighten");
        }
        let names: BTreeSet<String> =
            self.files.contents().filter_map(|(path, _)| top_of(path)).collect();
        let mut names = names.into_iter().collect::<Vec<_>>().join(", ");
        if names.is_empty() {
            "what it brings".clone_into(&mut names);
        }
        let how = match self.standing {
            Standing::Changed => "has changed since it was trusted",
            _ => "is not trusted",
        };
        format!(
            "{root} {how}: {names} can only tighten; `dogu trust` shows what it would allow or start"
        )
    }
}

fn top_of(path: &Path) -> Option<String> {
    Some(path.iter().next()?.to_string_lossy().into_owned())
}

/// The settings and the modes of a folder, with their paths, as far as they are there.
pub(crate) fn project_files(folder: &Path) -> Result<[Option<(PathBuf, String)>; 2], Problem> {
    let brought = Brought::by(folder, None)?;
    let file = |name: &str| {
        let text = brought.text(name)?;
        Ok::<_, Problem>(text.map(|text| (brought.files.root().join(name), text.to_owned())))
    };
    Ok([file(PROJECT_SETTINGS)?, file(MODES)?])
}

/// What trusting would allow or start, a line each.
pub(crate) fn described(files: &WorkspaceFiles) -> String {
    let lines = files.describe();
    if lines.is_empty() {
        return "  nothing that would be started or allowed\n".to_owned();
    }
    lines.iter().map(|line| format!("  {}\n", exact(line, Layout::Line))).collect()
}
