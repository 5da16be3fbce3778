#!/bin/sh
# The wrappers compile, link and start a program, in C and in C++, with virtual ranks, too.
set -e
bin=$1
source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$bin/oshcc" -O1 -o "$folder/ring" "$source"
"$bin/oshrun" -np 3 "$folder/ring" | grep "went round 3 PEs"
ln -s "$bin/oshcc" "$folder/linked_oshcc"
"$folder/linked_oshcc" -O1 -o "$folder/ring" "$source"
# From a prefix with a blank in its name.
mkdir -p "$folder/a prefix/shmem/bin"
cp "$bin/oshcc" "$folder/a prefix/shmem/bin"
ln -s "$bin/../include" "$folder/a prefix/shmem/include"
ln -s "$bin/../../lib" "$folder/a prefix/lib"
"$folder/a prefix/shmem/bin/oshcc" -O1 -o "$folder/ring" "$source"
"$bin/oshrun" -np 2 "$folder/ring" | grep "went round 2 PEs"
"$bin/oshcc" -c -o "$folder/ring.o" "$source"
"$bin/oshcc" --virtual -o "$folder/virtual" "$folder/ring.o"
"$bin/oshrun" -n 3 --virtual --processes 1 "$folder/virtual" | grep "went round 3 PEs"
cp "$source" "$folder/ring.cpp"
"$bin/oshc++" -o "$folder/ring_cpp" "$folder/ring.cpp"
"$bin/oshrun" -n 2 "$folder/ring_cpp" | grep "went round 2 PEs"
if command -v gfortran >/dev/null; then
  "$bin/oshfort" -O1 -o "$folder/old" "$(dirname "$0")/fortran/old.f"
  "$bin/oshrun" -n 3 "$folder/old" | grep "counted  *3 PEs"
fi
"$bin/oshcc" --show -c x.c | grep -e "-I"
"$bin/oshcc" -showme -c x.c | grep -e "-I"
"$bin/oshcc" --showme:link | grep -e "-larmature-shmem"
# As configure scripts ask.
"$bin/oshcc" --version | grep -i "free software\|gcc\|clang"
"$bin/oshcc" -v 2>&1 | grep "version"
"$bin/oshrun" --version | grep armature
# Options of other launchers; the program's own are left to it.
cat >"$folder/words.c" <<'END'
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
  shmem_init();
  const char* const given = getenv("GIVEN");
  const int good = argc == 3 && strcmp(argv[1], "-x") == 0 && given != NULL && shmem_n_pes() == 2 && shmemx_wtime() > 0;
  if (shmem_my_pe() == 0) printf("%s %s\n", good ? "good" : "bad", given);
  shmem_finalize();
  return good ? 0 : 1;
}
END
"$bin/oshcc" -std=c11 -Wall -Wextra -Werror -pedantic -o "$folder/words" "$folder/words.c"
"$bin/oshrun" -x GIVEN=this --mca btl self --map-by core -np 2 "$folder/words" -x there | grep "good this"
"$bin/oshrun" -x GIVEN=this -np 2 --races "$folder/words" -x there | grep "good this"
if "$bin/oshrun" -np 2 -x 2>"$folder/said"; then exit 1; fi
grep "oshrun: -x: NAME=VALUE" "$folder/said"
if "$bin/oshrun" -n 2 --virtual "$folder/words" 2>"$folder/said"; then exit 1; fi
grep "this process hosts virtual ranks.*for shmem.h: oshcc --virtual" "$folder/said"
# Options without a value are told from others by a list, which has all those that the help shows without one.
mkdir -p "$folder/listed/shmem/bin" "$folder/listed/bin"
cp "$bin/oshrun" "$folder/listed/shmem/bin"
printf '#!/bin/sh\necho "$*"\n' >"$folder/listed/bin/armature"
chmod +x "$folder/listed/bin/armature"
"$bin/../../bin/armature" run --help |
  sed -n 's/^  \(-[^ ]*\) [^ [].*/\1 value/p; s/^  \(-[^ ]*\)\( \[.*\)*\(  .*\)*$/\1/p' >"$folder/options"
test "$(wc -l <"$folder/options")" -gt 40
test "$("$folder/listed/shmem/bin/oshrun" --service-threads 3 -np 2 ./prog)" = "run --service-threads 3 -n 2 ./prog"
while read -r names value; do
  for name in $(echo "$names" | tr , ' '); do
    given=$name${value:+ -np}
    said=$("$folder/listed/shmem/bin/oshrun" $given -np 2 ./prog)
    test "$said" = "run $given -n 2 ./prog" || { echo "oshrun $given -np 2 ./prog becomes: $said"; exit 1; }
  done
done <"$folder/options"
# An older library has nothing that programs inline: they call it.
cat >"$folder/older.c" <<'END'
long shmem_long_atomic_fetch_add(long* dest, long value, int pe) { return *dest + value + pe; }
void shmem_long_put_signal(long* dest, const long* source, unsigned long count, unsigned long* word, unsigned long value,
                           int operation, int pe) {
  *dest = *source + (long)count, *word = value + (unsigned long)(operation + pe);
}
void shmem_long_wait_until(long* word, int cmp, long value) { *word += cmp + value; }
END
cat >"$folder/newer.c" <<'END'
#include <shmem.h>
int main(void) {
  long word = 5, there = 0;
  uint64_t arrived = 0;
  shmem_long_put_signal(&there, &word, 1, &arrived, 7, SHMEM_SIGNAL_ADD, 2);
  shmem_long_wait_until(&word, SHMEM_CMP_EQ, 5);
  return there == 6 && arrived == 10 && word == 11 && shmem_long_atomic_fetch_add(&word, 3, 1) == 15 ? 0 : 1;
}
END
cc -shared -fPIC -o "$folder/libolder.so" "$folder/older.c"
cc -O2 -I"$bin/../include" "$folder/newer.c" -L"$folder" -Wl,-rpath,"$folder" -lolder -o "$folder/newer"
"$folder/newer"
# Loads and stores are looked at: the words of a wrapper in one call, and in two.
if "$bin/oshcc" --version | grep -qi "free software"; then
  source_of_races=$(dirname "$0")/plain/plain.c
  "$bin/oshcc" --races -O1 -o "$folder/plain" "$source_of_races"
  "$bin/oshrun" -n 2 --check "$folder/plain" store 2>&1 | grep "unordered accesses"
  "$bin/oshcc" --races -c -o "$folder/plain.o" "$source_of_races"
  "$bin/oshcc" --races --virtual -o "$folder/plain" "$folder/plain.o"
  "$bin/oshrun" -n 2 --simulate 1-5 "$folder/plain" orders 2>&1 | grep "5 schedules passed"
fi
