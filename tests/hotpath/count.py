#!/usr/bin/env python3
"""count.py OBJECT [LIBRARY]: the short put, get and remote call of the object, and the library's wait for
nothing, are straight-line code. Follows each function from its entry, no branch taken, to its return;
prints and bounds the number of instructions, and allows neither a call nor a locked instruction nor any
jump but forward and on a condition on the way."""
import re
import subprocess
import sys

MOST = {"short_put": 16, "short_get": 16, "short_async": 110}
MOST_OF_LIBRARY = {"_ZN8armature8wait_allEv": 12}


def instructions(listing, function):
    body = re.search(rf"<{function}>:\n(.*?)(?:\n\n|\Z)", listing, re.S)
    if not body:
        sys.exit(f"{function} is not in the object file")
    for line in body.group(1).splitlines():
        address, _, instruction = line.partition(":\t")
        if instruction:
            yield int(address, 16), instruction.strip()


def is_refused(address, instruction):
    name, *operands = instruction.split()
    if name.startswith("j"):
        return name == "jmp" or int(operands[0], 16) <= address
    return name in ("call", "lock", "notrack", "bnd") or (name == "xchg" and "(" in instruction)  # locks without a prefix


def straight_path(listing, function):
    path = []
    for address, instruction in instructions(listing, function):
        path.append(instruction)
        name = instruction.split()[0]
        if is_refused(address, instruction):
            sys.exit(f"{function}: '{instruction}' on the straight path")
        if name == "ret":
            return path
    sys.exit(f"{function}: no return on the straight path")


def disassembled(file, *options):
    return subprocess.run(["objdump", "-d", "--no-show-raw-insn", *options, file], check=True,
                          capture_output=True, text=True).stdout


def check(listing, function, most):
    path = straight_path(listing, function)
    print(f"{function}: {len(path)} instructions")
    print("    " + "\n    ".join(path))
    if len(path) > most:
        sys.exit(f"{function}: more than {most} instructions")


of_object = disassembled(sys.argv[1])
for function, most in MOST.items():
    check(of_object, function, most)
for library in sys.argv[2:]:
    for function, most in MOST_OF_LIBRARY.items():
        check(disassembled(library, f"--disassemble={function}"), function, most)
