"""kill -9 of a rank wherever it may be: the job ends, names the rank, and leaves nothing."""

from harness import Job

WHERE = {  # where to hold -> what inspect says of rank 1 there
    "start": "has not called armature::run yet",
    "computing": "has computed",
    "asleep": "has been asleep outside",
    "barrier": "waits in a barrier",
    "collective": "waits in a collective",
    "notify": "waits for a notify from rank 0",
    "finalize": "waits for the end of the job: rank 0 has not reached it",
    "mutex": "waits for mutex 0 at rank 0, held by rank 0",
    "room": "waits for room in the mailbox of rank 0",
    "message": "waits for a message .*from rank 0",
    "team": "waits for rank 0 to create a team",
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
    job.wait_for(1, "has computed|accumulate")
    job.kill_rank(2)
    job.expect_end(137, r"rank 2 .*\(SIGKILL\)")
