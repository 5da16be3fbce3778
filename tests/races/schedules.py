"""`armature run --simulate FIRST-LAST`: a run for each seed, and the first one that fails is named.

  schedules.py ARMATURE RACES STORM
"""

import re
import shlex
import subprocess
import sys

armature, races, storm = sys.argv[1:]


def run(*words):
    return subprocess.run([armature, "run", *words], capture_output=True, text=True, timeout=100)


def require(condition, what, done):
    if not condition:
        sys.exit(f"{what}\n{done.returncode}\n{done.stdout}{done.stderr}")


good = run("-n", "3", "--simulate", "1-12", "--races", races, "orders")
require(good.returncode == 0 and "12 schedules passed, seeds 1 to 12" in good.stderr, "all pass", good)

# A fault that some schedules alone show.
bad = run("-n", "3", "--simulate=1-200", "--timeout", "60", storm, "broken-sent")
named = re.search(r"seed (\d+) is the first that fails \(exit status (\d+)\), of seeds 1 to 200; run it again with: (.*)",
                  bad.stderr)
require(bad.returncode != 0 and named, "one fails", bad)
seed, status, command = named.groups()
require(int(status) == bad.returncode, "its status", bad)
again = subprocess.run([armature, *shlex.split(command)[1:]], capture_output=True, text=True, timeout=100)
require(again.returncode == bad.returncode and f"--simulate {seed} " in again.stderr, "the same again", again)
if int(seed) > 1:
    before = run("-n", "3", f"--simulate=1-{int(seed) - 1}", "--timeout", "60", storm, "broken-sent")
    require(before.returncode == 0, "no seed before it fails", before)

for words, why in (("9-2", "has no seed"), ("1-", "is not possible here"), ("a-b", "is not possible here")):
    refused = run("-n", "2", "--simulate", words, races, "orders")
    require(refused.returncode == 2 and why in refused.stderr, words, refused)
print(f"12 seeds pass, seed {seed} is the first that fails, and repeats")
