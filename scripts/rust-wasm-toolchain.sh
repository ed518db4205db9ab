#!/bin/sh
# Makes sure that Rust can build for wasm32-unknown-unknown, and prints the environment that such a
# build needs, as shell text:
#
#     (eval "$(scripts/rust-wasm-toolchain.sh)"; cargo build --target wasm32-unknown-unknown)
#
# Where rustup has the target or can add it, nothing is needed and nothing is printed. Else, on
# Debian and its kin for x86-64, a compiler of its own is made from Debian's packages, once, under
# OSTLER_TOOLCHAIN_DIR (default: ~/.cache/ostler/rust-wasm): about 140 MB to load, 480 MB on disk,
# a minute of work. It is for builds for that target only. Messages go to stderr.
set -eu

target=wasm32-unknown-unknown
prefix=${OSTLER_TOOLCHAIN_DIR:-$HOME/.cache/ostler/rust-wasm}
# How many seconds rustup may take; where its host cannot be reached it would try for minutes.
patience=60

say() {
    echo "rust-wasm-toolchain: $*" >&2
}

fail() {
    say "$*"
    say "Rust cannot build for $target here. Try: rustup target add $target"
    exit 1
}

# The folder must hold the standard library; rustc names it even when it is missing.
has_target() {
    libdir=$("${RUSTC:-rustc}" --print target-libdir --target "$target" 2>/dev/null) || return 1
    ls "$libdir"/libstd-*.rlib >/dev/null 2>&1
}

# Runs a command for at most $patience seconds, where `timeout` is there to see to it.
patiently() {
    if command -v timeout >/dev/null; then
        timeout "$patience" "$@"
    else
        "$@"
    fi
}

command -v cargo >/dev/null || fail "there is no cargo; install Rust with rustup first"
if has_target; then
    exit 0
fi
# `env` is written last, so a prefix that has it is complete; rustup could not help when it was made.
if [ -f "$prefix/env" ]; then
    cat "$prefix/env"
    exit 0
fi

# 1. The ordinary way.
if command -v rustup >/dev/null; then
    say "adding $target with rustup"
    if patiently rustup target add "$target" >&2 && has_target; then
        exit 0
    fi
    say "rustup could not add it"
fi

# 2. Debian's compiler and sources.
machine=$(uname -m)
if [ "$machine" != x86_64 ] || ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    fail "the other way needs Debian or its kin on x86-64"
fi

version=1.96
packages="rustc-web libstd-rust-web-$version libstd-rust-web-dev rust-web-src libllvm22"
sysroot=$(rustc --print sysroot)
lld=$sysroot/lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld
[ -x "$lld" ] || fail "there is no rust-lld in $sysroot"

mkdir -p "$(dirname "$prefix")"
prefix=$(cd "$(dirname "$prefix")" && pwd)/$(basename "$prefix")
# All is made aside and renamed at the end. Nothing that is made holds the folder's name: the paths
# of the standard library are remapped, and `env` is written for the final place.
making=$(mktemp -d "$prefix.XXXXXX")
trap 'rm -rf "$making"' EXIT
trap 'exit 1' HUP INT TERM

say "making a compiler from Debian's packages in $prefix"
mkdir "$making/debs"
known() {
    for package in $packages; do
        apt-cache show "$package" >/dev/null 2>&1 || return 1
    done
}
load() {
    # shellcheck disable=SC2086 # a list of packages
    (cd "$making/debs" && apt-get -o APT::Sandbox::User=root download $packages >&2)
}
# Package lists that are missing or old name no package, or one that is no longer there.
if ! { known && load; }; then
    say "reading Debian's package lists"
    apt-get update >&2 || say "they could not be read in full"
    load || fail "Debian's packages could not be loaded: $packages"
fi
for deb in "$making"/debs/*.deb; do
    dpkg-deb -x "$deb" "$making"
done
rm -rf "$making/debs"

# cargo unpacks crates into a folder that must exist before its name can be remapped.
mkdir -p "$making/warm/src"
: >"$making/warm/src/lib.rs"
cat >"$making/warm/Cargo.toml" <<'TOML'
[package]
name = "warm"
version = "0.0.0"
[dependencies]
cfg-if = "1"
[workspace]
TOML
(cd "$making/warm" && cargo fetch --quiet >&2) || fail "cargo could not load a crate"
rm -rf "$making/warm"

# The seed's workspace is the whole prefix: cargo then tells the library's packages by their place
# in it, and the names of symbols do not depend on where it lies.
mkdir "$making/src"
echo 'pub fn seed() -> String { String::new() }' >"$making/src/lib.rs"
cat >"$making/Cargo.toml" <<'TOML'
[package]
name = "seed"
version = "0.0.0"
edition = "2021"
[profile.release]
opt-level = "s"
panic = "abort"
[workspace]
TOML
(
    cd "$making"
    # The sources need the compiler of their own version.
    export RUSTC="$making/usr/bin/rustc"
    export LD_LIBRARY_PATH="$making/usr/lib/x86_64-linux-gnu"
    export RUSTC_BOOTSTRAP=1
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$lld"
    export CARGO_TARGET_DIR="$making/target"
    unset RUSTC_WRAPPER
    # No path of this machine in the bytes. A unit separator stands between two flags, because a
    # path may hold a blank.
    unit=$(printf '\037')
    flags="-Cembed-bitcode=yes$unit--remap-path-prefix=$making=/rustc"
    for crates in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do
        flags="$flags$unit--remap-path-prefix=${crates%/}=/crates"
    done
    export CARGO_ENCODED_RUSTFLAGS="$flags"
    cargo build --quiet --release --target "$target" -Zbuild-std=std,panic_abort >&2
) || fail "the standard library did not build"

library=$making/usr/lib/rustlib/$target/lib
mkdir -p "$library"
cp "$making/target/$target/release/deps/"*.rlib "$library"/
rm -rf "$library"/libseed-* "$making/src" "$making/target" "$making/Cargo.toml" "$making/Cargo.lock"
rm -rf "$making/usr/src" "$making/usr/share" "$making/usr/lib/rustlib/src"

# Quoted for the shell that reads it: a path may hold a blank, or a quote.
quoted() {
    printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"
}
cat >"$making/env" <<ENV
export RUSTC=$(quoted "$prefix/usr/bin/rustc")
export LD_LIBRARY_PATH=$(quoted "$prefix/usr/lib/x86_64-linux-gnu")
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$(quoted "$lld")
ENV
chmod 755 "$making"
# What stands there without `env` is the rest of a set-up that broke off; another that finished
# meanwhile is as good as ours.
if [ ! -f "$prefix/env" ]; then
    rm -rf "$prefix"
    mv "$making" "$prefix"
fi
say "done"
cat "$prefix/env"
