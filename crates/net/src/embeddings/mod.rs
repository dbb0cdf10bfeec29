//! A model behind an OpenAI-compatible `/embeddings` endpoint.
//!
//! 1. `options.rs`: the address is checked once; a key never goes out unencrypted.
//! 2. `request.rs`: texts go out in batches, some at a time, no redirect is followed, and an
//!    answer has a largest size.
//! 3. `answer.rs`: an answer is taken only whole: one vector for each text, all of one length,
//!    all numbers finite.
//!
//! After a failure the endpoint rests: a search must not wait for a dead machine every time.

mod answer;
mod options;
mod request;

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use dogu_tool::{CancelFlag, Embeddings, ToolError};

use options::Endpoint;
pub use options::{EndpointOptions, UnfitEndpoint};

/// How long nothing is asked after a failure.
const REST: Duration = Duration::from_secs(30);

/// A model that makes vectors, at an address that the user has set.
#[derive(Debug)]
pub struct EmbeddingsEndpoint {
    endpoint: Endpoint,
    model: String,
    /// When it failed last, and how.
    failed: Mutex<Option<(Instant, String)>>,
}

impl EmbeddingsEndpoint {
    /// The model at an address, which is not asked yet.
    pub fn new(options: EndpointOptions) -> Result<Self, UnfitEndpoint> {
        let endpoint = Endpoint::new(options)?;
        Ok(Self { model: endpoint.identity(), endpoint, failed: Mutex::default() })
    }

    fn resting(&self) -> Option<ToolError> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let (when, why) = failed.as_ref().filter(|(when, _)| when.elapsed() < REST)?;
        let left = (REST.saturating_sub(when.elapsed())).as_secs() + 1;
        Some(ToolError::failed(format!("{why}; it is asked again in {left} seconds")))
    }

    fn note(&self, failed: Option<String>) {
        let failed = failed.map(|why| (Instant::now(), why));
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = failed;
    }
}

impl Embeddings for EmbeddingsEndpoint {
    fn model(&self) -> &str {
        &self.model
    }

    fn embed(&self, texts: &[String], cancel: &CancelFlag) -> Result<Vec<Vec<f32>>, ToolError> {
        cancel.check()?;
        if let Some(error) = self.resting() {
            return Err(error);
        }
        // A thread and an executor of its own: whoever calls may be on either kind of thread, or
        // on the only one of an executor.
        let asked = std::thread::scope(|scope| {
            let asked = scope.spawn(|| request::embed(&self.endpoint, texts, cancel));
            asked.join().unwrap_or_else(|_| Err("the request broke off".to_owned()))
        });
        cancel.check()?;
        self.note(asked.as_ref().err().cloned());
        asked.map_err(ToolError::failed)
    }
}
