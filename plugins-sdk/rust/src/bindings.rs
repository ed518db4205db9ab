//! What `wit-bindgen` makes of the WIT package.
//!
//! The description of a world travels to the component encoder in custom sections of the linked
//! module. Every section of this crate reaches every plugin, and the encoder demands an
//! implementation for each *export* that it finds described, so no section of ours may hold one:
//! the imports are described by a world without exports, once for all, and each capability by a
//! world of its own whose description stands in its export macro (`pub_export_macro`), that is, in
//! the plugin that invokes it. Imports that are described and never called vanish: the linker drops
//! the bindings, and the encoder describes only what the module imports.
#![allow(
    unsafe_code,
    reason = "the canonical ABI of the component model, as wit-bindgen writes it"
)]
#![allow(
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    clippy::allow_attributes_without_reason,
    reason = "generated code; what an author sees of it carries the documentation of the WIT"
)]

/// All import interfaces.
pub mod imports {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "imports",
        generate_unused_types: true,
    });
}

/// The export of tools.
pub mod tools {
    wit_bindgen::generate!({
        path: "../../wit",
        inline: "package ostler:plugin; world tools { export ostler:host/tools@0.1.0; }",
        pub_export_macro: true,
        export_macro_name: "export_tools_bindings",
    });
}
