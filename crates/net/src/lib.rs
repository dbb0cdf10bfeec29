//! Services of other machines that the user's own settings name.
//!
//! What a model asks for goes through the gate and the network capability; this is what the user
//! has set up for dogu itself. So far that is a model that makes vectors of texts,
//! [`EmbeddingsEndpoint`].
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

pub use embeddings::{EmbeddingsEndpoint, EndpointOptions, UnfitEndpoint};
