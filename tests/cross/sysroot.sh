#!/bin/bash
# sysroot.sh FOLDER: unpacks Debian's libraries for aarch64 in FOLDER. Apt has its lists in FOLDER, too: neither root nor
# another architecture of the system is needed.
set -euo pipefail
folder=$(realpath -m "${1:?sysroot.sh FOLDER}")
libraries=(libc6-dev libstdc++-12-dev libfmt-dev libcli11-dev nlohmann-json3-dev libboost-dev libboost-context-dev
  libpmix-dev libucx-dev libfabric-dev libscotch-dev libhwloc-dev libdw-dev libxxhash-dev libzstd-dev libgtest-dev
  libgmock-dev libbenchmark-dev)

state=$folder.apt
mkdir -p "$state"/{lists/partial,archives/partial} "$folder"
: >"$state/status"
apt=(apt-get -q -y -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$state"
  -o Dir::State::status="$state/status" -o Dir::State::lists="$state/lists" -o Dir::Cache::archives="$state/archives"
  -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o Debug::NoLocking=1 -o APT::Sandbox::User=root)
"${apt[@]}" update
"${apt[@]}" install --download-only --no-install-recommends "${libraries[@]}"
for package in "$state"/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done

# Links from the system's root would lead out of the folder.
while IFS= read -r -d '' link; do
  target=$(readlink "$link")
  ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$folder$target")" "$link"
done < <(find "$folder" -type l -lname '/*' -print0)
touch "$folder/.complete"
