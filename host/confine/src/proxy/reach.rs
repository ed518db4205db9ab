//! Which addresses the proxy connects to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use crate::Reach;

/// The ports of HTTP and HTTPS.
const PORTS: [u16; 2] = [80, 443];

impl Reach {
    /// Whether the box may connect to `address`.
    pub(super) fn allows(&self, address: SocketAddr) -> bool {
        let address = SocketAddr::new(address.ip().to_canonical(), address.port());
        if self.addresses.contains(&address) {
            return true;
        }
        let port = address.port();
        (PORTS.contains(&port) || self.ports.contains(&port))
            && is_public(address.ip())
            && !is_ours(address)
    }
}

/// Whether an address is of the public Internet, by IANA's special-purpose registries for IPv4 and
/// IPv6 (RFC 6890).
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        [0 | 10 | 127, ..] => true,
        // Shared by carriers (RFC 6598).
        [100, second, ..] => second & 0xc0 == 64,
        [169, 254, ..] | [192, 168, ..] => true,
        [172, second, ..] => second & 0xf0 == 16,
        // Protocol assignments, documentation, 6to4 relays.
        [192, 0, 0 | 2, _] | [192, 88, 99, _] | [198, 51, 100, _] | [203, 0, 113, _] => true,
        // Benchmarks.
        [198, 18 | 19, ..] => true,
        // Multicast, reserved, broadcast.
        [224..=255, ..] => true,
        _ => false,
    };
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let special = match address.segments() {
        // Protocol assignments (Teredo among them), and documentation.
        [0x2001, second, ..] => second < 0x200 || second == 0xdb8,
        // 6to4 carries an IPv4 address.
        [0x2002, ..] => true,
        // Documentation (RFC 9637).
        [0x3fff, second, ..] => second < 0x1000,
        // Global unicast is 2000::/3. Loopback, mapped, local and multicast addresses and the
        // well-known prefix of NAT64 lie outside.
        [first, ..] => first & 0xe000 != 0x2000,
    };
    !special
}

/// Whether a public address is this machine's own: then the kernel would connect from it to it.
fn is_ours(address: SocketAddr) -> bool {
    let any: SocketAddr = match address {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    // Connecting a UDP socket sends nothing: it chooses the route.
    let from = UdpSocket::bind(any)
        .and_then(|socket| socket.connect(address).and_then(|()| socket.local_addr()));
    // What cannot be routed cannot be connected to either.
    from.is_ok_and(|from| from.ip() == address.ip())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_addresses_are_not_public() {
        for special in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "64:ff9b::7f00:1",
            "100::1",
            "2001::1",
            "2001:1ff::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "fc00::1",
            "fd00::1",
            "fe80::1",
            "ff02::1",
            "5f00::1",
        ] {
            assert!(
                !is_public(special.parse().expect("an address")),
                "{special}"
            );
        }
    }

    #[test]
    fn others_are_public() {
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "192.167.0.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2606:4700::1111",
            "2a00::1",
            "3fff:1000::1",
        ] {
            assert!(is_public(public.parse().expect("an address")), "{public}");
        }
    }

    #[test]
    fn this_machine_is_recognised_by_its_route() {
        assert!(is_ours("127.0.0.1:80".parse().expect("an address")));
        assert!(!is_ours("192.0.2.1:80".parse().expect("an address")));
    }

    #[test]
    fn a_mapped_address_is_judged_as_what_it_is() {
        let mirror = Reach {
            ports: Vec::new(),
            addresses: vec!["127.0.0.1:4873".parse().expect("an address")],
        };
        for (address, allowed) in [
            ("127.0.0.1:4873", true),
            ("[::ffff:127.0.0.1]:4873", true),
            ("127.0.0.1:80", false),
            ("[::ffff:127.0.0.1]:80", false),
            ("[::1]:4873", false),
        ] {
            let address = address.parse().expect("an address");
            assert_eq!(mirror.allows(address), allowed, "{address}");
        }
    }

    #[test]
    fn other_ports_are_closed_unless_they_are_named() {
        let reach = Reach {
            ports: vec![8443],
            addresses: Vec::new(),
        };
        for (address, allowed) in [
            ("1.1.1.1:80", true),
            ("1.1.1.1:443", true),
            ("1.1.1.1:8443", true),
            ("1.1.1.1:22", false),
            ("1.1.1.1:53", false),
        ] {
            assert_eq!(
                reach.allows(address.parse().expect("an address")),
                allowed,
                "{address}"
            );
        }
    }
}
