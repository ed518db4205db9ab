//! Names of imported and exported interfaces, and which versions belong together.

use semver::Version;

/// An interface name taken apart: `ostler:host/todo-write@0.1.3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InterfaceName<'a> {
    /// `ostler:host`
    pub(crate) package: &'a str,
    /// `todo-write`
    pub(crate) interface: &'a str,
    /// `0.1.3`, if there is one and it is a semantic version.
    pub(crate) version: Option<Version>,
}

impl<'a> InterfaceName<'a> {
    /// `None` when the name is not of the form `namespace:package/interface[@version]`, or its
    /// version is no semantic version.
    pub(crate) fn parse(name: &'a str) -> Option<Self> {
        let (path, version) = match name.split_once('@') {
            Some((path, version)) => (path, Some(Version::parse(version).ok()?)),
            None => (name, None),
        };
        let (package, interface) = path.split_once('/')?;
        // Nested names (`a:b/c/d`) are another proposal, and no interface of ours.
        if !package.contains(':') || interface.contains('/') {
            return None;
        }
        Some(Self {
            package,
            interface,
            version,
        })
    }

    /// Whether an import of this version links to a host that provides `host`.
    pub(crate) fn links_to(&self, host: &Version) -> bool {
        self.version
            .as_ref()
            .is_some_and(|wanted| same_track(wanted, host))
    }
}

/// Whether two versions are on one compatibility track, as wasmtime's linker has it: the same
/// non-zero major, or major 0 and the same non-zero minor; else, and for pre-releases, equality.
/// Build metadata does not count.
fn same_track(a: &Version, b: &Version) -> bool {
    if !a.pre.is_empty() || !b.pre.is_empty() {
        return a == b;
    }
    match (a.major, a.minor) {
        (0, 0) => (b.major, b.minor, b.patch) == (0, 0, a.patch),
        (0, minor) => (b.major, b.minor) == (0, minor),
        (major, _) => b.major == major,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_on_one_track_link_and_others_do_not() {
        let cases = [
            ("0.1.0", "0.1.0", true),
            ("0.1.99", "0.1.0", true),
            ("0.1.0+build.7", "0.1.0", true),
            ("0.2.0", "0.1.0", false),
            ("1.0.0", "0.1.0", false),
            ("0.1.0-rc.1", "0.1.0", false),
            ("0.0.1", "0.0.1", true),
            ("0.0.2", "0.0.1", false),
            ("1.9.7", "1.0.0", true),
            ("2.0.0", "1.0.0", false),
        ];
        for (wanted, host, links) in cases {
            let name = format!("ostler:host/log@{wanted}");
            let name = InterfaceName::parse(&name).unwrap();
            assert_eq!(
                name.links_to(&host.parse().unwrap()),
                links,
                "{wanted} against {host}"
            );
        }
    }

    #[test]
    fn names_of_other_forms_are_not_interfaces() {
        for name in [
            "log",
            "ostler:host",
            "host/log",
            "a:b/c/d@1.0.0",
            "ostler:host/log@1",
        ] {
            assert_eq!(InterfaceName::parse(name), None, "{name}");
        }
    }

    #[test]
    fn an_unversioned_interface_links_to_nothing() {
        let name = InterfaceName::parse("ostler:host/log").unwrap();
        assert!(!name.links_to(&Version::new(0, 1, 0)));
    }
}
