//! What the disk says of the files that a command line names.
//!
//! The analysis of a line is text alone. Here each file that it names is looked up: where its
//! name leads, what a pattern matches now, and whether secrets lie below a folder that is read
//! as a whole. What cannot be told is an error in its place, which a judge takes for the worst.
//! Nothing is read but names.
//!
//! - [`gather`]: all of it, for one line.
//! - `glob`: the names that a pattern of the shell matches, rather more than fewer.
//! - `below`: the search for secrets in a folder.
//! - `steering`: files of the workspace that decide what commands do.

mod below;
mod glob;
mod steering;

pub(crate) use self::steering::armed_files;
use std::path::{Path, PathBuf};

use dogu_policy::Analysis;
use dogu_policy::analysis::{FilePlace, Place, Repository, UsedFile, analyse};
use dogu_policy::command::Access;
use dogu_policy::facts::{CommandFacts, JudgedAction, NamedFile, PathFacts};
use dogu_policy::path::{Places, is_stream};
use dogu_tool::{Action, FileKind, ToolError};

use self::below::Search;
use crate::files::Roots;

/// How many patterns of a line are looked up.
const MAX_PATTERNS: usize = 50;

/// A command line with everything that a judge needs: what it says, what it names, and where it
/// would run.
pub fn judge(
    command: &str,
    cwd: &Path,
    roots: &Roots,
    places: &Places,
) -> Result<JudgedAction, ToolError> {
    let folder = roots.judge(cwd)?;
    let name = |path: &Path| path.to_str().map(str::to_owned);
    let real = name(&folder.real).ok_or_else(|| {
        ToolError::invalid("the folder's name is not text, so that no command can be judged there")
    })?;
    let home = places.home.as_deref().and_then(name);
    let analysis = analyse(command, Place { cwd: &real, home: home.as_deref() });
    Ok(JudgedAction {
        action: Action::execute(command, cwd),
        path: Some(folder),
        command: Some(gather(roots, places, analysis)),
    })
}

/// The folder of the repository that git changes in a line which runs other things too: that is
/// more than the line says, and is judged by itself.
pub(crate) fn repository_of(judged: &JudgedAction) -> Option<PathBuf> {
    let analysis = &judged.command.as_ref()?.analysis;
    if analysis.repository() != Repository::AmongOthers {
        return None;
    }
    let cwd = &judged.path.as_ref()?.real;
    let found = cwd.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists());
    Some(found.unwrap_or_else(|| cwd.join(".git")))
}

/// Looks up what a line names.
///
/// The facts are true for a moment only. That is enough for a judge, who decides whether a
/// person is asked; it is the sandbox that holds a command to what was judged.
pub fn gather(roots: &Roots, places: &Places, analysis: Analysis) -> CommandFacts {
    let mut lookup =
        Lookup { search: Search::new(roots, places), roots, found: Vec::new(), patterns: 0 };
    for file in &analysis.files {
        lookup.add(file);
    }
    let steered_by = steering::of(roots, &analysis);
    CommandFacts { files: lookup.found, steered_by, analysis }
}

struct Lookup<'a> {
    roots: &'a Roots,
    search: Search<'a>,
    found: Vec<NamedFile>,
    /// How many patterns were looked up.
    patterns: usize,
}

impl Lookup<'_> {
    fn add(&mut self, file: &UsedFile) {
        match &file.place {
            FilePlace::At(path) => self.at(file, Path::new(path)),
            FilePlace::Matching { pattern, exact } => self.matching(file, pattern, *exact),
            FilePlace::Below { folders, exact } => {
                for folder in folders {
                    self.below(file, Path::new(folder), *exact);
                }
            }
            FilePlace::Unknown => {
                self.push(file, Err("its name is known only when it runs".to_owned()));
            }
        }
    }

    fn at(&mut self, file: &UsedFile, path: &Path) {
        if file.access == Access::Tree {
            // Whoever walks a tree by itself does not split names.
            return self.below(file, path, true);
        }
        let facts = self.judge(path);
        self.push(file, facts);
    }

    fn matching(&mut self, file: &UsedFile, pattern: &str, exact: bool) {
        self.patterns += 1;
        if self.patterns > MAX_PATTERNS {
            self.push(file, Err("there are too many patterns to look up".to_owned()));
            return;
        }
        match glob::expand(pattern) {
            Ok(matches) if !exact && matches.iter().any(|path| has_space(path)) => {
                self.push(file, Err("a name would be split at white space".to_owned()));
            }
            Ok(matches) => matches.iter().for_each(|path| self.at(file, path)),
            Err(why) => self.push(file, Err(why)),
        }
    }

    fn below(&mut self, file: &UsedFile, path: &Path, exact: bool) {
        let facts = self.judge(path);
        let folder = facts.as_ref().ok().filter(|facts| facts.kind == Some(FileKind::Folder));
        let secrets = folder.map(|folder| self.search.below(&folder.real, exact)).transpose();
        match secrets {
            Ok(secrets) => self.push_with(file, facts, secrets.unwrap_or_default()),
            Err(why) => self.push(file, Err(why)),
        }
    }

    fn judge(&self, path: &Path) -> Result<PathFacts, String> {
        if is_stream(path) {
            return Ok(stream(path));
        }
        self.roots.judge(path).map_err(|error| error.to_string())
    }

    fn push(&mut self, file: &UsedFile, path: Result<PathFacts, String>) {
        self.push_with(file, path, Vec::new());
    }

    fn push_with(
        &mut self,
        file: &UsedFile,
        path: Result<PathFacts, String>,
        secrets_below: Vec<PathBuf>,
    ) {
        let named = file.named.clone();
        let redirected = file.redirected;
        self.found.push(NamedFile { access: file.access, named, redirected, path, secrets_below });
    }
}

fn has_space(path: &Path) -> bool {
    path.to_string_lossy().contains(char::is_whitespace)
}

/// The facts of a standard stream: its name is a link into `/proc`, which nobody can judge, but
/// it leads to where the command's input and output go anyway.
fn stream(path: &Path) -> PathFacts {
    PathFacts {
        declared: path.to_path_buf(),
        real: path.to_path_buf(),
        root: None,
        exists: true,
        kind: Some(FileKind::Other),
        ignored_by: None,
        other_names: false,
    }
}

#[cfg(test)]
mod tests;
