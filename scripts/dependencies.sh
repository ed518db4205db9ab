#!/bin/sh
# Checks licences, sources and bans of every dependency, and advisories where their database can
# be reached; versions that are known to be bad are banned in deny.toml as well.
set -eu
cd "$(dirname "$0")/.."
tools="${OSTLER_TOOLS:-$HOME/.cache/ostler/tools}"

if ! command -v cargo-deny >/dev/null 2>&1; then
    PATH="$tools/bin:$PATH"
    command -v cargo-deny >/dev/null 2>&1 ||
        cargo install cargo-deny --version 0.20.2 --locked --root "$tools"
fi

cargo deny --locked check bans licenses sources

if timeout 60 cargo deny --locked fetch db >/dev/null 2>&1; then
    cargo deny --locked check advisories
else
    echo "dependencies: the advisory database cannot be reached; bans by version were checked"
fi
