//! All that is wrong with the permissions and modes of one file, for whoever wrote it.

use std::path::Path;

use dogu_policy::compat::{continue_, roo};
use dogu_policy::rule::{LoadError, Place, RuleSet};

use super::{entry, modes_of, number, renamed};
use crate::settings::{Located, Settings};

/// What was looked at, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// How many rules there are.
    pub rules: usize,
    /// How many examples they have.
    pub examples: usize,
    /// How many entries the lists of Roo's and Continue's form have.
    pub list_entries: usize,
    /// How many modes there are.
    pub modes: usize,
    /// What is wrong.
    pub problems: Vec<LoadError>,
}

/// Checks the settings of one file; `file` is for messages.
pub fn check(settings: &Settings, file: &Path) -> Checked {
    let permissions = &settings.permissions;
    let (rules, roo) = (&permissions.rules, &permissions.roo);
    let lists = &permissions.continue_lists;
    let mut problems = Vec::new();
    for rule in rules {
        let checked = RuleSet::load([entry(rule)]).and_then(|set| set.check());
        problems.extend(checked.err().unwrap_or_default());
    }
    problems.extend(roo.allowed_commands.iter().filter_map(|prefix| allows_nothing(prefix, file)));
    let listed: Vec<&Located> =
        [&lists.allow, &lists.ask, &lists.exclude].into_iter().flatten().collect();
    problems.extend(listed.iter().flat_map(|written| unreadable(written, file)));
    let modes = settings.modes.iter().filter_map(|mode| modes_of([mode]).err());
    problems.extend(
        modes.map(|error| LoadError {
            place: None,
            message: format!("{}: {error}", file.display()),
        }),
    );
    Checked {
        rules: rules.len(),
        examples: rules.iter().map(|rule| rule.matching.len() + rule.not_matching.len()).sum(),
        list_entries: roo.allowed_commands.len() + roo.denied_commands.len() + listed.len(),
        modes: settings.modes.len(),
        problems,
    }
}

fn allows_nothing(prefix: &Located, file: &Path) -> Option<LoadError> {
    let message = format!("`{}` is no single command, so that it allows nothing", prefix.text);
    roo::rules(&[&prefix.text], &[]).is_empty().then(|| at(prefix, file, message))
}

fn unreadable(written: &Located, file: &Path) -> Vec<LoadError> {
    let list = continue_::PermissionList {
        allow: vec![written.text.clone()],
        ..continue_::PermissionList::default()
    };
    let errors = continue_::convert(&list, renamed).err().unwrap_or_default();
    errors.iter().map(|error| at(written, file, error.to_string())).collect()
}

fn at(written: &Located, file: &Path, message: String) -> LoadError {
    let place =
        Place::new(file.display().to_string(), number(written.line), number(written.column));
    LoadError { place: Some(place), message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> Checked {
        let file = Path::new("x.yaml");
        check(&Settings::parse(text, file).unwrap(), file)
    }

    fn problems(text: &str) -> Vec<String> {
        checked(text).problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_holds_is_counted() {
        let found = checked(
            "permissions:
  rules:
    - {allow: Execute(git status), match: [git status], not_match: [git push]}
    - deny: FileWrite(**/x)
  roo: {allowed_commands: [git log, '*'], denied_commands: [rm]}
  continue: {allow: [Read], exclude: ['Bash(rm*)']}
modes: [{slug: a, name: A, roleDefinition: x, groups: [read]}]
",
        );
        let wanted =
            Checked { rules: 2, examples: 2, list_entries: 5, modes: 1, problems: Vec::new() };
        assert_eq!(found, wanted);
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once() {
        let found = problems(
            "permissions:
  rules:
    - {allow: Execute(git status), match: [git push], not_match: [git status]}
    - deny: Nothing(x)
  roo: {allowed_commands: ['a; b']}
  continue: {ask: ['Bash(']}
modes: [{slug: '', name: A, roleDefinition: x}, {slug: b}]
",
        );
        let places: Vec<_> = found.iter().map(|text| text.split(": ").next().unwrap()).collect();
        let wanted = ["x.yaml:3:15", "x.yaml:3:15", "x.yaml:4:13", "x.yaml:5:28", "x.yaml:6:20"];
        assert_eq!(places, [&wanted[..], &["x.yaml", "x.yaml"]].concat(), "{found:#?}");
    }
}
