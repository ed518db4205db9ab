//! Which WASI interfaces a component may import, and what they mean.
//!
//! Language runtimes import WASI for things as small as formatting a number, so most of it is
//! inert: linked to something harmless, and no permission. What reaches further is a member
//! like any other, or refused.

use super::names::InterfaceName;

/// What an imported WASI interface means to the scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wasi {
    /// Linked to something harmless; derives nothing.
    Inert,
    /// Its functions send HTTP requests: the member `fetch`.
    Fetch,
    /// Linked to stubs that always refuse; derives nothing, but is worth a note.
    Refusing,
    /// Not taken.
    Unsupported,
}

/// The interfaces of `wasi:cli` that have an inert meaning; `run` and `command` are exports.
const CLI: &[&str] = &[
    "environment",
    "exit",
    "stderr",
    "stdin",
    "stdout",
    "terminal-input",
    "terminal-output",
    "terminal-stderr",
    "terminal-stdin",
    "terminal-stdout",
];

/// Classifies an interface whose package starts with `wasi:`.
pub(crate) fn classify(name: &InterfaceName<'_>) -> Wasi {
    // The host speaks WASI 0.2. Later releases of the track add interfaces, never meanings.
    let is_track_0_2 = name
        .version
        .as_ref()
        .is_some_and(|v| (v.major, v.minor) == (0, 2) && v.pre.is_empty());
    if !is_track_0_2 {
        return Wasi::Unsupported;
    }
    match (name.package, name.interface) {
        ("wasi:cli", interface) if CLI.contains(&interface) => Wasi::Inert,
        ("wasi:clocks", "monotonic-clock" | "wall-clock") => Wasi::Inert,
        ("wasi:random", "random" | "insecure" | "insecure-seed") => Wasi::Inert,
        ("wasi:io", "error" | "poll" | "streams") => Wasi::Inert,
        ("wasi:filesystem", "types" | "preopens") => Wasi::Inert,
        // Types alone send nothing; the handler does.
        ("wasi:http", "types") => Wasi::Inert,
        ("wasi:http", "outgoing-handler") => Wasi::Fetch,
        (
            "wasi:sockets",
            "instance-network" | "ip-name-lookup" | "network" | "tcp" | "tcp-create-socket" | "udp"
            | "udp-create-socket",
        ) => Wasi::Refusing,
        _ => Wasi::Unsupported,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_interface_has_its_meaning() {
        let cases = [
            ("wasi:cli/environment@0.2.6", Wasi::Inert),
            ("wasi:cli/run@0.2.6", Wasi::Unsupported),
            ("wasi:clocks/wall-clock@0.2.0", Wasi::Inert),
            ("wasi:filesystem/preopens@0.2.6", Wasi::Inert),
            ("wasi:http/types@0.2.4", Wasi::Inert),
            ("wasi:http/outgoing-handler@0.2.4", Wasi::Fetch),
            ("wasi:http/incoming-handler@0.2.4", Wasi::Unsupported),
            ("wasi:sockets/tcp@0.2.0", Wasi::Refusing),
            ("wasi:keyvalue/store@0.2.0", Wasi::Unsupported),
            ("wasi:cli/environment@0.3.0", Wasi::Unsupported),
            (
                "wasi:cli/environment@0.2.0-rc-2023-11-10",
                Wasi::Unsupported,
            ),
            ("wasi:cli/environment", Wasi::Unsupported),
        ];
        for (name, expected) in cases {
            let parsed = InterfaceName::parse(name).unwrap();
            assert_eq!(classify(&parsed), expected, "{name}");
        }
    }
}
