//! Commands that never become a standing grant.

/// A command that never becomes a standing grant, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeverGranted {
    /// The words that a command begins with.
    pub words: &'static [&'static str],
    /// Only without further words: with them it is like any other command.
    pub alone: bool,
    /// Why not, in words that go on after its name.
    pub reason: &'static str,
}

/// The table. A question about one of these is asked each time.
pub const NEVER_GRANTED: &[NeverGranted] = &[
    never(&["sh"], "is a shell: its words say nothing about what it runs"),
    never(&["bash"], "is a shell: its words say nothing about what it runs"),
    never(&["zsh"], "is a shell: its words say nothing about what it runs"),
    never(&["dash"], "is a shell: its words say nothing about what it runs"),
    never(&["ksh"], "is a shell: its words say nothing about what it runs"),
    never(&["fish"], "is a shell: its words say nothing about what it runs"),
    never(&["csh"], "is a shell: its words say nothing about what it runs"),
    never(&["tcsh"], "is a shell: its words say nothing about what it runs"),
    never(&["ash"], "is a shell: its words say nothing about what it runs"),
    never(&["busybox"], "is a shell: its words say nothing about what it runs"),
    never(&["pwsh"], "is a shell: its words say nothing about what it runs"),
    never(&["powershell"], "is a shell: its words say nothing about what it runs"),
    never(&["cmd"], "is a shell: its words say nothing about what it runs"),
    never(&["python"], "runs any program text"),
    never(&["python2"], "runs any program text"),
    never(&["python3"], "runs any program text"),
    never(&["pypy"], "runs any program text"),
    never(&["node"], "runs any program text"),
    never(&["nodejs"], "runs any program text"),
    never(&["deno"], "runs any program text"),
    never(&["bun"], "runs any program text"),
    never(&["ruby"], "runs any program text"),
    never(&["irb"], "runs any program text"),
    never(&["perl"], "runs any program text"),
    never(&["php"], "runs any program text"),
    never(&["lua"], "runs any program text"),
    never(&["luajit"], "runs any program text"),
    never(&["tclsh"], "runs any program text"),
    never(&["osascript"], "runs any program text"),
    never(&["Rscript"], "runs any program text"),
    never(&["R"], "runs any program text"),
    never(&["julia"], "runs any program text"),
    never(&["ghci"], "runs any program text"),
    never(&["awk"], "runs any program text"),
    never(&["gawk"], "runs any program text"),
    never(&["mawk"], "runs any program text"),
    never(&["gdb"], "runs any program text"),
    never(&["env"], "runs another command"),
    never(&["xargs"], "runs another command"),
    never(&["nohup"], "runs another command"),
    never(&["nice"], "runs another command"),
    never(&["timeout"], "runs another command"),
    never(&["time"], "runs another command"),
    never(&["watch"], "runs another command"),
    never(&["setsid"], "runs another command"),
    never(&["stdbuf"], "runs another command"),
    never(&["parallel"], "runs another command"),
    never(&["eval"], "runs another command"),
    never(&["exec"], "runs another command"),
    never(&["command"], "runs another command"),
    never(&["builtin"], "runs another command"),
    never(&["source"], "runs another command"),
    never(&["."], "runs another command"),
    never(&["strace"], "runs another command"),
    never(&["script"], "runs another command"),
    never(&["flock"], "runs another command"),
    never(&["sudo"], "gives other rights"),
    never(&["doas"], "gives other rights"),
    never(&["su"], "gives other rights"),
    never(&["pkexec"], "gives other rights"),
    never(&["chroot"], "gives other rights"),
    never(&["nsenter"], "gives other rights"),
    never(&["unshare"], "gives other rights"),
    never(&["npx"], "runs packages or scripts that others wrote"),
    never(&["bunx"], "runs packages or scripts that others wrote"),
    never(&["pnpx"], "runs packages or scripts that others wrote"),
    never(&["uvx"], "runs packages or scripts that others wrote"),
    never(&["pipx"], "runs packages or scripts that others wrote"),
    never(&["npm", "run"], "runs packages or scripts that others wrote"),
    never(&["yarn", "run"], "runs packages or scripts that others wrote"),
    never(&["pnpm", "run"], "runs packages or scripts that others wrote"),
    never(&["yarn", "dlx"], "runs packages or scripts that others wrote"),
    never(&["pnpm", "dlx"], "runs packages or scripts that others wrote"),
    never(&["npm", "exec"], "runs packages or scripts that others wrote"),
    never(&["ssh"], "reaches another machine or container"),
    never(&["scp"], "reaches another machine or container"),
    never(&["docker"], "reaches another machine or container"),
    never(&["podman"], "reaches another machine or container"),
    never(&["kubectl"], "reaches another machine or container"),
    NeverGranted {
        words: &["git"],
        alone: true,
        reason: "has commands of every risk under one name",
    },
    never(&["rm"], "deletes"),
    never(&["vi"], "can write and run anything from inside"),
    never(&["vim"], "can write and run anything from inside"),
    never(&["nvim"], "can write and run anything from inside"),
    never(&["emacs"], "can write and run anything from inside"),
    never(&["nano"], "can write and run anything from inside"),
    never(&["ed"], "can write and run anything from inside"),
    never(&["dogu"], "answers its own questions"),
];

const fn never(words: &'static [&'static str], reason: &'static str) -> NeverGranted {
    NeverGranted { words, alone: false, reason }
}

/// The entry that a command's words begin with. The program is known by its last name, without
/// a version: `/usr/bin/python3.12` is `python3`.
pub fn never_granted(words: &[&str]) -> Option<&'static NeverGranted> {
    let (program, rest) = words.split_first()?;
    let program = program.rsplit('/').next().unwrap_or(program);
    let begins = |entry: &&NeverGranted| {
        entry.words.split_first().is_some_and(|(name, more)| {
            is_program(program, name) && rest.starts_with(more) && (!entry.alone || rest.is_empty())
        })
    };
    NEVER_GRANTED.iter().find(begins)
}

/// The same program, another version or spelling of it aside.
fn is_program(program: &str, name: &str) -> bool {
    let program = program.to_ascii_lowercase();
    let program = program.strip_suffix(".exe").unwrap_or(&program);
    let version = program.strip_prefix(name.to_ascii_lowercase().as_str());
    let is_version = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '-');
    version.is_some_and(is_version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_eighty_eight_and_none_twice() {
        assert_eq!(NEVER_GRANTED.len(), 88);
        for (index, entry) in NEVER_GRANTED.iter().enumerate() {
            assert!(!entry.reason.is_empty() && !entry.words.is_empty());
            assert!(!NEVER_GRANTED[..index].iter().any(|other| other.words == entry.words));
        }
    }

    #[test]
    fn other_spellings_are_found() {
        for words in [
            &["/usr/bin/python3.12"][..],
            &["BASH"],
            &["npm", "run", "x"],
            &["git"],
            &["dogu", "trust"],
        ] {
            assert!(never_granted(words).is_some(), "{words:?}");
        }
        for words in [
            &["cargo", "test"][..],
            &["npm", "test"],
            &["git", "add", "x"],
            &["rmdir", "x"],
            &["pythonic"],
        ] {
            assert!(never_granted(words).is_none(), "{words:?}");
        }
    }
}
