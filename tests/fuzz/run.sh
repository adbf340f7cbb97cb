#!/bin/sh
# run.sh BUILD TARGET SECONDS: fuzzes one target and prints the result. New and smaller inputs are kept in
# BUILD/fuzz/grown/TARGET, inputs that break the contract in BUILD/fuzz/broken.
set -eu
build=$(cd "$1" && pwd)
target=$2
seconds=$3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$build/fuzz/grown/$target" "$build/fuzz/broken" "$build/fuzz/log"
log=$build/fuzz/log/$target.log
words=
[ -f "$here/dictionaries/$target.dict" ] && words=-dict=$here/dictionaries/$target.dict
# A reader that takes more than 10 s is a bug, and so is an input that needs 2 GiB.
status=0
# shellcheck disable=SC2086  # an empty value must give no argument
ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=0 \
  "$build/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=1024 \
  -use_value_profile=1 -print_final_stats=1 \
  -artifact_prefix="$build/fuzz/broken/$target-" $words \
  "$build/fuzz/grown/$target" "$here/corpus/$target" >"$log" 2>&1 || status=$?
executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
memory=$(sed -n 's/^stat::peak_rss_mb: *//p' "$log")
# The second line of `times` is the children's CPU time; on a busy machine it is less than the given time.
times >"$log.times"
cpu=$(sed -n '2s/ .*//p' "$log.times")
printf '%-14s %5s s, %9s of CPU %10s runs %6s edges %5s MB %s\n' "$target" "$seconds" "$cpu" "${executed:-?}" "${coverage:-?}" \
  "${memory:-?}" "$([ "$status" -eq 0 ] && echo good || echo "BROKEN: $log")"
exit "$status"
