//! `dogu policy test`: do the rules say what their examples say?

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use dogu_runtime::engine::{EngineParts, EnginePolicy, check};
use dogu_runtime::{Layering, Settings, SettingsError};

use crate::args::Workspace;
use crate::problem::Problem;
use crate::setup;
use crate::show::{Layout, exact, still_read};

/// What was found so far, in all files.
#[derive(Default)]
struct Found {
    files: usize,
    rules: usize,
    examples: usize,
    list_entries: usize,
    modes: usize,
    problems: Vec<String>,
}

pub(super) fn run(workspace: &Workspace) -> Result<ExitCode, Problem> {
    let folder = setup::scope(workspace)?.workdir().to_owned();
    let mut found = Found::default();
    let mut all = Settings::default();
    if let Some(file) = setup::user_settings().map(read).transpose()?.flatten() {
        found.add(&file, &mut all, Settings::parse, |_, text, path| Settings::parse(text, path));
    }
    // As if the folder were trusted: whoever tests its rules means them.
    let [project, modes] = setup::project_files(&folder)?;
    if let Some(file) = project {
        found.add(&file, &mut all, Settings::parse, |all, text, path| {
            all.and_project(text, path, Layering::Override)
        });
    }
    if let Some(file) = modes {
        let alone = |text: &str, path: &Path| Settings::default().and_modes(text, path);
        found.add(&file, &mut all, alone, Settings::and_modes);
    }
    if workspace.mode.is_some() {
        all.mode.clone_from(&workspace.mode);
    }
    if found.problems.is_empty() {
        found.together(&all);
    }
    print(&found)
}

/// The user's file, if it is there.
fn read(path: PathBuf) -> Result<Option<(PathBuf, String)>, Problem> {
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some((path, text))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(Problem::wrong_use(format!("could not read {}", path.display())).because(error))
        }
    }
}

impl Found {
    /// Checks a file by itself, and adds it to what the others say.
    fn add(
        &mut self,
        (path, text): &(PathBuf, String),
        all: &mut Settings,
        alone: impl Fn(&str, &Path) -> Result<Settings, SettingsError>,
        with: impl Fn(Settings, &str, &Path) -> Result<Settings, SettingsError>,
    ) {
        self.files += 1;
        let read = alone(text, path);
        let joined = read.and_then(|own| Ok((own, with(std::mem::take(all), text, path)?)));
        match joined {
            Ok((own, joined)) => {
                *all = joined;
                self.look(&own, path);
            }
            Err(SettingsError::Invalid { path, line, column, reason }) => {
                self.problems.push(format!("{}:{line}:{column}: {reason}", path.display()));
            }
            Err(error) => self.problems.push(error.to_string()),
        }
    }

    fn look(&mut self, settings: &Settings, path: &Path) {
        let checked = check(settings, path);
        self.rules += checked.rules;
        self.examples += checked.examples;
        self.list_entries += checked.list_entries;
        self.modes += checked.modes;
        self.problems.extend(checked.problems.iter().map(ToString::to_string));
    }

    /// What only shows when all files are read.
    fn together(&mut self, settings: &Settings) {
        let parts = EngineParts { trusted: true, ..EngineParts::default() };
        self.problems
            .extend(EnginePolicy::new(settings, parts).err().map(|error| error.to_string()));
    }
}

fn print(found: &Found) -> Result<ExitCode, Problem> {
    let mut stdout = std::io::stdout().lock();
    let Found { files, rules, examples, list_entries, modes, problems } = found;
    let written = if problems.is_empty() {
        let counts = [
            counted(*rules, "rule", "rules"),
            counted(*examples, "example", "examples"),
            counted(*list_entries, "entry of a list", "entries of lists"),
            counted(*modes, "mode", "modes"),
        ];
        writeln!(stdout, "{} in {}: all hold", counts.join(", "), counted(*files, "file", "files"))
    } else {
        let mut each = problems.iter().map(|problem| exact(problem, Layout::Lines));
        each.try_for_each(|problem| writeln!(stdout, "{problem}"))
    };
    still_read(written)?;
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
