"""Our headers and library against the papers that describe ARMCI: every function that one of them names is declared and
exported, and so is its PARMCI_ twin.

usage: papers.py COMPILER INCLUDE_FOLDER LIBRARY
"""

import re
import subprocess
import sys
import tempfile

# By paper, and where it names them. ("Implementing ARMCI on Charm++", 2006, describes the model and names none.)
NAMED = {
    "armci-1999, table 1": "Put PutV PutS Get GetV GetS Acc AccV AccS Fence AllFence Rmw Malloc Free Poll",
    "armci-1999, 2.1": "PutV PutS",
    "armci-1999, 2.2 and 2.3": "Rmw Fence AllFence",
    "armci-smp-clusters-2000, LU factorization": "Get",
    "armci-rma-2006, 3.1": "PutV GetV AccV Fence",
    "armci-rma-2006, 3.2": "PutV PutS",
    "armci-rma-2006, 3.3": "Lock Unlock",
    "armci-rma-2006, 3.4": "Malloc Malloc_local",
    "armci-rma-2006, 3.5": "Get",
    "armci-rma-2006, 5": "Malloc Malloc_local Malloc_group",
    "armci-rma-2006, 6.1": "GetS Wait",
}
NO_TWIN = {"Malloc_group"}  # nor has ARMCI-MPI one
FIELDS = {"armci_giov_t": "bytes"}  # armci-1999, 2.1, and armci-rma-2006, 3.2


def declared(compiler, include):
    with tempfile.NamedTemporaryFile("r") as listing:
        fields = "".join(f"int check_{t}({t}* x) {{ return (int)x->{field}; }}\n" for t, field in FIELDS.items())
        subprocess.run([compiler, "-std=gnu11", f"-I{include}", "-xc", "-", "-S", "-o", "/dev/null", "-aux-info", listing.name],
                       input=f"#include <armci.h>\n{fields}", text=True, check=True)
        return set(re.findall(r"\bextern .*?\b(P?ARMCI_\w+) \(", listing.read()))


def exported(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r" [TW] (P?ARMCI_\w+)$", listing, re.MULTILINE))


def main():
    compiler, include, library = sys.argv[1:]
    in_header, in_library = declared(compiler, include), exported(library)
    problems, names = [], set()
    for source, named in NAMED.items():
        for name in named.split():
            for spelled in [f"ARMCI_{name}"] + ([] if name in NO_TWIN else [f"PARMCI_{name}"]):
                names.add(spelled)
                problems += [f"{source}: {where} has no {spelled}"
                             for where, has in (("armci.h", in_header), (library, in_library)) if spelled not in has]
    for problem in problems:
        print(problem)
    print(f"{len(names)} names, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
