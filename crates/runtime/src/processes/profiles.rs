//! Profiles that rules name for their commands.

use dogu_policy::analysis::{Analysis, Found};
use dogu_policy::rule::Rule;
use dogu_tool::Verdict;

use crate::settings::{Profile, Settings};

/// The rules that name a profile, the most specific first.
#[derive(Debug, Default)]
pub(crate) struct Profiles {
    rules: Vec<(Rule, Profile)>,
}

impl Profiles {
    /// Those of the settings. A rule that only tightens names none that counts: it comes with a
    /// workspace that nobody has trusted.
    pub(crate) fn of(settings: &Settings) -> Self {
        let own = settings.permissions.rules.iter().filter(|rule| !rule.only_tightens);
        let mut rules: Vec<(Rule, Profile)> = own
            .filter_map(|rule| {
                // By its words alone, surely: as a rule that allows.
                let parsed = Rule::parse(Verdict::Allow, &rule.pattern.text).ok()?;
                Some((parsed, rule.sandbox?))
            })
            .collect();
        rules.sort_by_key(|(rule, _)| std::cmp::Reverse(rule.specificity()));
        Self { rules }
    }

    /// The profile of a line: that of its commands where all of them name the same, the strictest
    /// of what they name and of `usual` where they do not.
    pub(crate) fn of_line(&self, analysis: &Analysis, usual: Profile) -> Profile {
        let commands: Vec<&Found> =
            analysis.commands.iter().filter(|found| !found.wrapper).collect();
        let named: Vec<Option<Profile>> =
            commands.iter().map(|found| self.of_command(found)).collect();
        let all_named = analysis.understood.is_ok() && !named.is_empty();
        let first = named.first().copied().flatten();
        match first.filter(|_| all_named && named.iter().all(|profile| *profile == first)) {
            Some(profile) => profile,
            None => named.into_iter().flatten().fold(usual, Profile::stricter),
        }
    }

    fn of_command(&self, found: &Found) -> Option<Profile> {
        self.rules.iter().find(|(rule, _)| rule.fits_command(found)).map(|(_, profile)| *profile)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use dogu_policy::analysis::{Place, analyse};

    use super::*;

    fn profile(line: &str) -> Profile {
        let text = "permissions:\n  rules:\n    - { allow: 'Execute(docker *)', sandbox: off }\n    - { ask: 'Execute(make *)', sandbox: read-only }\n    - { allow: 'Execute(docker rm *)', sandbox: strict }\n";
        let settings = Settings::parse(text, Path::new("x")).unwrap();
        let analysis = analyse(line, Place { cwd: "/w", home: None });
        Profiles::of(&settings).of_line(&analysis, Profile::Workspace)
    }

    #[test]
    fn a_rule_names_the_profile_of_its_command() {
        assert_eq!(profile("docker ps"), Profile::Off);
        assert_eq!(profile("make all"), Profile::ReadOnly);
        assert_eq!(profile("docker rm x"), Profile::Strict);
        assert_eq!(profile("cargo test"), Profile::Workspace);
    }

    #[test]
    fn other_commands_of_the_line_do_not_get_out_with_it() {
        assert_eq!(profile("docker ps; touch x"), Profile::Workspace);
        assert_eq!(profile("docker ps; make all"), Profile::ReadOnly);
        assert_eq!(profile("docker ps $(touch x)"), Profile::Workspace);
    }

    #[test]
    fn an_untrusted_project_names_none() {
        let text = "permissions: { rules: [ { ask: 'Execute(touch *)', sandbox: off } ] }";
        let settings = Settings::default()
            .and_project(text, Path::new("dogu.yaml"), crate::Layering::Tighten)
            .unwrap();
        let analysis = analyse("touch x", Place { cwd: "/w", home: None });
        let found = Profiles::of(&settings).of_line(&analysis, Profile::Workspace);
        assert_eq!(found, Profile::Workspace);
    }
}
