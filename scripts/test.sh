#!/bin/sh
# Runs every test. Gets what they need: a Rust compiler for WebAssembly, to build the example
# plugins from source, and cargo-nextest.
#
# Arguments go to `cargo nextest run`, such as `scripts/test.sh -E 'test(killed)'`.
set -eu
cd "$(dirname "$0")/.."
tools="${OSTLER_TOOLS:-$HOME/.cache/ostler/tools}"
PATH="$tools/bin:$PATH"
export PATH

command -v cargo-nextest >/dev/null 2>&1 ||
    cargo install cargo-nextest --locked --root "$tools"

# The whole workspace in one selection: another one would compile wasmtime anew, with other
# features of its dependencies.
cargo build --workspace --locked
OSTLER_BIN="${CARGO_TARGET_DIR:-$PWD/target}/debug/ostler"
export OSTLER_BIN

cargo nextest run --workspace --locked "$@"
cargo test --workspace --locked --doc
# Every benchmark once, to see that it runs; `cargo bench` measures.
cargo test --workspace --locked --bench '*'

# The components in the repository are what their sources give.
OSTLER="$OSTLER_BIN" scripts/build-examples.sh --check
