//! Nothing. See `Cargo.toml` for why it stands here.
