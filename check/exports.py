"""The symbols our shared libraries show are the ones listed in check/exports.txt.

Inline functions and templates (weak) depend on the compiler's mood and are left out; vtables and
type information of our own classes are not.
"""

import pathlib
import re
import subprocess

import house

RECORD = "check/exports.txt"
OURS_WEAK = re.compile(r"(vtable|typeinfo|typeinfo name) for armature::")


def exported(library):
    listing = subprocess.run(["nm", "-DC", "--defined-only", library], capture_output=True,
                             text=True, check=True).stdout
    names = set()
    for line in listing.splitlines():
        kind, name = line[17:18], line[19:]
        if kind in "TBDRGSi" or (kind in "VW" and OURS_WEAK.match(name)):
            names.add(f"{library.name} {name}")
    return names


def main():
    parser = house.arguments(__doc__, ("--update", "record what is exported now"))
    parser.add_argument("--libraries", type=pathlib.Path, help="folder of the built libraries")
    options = parser.parse_args()
    folder = options.libraries or options.root / "build/lib"
    now = set()
    for name in ("libarmature.so", "libarmci.so"):
        if (folder / name).is_file():
            now |= exported(folder / name)
    record = options.root / RECORD
    if options.update:
        record.write_text("".join(f"{line}\n" for line in sorted(now)))
    listed = set(record.read_text().splitlines()) if record.is_file() else set()
    problems = [f"exported but not listed: {n}" for n in sorted(now - listed)]
    problems += [f"listed but not exported: {n}" for n in sorted(listed - now)]
    if problems:
        problems.append("if meant so: python3 check/exports.py --update")
    house.finish("exports", problems, f"{len(now)} symbols")


if __name__ == "__main__":
    main()
