//! Calls to decide about, built by hand: facts as a disk would give them, analyses as a parser.

use std::path::{Path, PathBuf};

use dogu_policy::Risk;
use dogu_policy::analysis::{Analysis, FilePlace, Found, Place, analyse};
use dogu_policy::command::{Access, Arg};
use dogu_policy::engine::{Decision, Engine, Layer, PathJudge, Request};
use dogu_policy::facts::{CommandFacts, JudgedAction, NamedFile, PathFacts};
use dogu_policy::grant::{Grant, Scope};
use dogu_policy::mode::{Mode, Modes};
use dogu_policy::path::PathClass;
use dogu_policy::rule::Rule;
use dogu_tool::{Action, Category, Group, Source, ToolSpec, Verdict};
use serde_json::{Value, json};

pub(crate) const ROOT: &str = "/work/project";

/// A stub of what kinds of places paths are: told by a word in their names.
pub(crate) struct Words;

impl PathJudge for Words {
    fn class(&self, facts: &PathFacts) -> PathClass {
        let path = facts.real.to_string_lossy();
        PathClass {
            sensitive: path.contains(".env").then_some("may hold secrets"),
            system: path.starts_with("/etc").then_some("belongs to the system"),
            protected: path.contains("AGENTS.md").then_some("steers agents"),
        }
    }
}

pub(crate) fn facts(path: &str) -> PathFacts {
    let real = Path::new(ROOT).join(path);
    PathFacts {
        declared: PathBuf::from(path),
        root: real.starts_with(ROOT).then(|| PathBuf::from(ROOT)),
        ignored_by: path.contains("ignored").then(|| PathBuf::from(".doguignore")),
        other_names: path.contains("linked"),
        real,
        exists: true,
        kind: None,
    }
}

pub(crate) fn spec(name: &str, group: Group) -> ToolSpec {
    let category = match group {
        Group::Command => Category::Execute,
        Group::Mcp => Category::Mcp,
        _ => Category::Filesystem,
    };
    ToolSpec::new(name, "", json!({"type": "object"})).unwrap().in_group(category, group)
}

pub(crate) fn on_path(action: Action) -> JudgedAction {
    let path = action.path().map(|path| facts(&path.to_string_lossy()));
    JudgedAction { action, path, command: None }
}

pub(crate) fn found(words: &[&str], risk: Risk) -> Found {
    Found {
        words: words.iter().map(|word| Arg::literal(*word)).collect(),
        risk,
        reason: "does what it does".to_owned(),
        hint: None,
        wrapper: false,
    }
}

/// The risk that a word of the test's language has.
fn risk_of(program: &str) -> (Risk, bool) {
    match program {
        "ls" | "cat" | "echo" | "git" | "grep" => (Risk::Safe, false),
        "cargo" | "touch" | "rm" => (Risk::Caution, false),
        "env" | "timeout" => (Risk::Safe, true),
        "sudo" => (Risk::Dangerous, true),
        "curl" => (Risk::Dangerous, false),
        "vim" => (Risk::Interactive, false),
        "mkfs" => (Risk::Forbidden, false),
        _ => (Risk::Unknown, false),
    }
}

/// A line in a toy language: commands apart by ` ; `, `>f`, `<f` and `-f` are files that it
/// writes, reads and deletes, `??` is a part that is not understood, `steered` is steered.
pub(crate) fn line(text: &str) -> JudgedAction {
    let mut commands = Vec::new();
    let mut files = Vec::new();
    for part in text.split(" ; ") {
        let mut words: Vec<&str> = Vec::new();
        for word in part.split_whitespace() {
            let access = match word.as_bytes().first() {
                Some(b'>') => Access::Write,
                Some(b'<') => Access::Read,
                Some(b'~') => Access::Delete,
                _ => {
                    words.push(word);
                    continue;
                }
            };
            files.push(named(access, &word[1..]));
        }
        while let Some(program) = words.first().copied() {
            if program == "??" || program == "steered" {
                break;
            }
            let (risk, wrapper) = risk_of(program);
            commands.push(Found { wrapper, ..found(&words, risk) });
            if !wrapper {
                break;
            }
            words.remove(0);
        }
    }
    let understood = if text.contains("??") { Err("`??`".to_owned()) } else { Ok(()) };
    let risk = commands.iter().map(|found| found.risk).max().unwrap_or_default();
    let steered_by: Vec<PathBuf> =
        if text.contains("steered") { vec![".git/config".into()] } else { Vec::new() };
    let analysis = Analysis {
        understood,
        commands,
        files: Vec::new(),
        folders: vec![ROOT.to_owned()],
        steered_by: Vec::new(),
        starts: Vec::new(),
        addresses: Vec::new(),
        risk,
    };
    JudgedAction {
        action: Action::execute(text, ROOT),
        path: None,
        command: Some(CommandFacts { analysis, files, steered_by }),
    }
}

/// A line in bash, as it is really analysed; its files are taken for what their names say.
pub(crate) fn real_line(text: &str) -> JudgedAction {
    let place = Place { cwd: ROOT, home: Some("/home/u") };
    let analysis = analyse(text, place);
    let files = analysis.files.iter().map(|file| match &file.place {
        FilePlace::At(path) => named(file.access, path),
        _ => named(file.access, "?"),
    });
    let files = files.collect();
    JudgedAction {
        action: Action::execute(text, ROOT),
        path: None,
        command: Some(CommandFacts { analysis, files, steered_by: Vec::new() }),
    }
}

fn named(access: Access, path: &str) -> NamedFile {
    let known = if path == "?" { Err("it is a variable".to_owned()) } else { Ok(facts(path)) };
    NamedFile {
        access,
        named: path.to_owned(),
        redirected: false,
        path: known,
        secrets_below: Vec::new(),
    }
}

/// A call that is put together and decided.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the call")]
pub(crate) struct Call {
    pub(crate) engine: Engine,
    pub(crate) spec: ToolSpec,
    pub(crate) source: Source,
    pub(crate) input: Value,
    pub(crate) actions: Vec<JudgedAction>,
    pub(crate) mode: Option<Mode>,
    pub(crate) trusted: bool,
    pub(crate) session: Vec<Grant>,
    pub(crate) permanent: Vec<Grant>,
    pub(crate) always_allow: bool,
    pub(crate) force: bool,
    pub(crate) pty: bool,
    pub(crate) executions: u32,
}

impl Call {
    pub(crate) fn new(spec: ToolSpec, actions: Vec<JudgedAction>) -> Self {
        Self {
            engine: Engine::default(),
            spec,
            source: Source::Builtin,
            input: Value::Null,
            actions,
            mode: None,
            trusted: false,
            session: Vec::new(),
            permanent: Vec::new(),
            always_allow: false,
            force: false,
            pty: false,
            executions: 0,
        }
    }

    pub(crate) fn shell(text: &str) -> Self {
        Self::new(spec("bash", Group::Command), vec![line(text)])
    }

    pub(crate) fn read(path: &str) -> Self {
        Self::new(spec("read_file", Group::Read).read_only(), vec![on_path(Action::read(path))])
    }

    pub(crate) fn write(path: &str) -> Self {
        Self::new(spec("write_file", Group::Edit), vec![on_path(Action::write(path))])
    }

    pub(crate) fn delete(path: &str) -> Self {
        let action = Action::FileDelete { path: path.into() };
        Self::new(spec("delete_file", Group::Edit), vec![on_path(action)])
    }

    pub(crate) fn fetch(url: &str) -> Self {
        let mut spec = spec("fetch", Group::Browser);
        spec.category = Category::Network;
        Self::new(spec, vec![JudgedAction::plain(Action::Network { url: url.to_owned() })])
    }

    pub(crate) fn mcp(server: &str, tool: &str) -> Self {
        let action = Action::Mcp { server: server.to_owned(), tool: tool.to_owned() };
        let mut call = Self::new(spec(tool, Group::Mcp), vec![JudgedAction::plain(action)]);
        call.source = Source::Mcp(server.to_owned());
        call
    }

    pub(crate) fn http(tool: &str) -> Self {
        let action =
            Action::Custom { name: tool.to_owned(), details: json!({"from": "https://api.x"}) };
        let mut call = Self::new(spec(tool, Group::Mcp), vec![JudgedAction::plain(action)]);
        call.source = Source::Http("https://api.x".to_owned());
        call
    }

    /// Settings in words: `allow Execute(ls)`, `+write` and `-read`, `off`, `trusted`, `force`,
    /// `pty`, `flagged`, `mode code`, `session Execute(x)`, `always FileWrite(x)`,
    /// `never Execute(x)`; `workspace` before a rule or a switch says where it comes from.
    pub(crate) fn with(mut self, settings: &[&str]) -> Self {
        for setting in settings {
            self.set(setting);
        }
        self
    }

    fn set(&mut self, setting: &str) {
        if let Some(setting) = setting.strip_prefix("workspace ") {
            return set_layer(&mut self.engine.workspace, setting);
        }
        match setting.split_once(' ') {
            None if setting == "trusted" => self.trusted = true,
            None if setting == "force" => self.force = true,
            None if setting == "pty" => self.pty = true,
            None if setting == "flagged" => self.always_allow = true,
            Some(("mode", slug)) => {
                let modes = Modes::new(Vec::new(), Vec::new(), false);
                self.mode = Some(modes.get(slug).unwrap().clone());
            }
            Some(("session", rule)) => self.session.push(grant(Verdict::Allow, rule)),
            Some(("always", rule)) => self.permanent.push(grant(Verdict::Allow, rule)),
            Some(("never", rule)) => self.permanent.push(grant(Verdict::Deny, rule)),
            _ => set_layer(&mut self.engine.user, setting),
        }
    }

    pub(crate) fn decide(&self) -> Decision {
        let roots = [PathBuf::from(ROOT)];
        self.engine.decide(&Request {
            mode: self.mode.as_ref(),
            trusted: self.trusted,
            roots: &roots,
            session_grants: &self.session,
            permanent_grants: &self.permanent,
            always_allow: self.always_allow,
            force_approval: self.force,
            has_pty: self.pty,
            executions: self.executions,
            ..Request::new(&self.spec, &self.source, &self.input, &self.actions, &Words)
        })
    }

    pub(crate) fn verdict(&self) -> Verdict {
        self.decide().verdict
    }
}

pub(crate) fn grant(verdict: Verdict, rule: &str) -> Grant {
    Grant::parse("g1", verdict, rule, Scope::Session).unwrap()
}

fn set_layer(layer: &mut Layer, setting: &str) {
    let auto = &mut layer.auto_approval;
    match setting {
        "off" => auto.enabled = Some(false),
        "+read" => auto.read = Some(true),
        "-read" => auto.read = Some(false),
        "+write" => auto.write = Some(true),
        "+execute" => auto.execute = Some(true),
        "+network" => auto.network = Some(true),
        "+mcp" => auto.mcp = Some(true),
        _ => layer.rules.extend([rule(setting)]),
    }
}

/// A rule with its verdict before it.
pub(crate) fn rule(text: &str) -> Rule {
    let (verdict, text) = text.split_once(' ').unwrap();
    let verdict = match verdict {
        "allow" => Verdict::Allow,
        "ask" => Verdict::Ask,
        "deny" => Verdict::Deny,
        _ => panic!("no verdict: {verdict}"),
    };
    Rule::parse(verdict, text).unwrap()
}
