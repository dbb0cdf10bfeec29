//! Options that stand before a subcommand: `git -C x push`, `cargo +nightly publish`.

use super::Arg;
use super::fit::is_one;

/// Programs with subcommands, and their options before it that have a value in the next word;
/// `--git-dir=x` has it in the same.
const VALUED: &[(&str, &[&str])] = &[
    ("git", GIT),
    ("cargo", &["-C", "-Z", "--config", "--color"]),
    ("npm", PACKAGES),
    ("pnpm", PACKAGES),
    ("yarn", PACKAGES),
    ("docker", CONTAINERS),
    ("podman", CONTAINERS),
    ("kubectl", &["-n", "--namespace", "--context", "--cluster", "--kubeconfig", "-s", "--server"]),
    ("systemctl", &["-H", "--host", "-M", "--machine", "-t", "--type", "-p", "--property"]),
    ("gh", &["-R", "--repo"]),
    ("pip", &["--python", "--log", "--proxy", "--timeout", "--cache-dir"]),
    ("go", &["-C"]),
];

const GIT: &[&str] = &[
    "-c",
    "-C",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--config-env",
    "--super-prefix",
    "--attr-source",
];
const PACKAGES: &[&str] = &[
    "--prefix",
    "-C",
    "--dir",
    "--cwd",
    "-w",
    "--workspace",
    "--filter",
    "-F",
    "--loglevel",
    "--registry",
    "--userconfig",
    "--script-shell",
];
const CONTAINERS: &[&str] =
    &["-H", "--host", "-c", "--context", "--config", "-l", "--log-level", "--connection", "--root"];

/// The options before the subcommand, each with its value, and the words after them.
pub(super) struct Split<'a> {
    /// The options with their values.
    pub(super) options: Vec<(&'a str, Option<&'a Arg>)>,
    /// The subcommand and what follows it.
    pub(super) rest: &'a [Arg],
    /// All of them are known; else what follows them is not.
    pub(super) known: bool,
}

/// Splits the words after git's name.
pub(super) fn split_git(args: &[Arg]) -> Split<'_> {
    split(args, GIT)
}

fn split<'a>(args: &'a [Arg], valued: &[&str]) -> Split<'a> {
    let mut split = Split { options: Vec::new(), rest: args, known: true };
    while let Some((first, rest)) = split.rest.split_first() {
        let Arg::Literal(word) = first else {
            split.known = !first.may_be_option();
            // One word that holds an option and its value, such as `--git-dir=$X`, is one.
            if let Arg::Unknown { starts, one: true } = first
                && let Some((name, _)) = starts.split_once('=')
                && name.starts_with("--")
            {
                split.options.push((name, Some(first)));
                (split.rest, split.known) = (rest, true);
                continue;
            }
            return split;
        };
        if word.len() < 2 || !word.starts_with(['-', '+']) {
            return split;
        }
        let has_value = valued.contains(&word.as_str());
        let value = rest.first().filter(|_| has_value);
        split.options.push((word, value));
        split.rest = rest.get(usize::from(has_value)..).unwrap_or_default();
        if value.is_some_and(|value| !is_one(value)) {
            split.known = false;
            return split;
        }
    }
    split
}

/// The words of a program without the options before its subcommand; nothing for a program that
/// has no subcommands, and where there are no options.
pub(crate) fn without_leading_options(words: &[Arg]) -> Option<Vec<Arg>> {
    let (name, args) = words.split_first()?;
    let base = name.as_literal()?.rsplit('/').next()?.to_ascii_lowercase();
    let base = base.strip_suffix(".exe").unwrap_or(&base);
    let (_, valued) = VALUED.iter().find(|(program, _)| *program == base)?;
    let split = split(args, valued);
    if split.options.is_empty() && split.known {
        return None;
    }
    let rest = if split.known { split.rest.to_vec() } else { vec![Arg::unknown()] };
    Some([name.clone()].into_iter().chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use super::super::tests::words;
    use super::*;

    fn stripped(line: &str) -> Option<String> {
        let words = without_leading_options(&words(line))?;
        Some(words.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn options_before_the_subcommand_go() {
        for line in [
            "git --no-pager push x",
            "git -c a.b=c push x",
            "git -C . push x",
            "git -C . -c a=b --bare -p push x",
            "git --git-dir=y push x",
            "git --git-dir y --work-tree z push x",
            "git \"--git-dir=$Y\" push x",
            "git --exec-path=/y --namespace n --config-env=a=B push x",
        ] {
            assert_eq!(stripped(line).as_deref(), Some("git push x"), "{line}");
        }
        assert_eq!(stripped("/usr/bin/git -p push").as_deref(), Some("/usr/bin/git push"));
        for line in ["git $X push", "git -C $X push", "git -$X push", "git -c * push"] {
            assert_eq!(stripped(line).as_deref(), Some("git …"), "{line}");
        }
        for (line, plain) in [
            ("cargo +nightly -q publish", "cargo publish"),
            ("cargo --config x publish", "cargo publish"),
            ("npm --silent --prefix x publish", "npm publish"),
            ("docker -H x rm y", "docker rm y"),
            ("kubectl -n x delete y", "kubectl delete y"),
        ] {
            assert_eq!(stripped(line).as_deref(), Some(plain), "{line}");
        }
        for line in ["git push", "git", "git a$X push", "ls -C x", "git push -p"] {
            assert_eq!(stripped(line), None, "{line}");
        }
    }
}
