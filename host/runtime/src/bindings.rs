//! Rust types of the WIT interfaces that the host serves itself or calls.
//!
//! Interfaces that are derived and reviewed but not served yet are not named here: they are
//! linked to one untyped stub (see [`crate::link`]).

wasmtime::component::bindgen!({
    path: "../../wit",
    inline: "
        package ostler:runtime-host;
        world served {
            import ostler:host/crypto@0.1.0;
            import ostler:host/log@0.1.0;
            import ostler:host/presence@0.1.0;
            import ostler:host/settings@0.1.0;
            export ostler:host/tools@0.1.0;
            export ostler:host/lifecycle@0.1.0;
        }
    ",
    world: "ostler:runtime-host/served",
    imports: {
        // SQLite is behind it.
        "ostler:host/settings": async | trappable,
        default: trappable,
    },
    exports: { default: async },
});

pub(crate) use exports::ostler::host::{lifecycle, tools};
pub(crate) use ostler::host::{crypto, log, presence, settings};

pub use exports::ostler::host::tools::{Tool, ToolError};
pub use ostler::host::types::{ErrorCode, HostError};
