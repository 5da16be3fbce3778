#!/usr/bin/env python3
"""gathered.py ARMATURE PROGRAM NAME=MIN..MAX...: a rank makes many requests of each kind to another node, which travel
together: prints and bounds how many packets both nodes sent meanwhile, in the best of some runs."""
import os
import pathlib
import subprocess
import sys
import tempfile

RUNS = 10  # where the rank loses its core, what has gathered leaves before the rest is asked for

armature, program, *bounds = sys.argv[1:]
BOUNDS = {name: [int(bound) for bound in bounds.split("..")] for name, bounds in (text.split("=") for text in bounds)}


def run():
    """The packets of each kind of request, of one run."""
    with tempfile.TemporaryDirectory(prefix="armature-test-") as folder:
        # No signs of life between nodes meanwhile.
        environment = {**os.environ, "ARMATURE_NET_HOOK": f"trace={folder}/trace", "ARMATURE_NET_HEARTBEAT": "0"}
        done = subprocess.run([armature, "run", "-n", "2", "--nodes", "2", program], env=environment,
                              stdout=subprocess.PIPE, text=True, timeout=100, check=True)
        sent = [int(line.split()[0]) for file in pathlib.Path(folder).iterdir()
                for line in file.read_text().splitlines() if line.split()[1] == "sent"]
    packets = {}
    for name, requests, begun, ended, missing in (line.split() for line in done.stdout.splitlines()):
        packets[name] = sum(int(begun) <= at <= int(ended) for at in sent)
        print(f"{name}: {packets[name]} packets for {requests} requests, {missing} results missing")
        if missing != "0":
            sys.exit(f"{name}: results are missing")
    if list(packets) != list(BOUNDS):
        sys.exit("requests are missing")
    return packets


few = set()
for _ in range(RUNS):
    few |= {name for name, packets in run().items() if BOUNDS[name][0] <= packets <= BOUNDS[name][1]}
    if few == set(BOUNDS):
        break
else:
    sys.exit(f"not within {BOUNDS} in any of {RUNS} runs: {', '.join(set(BOUNDS) - few)}")
