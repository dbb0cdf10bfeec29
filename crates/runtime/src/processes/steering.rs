//! Files that steer others: which of them a command cannot change, which it may make, and what is
//! said of those that it made.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use dogu_policy::analysis::Repository;
use dogu_policy::command::Access;
use dogu_policy::path::steering_reason;

use super::confine::{Held, Wanted, repositories_of};
use crate::journal::{MayMake, Steering, SteeringMade};
use crate::settings::Profile;

/// How many are held at most: each is a mount, which takes 10 µs and more.
const MOST_HELD: usize = 2000;
/// How many are named at most.
const MOST_NAMED: usize = 5;

impl Wanted<'_> {
    /// Holds what steers others wherever in the workspace it is. Says what could not be.
    pub(super) fn hold(&self, held: &mut Held, steering: &Steering) -> Vec<String> {
        let Some(confinement) = &mut held.confinement else { return Vec::new() };
        let repositories = self.own_repositories();
        let named: HashSet<&Path> = self.named().collect();
        let mut nested = steering.outermost();
        nested.retain(|path| {
            !confinement.fixed.iter().any(|fixed| path.starts_with(fixed))
                && !repositories.contains(path)
                && !named.contains(path.as_path())
        });
        let mut said = Vec::new();
        if nested.len() > MOST_HELD {
            said.push(format!(
                "{} files of this workspace steer agents or run by themselves; this command could change {} of them.",
                nested.len(),
                nested.len() - MOST_HELD
            ));
            nested.truncate(MOST_HELD);
        }
        if !steering.is_complete() {
            said.push(
                "There was no time to look at the whole workspace before this command: files deeper in it that steer agents were not held."
                    .to_owned(),
            );
        }
        confinement.held = nested;
        said
    }

    /// What the command may make that steers others.
    pub(super) fn may_make(&self, profile: Profile) -> MayMake {
        // What runs without a sandbox was asked about as a whole, and git brings what others wrote.
        if profile == Profile::Off || self.may_write_repository() {
            return MayMake::Everything;
        }
        MayMake::These(self.named().map(Path::to_path_buf).collect())
    }

    /// What the line says that it writes or deletes, which was judged by name.
    pub(super) fn named(&self) -> impl Iterator<Item = &Path> {
        let understood = self.facts.filter(|facts| facts.analysis.understood.is_ok());
        let files = understood.into_iter().flat_map(|facts| &facts.files);
        let changed = files.filter(|file| matches!(file.access, Access::Write | Access::Delete));
        changed.filter_map(|file| Some(file.path.as_ref().ok()?.real.as_path()))
    }

    /// The repositories that git works in, where it may change them.
    fn own_repositories(&self) -> HashSet<PathBuf> {
        if !self.may_write_repository() {
            return HashSet::new();
        }
        let told = self.facts.into_iter().flat_map(|facts| facts.analysis.git_folders());
        let folders = told.filter_map(|folder| folder.canonicalize().ok());
        folders
            .chain([self.cwd.to_path_buf()])
            .flat_map(|folder| repositories_of(&folder))
            .collect()
    }

    pub(super) fn may_write_repository(&self) -> bool {
        match self.facts.map(|facts| facts.analysis.repository()) {
            Some(Repository::ByGitAlone) => true,
            Some(Repository::AmongOthers) => self.is_granted_repository(),
            _ => false,
        }
    }
}

/// What is said of what a command made.
pub(super) fn told(made: &SteeringMade, roots: &[PathBuf]) -> Vec<String> {
    let words = |paths: &[PathBuf], each: &dyn Fn(&Path) -> String| {
        let mut named: Vec<String> = paths.iter().take(MOST_NAMED).map(|path| each(path)).collect();
        if paths.len() > MOST_NAMED {
            named.push(format!("{} more", paths.len() - MOST_NAMED));
        }
        named.join(", ")
    };
    let which = |path: &Path| reason(path, roots);
    let mut said = Vec::new();
    if !made.approved.is_empty() {
        said.push(format!("This command made {}.", words(&made.approved, &which)));
    }
    if !made.repositories.is_empty() {
        let shown = words(&made.repositories, &|path| shown(path, roots));
        said.push(format!("This command made {shown}; nothing in it runs by itself."));
    }
    if !made.put_aside.is_empty() {
        let back = made.entry.as_deref().unwrap_or_default();
        said.push(format!(
            "This command made {}; it was not approved as such and was put aside: `dogu undo {back}` brings it back. To make such a file, use write_file, or name it in the line: then the user is asked.",
            words(&made.put_aside, &which),
        ));
    }
    if !made.left.is_empty() {
        let why = made.why.as_deref().map(|why| format!(", because {why}")).unwrap_or_default();
        said.push(format!(
            "This command made {}; it was not approved as such, and it is still there{why}: the user should look at it.",
            words(&made.left, &which),
        ));
    }
    said
}

/// What is said of what came to exist beside a process that runs on.
pub(super) fn told_beside(new: &[PathBuf], roots: &[PathBuf]) -> Vec<String> {
    let named: Vec<String> = new.iter().take(MOST_NAMED).map(|path| reason(path, roots)).collect();
    if named.is_empty() {
        return Vec::new();
    }
    let more = if new.len() > MOST_NAMED { " and more" } else { "" };
    vec![format!(
        "Since this process was started there is {}{more}; nobody approved that as such: the user should look at it.",
        named.join(", ")
    )]
}

/// `sub/CLAUDE.md, which tells an agent what to do`.
fn reason(path: &Path, roots: &[PathBuf]) -> String {
    let root = roots.iter().find(|root| path.starts_with(root));
    let steers = root.and_then(|root| {
        steering_reason(path, false, root).or_else(|| steering_reason(path, true, root))
    });
    let why = steers.unwrap_or("can make version control run programs");
    format!("{}, which {why}", shown(path, roots))
}

fn shown(path: &Path, roots: &[PathBuf]) -> String {
    let below = roots.iter().find_map(|root| path.strip_prefix(root).ok());
    below.unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_is_said_in_plain_words() {
        let roots = [PathBuf::from("/w")];
        let made = SteeringMade {
            put_aside: vec!["/w/sub/CLAUDE.md".into(), "/w/lib/.git/hooks/x".into()],
            entry: Some("17-ab".into()),
            repositories: vec!["/w/new/.git".into()],
            ..SteeringMade::default()
        };
        assert_eq!(
            told(&made, &roots),
            [
                "This command made new/.git; nothing in it runs by itself.",
                "This command made sub/CLAUDE.md, which tells an agent what to do, lib/.git/hooks/x, which can make version control run programs; it was not approved as such and was put aside: `dogu undo 17-ab` brings it back. To make such a file, use write_file, or name it in the line: then the user is asked.",
            ]
        );
        let many = SteeringMade {
            left: (0..9).map(|number| format!("/w/{number}/.mcp.json").into()).collect(),
            why: Some("there are too many of them".into()),
            ..SteeringMade::default()
        };
        let said = told(&many, &roots).remove(0);
        assert!(said.contains("4 more") && said.contains("still there, because there"), "{said}");
    }
}
