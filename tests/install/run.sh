#!/bin/bash
# run.sh BUILD CC CXX: an installed copy serves programs outside the tree: found by CMake, found by
# pkg-config, C++ and C, shared and static, run by the installed command, also after a move.
set -euo pipefail
build=$1
export CC=$2 CXX=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step() { printf -- '-- %s\n' "$*"; }

step "install"
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"  # nothing may remember where it was installed
prefix=$work/prefix
for file in bin/armature bin/armature-c++ lib/libarmature.so lib/libarmature.a lib/libarmci.so lib/libarmci.a lib/libarmci-static.a lib/libarmci-virtual.a \
  lib/libarmature-shmem.so lib/libarmature-shmem.a lib/libarmature-shmem-virtual.a lib/armature-shmem/bin/oshcc \
  lib/armature-shmem/bin/oshfort include/armature-shmem/shmem.h include/armature-shmem/mpp/shmem.h \
  include/armature-shmem/shmem.fh include/armature-shmem/mpp/shmem.fh \
  include/armature-shmem/shmem_routines.h lib/pkgconfig/armature-shmem.pc \
  lib/libarmature-caf.so lib/libarmature-caf.a lib/libarmature-caf-main.a lib/armature-caf/bin/caf lib/armature-caf/bin/cafrun \
  lib/pkgconfig/armature-caf.pc lib/pkgconfig/armature-arrays.pc lib/libarmature-arrays.so \
  include/armature-arrays/armature_arrays.h include/armature-arrays/armature_arrays.f90 include/armature/armature.hpp include/armci.h include/message.h include/armcix.h include/mp3.h share/armature/valgrind.supp \
  share/man/man1/armature.1 share/man/man1/armature-run.1 share/bash-completion/completions/armature \
  share/zsh/site-functions/_armature; do
  [ -e "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done

for built in "$build"/lib/libarmci-*.so; do  # for each MPI that is there
  [ -e "$built" ] || continue
  for file in "lib/$(basename "$built")" "lib/$(basename "$built" .so).a" "lib/$(basename "$built" .so)-static.a" "lib/pkgconfig/$(basename "$built" .so | sed s/^lib//).pc"; do
    [ -e "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
  done
done

expect_two_ranks() {
  local output
  output=$("$prefix/bin/armature" run -n 2 --timeout 30 "$1")
  [ "$(grep -c 'agrees' <<<"$output")" = 2 ] || { echo "$1 said: $output"; exit 1; }
}

step "find_package(armature)"
cp -r "$here/consumer" "$work/consumer"
cmake -S "$work/consumer" -B "$work/consumer/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/consumer/build" >/dev/null
for program in consumer consumer_static consumer_armci consumer_armci_static; do
  expect_two_ranks "$work/consumer/build/$program"
done

# A frame that is larger than what guards a stack does not skip that.
grep -rqs -- "-fstack-clash-protection" "$work"/consumer/build/CMakeFiles/consumer.dir ||
  grep -qs -- "-fstack-clash-protection" "$work/consumer/build/build.ninja" ||
  { echo "find_package(armature) does not probe stacks"; exit 1; }

step "pkg-config"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
for package in armature armci armci-virtual armature-shmem armature-caf armature-arrays; do
  pkg-config --cflags "$package" | grep -q -- -fstack-clash-protection || { echo "$package does not probe stacks"; exit 1; }
done
# shellcheck disable=SC2046
"$CXX" -std=c++20 "$here/consumer/consumer.cpp" -o "$work/by_pkg_config" \
  $(pkg-config --cflags --libs armature)
# shellcheck disable=SC2046
"$CC" -std=c11 "$here/consumer/consumer.c" -o "$work/armci_by_pkg_config" \
  $(pkg-config --cflags --libs armci)
"$prefix/bin/armature-c++" -O1 "$here/consumer/consumer.cpp" -o "$work/by_wrapper"
"$prefix/bin/armature-c++" --static "$here/consumer/consumer.cpp" -o "$work/by_wrapper_static"
expect_two_ranks "$work/by_wrapper"
expect_two_ranks "$work/by_wrapper_static"
if readelf -d "$work/by_wrapper_static" | grep -q libarmature; then
  echo "armature-c++ --static gave a program that needs the shared library"
  exit 1
fi
expect_two_ranks "$work/by_pkg_config"
expect_two_ranks "$work/armci_by_pkg_config"
"$prefix/lib/armature-shmem/bin/oshcc" "$here/../../examples/shmem_ring.c" -o "$work/by_oshcc"
# shellcheck disable=SC2046
"$CC" -std=c11 "$here/../../examples/shmem_ring.c" -o "$work/shmem_by_pkg_config" \
  $(pkg-config --cflags --libs armature-shmem)
for program in by_oshcc shmem_by_pkg_config; do
  "$prefix/lib/armature-shmem/bin/oshrun" -n 2 --timeout 30 "$work/$program" | grep -q "went round 2 PEs" ||
    { echo "$program failed"; exit 1; }
done

if command -v gfortran >/dev/null; then
  step "coarrays"
  "$prefix/lib/armature-caf/bin/caf" "$here/../../examples/caf_heat.f90" -o "$work/by_caf"
  # shellcheck disable=SC2046
  gfortran "$here/../../examples/caf_heat.f90" -o "$work/caf_by_pkg_config" $(pkg-config --cflags --libs armature-caf)
  for program in by_caf caf_by_pkg_config; do
    "$prefix/lib/armature-caf/bin/cafrun" -n 2 --timeout 30 "$work/$program" | grep -q "heat 12000.000" ||
      { echo "$program failed"; exit 1; }
  done
fi

if command -v gfortran >/dev/null; then
  step "arrays in Fortran"
  # shellcheck disable=SC2046
  (cd "$work" && gfortran "$(pkg-config --variable=module armature-arrays)" "$here/../../examples/heat_array.f90" \
    -o heat_array $(pkg-config --cflags --libs armature-arrays))
  "$prefix/bin/armature" run -n 2 --timeout 30 "$work/heat_array" | grep -q "heat 28514.028" ||
    { echo "heat_array failed"; exit 1; }
fi

# A program that is linked with a library, which is linked with ours: the program names neither ours nor its folder.
step "a library in between"
chain() {  # NAME COMPILER SOURCE FLAGS...: libNAME.so with all that the source does
  local name=$1 compiler=("$2") source=$3
  shift 3
  [ "$compiler" = "$CXX" ] && compiler+=(-std=c++20)
  "${compiler[@]}" -shared -fPIC -Dmain=consumer_main "$source" -o "$work/lib$name.so" "$@"
  printf 'int consumer_main(int, char**);\nint main(int c, char** v) { return consumer_main(c, v); }\n' >"$work/$name.c"
  "$compiler" "$work/$name.c" "$work/lib$name.so" -o "$work/$name"
  expect_two_ranks "$work/$name"
}
unset LD_LIBRARY_PATH
for package in "$prefix"/lib/pkgconfig/armci*.pc; do
  package=$(basename "$package" .pc)
  [ "$package" = armci-virtual ] && continue  # main is the program's
  # shellcheck disable=SC2046
  chain "by_$package" "$CC" "$here/consumer/consumer.c" $(pkg-config --cflags --libs "$package")
done
# shellcheck disable=SC2046
chain by_armature "$CXX" "$here/consumer/consumer.cpp" $(pkg-config --cflags --libs armature)
chain by_documented_flags "$CC" "$here/consumer/consumer.c" -I"$prefix/include" -L"$prefix/lib" -Wl,-rpath,"$prefix/lib" -larmci
expect_two_ranks "$work/consumer/build/consumer_of_library"

# Where distributions have it; below lib, packages are as deep as they were above.
step "a library folder of two names"
mkdir -p "$work/deep/lib/machine/pkgconfig"
(cd "$work/deep/lib/machine/pkgconfig" && cmake -D CMAKE_INSTALL_LIBDIR=lib/machine -P "$here/package.cmake")
for variable in prefix libdir; do
  found=$(PKG_CONFIG_PATH=$work/deep/lib/machine/pkgconfig pkg-config --variable=$variable armature)
  expected=$work/deep
  [ $variable = prefix ] || expected=$work/deep/lib/machine
  [ "$(realpath "$found")" = "$(realpath "$expected")" ] || { echo "$variable is $found"; exit 1; }
done

step "versions"
version=$("$prefix/bin/armature" --version)
printf '#include <armature/armature.hpp>\n#include <cstdio>\nstatic_assert(ARMATURE_VERSION >= 100);\nint main() { std::puts("armature " ARMATURE_VERSION_STRING); }\n' >"$work/version.cpp"
"$prefix/bin/armature-c++" "$work/version.cpp" -o "$work/version"
for said in "$("$work/version")" "armature $(pkg-config --modversion armature)" \
  "armature $(sed -n 's/^version: //p' "$here/../../CITATION.cff")"; do
  [ "$said" = "$version" ] || { echo "one says $said, another $version"; exit 1; }
done

step "an older language"
if "$CXX" -std=c++17 -I"$prefix/include" -fsyntax-only "$here/consumer/consumer.cpp" 2> "$work/older"; then
  echo "C++17 was taken"; exit 1
fi
grep -q "compile with -std=c++20" "$work/older"
[ "$(wc -l < "$work/older")" -lt 20 ]

step "virtual ranks of a C program"
# shellcheck disable=SC2046
"$CC" -std=c11 "$here/consumer/consumer.c" -o "$work/armci_virtual" \
  $(pkg-config --cflags --libs armci-virtual)
expect_two_ranks "$work/armci_virtual"  # processes
expect_two_ranks "$work/consumer/build/consumer_armci_virtual"
for options in "--virtual --processes 2" "--threads 4"; do
  # shellcheck disable=SC2086
  output=$("$prefix/bin/armature" run -n 8 $options --timeout 30 "$work/armci_virtual")
  [ "$(grep -c 'agrees' <<<"$output")" = 8 ] || { echo "with $options it said: $output"; exit 1; }
done

# As configure scripts and makefiles do that know of a prefix and a name, no more.
step "-larmci"
"$CC" -std=c11 "$here/consumer/consumer.c" -I"$prefix/include" -L"$prefix/lib" -larmci -o "$work/armci_by_hand"
LD_LIBRARY_PATH=$prefix/lib expect_two_ranks "$work/armci_by_hand"

# A configure script asks for names one by one, in a program that declares them as it likes.
for name in ARMCI_Init ARMCI_Initialized ARMCI_Init_mpi_comm armci_group_comm armci_stride_info_init armci_notify \
  armci_msg_init armci_msg_finalize; do
  printf 'char %s(void);\nint main(void) { return %s(); }\n' $name $name >"$work/probe.c"
  "$CC" "$work/probe.c" -L"$prefix/lib" -larmci -o "$work/probe"
done

# Where there is no shared one, and for -static: the same words.
step "libarmci.a"
mkdir "$work/static"
cp "$prefix"/lib/libarmci.a "$prefix"/lib/libarmci-static.a "$work/static"
"$CC" -std=c11 "$here/consumer/consumer.c" -I"$prefix/include" -L"$work/static" -larmci -o "$work/armci_static_by_hand"
"$CC" -std=c11 "$here/consumer/consumer.c" -I"$prefix/include" "$prefix/lib/libarmci.a" -o "$work/armci_by_path"
# ld warns of what in it needs the shared C library (dlopen, names of users and hosts).
"$CC" -std=c11 "$here/consumer/consumer.c" -I"$prefix/include" -L"$prefix/lib" -larmci -static \
  -o "$work/armci_all_static" 2>"$work/warnings" || { cat "$work/warnings"; exit 1; }
for program in armci_static_by_hand armci_by_path armci_all_static; do
  if readelf -d "$work/$program" | grep -q 'libarm\|libfmt'; then
    echo "$program is linked with a shared library"
    exit 1
  fi
  expect_two_ranks "$work/$program"
done
if readelf -l "$work/armci_all_static" | grep -q INTERP; then
  echo "-static gave a program that is not static"
  exit 1
fi
echo "installed copy works"
