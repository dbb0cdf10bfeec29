//! The facts about a line, made up without a disk: a file is where its name says.

use std::path::{Path, PathBuf};

use dogu_policy::analysis::{Analysis, FilePlace, Place, UsedFile, analyse};
use dogu_policy::command::Access;
use dogu_policy::facts::{CommandFacts, JudgedAction, NamedFile, PathFacts};
use dogu_tool::{Action, FileKind};

/// Where lines run.
pub(crate) const PROJECT: &str = "/tmp/project";
/// The home folder of whoever runs them.
pub(crate) const HOME: &str = "/home/somebody";
/// A secret of the workspace that has some.
const SECRET: &str = "/tmp/project/.env";
/// What makes a part of a path a pattern.
const WILD: [char; 4] = ['*', '?', '[', '\\'];

/// What a workspace holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Workspace {
    /// Nothing secret.
    Plain,
    /// Secrets somewhere below its root.
    WithSecrets,
}

/// What a line says.
pub(crate) fn analysis_of(line: &str) -> Analysis {
    analyse(line, Place { cwd: PROJECT, home: Some(HOME) })
}

/// A line with the facts that the engine needs.
pub(crate) fn judged(line: &str, workspace: Workspace) -> JudgedAction {
    let analysis = analysis_of(line);
    let files = analysis.files.iter().flat_map(|file| named(file, workspace)).collect();
    JudgedAction {
        action: Action::execute(line, PROJECT),
        path: Some(path_facts(PROJECT, Some(FileKind::Folder))),
        command: Some(CommandFacts { analysis, files, steered_by: Vec::new() }),
    }
}

/// The files behind a name. Wherever more than one file is read, a secret can be among them.
fn named(file: &UsedFile, workspace: Workspace) -> Vec<NamedFile> {
    let reads = matches!(file.access, Access::Read | Access::Tree);
    let named = |path: Result<PathFacts, String>, many: bool| {
        let secret = many && reads && workspace == Workspace::WithSecrets;
        let secrets_below = secret.then(|| PathBuf::from(SECRET)).into_iter().collect();
        NamedFile {
            access: file.access,
            named: file.named.clone(),
            redirected: file.redirected,
            path,
            secrets_below,
        }
    };
    match &file.place {
        FilePlace::At(path) if file.access == Access::Tree => {
            vec![named(Ok(path_facts(path, Some(FileKind::Folder))), true)]
        }
        FilePlace::At(path) => vec![named(Ok(path_facts(path, None)), false)],
        FilePlace::Matching { pattern, .. } => vec![named(some_match(pattern), true)],
        FilePlace::Below { folders, .. } => folders
            .iter()
            .map(|folder| named(Ok(path_facts(folder, Some(FileKind::Folder))), true))
            .collect(),
        FilePlace::Unknown => vec![named(Err("only known when it runs".to_owned()), false)],
    }
}

/// A file that a pattern matches: in the folder before its first wildcard, with the pattern's
/// own name. A pattern that goes up again could lead anywhere.
fn some_match(pattern: &str) -> Result<PathFacts, String> {
    let wild = pattern.find(WILD).unwrap_or(pattern.len());
    if pattern[wild..].split('/').any(|part| part == "..") {
        return Err("the pattern goes up".to_owned());
    }
    Ok(path_facts(pattern, None))
}

/// A path that leads where its name says; it is inside if its name is.
pub(crate) fn path_facts(path: &str, kind: Option<FileKind>) -> PathFacts {
    let real = PathBuf::from(without_dots(path));
    PathFacts {
        declared: path.into(),
        root: real.starts_with(PROJECT).then(|| Path::new(PROJECT).to_owned()),
        real,
        exists: true,
        kind,
        ignored_by: None,
        other_names: false,
    }
}

fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}
