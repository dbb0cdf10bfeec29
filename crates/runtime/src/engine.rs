//! The permission engine with what it needs here: settings as rules, places, modes, grants.

mod problems;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use dogu_policy::auto_approval::AutoApprovalSettings;
use dogu_policy::compat::{continue_, roo};
use dogu_policy::engine::{Engine, Layer, Request, Sandbox};
use dogu_policy::facts::JudgedAction;
use dogu_policy::grant::{Grant, Scope as Standing};
use dogu_policy::mode::{Mode, Modes};
use dogu_policy::path::Places;
use dogu_policy::rule::{LoadError, Place, RuleEntry, RuleSet};
use dogu_policy::tool_policy::{ToolPolicy, ToolPolicyEvaluator};

use crate::approval::{GrantScope, Offer};
use crate::grants::{GrantStore, GrantVerdict, NewGrant, StoredGrant};
use crate::policy::{Asked, Decision, Policy, PolicyRequest};
use crate::settings::{Located, Rule, Settings};

pub use problems::{Checked, check};

/// What Continue's tools are called here.
const CONTINUE_NAMES: [(&str, &str); 9] = [
    ("Bash", "execute_command"),
    ("Read", "read_file"),
    ("Write", "write_file"),
    ("Edit", "edit_file"),
    ("MultiEdit", "multi_edit"),
    ("List", "list_files"),
    ("Search", "grep"),
    ("Diff", "view_diff"),
    ("Fetch", "fetch_url"),
];

/// Why settings cannot decide anything.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Rules that cannot be read, or whose examples do not hold.
    #[error("{}", lines(.0))]
    Rules(Vec<LoadError>),
    /// An entry of a list of Continue's.
    #[error("permissions.continue: {0}")]
    List(String),
    /// A mode that cannot be read.
    #[error("modes: {0}")]
    Mode(String),
    /// The mode to begin with is none.
    #[error("there is no mode `{slug}`; there are {known}")]
    NoSuchMode {
        /// What was asked for.
        slug: String,
        /// What there is.
        known: String,
    },
}

fn lines(errors: &[LoadError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// What the engine is made of.
#[derive(Default)]
pub struct EngineParts {
    /// The real paths of the workspace's roots, the first one first.
    pub roots: Vec<PathBuf>,
    /// What kinds of places there are.
    pub places: Places,
    /// The user has trusted the workspace.
    pub trusted: bool,
    /// Standing answers.
    pub grants: Option<Arc<GrantStore>>,
    /// Evaluators by a tool's name.
    pub evaluators: BTreeMap<String, Arc<dyn ToolPolicyEvaluator>>,
    /// Tools of MCP servers that are flagged as always allowed: server and tool.
    pub always_allow: BTreeSet<(String, String)>,
}

/// Decides by rules, modes, policies, grants and kinds.
pub struct EnginePolicy {
    engine: Engine,
    parts: EngineParts,
    modes: Modes,
    mode: Option<Mode>,
    permanent: Mutex<Option<Parsed>>,
    session: Mutex<Option<Parsed>>,
    partial_sandbox: AtomicBool,
}

/// Grants as they were read the last time.
struct Parsed {
    stored: Arc<[StoredGrant]>,
    grants: Arc<[Grant]>,
}

impl EnginePolicy {
    /// The policy of these settings.
    pub fn new(settings: &Settings, parts: EngineParts) -> Result<Self, EngineError> {
        let modes = Modes::new(modes_of(&settings.modes)?, Vec::new(), parts.trusted);
        let mode = settings.mode.as_deref().map(|slug| mode_of(&modes, slug)).transpose()?;
        let engine = Engine {
            user: layer(settings, false)?,
            workspace: layer(settings, true)?,
            evaluators: parts.evaluators.clone(),
            home: parts.places.home.clone(),
        };
        let (permanent, session) = (Mutex::new(None), Mutex::new(None));
        let partial_sandbox = AtomicBool::new(false);
        Ok(Self { engine, parts, modes, mode, permanent, session, partial_sandbox })
    }

    /// Says whether commands are held by less than they should be on this machine.
    pub fn set_partial_sandbox(&self, partial: bool) {
        self.partial_sandbox.store(partial, Ordering::Relaxed);
    }

    /// The modes that there are.
    pub fn modes(&self) -> &Modes {
        &self.modes
    }

    /// The mode that holds, if one was chosen.
    pub fn mode(&self) -> Option<&Mode> {
        self.mode.as_ref()
    }

    /// What the engine itself says of a call.
    pub fn judge(&self, request: &PolicyRequest<'_>) -> dogu_policy::Decision {
        self.decided_by(&self.engine, request)
    }

    /// The same with more rules of the user.
    pub fn judge_with(
        &self,
        request: &PolicyRequest<'_>,
        more: impl IntoIterator<Item = dogu_policy::rule::Rule>,
    ) -> dogu_policy::Decision {
        let mut engine = self.engine.clone();
        engine.user.rules.extend(more);
        self.decided_by(&engine, request)
    }

    fn decided_by(&self, engine: &Engine, request: &PolicyRequest<'_>) -> dogu_policy::Decision {
        let permanent = self.permanent_grants();
        let session = self.session_grants(request);
        let call = Request::new(
            request.spec,
            request.source,
            request.input,
            request.actions,
            &self.parts.places,
        );
        engine.decide(&Request {
            mode: self.mode.as_ref(),
            trusted: self.parts.trusted,
            roots: &self.parts.roots,
            session_grants: &session,
            permanent_grants: &permanent,
            always_allow: self.is_always_allowed(request.actions),
            has_pty: request.actions.iter().any(|judged| has_terminal(&judged.action)),
            sandbox: if self.partial_sandbox.load(Ordering::Relaxed) {
                Sandbox::Partial
            } else {
                Sandbox::Whole
            },
            ..call
        })
    }

    fn is_always_allowed(&self, actions: &[JudgedAction]) -> bool {
        actions.iter().any(|judged| match &judged.action {
            dogu_tool::Action::Mcp { server, tool } => {
                self.parts.always_allow.contains(&(server.clone(), tool.clone()))
            }
            _ => false,
        })
    }

    fn permanent_grants(&self) -> Arc<[Grant]> {
        let (Some(store), Some(root)) = (&self.parts.grants, self.parts.roots.first()) else {
            return Arc::from([]);
        };
        parsed(&self.permanent, store.permanent(root), Standing::Permanent)
    }

    fn session_grants(&self, request: &PolicyRequest<'_>) -> Arc<[Grant]> {
        match &self.parts.grants {
            Some(store) => {
                parsed(&self.session, store.session(&request.origin.principal), Standing::Session)
            }
            None => Arc::from([]),
        }
    }
}

fn has_terminal(action: &dogu_tool::Action) -> bool {
    matches!(action, dogu_tool::Action::Execute { terminal: true, .. })
}

/// Parses grants, unless they are those of the last time. One that cannot be read allows nothing;
/// a denial that cannot be read is as good as lost, which only asks more.
fn parsed(
    cache: &Mutex<Option<Parsed>>,
    stored: Arc<[StoredGrant]>,
    scope: Standing,
) -> Arc<[Grant]> {
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(cached) = &*cache
        && Arc::ptr_eq(&cached.stored, &stored)
    {
        return Arc::clone(&cached.grants);
    }
    let read = |grant: &StoredGrant| {
        let parsed =
            Grant::parse(grant.id.clone(), grant.verdict.into(), &grant.rule, scope).ok()?;
        Some(parsed.in_workspace(grant.workspace.clone()))
    };
    let grants: Arc<[Grant]> = stored.iter().filter_map(read).collect();
    *cache = Some(Parsed { stored, grants: Arc::clone(&grants) });
    grants
}

impl Policy for EnginePolicy {
    fn decide(&self, request: &PolicyRequest<'_>) -> Decision {
        let decided = self.judge(request);
        let reasons = decided.reasons.iter().map(|reason| reason.text.clone()).collect();
        Decision::with_reasons(decided.verdict, reasons).asking(Asked {
            offers: self.offers(&decided),
            commands: request.actions.iter().flat_map(commands).collect(),
            risk: decided.risk.map(|risk| risk.to_string()),
        })
    }

    fn remember(
        &self,
        request: &PolicyRequest<'_>,
        offer: &Offer,
        allow: bool,
    ) -> Result<(), String> {
        let store = self.parts.grants.as_ref().ok_or("there is no place to keep it")?;
        let workspace = self.parts.roots.first().ok_or("there is no workspace")?;
        for rule in &offer.rules {
            let grant = NewGrant {
                verdict: if allow { GrantVerdict::Allow } else { GrantVerdict::Deny },
                rule: rule.clone(),
                workspace: workspace.clone(),
                tool: request.source.permission_key(&request.spec.name),
            };
            let kept = match offer.scope {
                GrantScope::Permanent => store.add_permanent(grant),
                GrantScope::Session => store.add_session(&request.origin.principal, grant),
                GrantScope::Once => continue,
            };
            kept.map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

impl EnginePolicy {
    fn offers(&self, decided: &dogu_policy::Decision) -> Vec<Offer> {
        let (Some(rules), Some(_)) = (&decided.offer, &self.parts.grants) else {
            return Vec::new();
        };
        let rules: Vec<String> = rules.iter().map(|rule| rule.pattern.to_string()).collect();
        [GrantScope::Session, GrantScope::Permanent]
            .map(|scope| Offer { scope, rules: rules.clone() })
            .to_vec()
    }
}

/// Each command of a line with its risk, for a person.
fn commands(judged: &JudgedAction) -> Vec<String> {
    let Some(facts) = &judged.command else { return Vec::new() };
    let found = facts.analysis.commands.iter().map(|found| {
        let words: Vec<String> = found.words.iter().map(ToString::to_string).collect();
        format!("{}   {}: {}", words.join(" "), found.risk, found.reason)
    });
    let refusal = facts.analysis.understood.as_ref().err();
    found.chain(refusal.map(|why| format!("not understood: {why}"))).collect()
}

/// One layer of the settings: the user's, or what an untrusted workspace may add.
fn layer(settings: &Settings, only_tightens: bool) -> Result<Layer, EngineError> {
    let rules =
        settings.permissions.rules.iter().filter(|rule| rule.only_tightens == only_tightens);
    let mut set = RuleSet::load(rules.map(entry)).map_err(EngineError::Rules)?;
    set.check().map_err(EngineError::Rules)?;
    if only_tightens {
        return Ok(Layer { rules: set, ..Layer::default() });
    }
    let permissions = &settings.permissions;
    let roo = &permissions.roo;
    set.extend(roo::rules(&texts(&roo.allowed_commands), &texts(&roo.denied_commands)));
    set.extend(continue_rules(settings)?);
    let auto = permissions.auto_approve;
    Ok(Layer {
        rules: set,
        tool_policies: settings.tools.iter().map(tool_policy).collect(),
        auto_approval: AutoApprovalSettings {
            enabled: Some(permissions.auto_approval),
            read: Some(auto.read),
            write: Some(auto.write),
            execute: Some(auto.execute),
            network: Some(auto.network),
            mcp: Some(auto.mcp),
        },
    })
}

fn entry(rule: &Rule) -> (RuleEntry, Option<Place>) {
    let mut entry = RuleEntry::new(rule.verdict, rule.pattern.text.clone());
    entry.matches = texts(&rule.matching);
    entry.not_match = texts(&rule.not_matching);
    let place = (rule.pattern.line > 0).then(|| {
        Place::new(
            rule.file.display().to_string(),
            number(rule.pattern.line),
            number(rule.pattern.column),
        )
    });
    (entry, place)
}

fn number(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

fn texts(located: &[Located]) -> Vec<String> {
    located.iter().map(|located| located.text.clone()).collect()
}

fn continue_rules(settings: &Settings) -> Result<Vec<dogu_policy::rule::Rule>, EngineError> {
    let lists = &settings.permissions.continue_lists;
    let list = continue_::PermissionList {
        allow: texts(&lists.allow),
        ask: texts(&lists.ask),
        exclude: texts(&lists.exclude),
    };
    let converted = continue_::convert(&list, renamed).map_err(|errors| {
        EngineError::List(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    })?;
    Ok(converted.rules)
}

fn renamed(name: &str) -> Option<String> {
    CONTINUE_NAMES.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_owned())
}

fn tool_policy((name, section): (&String, &crate::settings::ToolSettings)) -> (String, ToolPolicy) {
    let policy = ToolPolicy {
        allowed: section.allowed && section.enabled,
        auto_approve: section.auto_approve,
        require_confirmation: section.require_confirmation,
        // Counted and timed by the pipeline.
        max_executions: None,
        timeout: None,
    };
    (name.clone(), policy)
}

fn modes_of<'a>(
    written: impl IntoIterator<Item = &'a serde_json::Value>,
) -> Result<Vec<Mode>, EngineError> {
    let read = |value: &serde_json::Value| {
        let mode: Mode = serde_json::from_value(value.clone())
            .map_err(|error| EngineError::Mode(error.to_string()))?;
        match mode.problem() {
            Some(problem) => Err(EngineError::Mode(problem)),
            None => Ok(mode),
        }
    };
    written.into_iter().map(read).collect()
}

fn mode_of(modes: &Modes, slug: &str) -> Result<Mode, EngineError> {
    modes.get(slug).cloned().ok_or_else(|| EngineError::NoSuchMode {
        slug: slug.to_owned(),
        known: modes.iter().map(|mode| mode.slug.as_str()).collect::<Vec<_>>().join(", "),
    })
}
