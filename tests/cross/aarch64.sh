#!/bin/bash
# aarch64.sh FOLDER: builds the tests for 64-bit Arm in FOLDER, and runs them in QEMU. See README.md.
set -uo pipefail
here=$(dirname "$(realpath "$0")")
source=$(realpath "$here/../..")
folder=$(realpath -m "${1:?aarch64.sh FOLDER}")
command=$source/build/bin/armature
[ -x "$command" ] || { echo "aarch64.sh: no native command, run ./dev build first" >&2; exit 2; }
for tool in aarch64-linux-gnu-g++ qemu-aarch64 cmake ninja; do
  command -v "$tool" >/dev/null || { echo "aarch64.sh: $tool is not installed" >&2; exit 2; }
done

sysroot=$folder/sysroot
build=$folder/build
[ -e "$sysroot/.complete" ] || "$here/sysroot.sh" "$sysroot" || exit 2
[ -e "$build/build.ninja" ] ||
  cmake -S "$source" -B "$build" -G Ninja "-DCMAKE_TOOLCHAIN_FILE=$here/aarch64.cmake" "-DARMATURE_SYSROOT=$sysroot" \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_UNITY_BUILD=ON -DARMATURE_WERROR=ON || exit 2
ninja -C "$build" bin/unit_tests bin/conformance bin/conformance_c bin/examples/ring || exit 2

failed=0
# The emulator keeps a record of each page of an area. A process that reserves addresses for all segments that may come,
# 32 TiB, would make it use 24 GB. Within this limit the reservation is refused, and the process goes on without.
emulated=(bash -c 'ulimit -v 134217728 && exec "$@"' -
  timeout 1200 qemu-aarch64 -L "$sysroot" -E "LD_LIBRARY_PATH=$build/lib")
check() {  # NAME COMMAND...
  local name=$1 log=$folder/$1.log
  shift
  if "$@" >"$log" 2>&1; then
    echo "passed: $name"
  else
    echo "FAILED ($?): $name, see $log"
    failed=1
  fi
}

# Tests that the emulator cannot run: README.md names the system calls.
cannot=$(sed 's/#.*//; /^[[:space:]]*$/d' "$here/emulator_lacks.txt" | awk '{print $1}' | paste -sd:)
units=("${emulated[@]}" -E ARMATURE_SEGMENT_SIZE=268435456 "$build/bin/unit_tests")
unit_suites() { "${units[@]}" --gtest_list_tests | awk '/^[^ ]/ {suite = $1} /^  / {print suite}' | sort -u; }
while read -r suite; do check "unit.${suite//\//_}" "${units[@]}" --gtest_filter="$suite*-$cannot"; done < <(unit_suites)
# Segments of a moderate size: the emulator keeps a record of each of their pages.
run() { local ranks=$1; shift; "$command" run --segment-size 8589934592 -n "$ranks" "$@"; }
conformance=("${emulated[@]}" "$build/bin/conformance" --gtest_filter="-$cannot")
for ranks in 1 2 4; do
  check "conformance.n$ranks" run $ranks "${conformance[@]}"
  check "conformance_c.n$ranks" run $ranks "${emulated[@]}" "$build/bin/conformance_c"
done
check conformance.threads.n4 run 4 --threads 4 "${conformance[@]}"
ring=("${emulated[@]}" "$build/bin/examples/ring")
check ring.n4 run 4 "${ring[@]}"
check ring.threads.n4 run 4 --threads 2 "${ring[@]}"
check ring.virtual.n4.p2 run 4 --virtual --processes 2 "${ring[@]}"
check ring.nodes3.n3 run 3 --nodes 3 "${ring[@]}"
exit $failed
