//! One server of the settings: not started before it is needed, started once however many need
//! it, and started again after it was lost.

mod cache;
mod link;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dogu_runtime::Entry;
use dogu_runtime::mcp::{Era, McpServer, Place};
use dogu_runtime::pins::PinStore;
use dogu_tool::CancelFlag;

use crate::definition::{Definition, read_all};
use crate::elicit::Elicitor;
use crate::session::{ConnectError, Listed, Patience, Session, Surroundings};
use cache::Remembered;
use link::Link;
pub use link::Standing;

/// How long the name of a tool may be: the protocol wants at most 128.
const MAX_NAME_BYTES: usize = 512;

/// What is done with a server whose tools are others.
type OnChange = dyn Fn(&Arc<Server>) + Send + Sync;
/// Finds a server's tool by its key, as it is registered.
type Find = dyn Fn(&str, &str) -> Option<Arc<Entry>> + Send + Sync;

/// What all servers of a gateway share.
pub(crate) struct Shared {
    pub(crate) around: Surroundings,
    pub(crate) pins: PinStore,
    /// Where lists of tools are kept.
    pub(crate) cache: Option<PathBuf>,
    pub(crate) elicitor: Option<Arc<dyn Elicitor>>,
    /// How long a server rests after its first failure.
    pub(crate) rest: Duration,
    /// Is told when a server's tools are others.
    pub(crate) changed: Box<OnChange>,
    /// Knows what arguments a tool takes.
    pub(crate) registered: Box<Find>,
}

/// One server.
pub(crate) struct Server {
    pub(crate) name: Arc<str>,
    pub(crate) settings: McpServer,
    /// How it is reached, without what may be secret.
    pub(crate) place: String,
    pub(crate) shared: Arc<Shared>,
    link: Mutex<Link>,
    tools: Mutex<Arc<Tools>>,
    /// A login that it wants, with what it said about it.
    login: Mutex<Option<WantedLogin>>,
}

/// A login that a server wants.
#[derive(Debug)]
struct WantedLogin {
    /// What it said about it.
    challenge: Option<String>,
}

/// The tools of a server as they are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tools {
    pub(crate) definitions: Vec<Arc<Definition>>,
    /// What is wrong with the list.
    pub(crate) notes: Vec<String>,
    /// Where they are from; none where nobody has asked yet.
    pub(crate) known: Option<Known>,
}

/// Since when a list is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    fetched_ms: u64,
    ttl_ms: Option<u64>,
    era: Era,
}

impl Tools {
    /// A tool by its key.
    pub(crate) fn get(&self, key: &str) -> Option<&Arc<Definition>> {
        self.definitions.iter().find(|tool| tool.key == key)
    }

    /// The server has said for how long its list holds, and that is over. A list that never
    /// holds is asked for with the next start, not before every call.
    fn is_stale(&self) -> bool {
        let Some(Known { fetched_ms, ttl_ms: Some(ttl), .. }) = self.known else { return false };
        let now = now_ms();
        // A clock that was set back says nothing about how old the list is.
        ttl > 0 && (now > fetched_ms.saturating_add(ttl) || now < fetched_ms)
    }
}

impl Server {
    pub(crate) fn new(name: &str, settings: McpServer, shared: Arc<Shared>) -> Self {
        let place = place_of(&settings.place);
        let server = Self {
            name: name.into(),
            place,
            settings,
            shared,
            link: Mutex::new(Link::default()),
            tools: Mutex::default(),
            login: Mutex::default(),
        };
        if let Some(known) = server.remembered() {
            let times = (known.ttl_ms, known.fetched_ms);
            *server.lock_tools() = Arc::new(server.read(&known.tools, times, known.era, false));
        }
        server
    }

    fn remembered(&self) -> Option<Remembered> {
        Remembered::load(self.shared.cache.as_ref()?, &self.name, &self.place)
    }

    fn lock_tools(&self) -> MutexGuard<'_, Arc<Tools>> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tools as they are known now: from the server, or as they were the last time.
    pub(crate) fn tools(&self) -> Arc<Tools> {
        Arc::clone(&self.lock_tools())
    }

    /// A tool as it is registered: what its arguments are checked by.
    pub(crate) fn registered(&self, key: &str) -> Option<Arc<Entry>> {
        (self.shared.registered)(&self.name, key)
    }

    /// Whether the settings have switched a tool off.
    pub(crate) fn is_off(&self, tool: &str) -> bool {
        self.settings.disabled_tools.iter().any(|off| off == tool)
    }

    /// A session whose list of tools holds.
    pub(crate) async fn ready(self: &Arc<Self>) -> Result<Arc<Session>, ConnectError> {
        let needed_ms = now_ms();
        let session = self.session().await?;
        let tools = self.tools();
        // What was listed for this need is good enough for it, however short it holds.
        let is_new = tools.known.is_some_and(|known| known.fetched_ms >= needed_ms);
        if tools.is_stale() && !is_new {
            self.refresh(&session).await;
        }
        Ok(session)
    }

    /// Makes sure that the tools are known; starts the server only where nothing is.
    pub(crate) async fn load(self: &Arc<Self>) -> Result<usize, ConnectError> {
        let tools = self.tools();
        if tools.known.is_none() || tools.is_stale() {
            self.ready().await?;
        }
        Ok(self.tools().definitions.len())
    }

    /// Asks for the tools again. What cannot be had leaves those that are known.
    async fn refresh(self: &Arc<Self>, session: &Session) {
        match self.list(session).await {
            Ok(listed) => self.learn(&listed, session.era),
            Err(error) => {
                tracing::warn!(target: "dogu", server = %self.name, ?error, "its tools are not known");
            }
        }
    }

    async fn list(&self, session: &Session) -> Result<Listed, crate::session::CallError> {
        let time = self.settings.startup_time();
        let never = CancelFlag::new();
        let patience =
            Patience { call: None, idle: time, most: time, cancel: &never, tell: &|_, _| {} };
        // All pages together have the time of one.
        let listed = tokio::time::timeout(time, session.tools(&patience)).await;
        listed.unwrap_or(Err(crate::session::CallError::Timeout(time)))
    }

    /// Takes over a list of tools, keeps it, and tells whoever shows them.
    fn learn(self: &Arc<Self>, listed: &Listed, era: Era) {
        let times = (listed.ttl_ms, now_ms());
        let tools = self.read(&listed.tools, times, era, listed.cut);
        let is_new = {
            let mut current = self.lock_tools();
            let same = current.known.is_some() && current.definitions == tools.definitions;
            *current = Arc::new(tools);
            !same
        };
        if let Some(folder) = &self.shared.cache {
            let known = Remembered::new(&self.name, &self.place, era, listed.tools.clone(), times);
            if let Err(error) = known.save(folder) {
                tracing::warn!(target: "dogu", server = %self.name, %error, "its tools are not kept");
            }
        }
        if is_new {
            (self.shared.changed)(self);
        }
    }

    fn read(
        &self,
        listed: &[serde_json::Value],
        (ttl_ms, fetched_ms): (Option<u64>, u64),
        era: Era,
        cut: bool,
    ) -> Tools {
        let is_long = |tool: &&serde_json::Value| {
            tool["name"].as_str().is_some_and(|name| name.len() > MAX_NAME_BYTES)
        };
        let named: Vec<_> = listed.iter().filter(|tool| !is_long(tool)).cloned().collect();
        let (definitions, mut notes) = read_all(&named, &self.place);
        if named.len() < listed.len() {
            notes.push("a tool with a name that is too long was left out".to_owned());
        }
        if cut {
            notes.push(format!("only its first {} tools are used", definitions.len()));
        }
        let is_on = |tool: &Definition| !self.is_off(&tool.name);
        let definitions = definitions.into_iter().filter(is_on).map(Arc::new).collect();
        Tools { definitions, notes, known: Some(Known { fetched_ms, ttl_ms, era }) }
    }

    /// The era that the server spoke the last time.
    fn known_era(&self) -> Option<Era> {
        self.tools().known.map(|known| known.era)
    }

    fn weak(self: &Arc<Self>) -> Weak<Self> {
        Arc::downgrade(self)
    }
}

/// How a server is reached, for people and for telling servers apart. Values of the environment
/// and of headers may be secret, so only their names are in it.
fn place_of(place: &Place) -> String {
    match place {
        Place::Program { command, args, env, cwd } => {
            let mut text = command.clone();
            for argument in args {
                text.push(' ');
                text.push_str(argument);
            }
            for name in env.keys() {
                text.push_str(&format!(" {name}=…"));
            }
            if let Some(cwd) = cwd {
                text.push_str(&format!(" (in {})", cwd.display()));
            }
            text
        }
        Place::Address { url, .. } => url.clone(),
    }
}

fn now_ms() -> u64 {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
}
