"""water.py ARMATURE PROGRAM: the water's trajectory is one, to the last bit, on 1, 2, 3 and 4 ranks, on threads, on two
nodes, and in another order of ranks, which moves more bytes between nodes."""

import re
import subprocess
import sys

ARMATURE, PROGRAM = sys.argv[1:]
SHORT = ["--cells", "3", "--steps", "20", "--settle", "10"]


def run(ranks, *options, words=()):
    """(the line with energy and fingerprint, bytes between ranks and nodes in MB). Its status says whether the energy was
    kept, which it is not before the water has settled."""
    done = subprocess.run([ARMATURE, "run", "-n", str(ranks), "--timeout", "60", *options, PROGRAM, *SHORT, *words],
                          capture_output=True, text=True)
    found = re.search(r"^a molecule has .*; trajectory [0-9a-f]{16}$", done.stdout, re.M)
    moved = re.search(r"; ([0-9.]+) MB between ranks, ([0-9.]+) MB between nodes", done.stdout)
    if found is None or moved is None:
        sys.exit(f"{ranks} ranks, {options}: {done.stdout}{done.stderr}")
    return found[0], float(moved[1]), float(moved[2])


alone, nothing, _ = run(1)
assert nothing == 0, nothing
other = run(1, words=["--steps", "21"])[0]
assert other != alone, "a step more is not seen"
for ranks, options in ((2, []), (3, []), (4, ["--threads", "2"])):
    line, between_ranks, between_nodes = run(ranks, *options)
    assert line == alone, f"{ranks} ranks: {line}, not {alone}"
    assert between_ranks > 0 and between_nodes == 0, (between_ranks, between_nodes)
moved = {}
for order in ("bricks", "scattered"):
    line, between_ranks, moved[order] = run(4, "--nodes", "2", words=["--deal", order])
    assert line == alone, f"{order}: {line}, not {alone}"
    assert 0 < moved[order] < between_ranks, moved
assert moved["scattered"] > moved["bricks"], moved
print(alone)
