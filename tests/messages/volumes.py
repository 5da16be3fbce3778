#!/usr/bin/env python3
"""volumes.py ARMATURE VOLUMES NODES: 8 ranks on pretended nodes, of which four tell each other directly and more form a
tree. Of what a collective moves, only that travels between two nodes which is read at the other. What is reduced travels
once for each node, and twice if all members want it. Prints and bounds how much there was."""
import os
import pathlib
import subprocess
import sys
import tempfile

RANKS = 8
armature, program, nodes = sys.argv[1], sys.argv[2], int(sys.argv[3])
each = RANKS // nodes


away = RANKS - each  # members that are not on the root's node
EXPECTED = {  # blocks
    "broadcast": nodes - 1,
    "scatter": away,
    "gather": away,
    "reduce": nodes - 1,
    "alltoall": RANKS * away,
    "allreduce": 2 * (nodes - 1),
    "broadcast_async": nodes - 1,
    "scatter_async": away,
    "gather_async": away,
    "allgather_async": nodes * (RANKS - 1),  # around a ring
    "alltoall_async": RANKS * away,
}

with tempfile.TemporaryDirectory(prefix="armature-test-") as folder:
    environment = {**os.environ, "ARMATURE_NET_HOOK": f"trace={folder}/trace", "ARMATURE_NET_HEARTBEAT": "0"}
    done = subprocess.run([armature, "run", "-n", str(RANKS), "--nodes", str(nodes), program], env=environment,
                          stdout=subprocess.PIPE, text=True, timeout=150, check=True)
    lines = [line.split() for file in pathlib.Path(folder).iterdir() for line in file.read_text().splitlines()]
sent = [(int(line[0]), int(line[3])) for line in lines if line[1] == "sent"]

wrong = []
rows = [line.split() for line in done.stdout.splitlines()]
for name, times, block, begun, ended in rows:
    travelled = sum(size for at, size in sent if int(begun) <= at <= int(ended))
    blocks = travelled / int(times) / int(block)
    print(f"{name}: {blocks:.2f} blocks between {nodes} nodes, of which {EXPECTED[name]} are needed")
    if not EXPECTED[name] <= blocks <= 1.15 * EXPECTED[name]:
        wrong.append(name)
if [row[0] for row in rows] != list(EXPECTED):
    sys.exit("collectives are missing")
if wrong:
    sys.exit(f"too much, or too little: {', '.join(wrong)}")
