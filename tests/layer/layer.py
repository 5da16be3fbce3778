"""A layer's ranks that are restarted, killed, and looked at from outside.

    layer.py ARMATURE PROGRAM CASE
"""

import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "launch"), str(TESTS / "virtual")]
import harness  # noqa: E402
from harness import expect, perform_case, run  # noqa: E402
from recovering_job import ARMATURE, PROGRAM, Job, NodesJob, read_until, result  # noqa: E402

harness.ARMATURE, harness.PROGRAM, CASE = sys.argv[1:4]


def restart(directory, nodes, processes):
    done = subprocess.run([ARMATURE, "restart", directory, "--nodes", str(nodes), "--processes", str(processes),
                           "--timeout", "60"], capture_output=True, text=True, timeout=90)
    expect(done.returncode == 0 and "restarted: well" in done.stdout,
           f"status {done.returncode} on {nodes} nodes: {done.stdout}{done.stderr}")


def case_restarts():
    """Written with requests open and posted; restarted on other numbers of nodes and processes."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (ranks, nodes, processes) in enumerate(((4, 1, 2), (4, 2, 2), (7, 2, 4))):
            directory = f"{folder}/{number}"
            os.mkdir(directory)
            run(["save", directory], 0, "saved: well",
                options=["-n", ranks, "--virtual", "--nodes", nodes, "--processes", processes, "--timeout", 60])
            for there in ((1, 1), (1, 3)) if nodes == 1 else ((1, 2), (2, 2), (3, 3)):
                restart(directory, *there)


def case_refuses():
    """What does not fit a rank's segment keeps the rank where it is."""
    for nodes, processes in ((1, 2), (2, 2), (2, 4)):
        with tempfile.TemporaryDirectory() as folder:
            run(["refuse", folder], 0, "refused: well",
                options=["-n", 4, "--virtual", "--nodes", nodes, "--processes", processes, "--segment-size", "64M",
                         "--timeout", 60])
            expect(sorted(os.listdir(folder))[-1:] == ["latest"], str(os.listdir(folder)))


def kill(runs, start, at_random):
    """Whoever is killed, all go back to what they had; nothing is lost."""
    recovered = 0
    for number in range(runs):
        job = start(number)
        status, out, err = at_random(job)
        if status == 137 and re.search("there is no checkpoint in memory yet|so is the one with its copy", err):
            continue
        got, err = result((status, out, err))
        expect(got == "well", f"{job.words}: {got}:\n{err}")
        recovered += err.count("all ranks go back")
    print(f"{runs} runs, gone back {recovered} times")
    expect(recovered >= runs // 2, "hardly anything was recovered")


def case_kills():
    chance = random.Random(4)

    def at_random(job):
        read_until(job.job.stdout, "the first copy is made")
        for _ in range(2):
            time.sleep(chance.uniform(0.02, 0.3))
            job.kill(1, chance)
        status, out, err = job.end()
        return status, out, err

    kill(4, lambda number: Job(7, 2 + number % 2, [], ["recover", 800, number]), at_random)


def case_kills_on_nodes():
    chance = random.Random(5)

    def at_random(job):
        read_until(job.job.stdout, "the first copy is made")
        for _ in range(2):
            time.sleep(chance.uniform(0.02, 0.25))
            job.kill_some(chance)
        status, out, err = job.end()
        return status, out, job.said + err

    shapes = ((2, 4), (3, 3), (2, 2))
    kill(5, lambda number: NodesJob(6, *shapes[number % 3], ["recover", 300, number]), at_random)


def case_looks():
    """What a rank waits for is told in the layer's words."""
    job = harness.Job(["explain"], ["-n", 2, "--timeout", 30])
    job.wait_for(0, "waits.*until a toy is found$")
    job.wait_for(1, "waits.*until nobody asks, by rank 0$")
    job.expect_end(0, "explained: well")


perform_case(CASE, globals()[f"case_{CASE}"])
