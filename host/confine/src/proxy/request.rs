//! A request to the proxy: where it wants to go, and what is sent on.

use std::fmt::Write as _;

/// The longest head of a request.
pub(super) const HEAD_BYTES: usize = 64 * 1024;

/// The most header fields of a request.
const FIELDS: usize = 128;

/// Fields that are the proxy's own, not the server's (RFC 9110 section 7.6.1), and the host, which
/// is written anew (RFC 9112 section 3.2.2).
const HOP_BY_HOP: &[&str] = &[
    "connection",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "upgrade",
];

/// What a request asks of the proxy.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// A name, or an address without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// How many bytes the head had.
    pub(super) length: usize,
    /// The head to send to the server. None for a tunnel.
    pub(super) forward: Option<Vec<u8>>,
}

/// Why the proxy does not serve a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is no request to a proxy.
    Malformed(&'static str),
    /// The place is none that the box may reach.
    Forbidden(String),
    /// The host has no address.
    Unknown(String),
    /// No connection came about.
    Unreachable(String),
}

impl Refusal {
    /// The answer to the client, which says why.
    pub(super) fn response(&self) -> String {
        let (status, why) = match self {
            Self::Malformed(why) => ("400 Bad Request", (*why).to_owned()),
            Self::Forbidden(place) => (
                "403 Forbidden",
                format!(
                    "{place} is not reachable from this box: only public addresses are, on the \
                     ports 80 and 443 unless the profile names others"
                ),
            ),
            Self::Unknown(host) => ("502 Bad Gateway", format!("{host} has no address")),
            Self::Unreachable(place) => ("502 Bad Gateway", format!("cannot connect to {place}")),
        };
        let length = why.len() + 1;
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{why}\n"
        )
    }
}

/// The request that `bytes` begin with; none while its head is not whole.
pub(super) fn parse(bytes: &[u8]) -> Result<Option<Head>, Refusal> {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(Refusal::Malformed("this is no HTTP/1.1 request")),
    };
    let (Some(method), Some(target)) = (request.method, request.path) else {
        return Err(Refusal::Malformed("this is no HTTP/1.1 request"));
    };
    if method == "CONNECT" {
        let (host, port) = authority(target, None)?;
        return Ok(Some(Head {
            host,
            port,
            length,
            forward: None,
        }));
    }
    let rest = strip_scheme(target).ok_or(Refusal::Malformed(
        "this is a proxy for HTTP: give it a whole http:// address, and tunnel everything else",
    ))?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (place, path) = rest.split_at(end);
    let (host, port) = authority(place, Some(80))?;
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut forward = format!("{method} {slash}{path} HTTP/1.1\r\nHost: {place}\r\n").into_bytes();
    // Fields that the client's `Connection` names go no further (RFC 9110 section 7.6.1).
    let named: String = request
        .headers
        .iter()
        .filter(|field| field.name.eq_ignore_ascii_case("connection"))
        .fold(String::new(), |mut all, field| {
            let _ = write!(all, "{},", String::from_utf8_lossy(field.value));
            all
        });
    for field in request.headers.iter() {
        let is = |name: &str| field.name.eq_ignore_ascii_case(name.trim());
        if !HOP_BY_HOP.iter().any(|name| is(name)) && !named.split(',').any(is) {
            forward.extend_from_slice(field.name.as_bytes());
            forward.extend_from_slice(b": ");
            forward.extend_from_slice(field.value);
            forward.extend_from_slice(b"\r\n");
        }
    }
    // One request for each connection: the next one may be for another place.
    forward.extend_from_slice(b"Connection: close\r\n\r\n");
    Ok(Some(Head {
        host,
        port,
        length,
        forward: Some(forward),
    }))
}

fn strip_scheme(target: &str) -> Option<&str> {
    let (scheme, rest) = target.split_once("://")?;
    scheme.eq_ignore_ascii_case("http").then_some(rest)
}

/// Host and port of `host:port`, `[address]:port`.
fn authority(place: &str, default: Option<u16>) -> Result<(String, u16), Refusal> {
    let malformed = || Refusal::Malformed("a place is host:port, the host in brackets if IPv6");
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']').ok_or_else(malformed)?;
            let port = match after {
                "" => None,
                after => Some(after.strip_prefix(':').ok_or_else(malformed)?),
            };
            (host, port)
        }
        None => match place.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (place, None),
        },
    };
    let port = match port {
        Some(port) => Some(port.parse().map_err(|_| malformed())?),
        None => default,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._:".contains(c);
    match port {
        Some(port) if !host.is_empty() && host.chars().all(plain) => Ok((host.to_owned(), port)),
        _ => Err(malformed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Head {
        parse(text.as_bytes())
            .expect("a request")
            .expect("a whole head")
    }

    #[test]
    fn a_tunnel_names_its_place() {
        let head = parsed("CONNECT example.org:443 HTTP/1.1\r\nHost: other\r\n\r\nTLS");
        assert_eq!((head.host.as_str(), head.port), ("example.org", 443));
        assert_eq!(head.forward, None);
        let head = parsed("CONNECT [2001:db8::1]:8443 HTTP/1.1\r\n\r\n");
        assert_eq!((head.host.as_str(), head.port), ("2001:db8::1", 8443));
    }

    #[test]
    fn a_request_is_sent_on_in_origin_form() {
        let head = parsed(
            "GET http://Example.org:8080/a?b=c HTTP/1.1\r\nHost: elsewhere\r\nAccept: */*\r\n\
             Proxy-Authorization: Basic x\r\nConnection: keep-alive, X-Own\r\nX-Own: 1\r\n\r\nbody",
        );
        assert_eq!((head.host.as_str(), head.port), ("Example.org", 8080));
        let forward = String::from_utf8(head.forward.expect("a head")).expect("text");
        assert_eq!(
            forward,
            "GET /a?b=c HTTP/1.1\r\nHost: Example.org:8080\r\nAccept: */*\r\nConnection: \
             close\r\n\r\n"
        );
    }

    #[test]
    fn a_place_without_a_path_gets_one() {
        for (target, line) in [
            ("http://a.example", "GET / HTTP/1.1\r\n"),
            ("http://a.example?q", "GET /?q HTTP/1.1\r\n"),
        ] {
            let head = parsed(&format!("GET {target} HTTP/1.1\r\n\r\n"));
            assert_eq!((head.host.as_str(), head.port), ("a.example", 80));
            assert!(
                head.forward.expect("a head").starts_with(line.as_bytes()),
                "{target}"
            );
        }
    }

    #[test]
    fn half_a_head_is_waited_for() {
        assert_eq!(parse(b"CONNECT example.org:443 HTTP/1.1\r\nHo"), Ok(None));
    }

    #[test]
    fn what_is_no_request_to_a_proxy_is_refused() {
        for text in [
            "GET / HTTP/1.1\r\n\r\n",
            "GET ftp://example.org/ HTTP/1.1\r\n\r\n",
            "GET https://example.org/ HTTP/1.1\r\n\r\n",
            "CONNECT example.org HTTP/1.1\r\n\r\n",
            "CONNECT :443 HTTP/1.1\r\n\r\n",
            "CONNECT user@example.org:443 HTTP/1.1\r\n\r\n",
            "CONNECT [::1:443 HTTP/1.1\r\n\r\n",
            "CONNECT a:b:443 HTTP/1.1\r\n\r\n",
            "CONNECT example.org:99999 HTTP/1.1\r\n\r\n",
            "GET http://user:password@example.org/ HTTP/1.1\r\n\r\n",
            "\x16\x03\x01\x02",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text:?}");
        }
    }
}
