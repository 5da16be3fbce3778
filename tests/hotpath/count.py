#!/usr/bin/env python3
"""count.py OBJECT: the short put, get and remote call are straight-line code. Follows each function from
its entry, no branch taken, to its return; prints and bounds the number of instructions, and allows
neither a call nor a locked instruction nor a jump back on the way."""
import re
import subprocess
import sys

MOST = {"short_put": 16, "short_get": 16, "short_async": 110}


def instructions(listing, function):
    body = re.search(rf"<{function}>:\n(.*?)(?:\n\n|\Z)", listing, re.S)
    if not body:
        sys.exit(f"{function} is not in the object file")
    for line in body.group(1).splitlines():
        parts = line.split("\t")
        if len(parts) == 3:
            yield parts[2].strip()


def straight_path(listing, function):
    path = []
    for instruction in instructions(listing, function):
        path.append(instruction)
        name = instruction.split()[0]
        if name in ("call", "lock", "jmp"):
            sys.exit(f"{function}: '{instruction}' on the straight path")
        if name == "ret":
            return path
    sys.exit(f"{function}: no return on the straight path")


listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", sys.argv[1]], check=True,
                         capture_output=True, text=True).stdout
listing = re.sub(r"^(\s*[0-9a-f]+:)\t", r"\1\t\t", listing, flags=re.M)
for function, most in MOST.items():
    path = straight_path(listing, function)
    print(f"{function}: {len(path)} instructions")
    print("    " + "\n    ".join(path))
    if len(path) > most:
        sys.exit(f"{function}: more than {most} instructions")
