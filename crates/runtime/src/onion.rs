//! Middleware: an onion around a call, a step or a turn.
//!
//! Lower priority numbers are outermost, ties in order of registration. [`Next`] is consumed by
//! value: what is inside can be entered once or not at all, so a retry is a new call that passes
//! the gate again. A panic or an error in a layer becomes a failed reply and ends nothing else.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use dogu_tool::{BoxFuture, ToolError};
use futures::FutureExt as _;

/// Wraps whatever is inside it.
pub trait Middleware<Request, Reply>: Send + Sync {
    /// May change the request, answer instead of `next`, and change the reply.
    fn handle<'a>(
        &'a self,
        request: Request,
        next: Next<'a, Request, Reply>,
    ) -> BoxFuture<'a, Result<Reply, ToolError>>;
}

/// Something that can be sent through layers.
pub trait Request: Send {
    /// Notes that a layer was entered; the last one noted is the one that answered.
    fn enters(&mut self, layer: &str) {
        let _ = layer;
    }
}

/// A reply that can say that a layer failed.
pub trait Reply: Send {
    /// The reply of a layer that gave none.
    fn failed(error: ToolError) -> Self;
}

type Core<'a, Request, Reply> = Box<dyn FnOnce(Request) -> BoxFuture<'a, Reply> + Send + 'a>;

/// What is inside a layer.
pub struct Next<'a, Request, Reply> {
    rest: &'a [Layer<Request, Reply>],
    core: Core<'a, Request, Reply>,
}

impl<'a, Req: Request + 'a, Rep: Reply + 'a> Next<'a, Req, Rep> {
    /// Enters the next layer, or the core.
    pub fn run(self, request: Req) -> BoxFuture<'a, Rep> {
        let Self { rest, core } = self;
        match rest.split_first() {
            None => core(request),
            Some((layer, rest)) => Box::pin(layer.enter(request, Next { rest, core })),
        }
    }
}

struct Layer<Request, Reply> {
    name: String,
    priority: i32,
    middleware: Arc<dyn Middleware<Request, Reply>>,
}

impl<Req: Request, Rep: Reply> Layer<Req, Rep> {
    async fn enter<'a>(&'a self, mut request: Req, next: Next<'a, Req, Rep>) -> Rep {
        request.enters(&self.name);
        let entered = AssertUnwindSafe(async { self.middleware.handle(request, next).await });
        match entered.catch_unwind().await {
            Ok(Ok(reply)) => reply,
            Ok(Err(error)) => Rep::failed(error),
            Err(panic) => Rep::failed(
                ToolError::failed(format!("The middleware '{}' failed.", self.name))
                    .because(panic_text(panic.as_ref())),
            ),
        }
    }
}

/// Layers in order, outermost first.
pub struct Onion<Request, Reply> {
    layers: Vec<Layer<Request, Reply>>,
}

impl<Req, Rep> Default for Onion<Req, Rep> {
    fn default() -> Self {
        Self { layers: Vec::new() }
    }
}

impl<Req: Request, Rep: Reply> Onion<Req, Rep> {
    /// Adds a layer behind all of the same or a lower priority number.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        priority: i32,
        middleware: Arc<dyn Middleware<Req, Rep>>,
    ) {
        let at = self.layers.partition_point(|layer| layer.priority <= priority);
        self.layers.insert(at, Layer { name: name.into(), priority, middleware });
    }

    /// Whether there are no layers.
    pub fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// The names of the layers, outermost first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.layers.iter().map(|layer| layer.name.as_str())
    }

    /// Sends a request through all layers to the core and back.
    pub fn run<'a>(
        &'a self,
        request: Req,
        core: impl FnOnce(Req) -> BoxFuture<'a, Rep> + Send + 'a,
    ) -> BoxFuture<'a, Rep>
    where
        Req: 'a,
        Rep: 'a,
    {
        if self.layers.is_empty() {
            return core(request);
        }
        Next { rest: &self.layers, core: Box::new(core) }.run(request)
    }
}

/// What a panic said, for people only.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a text".to_owned())
}
