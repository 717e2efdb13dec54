#!/usr/bin/env bash
# Builds the fuzz targets with coverage and runs each for some seconds; tells how many executions each
# had. What breaks a target stays in fuzz/artifacts, what was found on the way in fuzz/found.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"
seconds=${1:-60}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(model_file csv arff parquet notation fit_predict)
host=$(rustc -vV | sed -n 's/^host: //p')
coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
coverage+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
coverage+=" --cfg fuzzing -Ccodegen-units=1"
# Named target: build scripts then are built without coverage. Only the target that reads Parquet has
# the code for it, all of it with coverage.
program() {
    if [ "$1" = parquet ]; then echo "target/all/$host/release/$1"; else echo "target/$host/release/$1"; fi
}
for target in "${targets[@]}"; do
    if [ "$target" = parquet ]; then
        RUSTFLAGS="$coverage" cargo build --release --target "$host" --target-dir target/all \
            --features parquet --bin parquet
    else
        RUSTC_WRAPPER=../scripts/fuzz_rustc.sh TERNWOOD_COVERAGE="$coverage" \
            cargo build --release --target "$host" --bin "$target"
    fi
done
for target in "${targets[@]}"; do
    mkdir -p "found/$target" "artifacts/$target"
    seeds=("corpus/$target")
    # Comparisons are not traced (that makes CSV twenty times as slow), so words are given.
    words=()
    [ -f "words/$target" ] && words=(-dict="words/$target")
    [ "$target" = model_file ] && seeds+=(../testdata/models/v1 ../testdata/models/v1/forests)
    log="found/$target.log"
    # Readers are bounded by what they are given: more memory or time than this is a finding.
    "$(program "$target")" "found/$target" "${seeds[@]}" -max_total_time="$seconds" \
        -rss_limit_mb=2048 -timeout=20 -max_len=16384 -print_final_stats=1 "${words[@]}" \
        -artifact_prefix="artifacts/$target/" >"$log" 2>&1 || {
        tail -40 "$log"
        exit 1
    }
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    coverage=$(grep -oE 'cov: [0-9]+' "$log" | tail -1)
    printf '%-12s %10s executions, %s\n' "$target" "$executions" "$coverage"
done
