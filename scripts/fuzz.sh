#!/bin/sh
# Runs a fuzz target for some seconds, on stable Rust: coverage for libFuzzer comes from flags that stable has. Without
# sanitizers, which need nightly; the crates have no unsafe code of their own, so that panics, overflows, broken
# invariants, time and memory are what is looked for.
#
#     scripts/fuzz.sh CRATE TARGET SECONDS [libFuzzer options…]
#     scripts/fuzz.sh retrace-findings check 60
#
# Words that inputs are made of are in crates/CRATE/fuzz/words.dict, where there are any. New inputs are kept in
# crates/CRATE/fuzz/corpus/TARGET, failing ones in crates/CRATE/fuzz/artifacts/TARGET; neither is committed.
# RETRACE_FUZZ_TARGET_DIR names another directory to build in.
set -eu

[ $# -ge 3 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
crate=$1 target=$2 seconds=$3
shift 3
root=$(cd "$(dirname "$0")/.." && pwd)
fuzz=$root/crates/$crate/fuzz
build=${RETRACE_FUZZ_TARGET_DIR:-$root/target/fuzz}
triple=$(rustc -vV | sed -n 's/^host: //p')

# A target triple is given so that build scripts and macros are not instrumented.
RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 -Cdebug-assertions -Coverflow-checks --cfg fuzzing" \
    cargo build --release --quiet --manifest-path "$fuzz/Cargo.toml" --target "$triple" --target-dir "$build" --bin "$target"

mkdir -p "$fuzz/corpus/$target" "$fuzz/artifacts/$target"
[ ! -f "$fuzz/words.dict" ] || set -- "-dict=$fuzz/words.dict" "$@"
exec "$build/$triple/release/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="$fuzz/artifacts/$target/" "$@" "$fuzz/corpus/$target"
