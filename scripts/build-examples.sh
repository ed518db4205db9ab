#!/bin/sh
# Builds the example plugins' components, which stand in the repository so that Ostler runs without
# a compiler for them.
#
#     scripts/build-examples.sh            writes each component, and what built it beside it
#     scripts/build-examples.sh --check    writes nothing, and fails when a component is not what
#                                          its source gives
#
# The same compiler must give the same bytes. Another compiler gives others; then both components
# must be able to do the same: import the same members and ask for the same access.
#
# OSTLER is the binary to build with (default: the one under target), OSTLER_GUEST_TARGET cargo's
# target folder for plugins (default: ~/.cache/ostler/guests).
set -eu

fail() {
    echo "build-examples: $*" >&2
    exit 1
}

case "$*" in
"") check=false ;;
--check) check=true ;;
*)
    echo "usage: $0 [--check]" >&2
    exit 2
    ;;
esac

root=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${OSTLER:-}" ]; then
    for profile in release debug; do
        OSTLER=${CARGO_TARGET_DIR:-$root/target}/$profile/ostler
        [ ! -x "$OSTLER" ] || break
    done
fi
ostler=$(command -v "$OSTLER") || fail "there is no $OSTLER; run \`cargo build -p ostler\`, or set OSTLER"
guests=${OSTLER_GUEST_TARGET:-$HOME/.cache/ostler/guests}

toolchain=$("$root/scripts/rust-wasm-toolchain.sh") || exit 1

# The recorded bytes belong to the recorded versions of their dependencies.
if $check; then
    (cd "$root/examples" && cargo metadata --locked --format-version 1 >/dev/null) ||
        fail "examples/Cargo.lock is not what the manifests need"
fi

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
trap 'exit 1' HUP INT TERM

# build FOLDER FILE: builds the component and prints what `ostler build` tells, as JSON.
build() {
    (
        eval "$toolchain"
        # The committed bytes were made without flags of anybody's own.
        unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
        CARGO_TARGET_DIR=$guests "$ostler" build "$1" --output "$2" --format json
    )
}

# field NAME: the value of a text field of the JSON, or of the TOML, on stdin.
field() {
    sed -n "s/.*\"\{0,1\}$1\"\{0,1\} *[:=] *\"\(sha256:\)\{0,1\}\([^\"]*\)\".*/\2/p" | sed 1q
}

# members COMPONENT: what it imports, as members, one a line. A compiler may reach a member by
# another path, so the evidence is left out.
members() {
    "$ostler" scan "$1" --format json >"$made/scan" || fail "$1 does not scan"
    grep -o '"member": *"[^"]*"' "$made/scan" | sort
}

# covered A B: fails when B asks for more than A.
covered() {
    "$ostler" diff "$1" "$2" >"$made/diff" || {
        cat "$made/diff" >&2
        fail "$name: the component and its source do not ask for the same; run $0"
    }
}

for manifest in "$root"/examples/*/ostler.toml; do
    folder=$(dirname "$manifest")
    name=$(basename "$folder")
    component=$folder/$name.wasm
    record=$component.build
    if ! $check; then
        build "$folder" "$component" >"$made/built"
        rustc=$(field rustc <"$made/built")
        printf 'rustc = "%s"\nsha256 = "%s"\n' "$rustc" "$(field digest <"$made/built")" >"$record"
        echo "$name: built with $rustc"
        continue
    fi

    for file in "$component" "$record"; do
        [ -f "$file" ] || fail "$name: there is no $file; run $0"
    done
    "$ostler" scan "$component" --format json >"$made/scan" || fail "$component does not scan"
    [ "$(field digest <"$made/scan")" = "$(field sha256 <"$record")" ] ||
        fail "$name: $record tells of another component; run $0"
    build "$folder" "$made/$name.wasm" >"$made/built"
    rustc=$(field rustc <"$made/built")
    if [ "$rustc" = "$(field rustc <"$record")" ]; then
        cmp "$component" "$made/$name.wasm" >&2 ||
            fail "$name: the component is not what its source gives; run $0"
        echo "$name: the same bytes, with $rustc"
    else
        covered "$component" "$made/$name.wasm"
        covered "$made/$name.wasm" "$component"
        members "$component" >"$made/committed"
        members "$made/$name.wasm" >"$made/rebuilt"
        diff "$made/committed" "$made/rebuilt" >&2 ||
            fail "$name: the component and its source do not import the same; run $0"
        echo "$name: the same imports and access; $rustc is not the compiler that built it"
    fi
done
