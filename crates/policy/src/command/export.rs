//! `export`: variables for all commands that come after it.

use super::wrapper::assigned;
use super::{Arg, Effects};
use crate::risk::Risk;

/// Variables that decide which code programs load or start.
const STEERING: &[&str] = &[
    "PATH",
    "BASH_ENV",
    "ENV",
    "IFS",
    "SHELLOPTS",
    "BASHOPTS",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS4",
    "SHELL",
    "CDPATH",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "MANPAGER",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "LESS",
    "HOME",
    "CC",
    "CXX",
    "LD",
    "AR",
    "MAKEFLAGS",
    "MAKEFILES",
    "RUSTC",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUSTDOCFLAGS",
    "GOFLAGS",
    "GOROOT",
    "GOPATH",
    "GOPROXY",
    "CLASSPATH",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "TAR_OPTIONS",
    "GREP_OPTIONS",
    "GZIP",
    "BZIP",
    "XZ_OPT",
    "UNZIP",
    "ZIPOPT",
    "POSIXLY_CORRECT",
    "RIPGREP_CONFIG_PATH",
    "ACKRC",
    "ACK_OPTIONS",
    "AWKPATH",
    "AWKLIBPATH",
    "JQ_COLORS",
    "TERMINFO",
    "MAGIC",
    "LOCPATH",
    "NLSPATH",
    "GCONV_PATH",
    "HOSTALIASES",
    "RESOLV_HOST_CONF",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "DEBUGINFOD_URLS",
    "WATCH",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// Beginnings of such variables.
const FAMILIES: &[&str] = &[
    "LD_",
    "DYLD_",
    "BASH_FUNC_",
    "GIT_",
    "SSH_",
    "PYTHON",
    "PERL",
    "RUBY",
    "NODE_",
    "npm_",
    "NPM_",
    "YARN_",
    "CARGO_",
    "RUSTUP_",
    "RUSTC_",
    "HIST",
    "MALLOC_",
    "GLIBC_",
    "LUA_",
    "PHP",
    "R_",
    "GEM_",
    "BUNDLE_",
    "PIP_",
    "UV_",
    "DOCKER_",
    "KUBE",
    "AWS_",
    "CURL_",
    "WGET",
    "OPENSSL_",
    "ASAN_",
    "LSAN_",
    "TSAN_",
    "UBSAN_",
    "LC_ALL_",
];

/// The variable decides which code programs load or start, or where they send things.
pub fn steers(name: &str) -> bool {
    let program =
        name.ends_with("_PAGER") || name.ends_with("_EDITOR") || name.ends_with("_WRAPPER");
    program || STEERING.contains(&name) || FAMILIES.iter().any(|start| name.starts_with(start))
}

/// Judges `export` by the words after its name.
pub(super) fn judge(args: &[Arg]) -> Effects {
    let mut effects = Effects::of(Risk::Caution, "sets variables for the commands after it");
    let args = args.strip_prefix(&[Arg::literal("--")]).unwrap_or(args);
    for arg in args {
        if let Some(name) = assigned(arg).or_else(|| name_alone(arg)) {
            effects.sets.push(name.to_owned());
        } else if let Arg::Unknown { starts, .. } = arg
            && let Some((name, _)) = starts.split_once('=')
        {
            effects.sets.push(name.to_owned());
            effects.risk = Risk::Unknown;
            effects.reason = format!("sets `{name}` to what is known only when it runs").into();
        } else {
            effects.risk = Risk::Unknown;
            effects.reason = format!("sets what is not known: `{arg}`").into();
        }
    }
    if let Some(name) = effects.sets.iter().find(|name| steers(name)) {
        effects.reason = format!("sets `{name}`, which decides what other programs do").into();
        effects.risk = Risk::Dangerous;
    } else if args.is_empty() {
        effects.reason = "shows all variables, and secrets in them".into();
    }
    effects
}

fn name_alone(arg: &Arg) -> Option<&str> {
    let name = arg.as_literal()?;
    let first = name.bytes().next()?;
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!first.is_ascii_digit() && name.bytes().all(fits)).then_some(name)
}
