"""A program says the same at its end on any number of ranks and processes.

    same_everywhere.py ARMATURE LINE PROGRAM WORDS...

LINE is a regular expression for the line that is compared.
"""

import re
import subprocess
import sys

ARMATURE, LINE, *PROGRAM = sys.argv[1:]
SHAPES = ["-n 1", "-n 2", "-n 3"]
SHAPES += [f"-n 7 --virtual --no-globals-note --processes {processes}" for processes in (1, 2, 3)]

said = {}
for shape in SHAPES:
    done = subprocess.run([ARMATURE, "run", *shape.split(), "--timeout", "60", *PROGRAM],
                          capture_output=True, text=True, timeout=90, stdin=subprocess.DEVNULL)
    line = re.search(f"^{LINE}$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or line is None:
        sys.exit(f"{shape}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    said[shape] = line[0]
if len(set(said.values())) != 1:
    sys.exit("\n".join(f"{shape:<50} {line}" for shape, line in said.items()))
