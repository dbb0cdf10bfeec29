//! Which addresses are closed, whatever form they come in.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::AddressRange;

/// What a command with a network does not reach.
#[derive(Clone, Debug, Default)]
pub(crate) struct Closed {
    /// TCP ports of all addresses.
    pub(crate) ports: Vec<u16>,
    pub(crate) ranges: Vec<AddressRange>,
    /// Open at the port of names, whatever range they are in.
    pub(crate) name_servers: Vec<IpAddr>,
}

/// The port at which names are asked for.
const NAMES: u16 = 53;

impl Closed {
    /// Whether an address in the kernel's form is closed. What is none that the kernel would go to
    /// is not: it answers that itself.
    pub(crate) fn holds(&self, address: &[u8], datagram: bool) -> bool {
        let Some((ip, port)) = parse(address) else { return false };
        if port == NAMES && self.name_servers.contains(&ip) {
            return false;
        }
        (!datagram && self.ports.contains(&port))
            || meanings(ip).any(|ip| self.ranges.iter().any(|range| range.contains(ip)))
    }
}

/// The address and port of a `struct sockaddr_in` or `sockaddr_in6`.
fn parse(address: &[u8]) -> Option<(IpAddr, u16)> {
    let family = i32::from(u16::from_ne_bytes(*address.first_chunk()?));
    let port = u16::from_be_bytes(*address.get(2..)?.first_chunk()?);
    match family {
        libc::AF_INET6 => {
            let bytes: [u8; 16] = *address.get(8..)?.first_chunk()?;
            Some((Ipv6Addr::from(bytes).into(), port))
        }
        // The kernel sends to an address without a family as to one of this family.
        libc::AF_INET | libc::AF_UNSPEC => {
            let bytes: [u8; 4] = *address.get(4..)?.first_chunk()?;
            Some((Ipv4Addr::from(bytes).into(), port))
        }
        _ => None,
    }
}

/// An address, and the one of the older internet that a gateway or the kernel takes it for.
fn meanings(ip: IpAddr) -> impl Iterator<Item = IpAddr> {
    let older = match ip {
        IpAddr::V4(_) => None,
        IpAddr::V6(ip) => ip.to_ipv4_mapped().or_else(|| translated(ip)).map(IpAddr::V4),
    };
    std::iter::once(ip).chain(older)
}

/// What the well-known prefixes of NAT64 and 6to4 carry.
fn translated(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let parts = ip.segments();
    let of = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    match parts {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => Some(of(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel_form(ip: &str, port: u16) -> Vec<u8> {
        match ip.parse().unwrap() {
            IpAddr::V4(ip) => {
                let mut bytes = vec![2, 0];
                bytes.extend(port.to_be_bytes());
                bytes.extend(ip.octets());
                bytes.extend([0; 8]);
                bytes
            }
            IpAddr::V6(ip) => {
                let mut bytes = vec![10, 0];
                bytes.extend(port.to_be_bytes());
                bytes.extend([0; 4]);
                bytes.extend(ip.octets());
                bytes.extend([0; 4]);
                bytes
            }
        }
    }

    fn closed() -> Closed {
        let range =
            |address: &str, prefix| AddressRange { address: address.parse().unwrap(), prefix };
        Closed {
            ports: vec![8765],
            ranges: vec![range("169.254.0.0", 16), range("fe80::", 10)],
            name_servers: vec!["169.254.169.253".parse().unwrap()],
        }
    }

    #[test]
    fn a_closed_address_is_closed_in_every_form() {
        for ip in [
            "169.254.169.254",
            "169.254.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "2002:a9fe:a9fe::1",
            "fe80::1",
            "febf::1",
        ] {
            for datagram in [true, false] {
                assert!(closed().holds(&kernel_form(ip, 80), datagram), "{ip}");
            }
        }
        let mut without_family = kernel_form("169.254.169.254", 80);
        without_family[0] = 0;
        assert!(closed().holds(&without_family, true));
    }

    #[test]
    fn other_addresses_are_open_and_closed_ports_are_not() {
        for ip in ["127.0.0.1", "8.8.8.8", "169.253.1.1", "::1", "fec0::1", "2001:db8::1"] {
            assert!(!closed().holds(&kernel_form(ip, 80), false), "{ip}");
            assert!(closed().holds(&kernel_form(ip, 8765), false), "{ip}");
            assert!(!closed().holds(&kernel_form(ip, 8765), true), "{ip}");
        }
    }

    #[test]
    fn name_servers_are_asked_for_names_and_nothing_else() {
        assert!(!closed().holds(&kernel_form("169.254.169.253", 53), true));
        assert!(closed().holds(&kernel_form("169.254.169.253", 80), true));
        assert!(closed().holds(&kernel_form("169.254.169.254", 53), true));
    }

    #[test]
    fn what_is_no_address_is_the_kernels_to_refuse() {
        let whole = kernel_form("169.254.169.254", 80);
        for length in 0..8 {
            assert!(!closed().holds(&whole[..length], false));
        }
        assert!(!closed().holds(b"\x01\0/run/socket", false));
    }
}
