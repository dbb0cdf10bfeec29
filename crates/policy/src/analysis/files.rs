//! Where the files are that a command names.

use super::walk::Walk;
use super::{FilePlace, Found, UsedFile};
use crate::command::{Access, Arg};
use crate::risk::Risk;
use crate::shell::expand::State;

/// How many files of a line are looked at.
pub(super) const MAX_FILES: usize = 1_000;

impl Walk {
    /// Keeps a file that a command uses, for every folder that the command can run in.
    pub(super) fn file(&mut self, access: Access, path: &Arg, state: &State) {
        self.used_file(access, path, state, false);
    }

    /// The same for one that the shell opens itself.
    pub(super) fn redirected_file(&mut self, access: Access, path: &Arg, state: &State) {
        self.used_file(access, path, state, true);
    }

    fn used_file(&mut self, access: Access, path: &Arg, state: &State, redirected: bool) {
        if path.as_literal().is_some_and(is_no_file) {
            return;
        }
        if self.files.len() >= MAX_FILES {
            self.refuse(format!("it names more than {MAX_FILES} files"));
            return;
        }
        let places: Vec<FilePlace> = match path {
            Arg::Literal(path) => each(state, |folder| FilePlace::At(joined(folder, path))),
            // A pattern says which files there are, not which there will be.
            Arg::Glob(_) | Arg::SplitNames(_) if access == Access::Write => {
                vec![FilePlace::Unknown]
            }
            Arg::Glob(pattern) => each(state, |folder| matching(folder, pattern, true)),
            Arg::SplitNames(pattern) => each(state, |folder| matching(folder, pattern, false)),
            Arg::Listed { below, exact } => each(state, |folder| FilePlace::Below {
                folders: below.iter().map(|path| joined(folder, path)).collect(),
                exact: *exact,
            }),
            Arg::Number | Arg::Input | Arg::Unknown { .. } => vec![FilePlace::Unknown],
        };
        if let Some(path) = path.as_literal()
            && let Some((risk, reason)) = super::danger::redirect(path, access)
            && let Some(found) = self.found.last_mut().filter(|found| found.risk < risk)
        {
            found.risk = risk;
            reason.clone_into(&mut found.reason);
        }
        for place in places {
            if access == Access::Delete && is_vital(&place, state) {
                self.found.iter_mut().last().into_iter().for_each(Found::destroys_home);
            }
            let used = UsedFile { access, named: path.to_string(), redirected, place };
            if !self.files.contains(&used) {
                self.files.push(used);
            }
        }
    }
}

impl Found {
    /// It deletes everything, or all that somebody has.
    fn destroys_home(&mut self) {
        self.risk = Risk::Forbidden;
        "deletes a whole home or file system".clone_into(&mut self.reason);
    }
}

/// The root of all files, a home, or what a home is in; and all that is right below one.
fn is_vital(place: &FilePlace, state: &State) -> bool {
    let path = match place {
        FilePlace::At(path) => path.as_str(),
        FilePlace::Matching { pattern, .. } => {
            pattern.trim_end_matches(['*', '?', '.', '[', ']', '!', '^', '~'])
        }
        FilePlace::Below { .. } | FilePlace::Unknown => return false,
    };
    let path = super::builtins::folder_from("/", path);
    let home = state.home.as_deref().unwrap_or("/");
    path == "/" || home == path || home.starts_with(&format!("{path}/"))
}

fn each(state: &State, place: impl Fn(&str) -> FilePlace) -> Vec<FilePlace> {
    state.folders.iter().map(|folder| place(folder)).collect()
}

fn joined(folder: &str, path: &str) -> String {
    if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("{}/{path}", folder.trim_end_matches('/'))
    }
}

fn matching(folder: &str, pattern: &str, exact: bool) -> FilePlace {
    let mut escaped = String::new();
    for c in folder.trim_end_matches('/').chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    let pattern =
        if pattern.starts_with('/') { pattern.to_owned() } else { format!("{escaped}/{pattern}") };
    FilePlace::Matching { pattern, exact }
}

/// The standard streams, and the hole that swallows everything.
fn is_no_file(path: &str) -> bool {
    matches!(path, "-" | "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr")
        || path
            .strip_prefix("/dev/fd/")
            .is_some_and(|fd| !fd.is_empty() && fd.bytes().all(|b| b.is_ascii_digit()))
}
