"""The symbols our shared libraries show are the ones listed in check/exports.txt; those of libarmci,
which are C's alone, in check/exports-armci.txt. Those of libarmature-shmem follow from its table, and
tests/shmem/every_routine.py compares them.

Inline functions and templates (weak) depend on the compiler's mood and are left out; vtables and
type information of our own classes are not, nor are the weak names of libarmci, which profilers
replace.
"""

import pathlib
import re
import subprocess

import house

RECORDS = {"libarmature.so": "check/exports.txt", "libarmci.so": "check/exports-armci.txt"}
OURS_WEAK = re.compile(r"(vtable|typeinfo|typeinfo name) for armature::")


def exported(library):
    listing = subprocess.run(["nm", "-DC", "--defined-only", library], capture_output=True,
                             text=True, check=True).stdout
    names = set()
    for line in listing.splitlines():
        kind, name = line[17:18], line[19:]
        weak_counts = library.name == "libarmci.so" or OURS_WEAK.match(name)
        if kind in "TBDRGSi" or (kind in "VW" and weak_counts):
            names.add(f"{library.name} {name}")
    return names


def main():
    parser = house.arguments(__doc__, ("--update", "record what is exported now"))
    parser.add_argument("--libraries", type=pathlib.Path, help="folder of the built libraries")
    options = parser.parse_args()
    folder = options.libraries or options.root / "build/lib"
    count = 0
    problems = []
    for name, record in RECORDS.items():
        if not (folder / name).is_file():
            continue
        now = exported(folder / name)
        count += len(now)
        path = options.root / record
        if options.update:
            path.write_text("".join(f"{line}\n" for line in sorted(now)))
        listed = set(path.read_text().splitlines()) if path.is_file() else set()
        problems += [f"exported but not listed: {n}" for n in sorted(now - listed)]
        problems += [f"listed but not exported: {n}" for n in sorted(listed - now)]
        if name == "libarmci.so":
            problems += [f"not a C name: {n}" for n in sorted(now) if "::" in n or "(" in n]
    if problems:
        problems.append("if meant so: python3 check/exports.py --update")
    house.finish("exports", problems, f"{count} symbols")


if __name__ == "__main__":
    main()
