"""Why a job does not move, as `run --stall` says by itself and `inspect` when asked."""

import json
import os
import resource
import signal
import subprocess
import tempfile

import harness
from harness import Job, expect, wait_until

EXPLAINED = {
    "mutexes": [r"rank 0 .*waits .* for mutex 0 at rank 1, held by rank 1",
                r"rank 1 .*waits .* for mutex 0 at rank 0, held by rank 0",
                r"Ranks 0 and 1 wait for each other: a deadlock. Lock mutexes in the same order everywhere",
                r"Rank 2 waits, directly or through others, for those"],
    "barrier": [r"ranks 0 and 1  wait .* in a barrier .* of the world: rank 2 has not entered it",
                r"rank 2 .* has been asleep .*outside Armature",
                r"Ranks 0 and 1 wait, directly or through others, for rank 2, which is asleep outside Armature"],
    "notify": [r"rank 1 .*waits .* for a notify from rank 0",
               r"ranks 0 and 2  wait .* for the end of the job: rank 1 has not reached it",
               r"Ranks 0 and 1 wait for each other: a deadlock"],
}

# What ranks wait for when all of it can be said.
STUCK = {
    "mutexes": ["for mutex", "for mutex", "in a barrier"],
    "barrier": ["in a barrier", "in a barrier", "asleep"],
    "notify": ["for the end", "for a notify", "for the end"],
}


def look(*words, **more):
    """Asked about all jobs it shows other tests' as well, whose names may be no UTF-8."""
    return subprocess.run([harness.ARMATURE, "inspect", *words], capture_output=True, text=True, errors="replace", **more)


def stuck(mode, options):
    return Job([mode], ["-n", 3, *options], program=os.path.join(harness.EXAMPLES, "deadlock"))


def stall(mode, *options):
    stuck(mode, ["--stall", 1, "--timeout", 4, *options]).expect_end(
        124, r"nothing has moved for 1 s \(--stall\)", *EXPLAINED[mode])


def inspect(mode):
    job = stuck(mode, ["--stall", 0])
    for rank, pattern in enumerate(STUCK[mode]):
        job.wait_for(rank, pattern)
    text = look(str(job.pid)).stdout
    for pattern in EXPLAINED[mode]:
        expect(harness.re.search(pattern, text), f"not said: {pattern}\n{text}")
    os.kill(job.pid, harness.signal.SIGINT)
    job.expect_end(130, "ended by SIGINT")


def test_stall_explains_mutexes_locked_in_opposite_order():
    stall("mutexes")


def test_stall_explains_a_barrier_one_rank_never_enters():
    stall("barrier")


def test_stall_explains_a_notify_never_sent():
    stall("notify")


def test_stall_explains_waits_between_three_nodes():
    for mode in EXPLAINED:
        stall(mode, "--nodes", 3)


def test_stall_explains_a_ring_of_mutexes_through_three_nodes():
    Job(["hold", "mutex_ring"], ["-n", 3, "--nodes", 3, "--stall", 1, "--timeout", 4]).expect_end(
        124, *(rf"rank {rank} .*waits .* for mutex 0 at rank {(rank + 1) % 3}, held by rank {(rank + 1) % 3}"
               for rank in range(3)),
        r"Ranks 0-2 wait for each other: a deadlock. Lock mutexes in the same order everywhere")


def test_stall_names_who_is_late_among_nodes_that_hear_of_each_other_through_others():
    Job(["hold", "barrier"], ["-n", 6, "--nodes", 6, "--stall", 1, "--timeout", 5]).expect_end(
        124, r"ranks 1-5  wait .* in a barrier .* of the world: rank 0 has not entered it",
        r"Ranks 1-5 wait, directly or through others, for rank 0, which is asleep outside Armature")


def test_stall_names_the_root_that_others_wait_for():
    Job(["hold", "broadcast"], ["-n", 3, "--stall", 1, "--timeout", 4]).expect_end(
        124, r"ranks 1 and 2  wait .* in a collective .* of the world: rank 0 has not entered it",
        r"Ranks 1 and 2 wait, directly or through others, for rank 0, which is asleep outside Armature")


def test_inspect_explains_mutexes_locked_in_opposite_order():
    inspect("mutexes")


def test_inspect_explains_a_barrier_one_rank_never_enters():
    inspect("barrier")


def test_inspect_explains_a_notify_never_sent():
    inspect("notify")


def test_stall_tells_who_connects_from_who_has_not_begun():
    text = Job(["hold", "start", 3], ["-n", 4, "--nodes", 2, "--stall", 1, "--timeout", 4]).expect_end(
        124, r"nothing has moved for 1 s \(--stall\)", r"ranks 0-2  are connecting to the job's other processes, for .* s so far",
        r"rank 3 .* has not called armature::run yet",
        "Ranks 0-2 wait, directly or through others, for rank 3, which has not called armature::run yet")
    expect("ranks 0-3" not in text and "deadlock" not in text, text)


def test_stall_is_told_again():
    job = stuck("notify", ["--stall", 0.5, "--timeout", 10 * harness.SLOW])
    for rank, pattern in enumerate(STUCK["notify"]):
        job.wait_for(rank, pattern)
    told = 0
    while told < 3:  # the first one perhaps before all are stuck: a busy machine takes long to start
        line = job.process.stderr.readline()
        expect(line, f"the job has ended, with {told} stalls told")
        told += "nothing has moved" in line
    os.kill(job.pid, harness.signal.SIGINT)
    job.expect_end(130)


def test_no_stall_is_told_of_a_job_where_nobody_waits():
    text = Job(["hold", "asleep"], ["-n", 2, "--stall", 0.5, "--timeout", 2]).expect_end(124)
    expect("nothing has moved" not in text, text)


def test_inspect_explains_a_method_that_does_not_return():
    job = Job(["hold", "method"], ["-n", 3, "--stall", 0])
    job.wait_for(1, "waits for an answer of rank 0")
    job.wait_for(2, "waits for an answer of rank 0")
    job.wait_for(0, "asleep")
    text = look(str(job.pid)).stdout
    expect("Ranks 1 and 2 wait, directly or through others, for rank 0, which is asleep outside Armature" in text, text)
    os.kill(job.pid, harness.signal.SIGINT)
    job.expect_end(130)


def test_inspect_names_a_stopped_rank():
    job = Job(["hold", "barrier"], ["-n", 2])
    job.wait_for(1, "waits in a barrier")
    pid = job.kill_rank(0, harness.signal.SIGSTOP)
    job.wait_for(0, f"is stopped by a signal; kill -CONT {pid}")
    job.kill_rank(0)
    job.expect_end(137)


def test_inspect_finds_a_job_by_a_rank_and_lists_all():
    job = Job(["hold", "asleep"], ["-n", 2])
    rank = job.wait_for(1, "asleep")["pid"]
    for words in ([str(rank)], []):
        done = look(*words)
        expect(f"job {job.pid}: 2 ranks" in done.stdout, done.stdout)
    nobody = look("1")
    expect(nobody.returncode == 1 and "neither the launcher nor a rank" in nobody.stderr, nobody.stderr)
    job.kill_rank(0)
    job.expect_end(137)
    wait_until("the job to vanish", lambda: job.inspect() is None)


def test_inspect_needs_few_open_files():
    """A program looks at jobs in turn, and raises the limit for one of many ranks."""
    jobs = [Job(["hold", "barrier"], ["-n", 40]) for _ in range(2)]
    for job in jobs:
        job.wait_for(1, "waits in a barrier")
    for limits in ((50, 4096), (100, 100)):
        done = look(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limits))
        for job in jobs:
            expect(f"job {job.pid}: 40 ranks" in done.stdout, done.stdout + done.stderr)
        expect(done.stdout.count("rank 0 has not entered") >= 2, done.stdout)
    done = look(str(jobs[0].pid), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50)))
    expect(done.returncode == 1 and "a job of 40 ranks needs" in done.stderr, done.stdout + done.stderr)
    for job in jobs:
        job.process.terminate()
        job.expect_end(143)


def test_inspect_shows_programs_of_any_name():
    with tempfile.TemporaryDirectory() as folder:
        program = os.fsdecode(os.fsencode(folder) + b"/prog\xff")
        os.symlink(harness.PROGRAM, program)
        job = Job(["hold", "asleep"], ["-n", 2], program=program)
        job.wait_for(1, "asleep")
        expect(job.inspect()["program"].endswith("prog\ufffd"), job.inspect()["program"])
        job.process.terminate()
        job.end()
        expect(job.process.returncode == 143, f"exit status {job.process.returncode}")


def test_inspect_lists_jobs_of_all_kinds_at_once():
    """Three of as many ranks: whoever looks at them has the files of all open, as one launcher has those of its nodes."""
    jobs = [Job(["hold", "asleep"], ["-n", 16, *kind]) for kind in ((), ("--virtual", "--processes", 2), ("--nodes", 2))]
    for job in jobs:
        wait_until("the job's ranks", job.inspect)
    done = look()
    expect(done.returncode == 0, f"exit status {done.returncode}: {done.stderr}")
    for job in jobs:
        expect(f"job {job.pid}: 16 ranks" in done.stdout, done.stdout)
        job.process.terminate()
        job.expect_end(143)


def test_inspect_watches():
    """Looks follow each other until the job has ended; for a program each is a line."""
    job = Job(["hold", "asleep"], ("-n", 2))
    job.wait_for(1, "asleep")
    watch = [harness.ARMATURE, "inspect", str(job.pid), "--watch", "0.1"]
    watchers = [subprocess.Popen(watch + more, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for more in ([], ["--json"])]
    lines = [watchers[1].stdout.readline() for _ in range(3)]
    text = ""
    while text.count(f"job {job.pid}: 2 ranks") < 2:  # reading stacks takes a while
        line = watchers[0].stdout.readline()
        expect(line, f"it has ended before the job: {text}")
        text += line
    job.process.send_signal(signal.SIGTERM)
    job.end()
    for line in lines:
        expect([rank["rank"] for rank in json.loads(line)[0]["ranks"]] == [0, 1], line)
    rest, errors = watchers[0].communicate(timeout=30)
    text += rest
    expect(watchers[0].returncode == 0 and not errors, f"{watchers[0].returncode}: {errors}")
    expect(text.endswith(f"the job of process {job.pid} has ended\n") and "\x1b" not in text, text)
    rest, errors = watchers[1].communicate(timeout=30)
    expect(watchers[1].returncode == 0 and json.loads(rest.splitlines()[-1]) == [], rest + errors)
    done = subprocess.run([*watch[:3], "--watch", "0"], capture_output=True, text=True)
    expect(done.returncode == 2 and "at least 0.01" in done.stderr, done.stderr)
