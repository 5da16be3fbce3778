#!/bin/sh
# Measures coarrays between two images: run.sh BUILD_FOLDER. Then it measures OpenCoarrays of Debian, over each MPI of which
# it is there, and prints each operation's time beside Armature's.
set -eu
build=$(cd "$1" && pwd)
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

caf=$build/caf/bin/caf
"$caf" -O2 -c "$here/scalars.f90" -o scalars.o
objcopy --redefine-sym _gfortran_caf_get=empty_get --redefine-sym _gfortran_caf_send=empty_send \
        --redefine-sym get_scalars_=get_scalars_empty_ --redefine-sym put_scalars_=put_scalars_empty_ scalars.o empty.o
gcc -O2 -shared -fPIC "$here/empty.c" -o libcaf_empty.so
g++ -std=c++20 -O2 -fPIE -I"$here/../../include" -c "$here/beside.cpp"
"$caf" -cpp -DBESIDE -O2 "$here/caf.f90" scalars.o empty.o beside.o -L. -lcaf_empty -Wl,-rpath,"$work" \
       -L"$build/lib" -larmature -lstdc++ -o own
echo "operation                  ns        beside it, ns   ratio"
"$build/caf/bin/cafrun" -n 2 --timeout 100 ./own | tee own.txt

# OPENCOARRAYS names the folder where Debian's packages were unpacked, if they are not installed.
for mpi in openmpi mpich; do
  library=$(ls "${OPENCOARRAYS:-}"/usr/lib/*/open-coarrays/$mpi/lib/libcaf_$mpi.a 2> /dev/null) || continue
  wrapper=$(command -v mpifort.$mpi) && starter=$(command -v mpirun.$mpi) || continue
  "$wrapper" -fcoarray=lib -cpp -O2 "$here/caf.f90" "$here/scalars.f90" "$library" -o $mpi
  echo "OpenCoarrays over $mpi     ns        Armature, ns   ratio"
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 300 "$starter" -np 2 ./$mpi > $mpi.txt
  # The name is all but the last numbers, which are one, or three with what stands beside.
  awk 'function name(  i, s) { s = $1; for (i = 2; i <= NF && $i !~ /^[0-9.]+$/; ++i) s = s " " $i; at = i; return s }
       NR == FNR { n = name(); own[n] = $at; next }
       { n = name(); if (n in own) printf "%-20s %14.1f %14.1f %7.1f\n", n, $at, own[n], $at / own[n] }' own.txt $mpi.txt
done
