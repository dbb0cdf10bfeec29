//! Other machines: the services that the user's own settings name, and how any machine is asked
//! without being led astray.
//!
//! What a model asks for goes through the gate and the network capability; what the user has set
//! up for dogu itself is granted. So far that is a model that makes vectors of texts,
//! [`EmbeddingsEndpoint`]. [`Reach`] keeps requests from being turned inward.
//!
//! ```no_run
//! use dogu_net::{EmbeddingsEndpoint, EndpointOptions};
//! use dogu_tool::{CancelFlag, Embeddings as _};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let options = EndpointOptions::new("http://localhost:11434/v1", "nomic-embed-text");
//! let endpoint = EmbeddingsEndpoint::new(options)?;
//! let vectors = endpoint.embed(&["fn main() {}".to_owned()], &CancelFlag::new())?;
//! assert_eq!(vectors.len(), 1);
//! # Ok(()) }
//! ```

mod embeddings;
mod guard;

pub use embeddings::{EmbeddingsEndpoint, EndpointOptions, UnfitEndpoint};
pub use guard::{Reach, Refused};
