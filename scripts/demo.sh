#!/bin/sh
# The main job as far as it goes today, in a home that is thrown away: read what a plugin can
# reach, publish it, read the review, accept it, call it.
set -eu
cd "$(dirname "$0")/.."
cargo build --release --locked --workspace --bin ostler
ostler="${CARGO_TARGET_DIR:-$PWD/target}/release/ostler"
OSTLER_HOME=$(mktemp -d)
export OSTLER_HOME
trap 'rm -rf "$OSTLER_HOME"' EXIT

say() {
    printf '\n$ ostler %s\n' "$*"
    "$ostler" "$@"
}

say scan examples/handoff
say publish examples/notebook
say show notebook
access=$("$ostler" show notebook --format json |
    sed -n 's/.*"access_digest": "\(sha256:[0-9a-f]*\)".*/\1/p')
say install notebook --access-digest "$access"
say call notebook add_note --args '{"title": "Milk", "text": "Two litres"}'
say call notebook read_note --args '{"title": "Milk"}'
say doctor
