"""Every routine of the table is called by the conformance program, the library has its twin, and the
guide has the table.

    every_routine.py GENERATOR PROGRAM LIBRARY GUIDE
"""

import subprocess
import sys


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def symbols(file, *options):
    return {line.split()[-1].split("@")[0] for line in output("nm", "-D", *options, file).splitlines()}


generator, program, library, guide = sys.argv[1:]
routines = set(output(sys.executable, "-B", generator, "--routines").split())
problems = [f"no test calls {name}" for name in sorted(routines - symbols(program, "-u"))]
defined = symbols(library, "--defined-only")
problems += [f"the library lacks {name}" for name in
             sorted((routines | {f"p{name}" for name in routines}) - defined)]
with open(guide, encoding="utf-8") as text:
    if output(sys.executable, "-B", generator, "--guide") not in text.read():
        problems.append(f"{guide} has another table than generate.py --guide prints")
print("\n".join(problems) or f"{len(routines)} routines")
sys.exit(bool(problems) or len(routines) < 1500)
