//! Variables by which programs are made to run others, or to reach other places.

/// Why a call may not set this variable by the way, in words that go on after its name.
///
/// Each of these makes programs run other programs or reach other places than the line says.
pub(super) fn steers(name: &str) -> Option<&'static str> {
    let upper = name.to_ascii_uppercase();
    let starts = |prefix: &str| upper.starts_with(prefix);
    let ends = |suffix: &str| upper.ends_with(suffix);
    if starts("LD_") || starts("DYLD_") {
        return Some("loads code into every program");
    }
    if starts("GIT_") {
        return Some("changes what git reads and runs");
    }
    if matches!(
        upper.as_str(),
        "BASH_ENV"
            | "ENV"
            | "ZDOTDIR"
            | "PS4"
            | "PROMPT_COMMAND"
            | "SHELLOPTS"
            | "BASHOPTS"
            | "IFS"
    ) || starts("BASH_FUNC_")
    {
        return Some("is run or obeyed by the shell");
    }
    if upper == "PATH" {
        return Some("decides which programs run");
    }
    if ends("PAGER")
        || ends("EDITOR")
        || upper == "VISUAL"
        || upper == "BROWSER"
        || upper == "LESSOPEN"
        || upper == "LESSCLOSE"
    {
        return Some("names a program that others start");
    }
    if starts("PYTHON")
        || starts("PERL5")
        || starts("RUBY")
        || upper == "NODE_OPTIONS"
        || upper == "NODE_PATH"
        || upper == "JAVA_TOOL_OPTIONS"
        || upper == "_JAVA_OPTIONS"
    {
        return Some("loads code into an interpreter");
    }
    if ends("_WRAPPER")
        || matches!(
            upper.as_str(),
            "RUSTC" | "RUSTDOC" | "CARGO" | "CC" | "CXX" | "LD" | "AR" | "MAKEFLAGS" | "RUSTFLAGS"
        )
        || starts("CARGO_")
        || starts("NPM_CONFIG_")
    {
        return Some("names programs or options for a build");
    }
    if ends("_PROXY") {
        return Some("sends the network elsewhere");
    }
    if upper == "HOME" || starts("XDG_") || starts("SSH_") || starts("DOGU_") {
        return Some("decides where settings and keys are found");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_steer_are_known() {
        for name in [
            "LD_PRELOAD",
            "GIT_DIR",
            "BASH_ENV",
            "ENV",
            "PATH",
            "MANPAGER",
            "GIT_EDITOR",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "NODE_OPTIONS",
            "RUSTC_WRAPPER",
            "https_proxy",
            "HTTP_PROXY",
            "ALL_PROXY",
            "ld_library_path",
        ] {
            assert!(steers(name).is_some(), "{name}");
        }
        for name in ["FOO", "RUST_LOG", "DEBUG", "PORT", "NODE_ENV", "CI"] {
            assert_eq!(steers(name), None, "{name}");
        }
    }
}
