//! Egress entries: which hosts a plugin may reach.
//!
//! | entry | allows |
//! |---|---|
//! | `api.example.com` | this host, on port 443 |
//! | `api.example.com:8443` | this host, on this port alone |
//! | `*.example.com` | every name below `example.com`, at any depth, not the name itself |
//!
//! Refused: schemes, paths, user names, a bare `*`, a `*` anywhere but as the whole first label,
//! a wildcard right below a public suffix (`*.com`, `*.github.io`), IP addresses in any
//! spelling, and names that are not in their ASCII form.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The port of an entry that names none.
const HTTPS_PORT: u16 = 443;

/// One egress entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EgressHost {
    /// Lower case, without the leading `*.`.
    name: String,
    is_wildcard: bool,
    port: u16,
}

/// Why a text is no egress entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{entry}` is no egress host: {reason}")]
pub struct EgressError {
    /// The text.
    pub entry: String,
    /// What is wrong with it, as the end of a sentence.
    pub reason: &'static str,
}

impl EgressHost {
    /// Whether everything that `other` allows is allowed by `self`.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.port == other.port
            && match (self.is_wildcard, other.is_wildcard) {
                (false, false) => self.name == other.name,
                (false, true) => false,
                (true, false) => other.is_below(&self.name),
                (true, true) => self.name == other.name || other.is_below(&self.name),
            }
    }

    fn is_below(&self, parent: &str) -> bool {
        self.name
            .strip_suffix(parent)
            .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
    }
}

impl FromStr for EgressHost {
    type Err = EgressError;

    fn from_str(entry: &str) -> Result<Self, EgressError> {
        parse(entry).map_err(|reason| EgressError {
            entry: entry.to_owned(),
            reason,
        })
    }
}

fn parse(entry: &str) -> Result<EgressHost, &'static str> {
    if entry.is_empty() {
        return Err("it is empty");
    }
    if entry.contains("://") {
        return Err("write the host alone, without a scheme");
    }
    if entry.contains(['/', '?', '#']) {
        return Err("write the host alone, without a path");
    }
    if entry.contains('@') {
        return Err("write the host alone, without a user name");
    }
    if entry.starts_with('[') || entry.matches(':').count() > 1 {
        return Err("IP addresses are not accepted; name the host");
    }
    let (host, port) = match entry.split_once(':') {
        Some((host, port)) => (host, parse_port(port)?),
        None => (entry, HTTPS_PORT),
    };
    let (is_wildcard, name) = match host.strip_prefix("*.") {
        Some(name) => (true, name),
        None => (false, host),
    };
    if host == "*" {
        return Err("a bare `*` would allow every host");
    }
    if name.contains('*') {
        return Err("a `*` may only stand as the whole first label");
    }
    check_name(name)?;
    if is_wildcard && is_right_below_a_public_suffix(name) {
        return Err("a wildcard may not stand right below a public suffix");
    }
    Ok(EgressHost {
        name: name.to_owned(),
        is_wildcard,
        port,
    })
}

/// Whether names right below `name` are registered by anyone: it is a public suffix itself, or all
/// names below it are (the list's rules of the form `*.compute.amazonaws.com`).
fn is_right_below_a_public_suffix(name: &str) -> bool {
    let below = format!("a.{name}");
    psl::suffix_str(name) == Some(name) || psl::suffix_str(&below) == Some(&below)
}

fn parse_port(port: &str) -> Result<u16, &'static str> {
    // `u16::from_str` takes a leading plus sign.
    let is_digits = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    match port.parse() {
        Ok(port) if is_digits && port != 0 => Ok(port),
        _ => Err("the port is a number from 1 to 65535"),
    }
}

/// Host names as RFC 1123 has them, in lower case.
fn check_name(name: &str) -> Result<(), &'static str> {
    if !name.is_ascii() {
        return Err("write the name in its ASCII form (`xn--…`)");
    }
    if name.bytes().any(|b| b.is_ascii_uppercase()) {
        return Err("write the name in lower case");
    }
    if name.len() > 253 {
        return Err("a host name has at most 253 characters");
    }
    for label in name.split('.') {
        let is_label = (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-');
        if !is_label {
            return Err("it is not a host name");
        }
    }
    // URL parsers take a name whose last label is a number for an IPv4 address, in decimal,
    // octal or hexadecimal (WHATWG URL, section 3.5, "ends in a number").
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_number = last.bytes().all(|b| b.is_ascii_digit())
        || last
            .strip_prefix("0x")
            .is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    if is_number {
        return Err("IP addresses are not accepted; name the host");
    }
    Ok(())
}

impl fmt::Display for EgressHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_wildcard {
            f.write_str("*.")?;
        }
        f.write_str(&self.name)?;
        if self.port == HTTPS_PORT {
            Ok(())
        } else {
            write!(f, ":{}", self.port)
        }
    }
}

impl Serialize for EgressHost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A set of entries in which none covers another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct EgressSet(BTreeSet<EgressHost>);

impl EgressSet {
    /// The entries, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &EgressHost> {
        self.0.iter()
    }

    /// Whether no host may be reached.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one entry allows all that `host` does.
    #[must_use]
    pub fn covers_host(&self, host: &EgressHost) -> bool {
        self.0.iter().any(|entry| entry.covers(host))
    }

    /// Whether everything that `other` allows is allowed by `self`. Hosts that only several
    /// entries together would cover count as not covered.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.not_covering(other).next().is_none()
    }

    /// The entries of `other` that `self` does not cover.
    pub fn not_covering<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a EgressHost> {
        other.iter().filter(|host| !self.covers_host(host))
    }
}

impl FromIterator<EgressHost> for EgressSet {
    fn from_iter<T: IntoIterator<Item = EgressHost>>(entries: T) -> Self {
        let mut set = BTreeSet::new();
        for entry in entries {
            if !set.iter().any(|kept: &EgressHost| kept.covers(&entry)) {
                set.retain(|kept| !entry.covers(kept));
                set.insert(entry);
            }
        }
        Self(set)
    }
}

impl<'de> Deserialize<'de> for EgressSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<String>::deserialize(deserializer)?
            .iter()
            .map(|entry| {
                entry
                    .parse::<EgressHost>()
                    .map_err(serde::de::Error::custom)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(entry: &str) -> EgressHost {
        entry.parse().unwrap()
    }

    #[test]
    fn accepted_entries_print_as_they_were_written() {
        for entry in [
            "api.example.com",
            "*.example.com",
            "api.example.com:8443",
            "*.example.co.uk",
            "localhost",
            "xn--bcher-kva.example",
            "a-b.c1.example",
        ] {
            assert_eq!(host(entry).to_string(), entry);
        }
        assert_eq!(host("api.example.com:443").to_string(), "api.example.com");
    }

    #[test]
    fn other_entries_are_refused_with_a_reason() {
        for (entry, part) in [
            ("", "empty"),
            ("https://api.example.com", "scheme"),
            ("api.example.com/v1", "path"),
            ("api.example.com?x", "path"),
            ("me@example.com", "user name"),
            ("*", "every host"),
            ("a.*.example.com", "first label"),
            ("*a.example.com", "first label"),
            ("*.com", "public suffix"),
            ("*.co.uk", "public suffix"),
            ("*.github.io", "public suffix"),
            ("*.compute.amazonaws.com", "public suffix"),
            ("*.kawasaki.jp", "public suffix"),
            ("*.sch.uk", "public suffix"),
            ("127.0.0.1", "IP addresses"),
            ("*.0.0.1", "IP addresses"),
            ("2130706433", "IP addresses"),
            ("0x7f000001", "IP addresses"),
            ("0x7f.1", "IP addresses"),
            ("0177.0.0.01", "IP addresses"),
            ("[::1]", "IP addresses"),
            ("::1", "IP addresses"),
            ("example.com.", "not a host name"),
            (".example.com", "not a host name"),
            ("a..b", "not a host name"),
            ("-a.example", "not a host name"),
            ("a_b.example", "not a host name"),
            ("exa mple.com", "not a host name"),
            ("Example.com", "lower case"),
            ("bücher.example", "ASCII"),
            ("example.com:0", "port"),
            ("example.com:65536", "port"),
            ("example.com:+80", "port"),
            ("example.com:", "port"),
        ] {
            let error = entry.parse::<EgressHost>().unwrap_err();
            assert!(error.reason.contains(part), "{entry}: {}", error.reason);
        }
    }

    #[test]
    fn a_wildcard_covers_names_below_it_and_not_itself() {
        let wildcard = host("*.example.com");
        assert!(wildcard.covers(&host("a.example.com")));
        assert!(wildcard.covers(&host("a.b.example.com")));
        assert!(wildcard.covers(&host("*.b.example.com")));
        assert!(wildcard.covers(&wildcard));
        for other in [
            "example.com",
            "badexample.com",
            "a.example.com:8443",
            "*.com.example",
        ] {
            assert!(!wildcard.covers(&host(other)), "{other}");
        }
        assert!(!host("a.example.com").covers(&host("*.a.example.com")));
    }

    #[test]
    fn a_set_keeps_no_entry_that_another_covers() {
        let set: EgressSet = [
            "a.example.com",
            "*.example.com",
            "example.com",
            "*.b.example.com",
        ]
        .map(host)
        .into_iter()
        .collect();
        let entries: Vec<_> = set.iter().map(ToString::to_string).collect();
        assert_eq!(entries, ["example.com", "*.example.com"]);
    }
}
