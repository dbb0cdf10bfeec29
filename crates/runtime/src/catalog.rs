//! The catalog: what one step offers. It is built anew for each step, step middleware may change
//! it, and then it is frozen for the calls of that step.

mod focus;
mod own_names;
mod through;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dogu_tool::{ErrorCode, Exposure, ToolError, ToolSpec};
use indexmap::IndexMap;
use serde_json::Value;

use crate::registry::{Entry, ToolSet};

/// How many near names an unknown tool's error suggests.
const NEAREST_SHOWN: usize = 3;

/// What a step offers, in order; an allow list. Deferred tools are in it without being listed:
/// a model that knows such a tool by name may call it.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    items: IndexMap<String, Item>,
    /// The number of this set of tools; whatever is listed of it.
    version: u64,
    /// Tools that would be listed are left to be searched for.
    is_focused: bool,
}

/// A number that no other set of tools has.
fn next_version() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

#[derive(Clone, Debug)]
struct Item {
    handler: Handler,
    /// Models are shown it; otherwise it is only callable by name.
    listed: bool,
}

#[derive(Clone, Debug)]
enum Handler {
    Registered(Arc<Entry>),
    /// Listed by middleware, with nothing behind it.
    Missing(Arc<ToolSpec>),
}

impl Item {
    fn spec(&self) -> &ToolSpec {
        match &self.handler {
            Handler::Registered(entry) => entry.spec(),
            Handler::Missing(spec) => spec,
        }
    }

    fn tokens(&self) -> usize {
        match &self.handler {
            Handler::Registered(entry) => entry.tokens(),
            Handler::Missing(spec) => spec.tokens(),
        }
    }

    fn entry(&self) -> Option<&Arc<Entry>> {
        match &self.handler {
            Handler::Registered(entry) => Some(entry),
            Handler::Missing(_) => None,
        }
    }
}

impl Catalog {
    /// All tools of a set: those that are shown without being searched for are listed, deferred
    /// ones are callable by name, hidden ones are not in it.
    pub fn of(set: &ToolSet) -> Self {
        let mut catalog = Self::default();
        for entry in set.all() {
            match entry.spec().exposure {
                Exposure::Direct => catalog.put(entry, true),
                Exposure::Deferred => catalog.put(entry, false),
                Exposure::Hidden => {}
            }
        }
        catalog
    }

    fn put(&mut self, entry: &Arc<Entry>, listed: bool) {
        let item = Item { handler: Handler::Registered(Arc::clone(entry)), listed };
        self.items.insert(entry.spec().name.as_str().to_owned(), item);
        self.version = next_version();
    }

    /// Offers a tool, at the end of the list or in place of one of the same name.
    pub fn add(&mut self, entry: &Arc<Entry>) {
        self.put(entry, true);
    }

    /// Lists a tool that nothing handles (yet): a call of it is `E_TOOL_NOT_FOUND`.
    pub fn list_only(&mut self, spec: ToolSpec) {
        let name = spec.name.as_str().to_owned();
        self.items.insert(name, Item { handler: Handler::Missing(Arc::new(spec)), listed: true });
        self.version = next_version();
    }

    /// Lists a deferred tool from now on, for whoever found it; whether it is there.
    pub fn list(&mut self, name: &str) -> bool {
        self.items.get_mut(name).map(|item| item.listed = true).is_some()
    }

    /// Takes a tool out; whether it was there.
    pub fn remove(&mut self, name: &str) -> bool {
        self.version = next_version();
        self.items.shift_remove(name).is_some()
    }

    /// Keeps only the tools that `keep` accepts, deferred ones too.
    pub fn retain(&mut self, mut keep: impl FnMut(&ToolSpec) -> bool) {
        let before = self.items.len();
        self.items.retain(|_, item| keep(item.spec()));
        if self.items.len() != before {
            self.version = next_version();
        }
    }

    /// By this the same tools are known again, whatever is listed of them.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether models are shown a tool.
    pub fn is_listed(&self, name: &str) -> bool {
        self.items.get(name).is_some_and(|item| item.listed)
    }

    /// About how many tokens it costs a model to be shown what is listed.
    pub fn tokens(&self) -> usize {
        self.items.values().filter(|item| item.listed).map(Item::tokens).sum()
    }

    /// Whether a tool can be called, listed or not.
    pub fn contains(&self, name: &str) -> bool {
        self.items.contains_key(name)
    }

    /// The specs of what is listed, in order.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.items.values().filter(|item| item.listed).map(Item::spec)
    }

    /// The specs of what is not listed but callable by name, in order.
    pub fn deferred(&self) -> impl Iterator<Item = &ToolSpec> {
        self.items.values().filter(|item| !item.listed).map(Item::spec)
    }

    /// The specs of all that can be called, listed or not: for whoever reads calls.
    pub fn callable(&self) -> impl Iterator<Item = &ToolSpec> {
        self.items.values().map(Item::spec)
    }

    /// The registered tools of what is listed, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.items.values().filter(|item| item.listed).filter_map(Item::entry)
    }

    /// The spec of a tool that can be called.
    pub fn spec(&self, name: &str) -> Option<&ToolSpec> {
        self.items.get(name).map(Item::spec)
    }

    /// A registered tool that can be called.
    pub fn entry(&self, name: &str) -> Option<&Arc<Entry>> {
        self.items.get(name)?.entry()
    }

    /// `{name, description, input_schema}` of each.
    pub fn schemas(&self) -> Vec<Value> {
        self.specs().map(ToolSpec::to_schema).collect()
    }

    /// The handler of a name, or why there is none. `registry` only chooses the words.
    pub(crate) fn find(&self, name: &str, registry: &ToolSet) -> Result<&Arc<Entry>, ToolError> {
        match self.items.get(name).map(|item| &item.handler) {
            Some(Handler::Registered(entry)) => Ok(entry),
            Some(Handler::Missing(_)) => Err(ToolError::new(
                ErrorCode::NotFound,
                format!("Tool '{name}' is offered, but nothing handles it any more."),
            )
            .suggest("Use another tool; this one is gone until it is registered again.")),
            None => Err(self.not_offered(name, registry)),
        }
    }

    fn not_offered(&self, name: &str, registry: &ToolSet) -> ToolError {
        let shown = dogu_tool::text::truncate_marked(name, 100);
        let message = if registry.contains(name) {
            format!("Tool '{shown}' is not available in this step.")
        } else {
            format!("Unknown tool: {shown}")
        };
        ToolError::new(ErrorCode::NotInCatalog, message).suggest(self.suggestion(name))
    }

    /// Near names come from the catalog only: what is hidden stays hidden.
    fn suggestion(&self, name: &str) -> String {
        let near = nearest(name, self.items.keys().map(String::as_str), NEAREST_SHOWN);
        if !near.is_empty() {
            return format!("Did you mean {}?", near.join(" or "));
        }
        let names: Vec<&str> = self.specs().map(|spec| spec.name.as_str()).take(20).collect();
        match names.as_slice() {
            [] => "No tools are available in this step.".to_owned(),
            names => format!("Available tools: {}", names.join(", ")),
        }
    }
}

/// The names that are close enough to be a misspelling, closest first.
pub(crate) fn nearest<'a>(
    name: &str,
    names: impl Iterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    // The distance of very long names costs their product; no tool name is that long.
    if name.len() > 200 {
        return Vec::new();
    }
    let wanted = name.to_lowercase();
    let mut near: Vec<(f64, &str)> = names
        .map(|known| {
            (strsim::normalized_damerau_levenshtein(&wanted, &known.to_lowercase()), known)
        })
        .filter(|(likeness, known)| *likeness >= 0.6 || wanted.contains(*known))
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().take(most).map(|(_, known)| known).collect()
}
