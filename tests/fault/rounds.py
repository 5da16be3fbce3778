#!/usr/bin/env python3
"""kill -9 of one rank at a random moment of collectives on one node or many, on a busy machine.

rounds.py ARMATURE ROUNDS TIMES [SEED]: ranks of ROUNDS on one node or eight pretended ones do collectives, or such of long
data, or fences, or make teams, without a pause, while ten processes burn the cores, and one rank is killed. In turns: the job ends with its first dead (rounds go over a tree of nodes), names it and
exits with 137; or it goes on, and every other rank's call ends with an error that names the dead.
A failure prints its seed.
"""

import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
import harness  # noqa: E402
from harness import Failed, Job, expect  # noqa: E402

BURNING = 10
NODES = 8
PROMPT_S = 40  # within that a job is over: cores are shared with all that burn


def pids_of(job, ranks):
    pids, said = {}, ""
    while len(pids) < ranks:
        line = job.process.stdout.readline()
        if not line:
            raise Failed(f"the job ended before anything happened, with {job.end()}:\n{said}{job.out}{job.err}")
        said += line
        if match := re.match(r"rank (\d+) is process (\d+)", line):
            pids[int(match[1])] = int(match[2])
    return pids


def check(program, seed):
    chosen = random.Random(seed)
    policy = ["end", "continue"][seed % 2]
    ranks = chosen.choice([NODES, 2 * NODES, 3 * NODES])  # of more than 16 the first of each node looks for all
    victim = chosen.randrange(ranks)
    words = chosen.choice([[], ["long"], ["fences"], ["teams"]])
    nodes = chosen.choice([1, NODES])
    job = Job(words, ["-n", ranks, "--nodes", nodes, "--on-death", policy, "--timeout", 100], program=program)
    pids = pids_of(job, ranks)
    time.sleep(chosen.uniform(0, 0.5))
    os.kill(pids[victim], signal.SIGKILL)
    begun = time.monotonic()
    text = job.expect_end(137, rf"armature: rank {victim} \(pid {pids[victim]}, .*\) was killed by signal 9 \(SIGKILL\)",
                          seconds=110)
    took = time.monotonic() - begun
    expect("(--timeout)" not in text and took < PROMPT_S, f"it took {took:.1f} s:\n{text}")
    expect("wrong" not in text, text)
    for rank in range(ranks) if policy == "continue" else ():
        expect(rank == victim or re.search(rf"rank {rank}: \w+ \d+: lost: .*rank {victim} has died", text),
               f"rank {rank} does not say that it has lost rank {victim}:\n{text}")
    return took


def main():
    harness.ARMATURE, program, times = sys.argv[1:4]
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 30)
    burning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BURNING)]
    failures, longest = 0, 0.0
    try:
        for one in range(seed, seed + int(times)):
            try:
                longest = max(longest, check(program, one))
            except Failed as failure:
                failures += 1
                print(f"seed {one}: {failure}\n", flush=True)
    finally:
        for process in burning:
            process.kill()
            process.wait()
    print(f"{times} deaths, from seed {seed} on: {failures} failures; the longest took {longest:.1f} s")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
