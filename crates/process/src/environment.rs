//! What commands find in their environment: an allow list of dogu's own, and what keeps programs
//! from asking, paging and colouring.

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::client::{Launch, Supervisor};

/// Variables that are passed on: where things are, who the user is, which language they speak.
/// Whatever may hold a secret is not here.
const PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "HOSTNAME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_DIRS",
    "XDG_CONFIG_DIRS",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "GOBIN",
    "GOCACHE",
    "JAVA_HOME",
    "MAVEN_HOME",
    "GRADLE_HOME",
    "GRADLE_USER_HOME",
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "DOTNET_ROOT",
    "NVM_DIR",
    "NVM_BIN",
    "NODE_PATH",
    "PNPM_HOME",
    "BUN_INSTALL",
    "DENO_DIR",
    "VOLTA_HOME",
    "FNM_DIR",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CONDA_DEFAULT_ENV",
    "CONDA_EXE",
    "POETRY_HOME",
    "UV_CACHE_DIR",
    "RBENV_ROOT",
    "GEM_HOME",
    "GEM_PATH",
    "SDKMAN_DIR",
    "ASDF_DIR",
    "MISE_DATA_DIR",
    "JULIA_DEPOT_PATH",
    "PKG_CONFIG_PATH",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "CC",
    "CXX",
    "AR",
    "LD",
    "CFLAGS",
    "CXXFLAGS",
    "MAKEFLAGS",
    "CMAKE_PREFIX_PATH",
    "CUDA_HOME",
    "CUDA_PATH",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
];

/// Set for every command, whatever the user has set.
const SET: &[(&str, &str)] = &[
    // No pager, no colour, no prompt.
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GH_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("BAT_PAGER", "cat"),
    ("AWS_PAGER", ""),
    ("NO_COLOR", "1"),
    ("CLICOLOR", "0"),
    ("TERM", "dumb"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GCM_INTERACTIVE", "never"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("SUDO_ASKPASS", "false"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("PIP_NO_INPUT", "1"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ("HOMEBREW_NO_AUTO_UPDATE", "1"),
    // An editor that nobody sees would wait for ever.
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    // Commands that only look write nothing: what the policy calls safe is so with these.
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_CONFIG_COUNT", "1"),
    ("GIT_CONFIG_KEY_0", "diff.autoRefreshIndex"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("npm_config_update_notifier", "false"),
    ("npm_config_fund", "false"),
    ("npm_config_logs_max", "0"),
];

/// Where commands find that they are in a sandbox of dogu's.
pub const SANDBOX_MARK: &str = "DOGU_SANDBOX";

/// How long the user's shell may take to say what a login sets.
const LOGIN_PATIENCE: Duration = Duration::from_secs(5);
/// How much it may say.
const MAX_LOGIN_BYTES: usize = 1024 * 1024;

/// The environment of a command: what of `own` is passed on, with `also` by the user's wish, and
/// what is set for all.
pub fn environment(
    own: impl IntoIterator<Item = (OsString, OsString)>,
    also: &[String],
) -> Vec<(OsString, OsString)> {
    let is_passed = |name: &OsStr| {
        let Some(name) = name.to_str() else { return false };
        PASSED.contains(&name) || name.starts_with("LC_") || also.iter().any(|more| more == name)
    };
    let is_set = |name: &OsStr| SET.iter().any(|(set, _)| name == OsStr::new(set));
    let asked_for = |name: &OsStr| also.iter().any(|more| name == OsStr::new(more));
    let mut found: Vec<(OsString, OsString)> = own
        .into_iter()
        .filter(|(name, _)| is_passed(name) && (asked_for(name) || !is_set(name)))
        .collect();
    for (name, value) in SET {
        if !found.iter().any(|(given, _)| given == OsStr::new(name)) {
            found.push(((*name).into(), (*value).into()));
        }
    }
    found
}

/// The command at a terminal of its own: programs may colour and move the cursor there.
pub fn for_terminal(environment: &mut Vec<(OsString, OsString)>) {
    environment.retain(|(name, _)| name != "NO_COLOR" && name != "CLICOLOR" && name != "TERM");
    environment.push(("TERM".into(), "xterm-256color".into()));
}

/// What a login sets: the environment of a process that the user's login shell starts. It runs
/// the user's own files, so it is asked for once and outside of any sandbox; nothing where it
/// fails or takes too long.
pub async fn of_login(
    shell: &OsStr,
    own: Vec<(OsString, OsString)>,
    supervisor: &Supervisor,
) -> Option<Vec<(OsString, OsString)>> {
    let words = [shell, OsStr::new("-l"), OsStr::new("-c"), OsStr::new("env -0 | base64")];
    let mut launch = Launch::new(words, "/");
    launch.environment = own;
    let child = supervisor.start(launch).await.ok()?;
    child.stop_after(LOGIN_PATIENCE);
    let end = child.ended().await;
    let said = child.log().result(MAX_LOGIN_BYTES).stdout;
    let text: String = said.split_whitespace().collect();
    let bytes = BASE64_STANDARD.decode(text).ok().filter(|_| end.exit_code == Some(0))?;
    Some(variables(&bytes))
}

fn variables(bytes: &[u8]) -> Vec<(OsString, OsString)> {
    use std::os::unix::ffi::OsStringExt as _;
    let entries = bytes.split(|byte| *byte == 0);
    let pair = |entry: &[u8]| {
        let at = entry.iter().position(|byte| *byte == b'=')?;
        let text = |part: &[u8]| OsString::from_vec(part.to_vec());
        Some((text(&entry[..at]), text(&entry[at + 1..])))
    };
    entries.filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        list.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
    }

    fn value<'a>(environment: &'a [(OsString, OsString)], name: &str) -> Option<&'a str> {
        environment.iter().find(|(found, _)| found == name).and_then(|(_, value)| value.to_str())
    }

    #[test]
    fn secrets_stay_behind() {
        let own = pairs(&[("PATH", "/bin"), ("AWS_SECRET_ACCESS_KEY", "x"), ("LC_ALL", "C")]);
        let given = environment(own, &[]);
        assert_eq!(value(&given, "PATH"), Some("/bin"));
        assert_eq!(value(&given, "LC_ALL"), Some("C"));
        assert_eq!(value(&given, "AWS_SECRET_ACCESS_KEY"), None);
    }

    #[test]
    fn what_the_user_wants_passed_is_passed() {
        let own = pairs(&[("FOO", "1"), ("PAGER", "less"), ("EDITOR", "vi")]);
        let given = environment(own, &["FOO".to_owned(), "EDITOR".to_owned()]);
        assert_eq!(value(&given, "FOO"), Some("1"));
        assert_eq!(value(&given, "EDITOR"), Some("vi"));
        assert_eq!(value(&given, "PAGER"), Some("cat"));
    }

    #[test]
    fn nothing_asks_pages_or_colours() {
        let given = environment(pairs(&[("TERM", "xterm"), ("COLORTERM", "truecolor")]), &[]);
        assert_eq!(value(&given, "TERM"), Some("dumb"));
        assert_eq!(value(&given, "COLORTERM"), None);
        assert_eq!(value(&given, "GIT_TERMINAL_PROMPT"), Some("0"));
        let mut at_terminal = given;
        for_terminal(&mut at_terminal);
        assert_eq!(value(&at_terminal, "TERM"), Some("xterm-256color"));
        assert_eq!(value(&at_terminal, "NO_COLOR"), None);
    }
}
