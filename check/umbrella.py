"""<armature/armature.hpp> stays cheap to include: its preprocessed lines may only shrink.

Two figures: the lines of our own headers, and all lines with what they draw in from the standard
library (as of Debian 12's).
"""

import json
import os
import re
import subprocess

import house

RECORD = "check/umbrella.json"
MARKER = re.compile(r'^# \d+ "([^"]+)"')


def measure(root):
    """{own: preprocessed lines of our headers, total: all lines that are not blank}."""
    done = subprocess.run(
        [os.environ.get("CXX", "g++"), "-std=c++20", "-E", f"-I{root}/include", "-x", "c++",
         str(root / "include/armature/armature.hpp")], capture_output=True, text=True, check=True)
    own = total = 0
    current = ""
    for line in done.stdout.splitlines():
        marker = MARKER.match(line)
        if marker:
            current = marker[1]
        elif line.strip():
            total += 1
            own += current.startswith(str(root))
    return {"own_lines": own, "total_lines": total}


def main():
    options = house.arguments(__doc__, ("--update", "record a lower figure"),
                              ("--grow", "record a higher figure too")).parse_args()
    root = options.root
    if not (root / "include/armature/armature.hpp").is_file():
        house.finish("umbrella", [], "there is no umbrella header")
    now = measure(root)
    path = root / RECORD
    limit = json.loads(path.read_text()) if path.is_file() else {}
    if options.update or options.grow:
        kept = {k: v if options.grow else min(v, limit.get(k, v)) for k, v in now.items()}
        path.write_text(json.dumps(kept, indent=2) + "\n")
        limit = kept
    problems = [f"{key} is {value}, the limit is {limit.get(key, 'missing')}; include less, or record "
                "it with check/umbrella.py --grow and say why in the commit"
                for key, value in now.items() if value > limit.get(key, -1)]
    house.finish("umbrella", problems, f"{now['own_lines']} own lines, {now['total_lines']} in all")


if __name__ == "__main__":
    main()
