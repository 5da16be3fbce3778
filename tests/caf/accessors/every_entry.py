"""Compares a library's entries with the list of the compiler's, and with those that the hand-written caller calls.

    every_entry.py INTERFACE.TXT LIBRARY CALLER
"""

import pathlib
import re
import subprocess
import sys

PREFIX = "_gfortran_caf_"


def entries_of(binary, *options):
    said = subprocess.run(["nm", "-D", *options, binary], capture_output=True, text=True, check=True).stdout
    return set(re.findall(rf"{PREFIX}(\w+)", said))


def main():
    listed, library, caller = sys.argv[1:]
    lines = pathlib.Path(listed).read_text().splitlines()
    wanted = {name for line in lines if not line.startswith("#") for name in line.split()}
    offered, called = entries_of(library, "--defined-only"), entries_of(caller, "--undefined-only")
    wrong = [f"the library has no {PREFIX}{name}" for name in sorted(wanted - offered)]
    wrong += [f"the list has no {PREFIX}{name}" for name in sorted(offered - wanted)]
    wrong += [f"the caller does not call {PREFIX}{name}" for name in sorted(wanted - called)]
    print("\n".join(wrong) or f"{len(wanted)} entries, all called")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
