#!/usr/bin/env python3
"""gathered.py ARMATURE GATHERED: a rank makes 1000 small requests to another node, which travel together: prints and
bounds how many packets both nodes sent meanwhile."""
import os
import pathlib
import subprocess
import sys
import tempfile

PACKETS_MAX = {"sections": 20, "lists": 20, "explicit": 30}

armature, program = sys.argv[1:]
with tempfile.TemporaryDirectory(prefix="armature-test-") as folder:
    # No signs of life between nodes meanwhile.
    environment = {**os.environ, "ARMATURE_NET_HOOK": f"trace={folder}/trace", "ARMATURE_NET_HEARTBEAT": "0"}
    done = subprocess.run([armature, "run", "-n", "2", "--nodes", "2", program], env=environment,
                          stdout=subprocess.PIPE, text=True, timeout=100, check=True)
    sent = [int(line.split()[0]) for file in pathlib.Path(folder).iterdir()
            for line in file.read_text().splitlines() if line.split()[1] == "sent"]

wrong = []
rows = [line.split() for line in done.stdout.splitlines()]
for name, requests, begun, ended, missing in rows:
    packets = sum(int(begun) <= at <= int(ended) for at in sent)
    print(f"{name}: {packets} packets for {requests} requests, {missing} results missing")
    if packets > PACKETS_MAX[name] or missing != "0":
        wrong.append(name)
if [row[0] for row in rows] != list(PACKETS_MAX):
    sys.exit("requests are missing")
if wrong:
    sys.exit(f"more than {PACKETS_MAX}, or not all there: {', '.join(wrong)}")
