//! The model that makes vectors, where the user has set one.

use dogu_net::{EmbeddingsEndpoint, EndpointOptions};
use dogu_runtime::Settings;

use crate::problem::{Problem, warn};

/// The endpoint of the settings. Without its key there is none: code is found by words alone.
pub(super) fn endpoint(settings: &Settings) -> Result<Option<EmbeddingsEndpoint>, Problem> {
    let Some(set) = &settings.embeddings else { return Ok(None) };
    let mut options = EndpointOptions::new(&set.url, &set.model);
    options.dimensions = set.dimensions;
    if let Some(variable) = &set.key_variable {
        options.key = std::env::var(variable).ok().filter(|key| !key.trim().is_empty());
        if options.key.is_none() {
            warn(&format!(
                "the settings take the key of `embeddings` from {variable}, which is not set; code is searched by words alone"
            ));
            return Ok(None);
        }
    }
    let unfit = |error| {
        let problem = Problem::wrong_use("`embeddings` in your settings cannot be used");
        problem.because(error)
    };
    EmbeddingsEndpoint::new(options).map(Some).map_err(unfit)
}
