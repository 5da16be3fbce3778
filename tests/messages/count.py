#!/usr/bin/env python3
"""count.py ARMATURE MESSAGES: 16 ranks on 8 pretended nodes. Nodes form a tree, so a barrier, a broadcast, an allreduce of
a few words and a fence after which nothing was sent take 2 x 7 packets each: prints and bounds how many there were."""
import os
import pathlib
import subprocess
import sys
import tempfile

NODES, RANKS = 8, 16
EXPECTED = 2 * (NODES - 1)

armature, program = sys.argv[1:]
with tempfile.TemporaryDirectory(prefix="armature-test-") as folder:
    # No signs of life between nodes meanwhile.
    environment = {**os.environ, "ARMATURE_NET_HOOK": f"trace={folder}/trace", "ARMATURE_NET_HEARTBEAT": "0"}
    done = subprocess.run([armature, "run", "-n", str(RANKS), "--nodes", str(NODES), program], env=environment,
                          stdout=subprocess.PIPE, text=True, timeout=150, check=True)
    sent = sorted(int(line.split()[0]) for file in pathlib.Path(folder).iterdir()
                  for line in file.read_text().splitlines() if line.split()[1] == "sent")

wrong = []
rows = [line.split() for line in done.stdout.splitlines()]
for name, times, begun, ended in rows:
    packets = sum(int(begun) <= at <= int(ended) for at in sent) / int(times)
    print(f"{name}: {packets:.1f} packets between {NODES} nodes of {RANKS // NODES} ranks")
    # Others than rank 0 begin and end a little earlier or later.
    if not EXPECTED - 1 <= packets <= EXPECTED + 1:
        wrong.append(name)
if [row[0] for row in rows] != ["barrier", "broadcast", "allreduce", "fence"]:
    sys.exit("operations are missing")
if wrong:
    sys.exit(f"not {EXPECTED}: {', '.join(wrong)}")
