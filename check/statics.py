"""The writable statics of our own code are listed in check/statics.toml with a reason each, and get no more.

What a process has of a job belongs to a Runtime (src/base/runtime.hpp), of which there may be two in a
process; a static is there once. Counted are the symbols of writable sections, thread-local ones too,
without the constants that the loader relocates, guards of functions' statics, tokens of methods, what
other libraries bring, and, of the malloc library, the C library's functions that it stands before.
"""

import collections
import pathlib
import re
import subprocess
import tomllib

import house

RECORD = "check/statics.toml"
WRITABLE = re.compile(r"\.(t?bss|t?data)\b(?!\.rel\.ro)")
ABI = re.compile(r"\[abi:\w+\]")
# The compiler's and the linker's, and tokens, which are where they are for their address alone.
NO_STATIC = re.compile(r"guard variable for|DW\.ref\.|completed\.0$|__TMC_END__$|__dso_handle$|_DYNAMIC$"
                       r"|.*MethodTokenOf<")
OURS = {"armature": re.compile(r"armature::"), "armci": re.compile(r"armci::|\(anonymous namespace\)::"),
        "malloc": re.compile(r".")}
ORIGINALS = re.compile(r"\(anonymous namespace\)::original_?\w*$|\w+::(original|of_libc)$")


def group_of(library):
    """The list that a library belongs to: each engine is a module of libarmature's."""
    if library.name == "libarmci.so":
        return "armci"
    return "malloc" if library.name == "libarmature-malloc.so" else "armature"


def short(name):
    """Without what a function of its own takes: `f(int)::once` -> `f()::once`."""
    name = ABI.sub("", name).replace("(anonymous namespace)", "<>")
    while (less := re.sub(r"\((?!\))[^()]*\)", "()", name)) != name:
        name = less
    return name.replace("<>", "(anonymous namespace)")


def statics(library):
    listing = subprocess.run(["nm", "-C", "-f", "sysv", "--defined-only", library], capture_output=True,
                             text=True, check=True).stdout
    for line in listing.splitlines():
        fields = [field.strip() for field in line.rsplit("|", 6)]
        if len(fields) < 7 or not WRITABLE.match(fields[6]):
            continue
        name, group = fields[0], group_of(library)
        if NO_STATIC.match(name) or not OURS[group].match(name):
            continue
        if group == "malloc" and ORIGINALS.search(name):
            continue
        yield group, short(name)


def libraries(folder):
    names = ["libarmature.so", "libarmci.so", "libarmature-malloc.so", "libarmature-ucx.so", "libarmature-ofi.so"]
    return [folder / name for name in names if (folder / name).is_file()]


def compare(group, limit, found):
    listed = limit.get("statics", {})
    for name, count in sorted(found.items()):
        if name not in listed:
            yield f"{name} is not listed: let the Runtime own it (src/base/runtime.hpp)"
    for name, reason in listed.items():
        if name not in found:
            yield f"{name} is no more: remove it from {RECORD}, and lower `most` of [{group}]"
        if not reason.strip():
            yield f"{name} has no reason"
    if sum(found.values()) != limit.get("most"):
        yield f"{sum(found.values())} statics of {group}, but `most` is {limit.get('most')}: it only shrinks"


def main():
    parser = house.arguments(__doc__)
    parser.add_argument("--libraries", type=pathlib.Path, help="folder of the built libraries")
    options = parser.parse_args()
    found = collections.defaultdict(collections.Counter)
    for library in libraries(options.libraries or options.root / "build/lib"):
        _ = found[group_of(library)]  # though it may have none
        for group, name in statics(library):
            found[group][name] += 1
    limits = tomllib.loads((options.root / RECORD).read_text())
    problems = []
    for group in sorted(found):
        problems += compare(group, limits.get(group, {}), found[group])
    counts = ", ".join(f"{sum(names.values())} of {group}" for group, names in sorted(found.items()))
    house.finish("statics", problems, counts or "no library")


if __name__ == "__main__":
    main()
