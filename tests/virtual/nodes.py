"""Jobs of virtual ranks on several pretended nodes, from outside.

    nodes.py ARMATURE PROGRAM CASE
"""

import os
import pathlib
import re
import signal
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
import harness  # noqa: E402
from harness import Job, expect, run, wait_until  # noqa: E402

harness.ARMATURE, harness.PROGRAM, CASE = sys.argv[1:4]


def options(ranks, nodes, processes, *more):
    return ["-n", ranks, "--virtual", "--nodes", nodes, "--processes", processes, "--timeout", 60, *more]


def kills():
    """Whichever process it is, at any moment: the job ends with it, and nothing is left."""
    chosen = harness.chance()
    for _ in range(8):
        job = Job(["work", 1000000], options(12, 2, 4))
        wait_until("all ranks to run", lambda: (found := job.inspect()) and
                   all(rank["state"] != "has not called armature::run yet" and rank["pid"] for rank in found["ranks"]))
        time.sleep(chosen.uniform(0, 0.3))
        victim = chosen.randrange(12)
        begun = time.monotonic()
        job.kill_rank(victim)
        first = victim // 3 * 3
        job.expect_end(137, rf"the process of ranks {first}-{first + 2} .* was killed by signal 9")
        expect(time.monotonic() - begun < 10, "the end took long")


def places():
    """Ranks are spread evenly over processes, and those over nodes."""
    for ranks, nodes, processes in ((16, 2, 4), (7, 3, 4), (10, 2, 3), (3, 2, 9)):
        job = Job(["wait"], options(ranks, nodes, processes))
        # The last one's process runs it, and no other.
        job.wait_for(0, "waits in a barrier" if ranks > processes else "waits")
        found = [rank["process"] for rank in job.inspect()["ranks"]]
        count = min(ranks, processes)
        expect(found == [rank * count // ranks for rank in range(ranks)], str(found))
        os.kill(job.pid, signal.SIGINT)
        job.expect_end(130)
    text = run(["work", 1], 0, options=["-n", 8, "--virtual", "--nodes", 3, "-v"])
    expect(match := re.search(r"8 ranks of .* in (\d+) processes, pretending 3 nodes", text), text)
    expect(int(match[1]) % 3 == 0, f"as many on each node: {text}")


def inspect():
    job = Job(["wait"], options(6, 2, 4))
    job.wait_for(5, "has been asleep outside")
    for rank in (0, 1, 2, 3):
        job.wait_for(rank, "waits in a barrier")
    # One that has had no turn since the other fell asleep.
    job.wait_for(4, "waits in a barrier|has been ready.*rank 5")
    ranks = job.inspect()["ranks"]
    expect([rank["process"] for rank in ranks] == [0, 0, 1, 2, 2, 3], str(ranks))
    expect(len({rank["pid"] for rank in ranks}) == 4, str(ranks))
    os.kill(job.pid, signal.SIGINT)
    job.expect_end(130)


def refusals():
    run(["work"], 1, r"-n 40000 does not go with .*30000 ranks", options=options(40000, 2, 2))
    run(["work"], 1, r"--nodes 3: there are only 2 processes", options=options(4, 3, 2))
    run(["migrate"], 0, "can: 1", r"migrate: process 1 is on another node", options=options(4, 2, 2))
    job = Job(["wait"], options(4, 2, 2))
    job.wait_for(0, "waits in a barrier")
    done = harness.subprocess.run([harness.ARMATURE, "resize", str(job.pid), "--processes", "3",
                                   "--timeout", "1"], capture_output=True,
                                  text=True)
    expect(done.returncode != 0 and "several nodes" in done.stderr, done.stdout + done.stderr)
    os.kill(job.pid, signal.SIGINT)
    job.expect_end(130)


def memory_elsewhere():
    run(["touch"], 139, "memory of rank 3, which is on another node", options=options(4, 2, 2))


globals()[CASE]()
