"""What beginners do wrong, and the sentence that each reads."""

import os
import pathlib
import signal
import subprocess
import sys

import harness
from harness import Job, expect

KINDS = {"processes": ["-n", 2], "threads": ["-n", 2, "--threads", 2], "nodes": ["-n", 2, "--nodes", 2],
         "virtual": ["-n", 2, "--virtual", "--processes", 1, "--no-globals-note"]}


def program():
    return str(pathlib.Path(harness.PROGRAM).with_name("launch_mistakes"))


def run(mistake, status, *patterns, options):
    return harness.run([mistake], status, *patterns, options=["--timeout", 40, *options], program=program())


def on_kinds(mistake, status, *patterns, kinds=tuple(KINDS), more=()):
    return [run(mistake, status, *patterns, options=[*KINDS[kind], *more]) for kind in kinds]


def test_mistake_a_call_by_a_thread_that_is_no_rank():
    for kind in ("threads", "virtual"):
        text = run("thread", 0, r"put: nothing was said",
                   *(rf"{call}: .*called by a thread that runs no rank.*Let the thread of the rank make this call, or "
                     r"give each rank a process \(armature run without --threads and --virtual\)"
                     for call in ("async", "notify", "barrier")), options=KINDS[kind])
        expect("outside armature::run" not in text, text)
    text = run("thread", 0, r"async: .*called by a thread that the program has started: remote calls are for the thread "
               r"that runs the rank, unless that has set RmiSettings::program_threads", options=KINDS["processes"])
    expect("outside armature::run" not in text, text)


def test_mistake_two_threads_of_a_rank_in_a_barrier():
    text = run("two_threads", 0, r"own thread: .*another thread of this rank is in a collective of the same team: threads "
               r"of a rank call collectives in turns", r"other thread: nothing was said", options=KINDS["processes"])
    expect("method" not in text, text)


def test_mistake_a_collective_call_on_one_rank_alone():
    for text in on_kinds("allocate", 134, r"disagree: .*rank 0 is in Team::allocate", r"rank 1 is in a barrier"):
        expect("allreduce" not in text, text)
    for text in on_kinds("sort", 134, r"disagree: .*rank 0 is in sort", r"rank 1 is in an allgather of 4 bytes"):
        expect("rank 0 is in an" not in text, text)
    on_kinds("container", 134, r"disagree: .*rank 0 is in the constructor of a container", kinds=["processes", "nodes"])


def test_mistake_different_roots_are_named():
    for kind, more in (("processes", ["--check"]), ("nodes", [])):
        on_kinds("roots", 134, r"broadcast: members of the team disagree about the root: .*rank 0 is in a broadcast of 4 "
                 r"bytes with root 0", r"rank 1 is in a broadcast of 4 bytes with root 1", kinds=[kind], more=more)


def test_mistake_the_same_call_with_other_counts_says_where():
    on_kinds("counts", 134, r"histogram: members of the team disagree: .*rank 0 is in histogram, and there in an allreduce "
             r"of 80 bytes", r"rank 1 is in histogram, and there in an allreduce of 160 bytes", kinds=["processes"])


def test_mistake_an_exception_in_a_one_way_call():
    for text in on_kinds("method", 134, r"rank 0 .*a call from rank 1 failed: there is no soup \(std::runtime_error, thrown "
                         r"by .*Kitchen::", r"#0 +.*Kitchen::cook\(int\) at .*mistakes\.cpp:\d+"):
        frames = [line for line in text.splitlines() if line.lstrip().startswith("#")]
        expect(len(frames) <= 6 and not any("Dispatcher" in line for line in frames), text)


def test_mistake_check_names_the_line_of_a_one_way_call():
    source = pathlib.Path(__file__).with_name("mistakes.cpp").read_text().splitlines()
    line = 1 + next(number for number, text in enumerate(source) if "kitchen.async(0, &Kitchen::cook, 3)" in text)
    on_kinds("method", 134, rf"a call from rank 1, made at .*mistakes\.cpp:{line}, failed: there is no soup \(std::runtime_error",
             more=["--check"])


def test_mistake_a_put_past_the_end_and_one_after_free_are_found_by_check():
    on_kinds("past_the_end", 134, r"rank 1 .*put: 4 bytes at \S+ of rank 0: not within what that rank has allocated; the "
             r"nearest allocation is 64 bytes", more=["--check"])
    on_kinds("after_free", 134, r"rank 1 .*put: 4 bytes at \S+ of rank 0: (not within what that rank has allocated|that "
             r"rank has nothing allocated, or has freed it)", more=["--check"])


def test_mistake_an_element_of_the_own_piece_past_its_end():
    on_kinds("own_element", 134, r"Piece: there is no element 100000 among 10")


def test_mistake_the_first_crash_hints_at_check():
    for text in on_kinds("segfault", 139, r"SIGSEGV", r"armature: .*`armature run --check`"):
        expect(text.count("--check") == 1, text)
    text = run("segfault", 139, r"SIGSEGV", options=[*KINDS["processes"], "--check"])
    expect("--check" not in text, text)


def may_read_stacks():
    """Where ptrace is not allowed, nothing is said of lines."""
    child = subprocess.Popen(["sleep", "60"])
    try:
        return os.access(f"/proc/{child.pid}/mem", os.R_OK) and bool(open(f"/proc/{child.pid}/syscall").read())
    except OSError:
        return False
    finally:
        child.kill()
        child.wait()


def test_mistake_a_hang_shows_the_lines():
    if not may_read_stacks():
        print("the system does not allow to read another process's stack")
        sys.exit(77)
    lines = r"rank 1 .*waits .* in a barrier .*\n +at .*launch/mistakes\.cpp:\d+", \
        r"rank 0 .*has been asleep .*\n +at .*launch/mistakes\.cpp:\d+"
    for kind in ("processes", "threads"):
        # A look leaves out what takes too long to read beside others: then another job is looked at.
        for _ in range(5):
            job = Job(["barrier"], [*KINDS[kind], "--stall", 1, "--timeout", 3], program=program())
            text = job.expect_end(124)
            if all(harness.re.search(line, text) for line in lines):
                break
        else:
            raise harness.Failed(f"{kind}: no lines in five jobs:\n{text}")


def test_mistake_a_rank_that_spins_in_get_is_not_said_to_compute():
    job = Job(["spin"], [*KINDS["processes"], "--stall", 0], program=program())
    job.wait_for(1, "has run .*without waiting in Armature: it computes, or calls again and again")
    text = subprocess.run([harness.ARMATURE, "inspect", str(job.pid)], capture_output=True, text=True).stdout
    expect("has computed" not in text, text)
    if may_read_stacks():
        expect(harness.re.search(r"rank 1 .*has run .*\n +at .*mistakes\.cpp:\d+", text), text)
    os.kill(job.pid, signal.SIGINT)
    job.expect_end(130)
