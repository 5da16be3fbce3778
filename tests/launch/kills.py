"""kill -9 of a rank wherever it may be: the job ends, names the rank, and leaves nothing."""

import os
import random
import signal
import time

import harness
from harness import Job, expect, wait_until

WHERE = {  # where to hold -> what inspect says of rank 1 there
    "start": "has not called armature::run yet",
    "computing": "has run",
    "asleep": "has been asleep outside",
    "barrier": "waits in a barrier",
    "collective": "waits in a collective",
    "notify": "waits for a notify from rank 0",
    "finalize": "waits for the end of the job: rank 0 has not reached it",
    "mutex": "waits for mutex 0 at rank 0, held by rank 0",
    "room": "waits for room in the mailbox of rank 0",
    "message": "waits for a message .*from rank 0",
    "team": "waits for rank 0 to create a team",
    "question": "waits for an answer of rank 0",
    "method": "waits for an answer of rank 0",
    "future": "waits for a future",
    "when_all": "waits for a future",
    "calls": "waits for room in the .* of rank 0",
    "rmi_fence": "waits in rmi_fence .* of the world: rank 0 has not come so far",
    "rmi_wait": "waits in rmi_wait, for a call from anyone",
}


def kill(where, victim):
    job = Job(["hold", where], ["-n", 3])
    job.wait_for(1, WHERE[where])
    job.kill_rank(victim)
    job.expect_end(137, rf"rank {victim} \(pid \d+, .*\) was killed by signal 9 \(SIGKILL\)")


def make_test(where):
    def test():
        kill(where, 1)  # who waits
        if where not in ("start", "computing", "asleep"):
            kill(where, 0)  # whom the others wait for
    return test


for _where in WHERE:
    globals()[f"test_kill_{_where}"] = make_test(_where)


def test_kill_amid_accumulates():
    job = Job(["hold", "element"], ["-n", 3])
    job.wait_for(1, "has run|accumulate")
    job.kill_rank(2)
    job.expect_end(137, r"rank 2 .*\(SIGKILL\)")


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


START_S = 0.03  # about as long as it takes


def kill_at_a_random_moment(words, seed, statuses, until_s):
    """A rank is killed while the job starts or ends; wherever that hits, the job ends and leaves nothing."""
    moments = random.Random(seed)
    for attempt in range(25):
        job = Job(words, ["-n", 4])
        time.sleep(moments.uniform(0, until_s))
        ranks = children(job.pid)
        if ranks:
            try:
                os.kill(moments.choice(ranks), signal.SIGKILL)
            except ProcessLookupError:
                pass
        elif "hold" in words:
            job.process.terminate()
        status = job.end()
        expect(status in statuses, f"attempt {attempt} of seed {seed}: status {status}\n{job.out}{job.err}")


def test_kill_at_any_moment_of_the_start():
    kill_at_a_random_moment(["hold", "asleep"], 1, (137, 143, -signal.SIGTERM), START_S)


def test_kill_at_any_moment_of_the_end():
    begun = time.monotonic()
    job = Job(["end"], ["-n", 4])
    job.expect_end(0)
    kill_at_a_random_moment(["end"], 2, (0, 137), 1.2 * (job.ended - begun))


def test_killing_the_launcher_at_any_moment_leaves_nothing():
    moments = random.Random(3)
    for _ in range(15):
        job = Job(["hold", "asleep"], ["-n", 4])
        time.sleep(moments.uniform(0, START_S))
        os.kill(job.pid, signal.SIGKILL)
        job.end()


def test_killing_the_launcher_reaches_ranks_started_by_scripts():
    for kind in ([], ["--threads", 2], ["--virtual", "--no-globals-note"]):
        job = Job(["-c", f"(:; {harness.PROGRAM} hold asleep; :); :"], ["-n", 2, *kind], program="sh")
        job.wait_for(0, "asleep")
        job.wait_for(1, "asleep")
        os.kill(job.pid, signal.SIGKILL)
        job.end()


def test_killing_the_launcher_reaches_ranks_that_join_later():
    late, now = os.pipe()
    job = Job(["-c", f"(echo ready; cat /dev/fd/{late}; {harness.PROGRAM} hold asleep; :); :"], ["-n", 2], program="sh", pass_fds=[late])
    os.close(late)
    for _ in range(2):
        expect(job.process.stdout.readline() == "ready\n", "ready")
    os.kill(job.pid, signal.SIGKILL)
    wait_until("the launcher to be gone", lambda: not children(job.pid))
    os.close(now)
    job.end()
