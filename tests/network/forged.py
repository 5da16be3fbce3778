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


def is_told(text):
    """Returns whether each process has refused packets of both kinds; ends the test if one has told of that amiss."""
    first = re.findall(r"process (\d) has refused a packet of the network: (?:it had come before|no process of this job)", text)
    counts = re.findall(r"process (\d) has refused (\d+) packets .*: (\d+) not of this job, or changed, and (\d+) that had come", text)
    if len(set(first)) != len(first) or any(int(all_) != int(strange) + int(again) for _, all_, strange, again in counts):
        sys.exit(f"each process must tell once of the first, and once of how many:\n{text}")
    both = sorted(process for process, _, strange, again in counts if int(strange) > 0 and int(again) > 0)
    return sorted(first) == list("0123") and both == list("0123")


# On a busy machine few packets are sent in a second, and chance says what follows them.
for seconds in (1, 4, 16):
    text = run({"ARMATURE_NET_HOOK": "forge=7"}, seconds)
    if is_told(text):
        break
else:
    sys.exit(f"each process must tell once of the first, and once of how many:\n{text}")

text = run({}, 0.2)
if "refused" in text:
    sys.exit(f"nothing was to be refused:\n{text}")
