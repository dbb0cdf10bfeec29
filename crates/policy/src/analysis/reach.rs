//! What a line reaches beyond the files that it names: other machines, and the repository.
//!
//! A sandbox gives a command only what it needs. Here it is told from the programs of a line what
//! that is; a program that is not known to use the network gets none.

use std::path::{Path, PathBuf};

use dogu_tool::ANY_ADDRESS;

use super::{Analysis, Found};
use crate::command::{Access, Arg, without_leading_options};
use crate::risk::Risk;

/// Programs that are of no use without the network.
const ALWAYS: &[&str] = &[
    "curl",
    "wget",
    "http",
    "https",
    "xh",
    "aria2c",
    "axel",
    "ftp",
    "sftp",
    "scp",
    "ssh",
    "mosh",
    "rsync",
    "rclone",
    "telnet",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "ping",
    "ping6",
    "traceroute",
    "dig",
    "host",
    "nslookup",
    "whois",
    "gh",
    "glab",
    "hub",
    "aws",
    "gcloud",
    "az",
    "doctl",
    "flyctl",
    "heroku",
    "vercel",
    "netlify",
    "wrangler",
    "kubectl",
    "helm",
    "terraform",
    "tofu",
    "pulumi",
    "yt-dlp",
    "lynx",
    "w3m",
    "links",
    "s3cmd",
    "mc",
    "apt",
    "apt-get",
    "dnf",
    "yum",
    "pacman",
    "apk",
    "brew",
    "snap",
    "flatpak",
    "npx",
    "bunx",
    "pipx",
    "uvx",
    "cargo-binstall",
];

/// Subcommands that fetch or send. `*` is every one.
const SUBCOMMANDS: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "clone",
            "fetch",
            "pull",
            "push",
            "ls-remote",
            "remote-https",
            "submodule",
            "lfs",
            "send-email",
            "archive",
        ],
    ),
    (
        "cargo",
        &[
            "install",
            "add",
            "update",
            "fetch",
            "vendor",
            "search",
            "publish",
            "yank",
            "owner",
            "login",
            "binstall",
            "generate-lockfile",
        ],
    ),
    (
        "npm",
        &[
            "install",
            "i",
            "ci",
            "add",
            "update",
            "up",
            "upgrade",
            "publish",
            "outdated",
            "audit",
            "view",
            "info",
            "show",
            "search",
            "exec",
            "init",
            "create",
            "login",
            "whoami",
            "ping",
            "pack",
            "deprecate",
            "unpublish",
        ],
    ),
    (
        "pnpm",
        &[
            "install", "i", "add", "update", "up", "publish", "outdated", "audit", "view", "dlx",
            "create", "fetch", "import",
        ],
    ),
    (
        "yarn",
        &[
            "install", "add", "up", "upgrade", "publish", "dlx", "create", "npm", "info",
            "outdated", "audit",
        ],
    ),
    ("bun", &["install", "i", "add", "update", "publish", "x", "create", "upgrade", "outdated"]),
    ("deno", &["install", "add", "cache", "upgrade", "publish", "outdated"]),
    ("pip", &["install", "download", "search", "index", "wheel"]),
    ("pip3", &["install", "download", "search", "index", "wheel"]),
    ("uv", &["sync", "add", "lock", "publish", "pip", "tool", "python", "run", "self"]),
    ("poetry", &["install", "add", "update", "lock", "publish", "search", "sync"]),
    ("pdm", &["install", "add", "update", "lock", "publish", "sync"]),
    ("conda", &["install", "create", "update", "search", "env"]),
    ("mamba", &["install", "create", "update", "search", "env"]),
    ("go", &["get", "install", "mod", "work"]),
    ("gem", &["install", "update", "fetch", "push", "search", "outdated"]),
    ("bundle", &["install", "update", "add", "outdated", "lock"]),
    ("composer", &["install", "update", "require", "create-project", "outdated", "show"]),
    ("dotnet", &["restore", "add", "tool", "nuget", "new"]),
    ("rustup", &["install", "update", "toolchain", "component", "target", "self"]),
    ("docker", &["*"]),
    ("podman", &["pull", "push", "login", "build", "run", "search"]),
];

/// What a line does to the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repository {
    /// Nothing that it says.
    Untouched,
    /// git changes it, and nothing else runs that could.
    ByGitAlone,
    /// git changes it, in a line that runs other things too.
    AmongOthers,
}

impl Analysis {
    /// It only looks, all of it: what it starts needs to write nothing.
    pub fn only_looks(&self) -> bool {
        let reads = |access| matches!(access, Access::Read | Access::Tree);
        self.understood.is_ok()
            && self.risk == Risk::Safe
            && self.files.iter().all(|file| reads(file.access) || file.is_stream())
    }

    /// What it does to the repository that it runs in.
    pub fn repository(&self) -> Repository {
        let acts = |found: &&Found| found.risk > Risk::Safe && !found.wrapper;
        let mut acting = self.commands.iter().filter(acts).peekable();
        let by_git = acting.clone().any(is_git);
        if !by_git {
            return Repository::Untouched;
        }
        if self.understood.is_ok() && acting.all(is_git) {
            return Repository::ByGitAlone;
        }
        Repository::AmongOthers
    }
}

impl Analysis {
    /// The folders that git is told to work in: those that the line runs in, and where `-C` leads
    /// from there.
    pub fn git_folders(&self) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = self.folders.iter().map(PathBuf::from).collect();
        for git in self.commands.iter().filter(|found| is_git(found)) {
            let below = led_to(&git.words);
            found.extend(self.folders.iter().map(|folder| Path::new(folder).join(&below)));
        }
        found.sort();
        found.dedup();
        found
    }
}

/// Where the options of git before its command lead.
fn led_to(words: &[Arg]) -> PathBuf {
    let mut folder = PathBuf::new();
    let mut words = words.iter().skip(1).map_while(Arg::as_literal);
    while let Some(word) = words.next().filter(|word| word.starts_with('-')) {
        match word {
            "-C" => folder.push(words.next().unwrap_or_default()),
            "-c" => drop(words.next()),
            _ => {}
        }
    }
    folder
}

/// The addresses that programs are known to ask; [`ANY_ADDRESS`] where nobody can tell which.
pub(super) fn addresses(commands: &[Found]) -> Vec<String> {
    let mut found: Vec<String> = commands.iter().flat_map(addresses_of).collect();
    found.sort();
    found.dedup();
    found
}

fn is_git(found: &Found) -> bool {
    program(found) == Some("git")
}

/// The name of the program, without its folder.
fn program(found: &Found) -> Option<&str> {
    let name = found.words.first()?.as_literal()?;
    Some(name.rsplit('/').next().unwrap_or(name))
}

fn addresses_of(found: &Found) -> Vec<String> {
    let Some(program) = program(found) else { return Vec::new() };
    if !uses_network(program, found) {
        return Vec::new();
    }
    let named: Vec<String> = found
        .words
        .iter()
        .skip(1)
        .filter_map(|word| word.as_literal())
        .filter(|word| word.starts_with("http://") || word.starts_with("https://"))
        .map(str::to_owned)
        .collect();
    // Only of these is it known that they ask nobody but whom they were told to.
    let asks_only_those = matches!(program, "curl" | "wget")
        && found.words.iter().all(|word| word.as_literal().is_some())
        && !found.words.iter().any(|word| redirects(word.as_literal().unwrap_or_default()));
    if named.is_empty() || !asks_only_those {
        return vec![ANY_ADDRESS.to_owned()];
    }
    named
}

/// Options of curl by which it asks others than it was told, and files that name such options.
fn redirects(word: &str) -> bool {
    let short = word.starts_with('-') && !word.starts_with("--") && word.contains(['L', 'K', 'x']);
    short
        || ["--location", "--config", "--proxy", "--next", "--resolve", "--connect-to", "--input"]
            .iter()
            .any(|option| word.starts_with(option))
}

fn uses_network(program: &str, found: &Found) -> bool {
    if ALWAYS.contains(&program) {
        return true;
    }
    let Some((_, subcommands)) = SUBCOMMANDS.iter().find(|(name, _)| *name == program) else {
        return false;
    };
    if subcommands.contains(&"*") {
        return true;
    }
    let bare = without_leading_options(&found.words);
    let words = bare.as_deref().unwrap_or(&found.words);
    let subcommand = words.iter().skip(1).find(|word| !word.may_be_option());
    match subcommand.and_then(|word| word.as_literal()) {
        Some(subcommand) => subcommands.contains(&subcommand),
        // `yarn` by itself installs; whatever nobody can read may do so.
        None => program == "yarn" || words.len() > 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Place, analyse};

    fn line(text: &str) -> Analysis {
        analyse(text, Place { cwd: "/w", home: Some("/home/u") })
    }

    #[test]
    fn git_works_where_the_line_leads_it() {
        let folders = |text: &str| -> Vec<String> {
            let found = line(text).git_folders();
            found.iter().map(|folder| folder.display().to_string()).collect()
        };
        assert_eq!(folders("git commit -m x"), ["/w"]);
        assert!(folders("git -c a.b=c -C lib -C deep commit").contains(&"/w/lib/deep".to_owned()));
        assert!(folders("cd sub && git commit -m x").contains(&"/w/sub".to_owned()));
        assert!(folders("git -C /elsewhere status").contains(&"/elsewhere".to_owned()));
        assert_eq!(folders("make"), ["/w"]);
    }

    #[test]
    fn known_programs_ask_for_the_network() {
        let any = [ANY_ADDRESS];
        assert_eq!(line("git push origin main").addresses, any);
        assert_eq!(line("git -C sub fetch").addresses, any);
        assert_eq!(line("npm ci && npm test").addresses, any);
        assert_eq!(line("yarn").addresses, any);
        assert_eq!(line("FOO=1 timeout 5 pip install x").addresses, any);
        assert_eq!(line("/usr/bin/ssh host uptime").addresses, any);
        assert_eq!(line("curl -sS https://a.example/x").addresses, ["https://a.example/x"]);
        assert_eq!(line("curl -sSL https://a.example/x").addresses, any);
        assert_eq!(line("curl $URL").addresses, any);
    }

    #[test]
    fn others_get_none() {
        for text in
            ["git status", "cargo test", "npm test", "ls", "python3 x.py", "make", "cat curl"]
        {
            assert_eq!(line(text).addresses, Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn only_git_may_have_the_repository_by_the_way() {
        assert_eq!(line("git status").repository(), Repository::Untouched);
        assert_eq!(line("make").repository(), Repository::Untouched);
        assert_eq!(line("git add -A && git commit -m x").repository(), Repository::ByGitAlone);
        assert_eq!(line("ls; git add x").repository(), Repository::ByGitAlone);
        assert_eq!(line("make && git add x").repository(), Repository::AmongOthers);
    }

    #[test]
    fn a_line_that_writes_does_not_only_look() {
        assert!(line("ls -l && git log --oneline").only_looks());
        assert!(line("grep -r x . 2>/dev/null").only_looks());
        assert!(!line("ls > out").only_looks());
        assert!(!line("cargo test").only_looks());
        assert!(!line("ls $(cat x").only_looks());
    }
}
