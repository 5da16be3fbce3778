"""The scripts by which a package takes part in Debian's alternatives: commands of names that other packages have, too.

A package's `alternatives` are the folder of its commands and their names. The first name is the group's, and the others
follow it: what compiles and what starts a program are always of one package. Each command is installed as NAME.armature,
which is nobody else's. NAME leads there, unless another package has a plain file of that name (openmpi-bin has), or has
it follow another group: then that one stays, and a note says so."""

PRIORITY = 30  # below what Debian's own packages have

AFTER_INSTALLATION = """#!/bin/sh
# Commands become alternatives where no other package has a file of their names.
set -e
case $1 in
  configure | abort-*)
    for name in NAMES; do
      link=$DPKG_ROOT/usr/bin/$name
      [ -e "$link" ] || [ -L "$link" ] || continue
      [ "$(readlink "$link")" != "/etc/alternatives/$name" ] || continue
      echo "PACKAGE: /usr/bin/$name is another package's and stays; ours is $name.armature" >&2
      exit 0
    done
    # A name follows the first name of one group only. What a group has stands in its file before an empty line.
    for group in "$DPKG_ROOT"/var/lib/dpkg/alternatives/*; do
      [ -f "$group" ] && [ "${group##*/}" != GROUP ] || continue
      for name in NAMES; do
        [ "${group##*/}" = "$name" ] || sed '/^$/q' "$group" | grep -qxF -- "$name" || continue
        echo "PACKAGE: $name belongs to the alternatives of ${group##*/} and stays there; ours is $name.armature" >&2
        exit 0
      done
    done
    update-alternatives --quiet --install /usr/bin/GROUP GROUP /usr/bin/GROUP.armature PRIORITY OTHERS
    ;;
esac
"""

BEFORE_REMOVAL = """#!/bin/sh
# A package that came later may have laid its file over our link. Its file is put aside while ours are taken back.
set -e
[ "$1" = remove ] || exit 0
kept() { # FROM TO: suffixes
  for name in NAMES; do
    link=$DPKG_ROOT/usr/bin/$name
    [ -e "$link$1" ] || [ -L "$link$1" ] || continue
    [ "$(readlink "$link$1")" != "/etc/alternatives/$name" ] || continue
    mv "$link$1" "$link$2"
  done
}
trap 'kept .kept-by-armature ""' EXIT # whatever fails
kept "" .kept-by-armature
update-alternatives --quiet --remove GROUP /usr/bin/GROUP.armature
"""


def scripts(package, names):
    """Name of a maintainer's script -> its text."""
    others = " ".join(f"--slave /usr/bin/{name} {name} /usr/bin/{name}.armature" for name in names[1:])
    words = {"PACKAGE": package, "NAMES": " ".join(names), "GROUP": names[0], "PRIORITY": str(PRIORITY), "OTHERS": others}

    def filled(text):
        for word, value in words.items():
            text = text.replace(word, value)
        return text
    return {"postinst": filled(AFTER_INSTALLATION), "prerm": filled(BEFORE_REMOVAL)}


def add_links(tree, packages):
    """Lays the links NAME.armature into the tree of what is installed."""
    for package in packages.values():
        for name in package.get("alternatives", [])[1:]:
            link = tree / f"usr/bin/{name}.armature"
            link.symlink_to(f"../../{package['alternatives'][0]}/{name}")
