"""Virtual ranks that go to other nodes, seen from outside.

    changing_nodes.py ARMATURE PROGRAM CASE
"""

import os
import pathlib
import re
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
import harness  # noqa: E402
from harness import Job, expect, run, wait_until  # noqa: E402

harness.ARMATURE, harness.PROGRAM, CASE = sys.argv[1:4]


def options(ranks, nodes, processes, *more):
    return ["-n", ranks, "--virtual", "--nodes", nodes, "--processes", processes, "--timeout", 60, *more]


def have_moved(job):
    found = job.inspect()
    return found and [rank["process"] for rank in found["ranks"]] != [rank // 3 for rank in range(12)]


def killed_on_the_way():
    """Whichever process it is, at any moment: the job ends with it, and nothing is left."""
    chosen = harness.chance()
    for _ in range(6):
        job = Job(["work", 1000000, chosen.randrange(1000)], options(12, 2, 4))
        wait_until("ranks to move", lambda: have_moved(job))
        time.sleep(chosen.uniform(0, 0.3))
        begun = time.monotonic()
        job.kill_rank(chosen.randrange(12))
        job.expect_end(137, r"process \d+ \(pid .* was killed by signal 9")
        expect(time.monotonic() - begun < 10, "the end took long")


def killed_without_ranks():
    """A process that all ranks have left: the job ends, as it may be needed again."""
    job = Job(["leave_alone"], options(6, 2, 2))
    wait_until("all ranks to have moved", lambda: (found := job.inspect()) and
               {rank["process"] for rank in found["ranks"]} == {1})
    children = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
    here = {str(rank["pid"]) for rank in job.inspect()["ranks"]}
    os.kill(int(next(pid for pid in children if pid not in here)), signal.SIGKILL)
    job.expect_end(137, r"process 0 \(pid .* was killed by signal 9")


def looked_at():
    """Where they are now is seen, with what they do there."""
    job = Job(["stand"], options(6, 2, 2))
    wait_until("all ranks to have moved", lambda: (found := job.inspect()) and
               [rank["process"] for rank in found["ranks"]] == [1, 1, 1, 0, 0, 0])
    for rank in range(5):
        job.wait_for(rank, "waits in a barrier")
    ranks = job.inspect()["ranks"]
    expect(len({rank["pid"] for rank in ranks[:3]}) == 1 and ranks[0]["pid"] != ranks[3]["pid"], str(ranks))
    os.kill(job.pid, signal.SIGINT)
    job.expect_end(130)


def refused_to_go():
    text = run(["refuse"], 0, "rank 1 asks for process 99: the job has 2", "rank 0 holds something of its process",
               options=options(4, 2, 2))
    expect(not re.search("elsewhere", text), text)
    run(["gather"], 134, "a job that goes on after deaths", options=options(4, 2, 2, "--on-death", "continue"))


def status_of_one_that_moved():
    """It ends on another node; its first one has no ranks left."""
    for shape in ((4, 2, 2), (5, 2, 4), (6, 3, 3)):
        run(["leave"], 7, "exited with status 7", options=options(*shape))


def restart(directory, nodes, processes, *expected, status=0):
    done = harness.subprocess.run([harness.ARMATURE, "restart", directory, "--nodes", str(nodes), "--processes",
                                   str(processes), "--timeout", "60"], capture_output=True, text=True, timeout=90)
    text = done.stdout + done.stderr
    expect(done.returncode == status, f"status {done.returncode} on {nodes} nodes: {text}")
    for what in expected:
        expect(re.search(what, text), f"no '{what}' in: {text}")


def checkpoints():
    """Written on some nodes, restarted on others."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (ranks, nodes, processes) in enumerate(((2, 2, 2), (7, 2, 4), (9, 3, 3), (20, 2, 2))):
            directory = f"{folder}/{number}"
            os.mkdir(directory)
            run(["save", directory], 0, "saved: well", options=options(ranks, nodes, processes))
            shown = harness.subprocess.run([harness.ARMATURE, "checkpoint", "show", directory], capture_output=True,
                                           text=True).stdout
            expect(f"in {processes} processes on {nodes} nodes" in shown, shown)
            expect(harness.subprocess.run([harness.ARMATURE, "checkpoint", "verify", directory],
                                          capture_output=True).returncode == 0, "it is not whole")
            for there in ((1, 1), (1, 3), (2, 2), (2, 4), (3, 3), (4, 4)):
                if there[1] <= ranks:
                    restart(directory, *there, "restarted: well")


def checkpoints_refused():
    with tempfile.TemporaryDirectory() as folder:
        text = run(["fail", folder], 0, "no/such", r"rank 3 holds something of its process", options=options(4, 2, 2))
        expect(len(os.listdir(folder)) == 4, str(os.listdir(folder)) + text)  # `latest`, its lock and a chain of two
        for nodes in (1, 2):
            run(["fail", f"{folder}/new-{nodes}"], 0, r"rank 3 holds something of its process", options=options(4, nodes, 4))
        single = f"{folder}/single"
        os.mkdir(single)
        run(["save", single], 0, "saved: well", options=["-n", 4, "--virtual", "--processes", 2])
        restart(single, 1, 1, "restarted: well")
        restart(single, 2, 2, "cannot go on as several nodes", status=1)


def killed_while_writing():
    """The one before stays good, or the new one is."""
    chosen = harness.chance()
    with tempfile.TemporaryDirectory() as folder:
        run(["save", folder], 0, "saved: well", options=options(6, 2, 4))
        for _ in range(8):
            job = Job(["save", folder], options(6, 2, 4))
            time.sleep(chosen.uniform(0, 0.3))
            processes = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children")
            if processes.exists() and (found := processes.read_text().split()):
                os.kill(int(chosen.choice(found)), signal.SIGKILL)
            job.end()
            restart(folder, 2, 3, "restarted: well")


globals()[CASE]()
