//! Which variables may be set without changing what later commands do.

/// Variables that programs and shells obey, with what they would do. A line that sets one of
/// them is not understood. `*` stands for any characters.
const OBEYED: &[(&str, &str)] = &[
    ("_", "is set by every command"),
    ("PPID", "is special to the shell"),
    ("PATH", "decides which programs run"),
    ("IFS", "decides how words are split"),
    ("PS[0-9]", "is evaluated by the shell"),
    ("PROMPT*", "is evaluated by the shell"),
    ("BASH*", "is read by bash"),
    ("ENV", "names a script that shells run"),
    ("SHELL*", "is read by shells"),
    ("CDPATH", "decides where cd goes"),
    ("PWD", "is where programs think they are"),
    ("OLDPWD", "is where cd - goes"),
    ("HOME", "is where programs look for their settings"),
    ("USER*", "is whom programs think they serve"),
    ("LOGNAME", "is whom programs think they serve"),
    ("GLOBIGNORE", "decides what wildcards match"),
    ("EXECIGNORE", "decides which programs run"),
    ("FIGNORE", "is read by bash"),
    ("FUNCNEST", "is read by bash"),
    ("FCEDIT", "names a program"),
    ("HIST*", "is where the shell keeps its history"),
    ("INPUTRC", "is run by readline"),
    ("OPTIND", "is read by the shell"),
    ("OPTARG", "is read by the shell"),
    ("TIMEFORMAT", "is read by bash"),
    ("TMOUT", "ends the shell"),
    ("TMPDIR", "is where programs write"),
    ("TEMP", "is where programs write"),
    ("TMP", "is where programs write"),
    ("RANDOM", "is special to the shell"),
    ("SECONDS", "is special to the shell"),
    ("LINENO", "is special to the shell"),
    ("UID", "is special to the shell"),
    ("EUID", "is special to the shell"),
    ("GROUPS", "is special to the shell"),
    ("DIRSTACK", "is special to the shell"),
    ("FUNCNAME", "is special to the shell"),
    ("MAILPATH", "is evaluated by the shell"),
    ("MAIL*", "is read by the shell"),
    ("POSIXLY_CORRECT", "changes how options are read"),
    ("LD_*", "decides which code programs load"),
    ("DYLD_*", "decides which code programs load"),
    ("GCONV_PATH", "decides which code programs load"),
    ("LOCPATH", "decides which code programs load"),
    ("NLSPATH", "decides which texts programs load"),
    ("TERMINFO*", "is read by terminals' programs"),
    ("TERMCAP", "is read by terminals' programs"),
    ("HOSTALIASES", "decides where names lead"),
    ("RES_OPTIONS", "decides where names lead"),
    ("MALLOC_*", "is read by every program"),
    ("GLIBC_*", "is read by every program"),
    ("GIT_*", "decides what git runs"),
    ("*PAGER", "names a program"),
    ("*EDITOR", "names a program"),
    ("VISUAL", "names a program"),
    ("BROWSER", "names a program"),
    ("*ASKPASS", "names a program"),
    ("LESS*", "is run by less"),
    ("MAN*", "is run by man"),
    ("SSH_*", "decides what ssh does"),
    ("*_PROXY", "decides where data go"),
    ("*_proxy", "decides where data go"),
    ("XDG_*", "is where programs look for their settings"),
    ("*_OPTIONS", "are options of a program"),
    ("*_OPTS", "are options of a program"),
    ("*OPTS", "are options of a program"),
    ("*FLAGS", "are options of a program"),
    ("*_CONFIG*", "is where a program looks for its settings"),
    ("*_HOME", "is where a program looks for itself"),
    ("*_ROOT", "is where a program looks for itself"),
    ("*_LIBRARY_PATH", "decides which code programs load"),
    ("*_WRAPPER", "names a program"),
    ("*_COMMAND", "names a program"),
    ("PYTHON*", "decides which code Python runs"),
    ("VIRTUAL_ENV", "decides which Python runs"),
    ("CONDA*", "decides which Python runs"),
    ("PIP_*", "are options of pip"),
    ("NODE*", "decides which code node runs"),
    ("npm_*", "are options of npm"),
    ("NPM_*", "are options of npm"),
    ("YARN_*", "are options of yarn"),
    ("RUST*", "decides which code cargo runs"),
    ("CARGO*", "decides which code cargo runs"),
    ("PERL*", "decides which code Perl runs"),
    ("RUBY*", "decides which code Ruby runs"),
    ("GEM_*", "decides which code Ruby runs"),
    ("BUNDLE_*", "decides which code Ruby runs"),
    ("JAVA*", "decides which code Java runs"),
    ("JDK_*", "decides which code Java runs"),
    ("_JAVA*", "decides which code Java runs"),
    ("CLASSPATH", "decides which code Java runs"),
    ("MAVEN*", "decides which code Maven runs"),
    ("GRADLE*", "decides which code Gradle runs"),
    ("GO*", "decides what go does"),
    ("CGO_*", "decides what go does"),
    ("DOTNET*", "decides which code .NET runs"),
    ("PHP*", "decides which code PHP runs"),
    ("LUA*", "decides which code Lua runs"),
    ("CC", "names a program"),
    ("CXX", "names a program"),
    ("MAKE*", "decides what make does"),
    ("RIPGREP_*", "decides what rg runs"),
    ("GREP_*", "are options of grep"),
    ("JQ_*", "is read by jq"),
    ("FZF_*", "are options of fzf"),
    ("BAT_*", "are options of bat"),
    ("TAR_*", "are options of tar"),
    ("GZIP", "are options of gzip"),
    ("XZ_*", "are options of xz"),
    ("ZIP*", "are options of zip"),
    ("UNZIP*", "are options of unzip"),
    ("LS_*", "are options of ls"),
    ("AWK*", "is read by awk"),
    ("CURL_*", "is read by curl"),
    ("WGET*", "is read by wget"),
    ("DOCKER_*", "decides what docker does"),
    ("KUBE*", "decides what kubectl does"),
    ("AWS_*", "decides what aws does"),
    ("DOGU_*", "decides what dogu does"),
    ("DISPLAY", "decides where windows open"),
    ("DBUS_*", "decides whom programs talk to"),
    ("SUDO_*", "decides what sudo does"),
    ("EXINIT", "is run by vi"),
    ("VIM*", "is run by vim"),
    ("EMACS*", "is run by emacs"),
];

/// Variables that a single command may be given: they change how it speaks, not what it does.
const HARMLESS: &[&str] = &[
    "LANG",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_NUMERIC",
    "LC_TIME",
    "TZ",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "LINES",
    "CI",
    "RUST_BACKTRACE",
    "CARGO_TERM_COLOR",
    "CARGO_TERM_PROGRESS_WHEN",
    "NODE_ENV",
    "NODE_NO_WARNINGS",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
];

/// Why setting a variable of the shell changes what later commands do, if it does.
pub(crate) fn obeyed(name: &str) -> Option<&'static str> {
    if HARMLESS.contains(&name) {
        return None;
    }
    OBEYED.iter().find(|(pattern, _)| matches(pattern, name)).map(|(_, why)| *why)
}

/// A program may be given this variable with this value.
pub(crate) fn harmless_to_programs(name: &str, value: &str) -> bool {
    HARMLESS.contains(&name)
        && value.chars().all(|c| c.is_ascii_alphanumeric() || "_.@:+-".contains(c))
}

fn matches(pattern: &str, name: &str) -> bool {
    if pattern == "PS[0-9]" {
        return name
            .strip_prefix("PS")
            .is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit());
    }
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(rest), Some(_)) => name.contains(rest.trim_end_matches('*')),
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_obeyed_and_what_is_not() {
        for name in [
            "PATH",
            "IFS",
            "PS4",
            "BASH_ENV",
            "ENV",
            "LD_PRELOAD",
            "GIT_DIR",
            "PAGER",
            "GIT_PAGER",
            "MANPAGER",
            "EDITOR",
            "http_proxy",
            "RUSTC_WRAPPER",
            "NODE_OPTIONS",
            "HOME",
        ] {
            assert!(obeyed(name).is_some(), "{name}");
        }
        for name in ["x", "f", "FILE", "DIR", "count", "name", "LC_ALL", "NO_COLOR"] {
            assert!(obeyed(name).is_none(), "{name}");
        }
        assert!(harmless_to_programs("LC_ALL", "C.UTF-8"));
        assert!(!harmless_to_programs("LC_ALL", "../x"));
        assert!(!harmless_to_programs("FOO", "1"));
    }
}
