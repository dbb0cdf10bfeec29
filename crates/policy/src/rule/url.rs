//! Patterns of addresses, compared part by part.

use regex::Regex;

use crate::rule::{RuleError, Wild};

/// An address in its parts. Whatever two readers could read differently is no address here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The scheme, in small letters.
    pub scheme: String,
    /// There is a name or password before the host.
    pub userinfo: bool,
    /// The host, in small letters and without a last dot; `IPv6` in brackets.
    pub host: String,
    /// The port, if it is not the scheme's own.
    pub port: Option<u16>,
    /// The path, which begins with a slash.
    pub path: String,
    /// What stands after `?`.
    pub query: Option<String>,
}

impl Address {
    /// Takes an address apart.
    pub fn parse(url: &str) -> Result<Self, &'static str> {
        let odd = |c: char| c.is_whitespace() || c.is_control() || c == '\\' || !c.is_ascii();
        if url.contains(odd) {
            return Err("it has characters that are read in several ways");
        }
        let (scheme, rest) = url.split_once("://").ok_or("it has no scheme")?;
        let scheme = scheme.to_ascii_lowercase();
        if scheme.is_empty()
            || !scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        {
            return Err("its scheme is none");
        }
        let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let (path, query) = rest.split_once('?').map_or((rest, None), |(p, q)| (p, Some(q)));
        let (user, place) =
            authority.rsplit_once('@').map_or((None, authority), |(u, h)| (Some(u), h));
        let (host, port) = host_and_port(place)?;
        Ok(Self {
            port: port.filter(|port| Some(*port) != default_port(&scheme)),
            userinfo: user.is_some(),
            host,
            path: if path.is_empty() { "/".to_owned() } else { path.to_owned() },
            query: query.map(str::to_owned),
            scheme,
        })
    }

    /// The path has parts that a server may read as others.
    fn path_is_ambiguous(&self) -> bool {
        let path = self.path.to_ascii_lowercase();
        let dots = path.split('/').any(|part| matches!(part, "." | ".."));
        dots || ["%2e", "%2f", "%5c", "%00"].iter().any(|code| path.contains(code))
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        _ => None,
    }
}

fn host_and_port(place: &str) -> Result<(String, Option<u16>), &'static str> {
    let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((inner, port)) => (format!("[{inner}]"), port.strip_prefix(':')),
        None => match place.split_once(':') {
            Some((host, port)) => (host.to_owned(), Some(port)),
            None => (place.to_owned(), None),
        },
    };
    let port = match port {
        None | Some("") => None,
        Some(port) => Some(port.parse().map_err(|_| "its port is none")?),
    };
    let host = host.strip_suffix('.').unwrap_or(&host).to_ascii_lowercase();
    let named = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let bracketed = host.starts_with('[');
    if host.is_empty() || (!bracketed && !host.chars().all(named)) || host.contains("..") {
        return Err("its host is none");
    }
    Ok((host, port))
}

/// A pattern of addresses: `scheme://host/path`. `*` stands for any characters of a label of the
/// host or of a segment of the path, `**` as the first label for one or more labels, and `**` in
/// the path for anything. A lone `*` is every address.
///
/// A path that does not end with `**` means no query, unless the pattern has one after `?`.
#[derive(Clone, Debug)]
pub struct UrlPattern {
    text: String,
    parts: Option<Parts>,
}

#[derive(Clone, Debug)]
struct Parts {
    scheme: Wild,
    any_labels: bool,
    labels: Vec<Wild>,
    port: Port,
    path: Regex,
    open: bool,
    query: Option<Wild>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    Default,
    Any,
    Is(u16),
}

impl PartialEq for UrlPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for UrlPattern {}

impl UrlPattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let parts = if text == "*" { None } else { Some(Parts::parse(text)?) };
        Ok(Self { text: text.to_owned(), parts })
    }

    /// The pattern that matches this address alone, if one can.
    pub fn exactly(url: &str) -> Option<Self> {
        let address = Address::parse(url).ok()?;
        if address.userinfo || address.path_is_ambiguous() {
            return None;
        }
        let escape = |text: &str| Wild::literal(text).to_string();
        let port = address.port.map(|port| format!(":{port}")).unwrap_or_default();
        let query = address.query.as_deref().map(|q| format!("?{}", escape(q))).unwrap_or_default();
        let path = escape(&address.path);
        Self::parse(&format!("{}://{}{port}{path}{query}", address.scheme, address.host)).ok()
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// It matches an address, which leaves no doubt about what it means.
    pub fn matches_surely(&self, address: &Address) -> bool {
        let Some(parts) = &self.parts else { return true };
        let query = match (&parts.query, &address.query) {
            (None, None) => true,
            (None, Some(_)) => parts.open,
            (Some(pattern), query) => pattern.matches(query.as_deref().unwrap_or_default()),
        };
        query
            && !address.userinfo
            && !address.path_is_ambiguous()
            && parts.matches_place(address)
            && parts.path.is_match(&address.path)
    }

    /// It matches an address, however that is written.
    pub fn matches_somehow(&self, address: &Address) -> bool {
        let Some(parts) = &self.parts else { return true };
        parts.matches_place(address)
            && (address.path_is_ambiguous()
                || parts.path.is_match(&address.path)
                || parts.path.is_match(&decoded(&address.path)))
    }

    /// How many labels and segments and characters are literal, and how many wildcards there are.
    pub(crate) fn weight(&self) -> (usize, usize, usize) {
        let words =
            self.text.split(['/', '.']).filter(|w| !w.is_empty() && !w.contains('*')).count();
        let wildcards = self.text.matches('*').count();
        (words, self.text.chars().count() - wildcards, wildcards)
    }
}

impl Parts {
    fn parse(text: &str) -> Result<Self, RuleError> {
        let column = |rest: &str| text.chars().count() - rest.chars().count() + 1;
        let (scheme, rest) = text.split_once("://").ok_or_else(|| {
            RuleError::new(1, "an address begins with a scheme, such as `https://`")
        })?;
        let end = rest.find('/').ok_or_else(|| {
            RuleError::new(text.chars().count() + 1, "the path is missing; `/**` is every path")
        })?;
        let (authority, tail) = rest.split_at(end);
        if authority.contains(['@', '?', '#', '[', '\\']) && !authority.starts_with('[') {
            return Err(RuleError::new(column(rest), "the host is none"));
        }
        let (path, query) = tail.split_once('?').map_or((tail, None), |(p, q)| (p, Some(q)));
        let (host, port) = split_port(authority)
            .ok_or_else(|| RuleError::new(column(rest), "the port is none"))?;
        let (any_labels, labels) =
            labels(host).ok_or_else(|| RuleError::new(column(rest), "the host is none"))?;
        Ok(Self {
            scheme: Wild::parse(&scheme.to_ascii_lowercase()),
            any_labels,
            labels,
            port,
            path: path_regex(path)
                .ok_or_else(|| RuleError::new(column(tail), "the path is too long"))?,
            open: path.ends_with("**"),
            query: query.map(Wild::parse),
        })
    }

    fn matches_place(&self, address: &Address) -> bool {
        let port = match self.port {
            Port::Default => address.port.is_none(),
            Port::Any => true,
            Port::Is(port) => address.port == Some(port),
        };
        port && self.scheme.matches(&address.scheme) && self.matches_host(&address.host)
    }

    fn matches_host(&self, host: &str) -> bool {
        let names: Vec<&str> =
            if host.starts_with('[') { vec![host] } else { host.split('.').collect() };
        let Some(more) = names.len().checked_sub(self.labels.len()) else { return false };
        let fits = if self.any_labels { more > 0 } else { more == 0 };
        fits && self.labels.iter().zip(&names[more..]).all(|(label, name)| label.matches(name))
    }
}

fn split_port(authority: &str) -> Option<(&str, Port)> {
    let bracket = authority.rfind(']').unwrap_or(0);
    let Some(at) = authority[bracket..].find(':').map(|at| at + bracket) else {
        return Some((authority, Port::Default));
    };
    let port = match &authority[at + 1..] {
        "*" => Port::Any,
        port => Port::Is(port.parse().ok()?),
    };
    Some((&authority[..at], port))
}

fn labels(host: &str) -> Option<(bool, Vec<Wild>)> {
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    if host.starts_with('[') {
        return Some((false, vec![Wild::literal(host)]));
    }
    let rest = host.strip_prefix("**.");
    let labels: Vec<&str> = rest.unwrap_or(&host).split('.').collect();
    let valid = labels.iter().all(|label| !label.is_empty() && !label.contains("**"));
    valid.then(|| (rest.is_some(), labels.into_iter().map(Wild::parse).collect()))
}

fn path_regex(path: &str) -> Option<Regex> {
    let mut regex = String::from("^");
    let mut letters = path.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '*' if letters.next_if_eq(&'*').is_some() => regex.push_str(".*"),
            '*' => regex.push_str("[^/]*"),
            '\\' => regex.push_str(&regex::escape(&letters.next().unwrap_or('\\').to_string())),
            _ => regex.push_str(&regex::escape(&letter.to_string())),
        }
    }
    regex.push('$');
    Regex::new(&regex).ok()
}

/// A path with its `%41` as letters.
fn decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = path.get(at + 1..at + 3).filter(|_| byte == b'%');
        let letter = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        decoded.push(letter.unwrap_or(byte));
        at += if letter.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, url: &str) -> bool {
        let pattern = UrlPattern::parse(pattern).unwrap();
        Address::parse(url).is_ok_and(|address| pattern.matches_surely(&address))
    }

    #[test]
    fn addresses_are_compared_by_their_parts() {
        for (pattern, url, expected) in [
            ("https://docs.rs/**", "https://docs.rs/serde", true),
            ("https://docs.rs/**", "https://DOCS.rs./serde?x=1", true),
            ("https://docs.rs/**", "https://docs.rs:443/", true),
            ("https://docs.rs/**", "https://docs.rs:8443/", false),
            ("https://docs.rs:*/**", "https://docs.rs:8443/", true),
            ("https://docs.rs/**", "http://docs.rs/", false),
            ("https://docs.rs/**", "https://docs.rs@evil.com/", false),
            ("https://docs.rs/**", "https://x@docs.rs/", false),
            ("https://docs.rs/**", "https://docs.rs.evil.com/", false),
            ("https://docs.rs/**", r"https://evil.com\@docs.rs/", false),
            ("https://docs.rs/**", "https://evil.com#@docs.rs/", false),
            ("https://docs.rs/**", "https://evil.com?@docs.rs/", false),
            ("https://*.rs/**", "https://docs.rs/", true),
            ("https://*.rs/**", "https://a.docs.rs/", false),
            ("https://**.rs/**", "https://a.docs.rs/", true),
            ("https://docs.rs/a/*", "https://docs.rs/a/b", true),
            ("https://docs.rs/a/*", "https://docs.rs/a/b/c", false),
            ("https://docs.rs/a/**", "https://docs.rs/a/../b", false),
            ("https://docs.rs/a/**", "https://docs.rs/a/%2e%2e/b", false),
            ("https://docs.rs/a", "https://docs.rs/a?secret=1", false),
            ("https://docs.rs/a?b=1", "https://docs.rs/a?b=1", true),
            ("https://docs.rs/a?b=1", "https://docs.rs/a?b=2", false),
            ("*", "ftp://x/", true),
        ] {
            assert_eq!(matches(pattern, url), expected, "{pattern} on {url}");
        }
    }

    #[test]
    fn what_forbids_is_not_fooled_by_spelling() {
        let pattern = UrlPattern::parse("https://evil.com/admin").unwrap();
        for url in [
            "https://a@EVIL.com./admin",
            "https://evil.com/%61dmin?x",
            "https://evil.com/x/../admin",
        ] {
            assert!(pattern.matches_somehow(&Address::parse(url).unwrap()), "{url}");
        }
    }
}
