#!/bin/sh
# Runs every test. Gets what they need: a Rust compiler for WebAssembly, to build the example
# plugins from source, cargo-nextest, and Chromium for the pages.
#
# `OSTLER_DISCORD_OPENAPI` names Discord's OpenAPI description (discord/discord-api-spec,
# specs/openapi.json); without it the tests that hold requests and answers against it are left out.
#
# Arguments go to `cargo nextest run`, such as `scripts/test.sh -E 'test(killed)'`.
set -eu
cd "$(dirname "$0")/.."
tools="${OSTLER_TOOLS:-$HOME/.cache/ostler/tools}"
PATH="$tools/bin:$PATH"
export PATH

command -v cargo-nextest >/dev/null 2>&1 ||
    cargo install cargo-nextest --locked --root "$tools"

scripts/browser.sh

# The whole workspace in one selection, tests included: another one would compile wasmtime anew,
# with other features of its dependencies. The failpoints are where tests kill the host.
selection="--workspace --locked --features ostler/failpoints"
# shellcheck disable=SC2086 # words, on purpose
cargo build $selection --tests --bins
OSTLER_BIN="${CARGO_TARGET_DIR:-$PWD/target}/debug/ostler"
export OSTLER_BIN

# shellcheck disable=SC2086
cargo nextest run $selection "$@"
# shellcheck disable=SC2086
cargo test $selection --doc
# Every benchmark once, to see that it runs; `cargo bench` measures.
# shellcheck disable=SC2086
cargo test $selection --bench '*'

# The components in the repository are what their sources give.
OSTLER="$OSTLER_BIN" scripts/build-examples.sh --check
