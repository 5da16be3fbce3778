#!/bin/sh
# The wrappers compile, link and start a program, in C and in C++, with virtual ranks, too.
set -e
bin=$1
source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$bin/oshcc" -O1 -o "$folder/ring" "$source"
"$bin/oshrun" -np 3 "$folder/ring" | grep "went round 3 PEs"
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
