//! Which addresses are surely on the public network, judged by their text alone. What a name
//! resolves to is for whoever connects to check again.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::rule::Address;

/// Endings of names that are never public.
const PRIVATE_ENDINGS: &[&str] = &[
    "local",
    "localhost",
    "localdomain",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "private",
    "arpa",
    "test",
    "invalid",
    "onion",
];

/// Names that resolve to whatever address stands in them, or to this machine.
const ECHOING_NAMES: &[&str] =
    &["nip.io", "sslip.io", "xip.io", "localtest.me", "lvh.me", "vcap.me"];

/// Says why an address is not surely public.
pub fn check_public(url: &str) -> Result<(), &'static str> {
    let address = Address::parse(url)?;
    if !matches!(address.scheme.as_str(), "http" | "https") {
        return Err("it is neither http nor https");
    }
    if address.userinfo {
        return Err("it has a name or password before its host");
    }
    check_host(&address.host)
}

fn check_host(host: &str) -> Result<(), &'static str> {
    if let Some(inner) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let address: Ipv6Addr = inner.parse().map_err(|_| "its host is no plain IPv6 address")?;
        return check_ip(IpAddr::V6(address));
    }
    let last = host.rsplit('.').next().unwrap_or(host);
    if is_number(last) {
        let address: Ipv4Addr = host.parse().map_err(|_| "its host is a number in disguise")?;
        return check_ip(IpAddr::V4(address));
    }
    if !host.contains('.') || PRIVATE_ENDINGS.contains(&last) {
        return Err("its host is a private name");
    }
    let echoes = |name: &&&str| {
        host.strip_suffix(**name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    if ECHOING_NAMES.iter().any(|name| echoes(&name)) {
        return Err("its host stands for any address");
    }
    Ok(())
}

/// A last label that a resolver reads as part of an `IPv4` address.
fn is_number(label: &str) -> bool {
    let hex =
        label.strip_prefix("0x").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_hexdigit()));
    hex || (!label.is_empty() && label.chars().all(|c| c.is_ascii_digit()))
}

fn check_ip(address: IpAddr) -> Result<(), &'static str> {
    if is_public(address) { Ok(()) } else { Err("its address is not a public one") }
}

/// Whether an address is surely on the public network.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || a == 0
        || a >= 224
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19));
    !special
}

/// Only what is plainly global; forms that carry an `IPv4` address inside are not.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let global = (0x2000..0x4000).contains(&first);
    let carries = first == 0x2002 || (first == 0x2001 && (second < 0x200 || second == 0xdb8));
    global && !carries && !(first == 0x3fff && second < 0x1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_public() {
        for url in [
            "https://docs.rs/x",
            "http://93.184.216.34/",
            "https://[2606:4700::1111]/",
            "https://a.b.co.uk:8080/",
        ] {
            assert_eq!(check_public(url), Ok(()), "{url}");
        }
        for url in [
            "http://localhost/",
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0x7f.0.0.1/",
            "http://0177.0.0.1/",
            "http://10.0.0.1/",
            "http://192.168.1.1/",
            "http://172.16.0.1/",
            "http://169.254.169.254/latest/meta-data",
            "http://100.64.0.1/",
            "http://0.0.0.0/",
            "http://0/",
            "http://[::1]/",
            "http://[::]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[fe80::1]/",
            "http://[fc00::1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[2002:7f00:1::]/",
            "http://[2001:0:1::]/",
            "http://printer.local/",
            "http://metadata.google.internal/",
            "http://intranet/",
            "http://127.0.0.1.nip.io/",
            "http://a.localhost./",
            "https://docs.rs@127.0.0.1/",
            "https://user@docs.rs/",
            "file:///etc/passwd",
            "ftp://docs.rs/",
            "data:text/plain,x",
            "http://docs.rs\\@x/",
            "http://①②⑦.0.0.1/",
            "http://%6cocalhost/",
            "http://localhost%2e/",
            "http:///x",
            "",
        ] {
            assert!(check_public(url).is_err(), "{url}");
        }
    }
}
