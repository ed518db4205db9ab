//! The members that the runtime serves itself, one file per group, named as its WIT file.

mod crypto;
mod log;
mod presence;
mod settings;

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

/// The interfaces that the runtime serves. All others of the table answer `unsupported`.
pub(crate) const SERVED: &[Served] = &[
    Served {
        interface: "crypto",
        link: |linker| bindings::crypto::add_to_linker::<_, HasSelf<State>>(linker, |state| state),
    },
    Served {
        interface: "log",
        link: |linker| bindings::log::add_to_linker::<_, HasSelf<State>>(linker, |state| state),
    },
    Served {
        interface: "presence",
        link: |linker| {
            bindings::presence::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
        },
    },
    Served {
        interface: "settings",
        link: |linker| {
            bindings::settings::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
        },
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
