"""Every routine of the specification is in the table, and every one of the table is called by the
conformance program. The library has it and its twin, and shows nothing else. The guide has the
table.

    every_routine.py GENERATOR PROGRAM LIBRARY GUIDE SPECIFICATION FORTRAN_SPECIFICATION [FORTRAN_PROGRAM]

The same holds for the Fortran interface. Without its program, since there is no compiler, nobody knows what is called.
"""

import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def symbols(file, *options):
    return {line.split()[-1].split("@")[0] for line in output("nm", "-D", *options, file).splitlines()}


def expanded(pattern):
    found = re.search(r"\{([^{}]*)\}", pattern)
    if not found:
        return {pattern}
    return {name for choice in found[1].split(",")
            for name in expanded(pattern[:found.start()] + choice + pattern[found.end():])}


def specified(path):
    """The names of the specification: see there for how they are written."""
    lists, names = {}, set()
    with open(path, encoding="utf-8") as text:
        lines = [line for line in text if not line.startswith("#")]
    for line in lines:
        name, is_list, members = line.partition(" = ")
        if is_list:
            lists[name] = lists.get(name, []) + members.split()
            continue
        for pattern in line.split():
            pattern = re.sub(r"\[(\w+)\]", r"{,\1}", pattern)
            names |= expanded(re.sub(r"<(\w+)>", lambda of: "{" + ",".join(lists[of[1]]) + "}", pattern))
    return names


def compared(option, specification):
    """The routines of one language, and what the table and the specification have one without the other."""
    routines = set(output(sys.executable, "-B", generator, option).split())
    wanted = specified(specification)
    return routines, [f"the table lacks {name}" for name in sorted(wanted - routines)] + \
        [f"{specification} lacks {name}" for name in sorted(routines - wanted)]


generator, program, library, guide, specification, of_fortran, *fortran_program = sys.argv[1:]
routines, problems = compared("--routines", specification)
problems += [f"no test calls {name}" for name in sorted(routines - symbols(program, "-u"))]
fortran, missing = compared("--fortran", of_fortran)
problems += missing
fortran = {f"{name}_" for name in fortran}
for called in fortran_program:
    problems += [f"no test calls {name}" for name in sorted(fortran - symbols(called, "-u"))]
both = routines | fortran
both |= {f"p{name}" for name in both}
defined = symbols(library, "--defined-only")
problems += [f"the library lacks {name}" for name in sorted(both - defined)]
problems += [f"the library shows {name}" for name in
             sorted(defined - both - {"shmem_run_main", "shmem_exit_main", "shmem_has_accessed", "shmem_direct_way",
                              "shmem_wake_pe"})]
with open(guide, encoding="utf-8") as text:
    if output(sys.executable, "-B", generator, "--guide") not in text.read():
        problems.append(f"{guide} has another table than generate.py --guide prints")
print("\n".join(problems) or f"{len(routines)} routines, and {len(fortran)} in Fortran")
sys.exit(bool(problems))
