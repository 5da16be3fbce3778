"""Our armci.h against that of Debian's libarmci-mpi-dev, as each MPI makes it.

Object files made with that package must work with our library, so: the same sizes, offsets and values
(layout.c), the same types of all functions that both declare, and every function that the package
has and that does not speak of MPI. Exit status 77 where the package is not installed.

usage: compare.py COMPILER OUR_INCLUDE_FOLDER FLAVOUR=MPI_INCLUDE_FOLDER...
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
OURS_ALONE = ["armci.h", "armcix.h", "message.h", "parmci.h"]
# Declared by the package and defined by nobody.
UNDEFINED = {"armci_grp_clus_brdcst"}
# From the compiler's list of prototypes: "/* file:line:NC */ extern int ARMCI_Put (void *, ...);"
PROTOTYPE = re.compile(r"^/\* \S+ \*/ extern (.*?)\b(P?ARMCIX?_\w+|p?armci_\w+) (\(.*\));$")
# The group's size is its flavour's; ours must be no smaller, and use no more than the smallest.
GROUP_BYTES = {"ours": 40, "openmpi": 40, "mpich": 32}


class Flavour:
    """One way to compile a program for ARMCI."""

    def __init__(self, name, compiler, includes, folder):
        self.name = name
        self.command = [compiler, "-std=gnu11", *(f"-I{i}" for i in includes)]
        self.folder = folder

    def run(self, *arguments):
        subprocess.run([*self.command, *arguments], check=True)

    def layout(self):
        program = self.folder / f"layout-{self.name}"
        self.run(str(HERE / "layout.c"), "-o", str(program))
        return subprocess.run([program], check=True, capture_output=True,
                              text=True).stdout.splitlines()

    def functions(self, headers):
        source = self.folder / f"{self.name}.c"
        source.write_text("".join(f"#include <{header}>\n" for header in headers))
        listing = self.folder / f"{self.name}.txt"
        self.run("-S", "-o", "/dev/null", "-aux-info", str(listing), str(source))
        found = {}
        for line in listing.read_text().splitlines():
            match = PROTOTYPE.match(line)
            if match:
                found[match[2]] = match[1].strip() + " " + match[3]
        return found


def compare_layout(ours, theirs, problems):
    mine, other = ours.layout(), theirs.layout()
    for a, b in zip(mine[:-1], other[:-1], strict=True):
        if a != b:
            problems.append(f"{theirs.name}: ours has '{a}', the package '{b}'")
    for flavour, table in ((ours, mine), (theirs, other)):
        wanted = f"group {GROUP_BYTES[flavour.name]}"
        if table[-1] != wanted:
            problems.append(f"{flavour.name}: '{table[-1]}', not '{wanted}'")
    return len(mine)


def compare_functions(ours, theirs, problems):
    mine = ours.functions(OURS_ALONE)
    other = theirs.functions(["armci.h", "armcix.h", "message.h"])
    for name, signature in sorted(other.items()):
        if "MPI_" in signature or name in UNDEFINED:
            continue
        if name not in mine:
            problems.append(f"{theirs.name}: we have no {name}")
        elif mine[name] != signature:
            problems.append(f"{theirs.name}: {name} is '{mine[name]}', in the package '{signature}'")
    return len(other)


def main():
    compiler, our_include, *flavours = sys.argv[1:]
    package = pathlib.Path("/usr/include/armci.h")
    if not package.is_file() or not flavours:
        print("SKIPPED: libarmci-mpi-dev, or every MPI it can be used with, is not installed")
        return 77
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ours = Flavour("ours", compiler, [our_include], folder)
        for flavour in flavours:
            name, include = flavour.split("=")
            theirs = Flavour(name, compiler, [include], folder)
            facts = compare_layout(ours, theirs, problems)
            functions = compare_functions(ours, theirs, problems)
            print(f"{name}: {facts} facts of layout and {functions} functions compared")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
