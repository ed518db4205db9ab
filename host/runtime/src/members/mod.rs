//! The members that the runtime serves itself, one file per group, named as its WIT file.

mod crypto;
mod log;
mod origin;
mod presence;
mod session;
mod settings;
mod threads;

use wasmtime::component::{HasSelf, Linker};

use crate::bindings;
use crate::state::State;

/// A host implementation of one WIT interface.
pub(crate) struct Served {
    /// The interface's own name, such as `settings`.
    pub(crate) interface: &'static str,
    /// Puts every function of the interface into a linker.
    pub(crate) link: fn(&mut Linker<State>) -> wasmtime::Result<()>,
}

/// The interfaces that are served: by the runtime itself, or through it by the running host
/// ([`crate::Platform`]). All others of the table answer `unsupported`.
pub(crate) const SERVED: &[Served] = &[
    Served {
        interface: "conversation",
        link: |linker| {
            bindings::conversation::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
        },
    },
    Served {
        interface: "crypto",
        link: |linker| bindings::crypto::add_to_linker::<_, HasSelf<State>>(linker, |state| state),
    },
    Served {
        interface: "gateway",
        link: |linker| bindings::gateway::add_to_linker::<_, HasSelf<State>>(linker, |state| state),
    },
    Served {
        interface: "log",
        link: |linker| bindings::log::add_to_linker::<_, HasSelf<State>>(linker, |state| state),
    },
    Served {
        interface: "message",
        link: |linker| bindings::message::add_to_linker::<_, HasSelf<State>>(linker, |state| state),
    },
    Served {
        interface: "origin",
        link: |linker| bindings::origin::add_to_linker::<_, HasSelf<State>>(linker, |state| state),
    },
    Served {
        interface: "presence",
        link: |linker| {
            bindings::presence::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
        },
    },
    Served {
        interface: "session",
        link: |linker| bindings::session::add_to_linker::<_, HasSelf<State>>(linker, |state| state),
    },
    Served {
        interface: "settings",
        link: |linker| {
            bindings::settings::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
        },
    },
    Served {
        interface: "threads",
        link: |linker| bindings::threads::add_to_linker::<_, HasSelf<State>>(linker, |state| state),
    },
];

/// The id of a member named in this folder, looked up once.
macro_rules! member_id {
    ($path:literal) => {{
        static ID: std::sync::LazyLock<crate::member_set::MemberId> =
            std::sync::LazyLock::new(|| {
                #[allow(clippy::expect_used, reason = "a test calls every served member")]
                crate::member_set::MemberId::of($path).expect("the path is in the members' table")
            });
        *ID
    }};
}
pub(crate) use member_id;

/// Begins a host call, or answers it with the refusal.
macro_rules! enter {
    ($state:expr, $path:literal) => {
        if let Err(refusal) = $state.enter(crate::members::member_id!($path))? {
            return Ok(Err(refusal));
        }
    };
}
pub(crate) use enter;
