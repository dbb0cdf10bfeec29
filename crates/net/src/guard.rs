//! HTTP that cannot be turned inward: to this machine, its neighbours, or something that is not
//! HTTP at all.
//!
//! An address is looked at when it is asked for, at each redirection, and again after its name was
//! resolved, because that is where it leads. What the user's own settings name is granted, with
//! exactly its scheme, host and port.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use dogu_policy::public_address::{check_public, is_public};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{ClientBuilder, Url};

/// Redirections that are followed.
const MAX_REDIRECTS: usize = 10;

/// Where requests may go: to public addresses, and to what was granted.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    granted: Arc<[Origin]>,
}

/// Scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl Origin {
    fn of(url: &Url) -> Option<Self> {
        Some(Self {
            scheme: url.scheme().to_owned(),
            host: url.host_str()?.to_owned(),
            port: url.port_or_known_default()?,
        })
    }
}

/// Why a request is not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is neither `http` nor `https`.
    #[error("'{0}:' is not asked: only http and https are")]
    Scheme(String),
    /// It is not on the public network, and nobody granted it.
    #[error("{url} is not asked: {why}, and it was not granted")]
    Inward {
        /// The address, without what follows its host.
        url: String,
        /// Why it is not public.
        why: String,
    },
    /// A name stands for an address that is not public.
    #[error("{name} is not asked: it stands for {address}, which is not a public address")]
    Resolved {
        /// The name.
        name: String,
        /// The address.
        address: IpAddr,
    },
    /// What was asked for by a safe way is sent to an unsafe one.
    #[error("{0} is not asked: the redirection to it leaves https")]
    Downgrade(String),
    /// It is redirected without end.
    #[error("it is redirected more than {MAX_REDIRECTS} times")]
    Redirects,
}

impl Reach {
    /// Public addresses, and the origins of these.
    pub fn to<'a>(granted: impl IntoIterator<Item = &'a Url>) -> Self {
        Self { granted: granted.into_iter().filter_map(Origin::of).collect() }
    }

    /// Whether a request may be made, as far as its address alone tells.
    pub fn check(&self, url: &Url) -> Result<(), Refused> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refused::Scheme(url.scheme().to_owned()));
        }
        if Origin::of(url).is_some_and(|origin| self.granted.contains(&origin)) {
            return Ok(());
        }
        let inward = |why: &str| Refused::Inward { url: shown(url), why: why.to_owned() };
        check_public(url.as_str()).map_err(inward)
    }

    /// A client that follows redirections and resolves names within this reach. The first address
    /// of a request is its caller's to [`check`](Self::check): one without a name is not resolved.
    pub fn client(&self) -> ClientBuilder {
        let (redirects, names) = (self.clone(), self.clone());
        let follow = Policy::custom(move |attempt| match redirects.check_redirect(&attempt) {
            Ok(()) => attempt.follow(),
            Err(refused) => attempt.error(refused),
        });
        reqwest::Client::builder().redirect(follow).dns_resolver(Arc::new(names))
    }

    fn check_redirect(&self, attempt: &Attempt<'_>) -> Result<(), Refused> {
        if attempt.previous().len() > MAX_REDIRECTS {
            return Err(Refused::Redirects);
        }
        let was_safe = attempt.previous().last().is_some_and(|url| url.scheme() == "https");
        if was_safe && attempt.url().scheme() == "http" {
            return Err(Refused::Downgrade(shown(attempt.url())));
        }
        self.check(attempt.url())
    }

    /// All addresses of a name, if it may be asked. One that is not public refuses all: which of
    /// them is taken is not known.
    fn admitted(&self, name: &str, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, Refused> {
        if self.granted.iter().any(|origin| origin.host == name) {
            return Ok(found);
        }
        match found.iter().find(|address| !is_public(address.ip())) {
            Some(address) => {
                Err(Refused::Resolved { name: name.to_owned(), address: address.ip() })
            }
            None => Ok(found),
        }
    }
}

impl Resolve for Reach {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.clone();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let admitted = reach.admitted(name.as_str(), found)?;
            Ok(Box::new(admitted.into_iter()) as Addrs)
        })
    }
}

/// Scheme, host and port: what follows may hold a secret.
fn shown(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}", url.scheme(), url.host_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    #[test]
    fn s5_only_http_and_https_are_asked() {
        for text in [
            "file:///etc/passwd",
            "ftp://ftp.example.com/x",
            "data:text/plain,x",
            "gopher://example.com:70/_x",
            "ws://example.com/",
            "javascript:alert(1)",
        ] {
            let refused = Reach::default().check(&url(text)).unwrap_err();
            assert!(matches!(refused, Refused::Scheme(_)), "{text}: {refused}");
        }
        assert_eq!(Reach::default().check(&url("https://docs.rs/x")), Ok(()));
        assert_eq!(Reach::default().check(&url("http://93.184.216.34/")), Ok(()));
    }

    #[test]
    fn s5_what_is_inside_is_not_asked_unless_it_was_granted() {
        for text in [
            "http://localhost:3000/",
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://169.254.169.254/latest/meta-data",
            "http://[fe80::1]/",
            "http://10.0.0.1/",
            "http://192.168.1.1/",
            "http://printer/",
            "http://metadata.google.internal/",
            "http://127.0.0.1.nip.io/",
            "https://user:secret@docs.rs/",
        ] {
            let refused = Reach::default().check(&url(text)).unwrap_err();
            assert!(matches!(refused, Refused::Inward { .. }), "{text}: {refused}");
            assert!(!refused.to_string().contains("secret"), "{refused}");
        }
        let reach = Reach::to([&url("http://localhost:3000/mcp")]);
        assert_eq!(reach.check(&url("http://localhost:3000/other")), Ok(()));
        for other in ["http://localhost:3001/", "https://localhost:3000/", "http://127.0.0.1:3000/"]
        {
            assert!(reach.check(&url(other)).is_err(), "{other}");
        }
    }

    #[test]
    fn s5_a_name_that_stands_for_an_inner_address_is_not_asked() {
        let public: SocketAddr = "93.184.216.34:0".parse().unwrap();
        let inner: SocketAddr = "169.254.169.254:0".parse().unwrap();
        let reach = Reach::to([&url("http://inner.example/")]);
        assert_eq!(reach.admitted("a.example", vec![public]), Ok(vec![public]));
        assert!(reach.admitted("a.example", vec![inner]).is_err());
        // Which of the two is taken is the operating system's choice.
        assert!(reach.admitted("a.example", vec![public, inner]).is_err());
        assert_eq!(reach.admitted("inner.example", vec![inner]), Ok(vec![inner]));
    }
}
