//! The registry: all that can run. Adding a tool never edits this file.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arc_swap::ArcSwap;
use dogu_tool::{Category, Group, Source, Tool, ToolError, ToolName, ToolSpec};
use indexmap::IndexMap;
use jsonschema::Validator;
use serde_json::Value;
use tokio::sync::watch;

use crate::schema;

/// Why a tool was not registered, replaced or removed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// The name is taken.
    #[error("tool `{name}` is already registered by {owner}")]
    Duplicate {
        /// The name.
        name: ToolName,
        /// Whose it is.
        owner: Source,
    },
    /// Only the source that registered a tool may replace or remove it.
    #[error("tool `{name}` belongs to {owner}, not to {source_of_request}")]
    NotYours {
        /// The name.
        name: ToolName,
        /// Whose it is.
        owner: Source,
        /// Who asked.
        source_of_request: Source,
    },
    /// There is no such tool.
    #[error("Unknown tool: {0}")]
    Unknown(String),
    /// A built-in tool has a plain name, a declared one is `resource__export`.
    #[error("tool `{name}` of {owner} must be named {expected}")]
    Name {
        /// The name.
        name: ToolName,
        /// Whose it is.
        owner: Source,
        /// What its name should look like.
        expected: &'static str,
    },
    /// A tool that touches anything needs a group, or no mode could refuse it.
    #[error("tool `{0}` touches the world ({1:?}) but is in no group")]
    NoGroup(ToolName, Category),
    /// The schema is not one.
    #[error("tool `{name}` has a bad {which} schema: {reason}")]
    Schema {
        /// The name.
        name: ToolName,
        /// `input` or `output`.
        which: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// An alias that means nothing, or that hides a parameter.
    #[error("tool `{name}` has a bad alias `{alias}`: {reason}")]
    Alias {
        /// The name.
        name: ToolName,
        /// The alias.
        alias: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// A registered tool.
pub struct Entry {
    tool: Arc<dyn Tool>,
    source: Source,
    input: OnceLock<Result<Validator, String>>,
    output: OnceLock<Option<Validator>>,
    tokens: OnceLock<usize>,
}

impl Entry {
    fn new(source: Source, tool: Arc<dyn Tool>) -> Self {
        let (input, output, tokens) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { tool, source, input, output, tokens }
    }

    /// The tool.
    pub fn tool(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    /// Its spec.
    pub fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    /// Where it came from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Whether it may run beside others: only built-in tools are believed to change nothing.
    pub fn is_read_only(&self) -> bool {
        self.source.is_builtin() && self.spec().read_only
    }

    /// About how many tokens it costs a model to be shown it; counted once.
    pub fn tokens(&self) -> usize {
        *self.tokens.get_or_init(|| self.spec().tokens())
    }

    /// An input as the tool takes it: proper parameter names and types, valid; and what was changed
    /// in it. What is valid as it is stays as it is.
    pub fn fit(&self, input: Value) -> Result<(Value, Vec<String>), ToolError> {
        let spec = self.spec();
        let mut input = crate::input::fold_aliases(spec, input);
        let validator = self.checked_by()?;
        // Nothing is paid for coercion by most calls.
        let mut changes = Vec::new();
        if !spec.exact_types && !validator.is_valid(&input) {
            changes = dogu_protocol::coerce::coerce(&spec.input_schema, &mut input);
        }
        schema::check_input(validator, spec, &input)?;
        Ok((input, changes))
    }

    /// Whether an input is valid as it is.
    pub fn check(&self, input: &Value) -> Result<(), ToolError> {
        schema::check_input(self.checked_by()?, self.spec(), input)
    }

    fn checked_by(&self) -> Result<&Validator, ToolError> {
        self.input_validator().map_err(|reason| {
            let name = &self.spec().name;
            ToolError::failed(format!("The tool '{name}' has a broken schema."))
                .because(reason.to_owned())
        })
    }

    /// Compiled at first use: a command that calls one tool does not pay for all schemas.
    pub(crate) fn input_validator(&self) -> Result<&Validator, &str> {
        self.input
            .get_or_init(|| schema::compile(&self.spec().input_schema))
            .as_ref()
            .map_err(String::as_str)
    }

    pub(crate) fn output_validator(&self) -> Option<&Validator> {
        let compile = || self.spec().output_schema.as_ref().and_then(|s| schema::compile(s).ok());
        self.output.get_or_init(compile).as_ref()
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entry({} from {})", self.spec().name, self.source)
    }
}

/// An immutable set of tools, in order: the registry at one moment, or a part of it.
#[derive(Clone, Debug, Default)]
pub struct ToolSet {
    entries: IndexMap<ToolName, Arc<Entry>>,
}

impl ToolSet {
    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<Entry>> {
        self.entries.get(name)
    }

    /// The tool of that name, or `Unknown tool: X`.
    pub fn require(&self, name: &str) -> Result<&Arc<Entry>, RegisterError> {
        self.get(name).ok_or_else(|| RegisterError::Unknown(name.to_owned()))
    }

    /// All tools, in order of registration.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.entries.values()
    }

    /// Whether there is a tool of that name.
    pub fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The tools of a group.
    pub fn by_group(&self, group: Group) -> Vec<&Arc<Entry>> {
        self.all().filter(|entry| entry.spec().group == Some(group)).collect()
    }

    /// The tools of a category.
    pub fn by_category(&self, category: Category) -> Vec<&Arc<Entry>> {
        self.all().filter(|entry| entry.spec().category == category).collect()
    }

    /// The tools of a source.
    pub fn by_source(&self, source: &Source) -> Vec<&Arc<Entry>> {
        self.all().filter(|entry| entry.source() == source).collect()
    }

    /// Only these tools, in the list's order; unknown names are dropped. What is not in it is
    /// neither shown nor callable.
    pub fn restricted<S: AsRef<str>>(&self, allow: &[S]) -> Self {
        let find = |name: &S| self.entries.get_key_value(name.as_ref());
        let chosen = allow.iter().filter_map(find);
        Self { entries: chosen.map(|(name, entry)| (name.clone(), Arc::clone(entry))).collect() }
    }

    /// `{name, description, input_schema}` of each.
    pub fn schemas(&self) -> Vec<Value> {
        self.all().map(|entry| entry.spec().to_schema()).collect()
    }

    /// OpenAI's function form of each.
    pub fn openai(&self) -> Vec<Value> {
        self.all().map(|entry| entry.spec().to_openai()).collect()
    }

    /// `## name` and description of each, for prompts.
    pub fn prompt_text(&self) -> String {
        self.all().map(|entry| entry.spec().to_prompt_text()).collect()
    }
}

/// All that can run. Readers take a snapshot and are never blocked by writers.
#[derive(Default)]
pub struct Registry {
    tools: ArcSwap<ToolSet>,
    writing: Mutex<()>,
    changes: watch::Sender<u64>,
}

impl Registry {
    /// A registry with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool; a name that is taken or not allowed is refused with the reason.
    pub fn register(&self, source: Source, tool: Arc<dyn Tool>) -> Result<(), RegisterError> {
        let entry = checked(source, tool)?;
        let name = entry.spec().name.clone();
        self.change(|set| {
            if let Some(taken) = set.get(name.as_str()) {
                return Err(RegisterError::Duplicate { owner: taken.source.clone(), name });
            }
            set.entries.insert(name, entry);
            Ok(())
        })
    }

    /// Puts a new version of a source's own tool in its place. Steps that are under way keep the old one.
    pub fn replace(&self, source: Source, tool: Arc<dyn Tool>) -> Result<(), RegisterError> {
        let entry = checked(source, tool)?;
        let name = entry.spec().name.clone();
        self.change(|set| {
            owned(set, &name, &entry.source)?;
            set.entries.insert(name, entry);
            Ok(())
        })
    }

    /// Takes a source's own tool away. Steps that are under way keep it.
    pub fn remove(&self, source: &Source, name: &ToolName) -> Result<(), RegisterError> {
        self.change(|set| {
            owned(set, name, source)?;
            set.entries.shift_remove(name);
            Ok(())
        })
    }

    /// All tools at this moment.
    pub fn snapshot(&self) -> Arc<ToolSet> {
        self.tools.load_full()
    }

    /// Tells of every change from now on; the number grows with each.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Only these tools at this moment.
    pub fn restricted<S: AsRef<str>>(&self, allow: &[S]) -> ToolSet {
        self.snapshot().restricted(allow)
    }

    fn change(
        &self,
        change: impl FnOnce(&mut ToolSet) -> Result<(), RegisterError>,
    ) -> Result<(), RegisterError> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut set = ToolSet::clone(&self.tools.load());
        change(&mut set)?;
        self.tools.store(Arc::new(set));
        self.changes.send_modify(|count| *count += 1);
        Ok(())
    }
}

fn owned(set: &ToolSet, name: &ToolName, source: &Source) -> Result<(), RegisterError> {
    let owner = set.require(name.as_str())?.source.clone();
    if owner == *source {
        return Ok(());
    }
    Err(RegisterError::NotYours { name: name.clone(), owner, source_of_request: source.clone() })
}

fn checked(source: Source, tool: Arc<dyn Tool>) -> Result<Arc<Entry>, RegisterError> {
    let entry = Entry::new(source, tool);
    check_name(&entry)?;
    check_group(&entry)?;
    check_schemas(&entry)?;
    check_aliases(entry.spec())?;
    Ok(Arc::new(entry))
}

fn check_name(entry: &Entry) -> Result<(), RegisterError> {
    let declared = entry.spec().name.split().is_some();
    let expected = match entry.source {
        Source::Builtin if declared => "without `__`",
        Source::Bundle(_) | Source::Mcp(_) if !declared => "`resource__export`",
        _ => return Ok(()),
    };
    let (name, owner) = (entry.spec().name.clone(), entry.source.clone());
    Err(RegisterError::Name { name, owner, expected })
}

fn check_group(entry: &Entry) -> Result<(), RegisterError> {
    let spec = entry.spec();
    if spec.group.is_some() || spec.category == Category::System {
        return Ok(());
    }
    Err(RegisterError::NoGroup(spec.name.clone(), spec.category))
}

fn check_schemas(entry: &Entry) -> Result<(), RegisterError> {
    let spec = entry.spec();
    let bad = |which, reason| RegisterError::Schema { name: spec.name.clone(), which, reason };
    if spec.input_schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err(bad("input", "its type must be \"object\"".to_owned()));
    }
    // Built-in schemas are derived and covered by tests; compiling them is left to their first use.
    if !entry.source.is_builtin() {
        entry.input_validator().map_err(|reason| bad("input", reason.to_owned()))?;
        if let Some(output) = &spec.output_schema {
            schema::compile(output).map_err(|reason| bad("output", reason))?;
        }
    }
    Ok(())
}

fn check_aliases(spec: &ToolSpec) -> Result<(), RegisterError> {
    let parameters = spec.parameters();
    for (alias, parameter) in &spec.aliases {
        let reason = if parameters.contains(&alias.as_str()) {
            "a parameter has this name".to_owned()
        } else if !parameters.contains(&parameter.as_str()) {
            format!("there is no parameter `{parameter}`")
        } else {
            continue;
        };
        return Err(RegisterError::Alias { name: spec.name.clone(), alias: alias.clone(), reason });
    }
    Ok(())
}
