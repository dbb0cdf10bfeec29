//! Where a server listens, and the token for one that is not this machine's.

use std::net::IpAddr;
use std::path::Path;

use crate::problem::{Problem, warn};

/// Whether the server is this machine's. Whoever could read the token on its way is told of.
pub(super) fn is_here(url: &str) -> Result<bool, Problem> {
    let (is_encrypted, host) = host(url)?;
    let is_here = is_loopback(host);
    if !is_encrypted && !is_here {
        warn(&format!("{url} is not encrypted: whoever is on the way can read the token"));
    }
    Ok(is_here)
}

/// Nothing of this machine's tokens is the business of another.
pub(super) fn elsewhere(url: &str) -> Problem {
    let host = host(url).map_or(url, |(_, host)| host);
    Problem::wrong_use(format!("{host} is another machine"))
        .hint("its token is not here: name a file that holds it with --token-file")
}

/// Whether the address is encrypted, and its host.
fn host(url: &str) -> Result<(bool, &str), Problem> {
    let wrong = || {
        Problem::wrong_use(format!("{url:?} is no address of a server"))
            .hint("such as http://127.0.0.1:8765/mcp, which `dogu serve --http` prints")
    };
    let (is_encrypted, rest) = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return Err(wrong()),
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // Whatever could make two readers see two different hosts is refused.
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    let fine = !authority.is_empty() && authority.chars().all(fits);
    if !fine || !url.chars().all(|c| c.is_ascii_graphic()) {
        return Err(wrong());
    }
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map(|(host, _)| host).ok_or_else(wrong)?,
        None => authority.split(':').next().unwrap_or_default(),
    };
    Ok((is_encrypted, host))
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// The token in a file.
pub(super) fn read(file: &Path) -> Result<String, Problem> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        Problem::wrong_use(format!("could not read {}", file.display())).because(error)
    })?;
    let lines = text.lines().map(str::trim);
    let token = lines.filter(|line| !line.is_empty()).find(|line| !line.starts_with('#'));
    match token {
        Some(token) if token.chars().all(|c| c.is_ascii_graphic()) => Ok(token.to_owned()),
        _ => Err(Problem::wrong_use(format!("{} holds no token", file.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_host_can_be_seen_in_an_address() {
        for (url, wanted) in [
            ("http://127.0.0.1:8765/mcp", "127.0.0.1"),
            ("http://[::1]:1/mcp", "::1"),
            ("https://example.com", "example.com"),
            ("http://localhost?x", "localhost"),
        ] {
            assert_eq!(host(url).unwrap().1, wanted);
        }
        for url in [
            "127.0.0.1:8765",
            "ftp://x",
            "http://",
            "http://127.0.0.1@evil.com/",
            "http://127.0.0.1\\@evil.com/",
            "http://127.0.0.1 /",
            "http://ex\u{430}mple.com/",
            "http://[::1",
            "http://127.0.0.1/\n",
        ] {
            assert!(host(url).is_err(), "{url}");
        }
    }

    #[test]
    fn only_this_machine_is_this_machine() {
        for host in ["127.0.0.1", "127.8.8.8", "::1", "localhost"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["127.0.0.1.example.com", "localhost.example.com", "0.0.0.0", "10.0.0.1"] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
