//! Where the model is, and whether it may be asked there.

use std::net::IpAddr;

use reqwest::Url;
use reqwest::header::HeaderValue;

/// What a user sets.
#[derive(Clone, Debug, Default)]
pub struct EndpointOptions {
    /// The address of the API, such as `https://api.openai.com/v1`.
    pub url: String,
    /// What the model is called there.
    pub model: String,
    /// What is sent as a bearer token.
    pub key: Option<String>,
    /// How many numbers a vector shall have, where the model lets one choose.
    pub dimensions: Option<usize>,
}

impl EndpointOptions {
    /// A model at an address, without a key.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Self {
        Self { url: url.into(), model: model.into(), ..Self::default() }
    }
}

/// Why an endpoint cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfitEndpoint {
    /// It is no address.
    #[error("`{0}` is no address of an API, such as https://api.openai.com/v1")]
    NoAddress(String),
    /// The key would go out unencrypted.
    #[error(
        "a key is not sent to {0} without encryption; use https, or an address of this machine"
    )]
    OpenKey(String),
    /// The key cannot be sent.
    #[error("the key has characters that cannot be sent")]
    BadKey,
    /// There is no model.
    #[error("the model has no name")]
    NoModel,
}

/// An endpoint that may be asked.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub(super) url: Url,
    pub(super) model: String,
    pub(super) authorization: Option<HeaderValue>,
    pub(super) dimensions: Option<usize>,
}

impl Endpoint {
    pub(super) fn new(options: EndpointOptions) -> Result<Self, UnfitEndpoint> {
        let url = address(&options.url)
            .ok_or_else(|| UnfitEndpoint::NoAddress(without_secrets(&options.url)))?;
        if options.model.trim().is_empty() {
            return Err(UnfitEndpoint::NoModel);
        }
        let authorization = options.key.as_deref().map(bearer).transpose()?;
        if authorization.is_some() && url.scheme() != "https" && !is_this_machine(&url) {
            return Err(UnfitEndpoint::OpenKey(host(&url)));
        }
        Ok(Self { url, model: options.model, authorization, dimensions: options.dimensions })
    }

    /// Tells vectors of one model from those of another.
    pub(super) fn identity(&self) -> String {
        let dimensions = self.dimensions.map(|count| format!(" {count}")).unwrap_or_default();
        format!("{} {}{dimensions}", self.url, self.model)
    }

    /// How it is called in messages.
    pub(super) fn host(&self) -> String {
        host(&self.url)
    }
}

fn address(text: &str) -> Option<Url> {
    let mut url = Url::parse(text.trim()).ok()?;
    let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    if !plain || !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return None;
    }
    let path = url.path().trim_end_matches('/').to_owned();
    if !path.ends_with("/embeddings") {
        url.set_path(&format!("{path}/embeddings"));
    }
    Some(url)
}

/// What stands before the host may be a password.
fn without_secrets(text: &str) -> String {
    let shown = text.rsplit_once('@').map_or(text, |(_, host)| host);
    shown.chars().take(100).collect()
}

fn bearer(key: &str) -> Result<HeaderValue, UnfitEndpoint> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", key.trim()))
        .map_err(|_| UnfitEndpoint::BadKey)?;
    value.set_sensitive(true);
    Ok(value)
}

fn is_this_machine(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn host(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}{port}", url.host_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(url: &str, key: Option<&str>) -> Result<String, UnfitEndpoint> {
        let mut options = EndpointOptions::new(url, "m");
        options.key = key.map(ToOwned::to_owned);
        Endpoint::new(options).map(|endpoint| endpoint.url.to_string())
    }

    #[test]
    fn the_address_of_the_api_or_of_the_endpoint() {
        for url in
            ["https://a.example/v1", "https://a.example/v1/", "https://a.example/v1/embeddings"]
        {
            assert_eq!(endpoint(url, Some("k")).unwrap(), "https://a.example/v1/embeddings");
        }
        let with_query = endpoint("https://a.example/openai?api-version=1", None).unwrap();
        assert_eq!(with_query, "https://a.example/openai/embeddings?api-version=1");
    }

    #[test]
    fn a_key_goes_out_encrypted_or_not_at_all() {
        let open = endpoint("http://a.example/v1", Some("k"));
        assert_eq!(open, Err(UnfitEndpoint::OpenKey("a.example".to_owned())));
        assert!(endpoint("http://localhost.a.example/v1", Some("k")).is_err());
        for own in ["http://localhost:1/v1", "http://127.0.0.1/v1", "http://[::1]:8/v1"] {
            assert!(endpoint(own, Some("k")).is_ok(), "{own}");
        }
        assert!(endpoint("http://a.example/v1", None).is_ok());
    }

    #[test]
    fn what_is_no_address_is_said_without_its_password() {
        for url in ["", "localhost", "file:///etc/passwd", "http://", "ftp://a.example"] {
            assert!(matches!(endpoint(url, None), Err(UnfitEndpoint::NoAddress(_))), "{url}");
        }
        let error = endpoint("https://me:secret@a.example/v1", None).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn a_key_that_cannot_be_sent_is_refused() {
        assert_eq!(endpoint("https://a.example", Some("a\nb")), Err(UnfitEndpoint::BadKey));
    }
}
