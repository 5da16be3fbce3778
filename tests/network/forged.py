#!/usr/bin/env python3
"""forged.py ARMATURE PROGRAM ENGINE: a job of two pretended nodes works on, while each process also sends packets again that it
has sent before, changed ones, short ones, and some to the wrong process (ARMATURE_NET_HOOK=forge). Nothing is lost, each process
tells of the first that it refuses, and at its end how many there were."""
import os
import re
import subprocess
import sys

ARMATURE, PROGRAM, ENGINE = sys.argv[1:]


def run(hook, seconds):
    """Returns what the job wrote; ends the test unless it has ended well."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("UCX_", "FI_", "ARMATURE_NET_"))}
    command = [ARMATURE, "run", "-n", "4", "--nodes", "2", "--net-engine", ENGINE, "--timeout", "80", PROGRAM, str(seconds)]
    done = subprocess.run(command, env={**inherited, **hook}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=100, check=False)
    if done.returncode != 0 or len(re.findall(r"rank \d works on: all well", done.stdout)) != 4:
        sys.exit(f"the job ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


text = run({"ARMATURE_NET_HOOK": "forge=7"}, 1)
first = re.findall(r"process (\d) has refused a packet of the network: (?:it had come before|no process of this job)", text)
counts = re.findall(r"process (\d) has refused (\d+) packets .*: (\d+) not of this job, or changed, and (\d+) that had come", text)
well = sorted(first) == list("0123") and sorted(count[0] for count in counts) == list("0123")
for _, together, strange, repeated in counts:
    well = well and int(strange) > 0 and int(repeated) > 0 and int(together) == int(strange) + int(repeated)
if not well:
    sys.exit(f"each process must tell once of the first, and once of how many:\n{text}")

text = run({}, 0.2)
if "refused" in text:
    sys.exit(f"nothing was to be refused:\n{text}")
