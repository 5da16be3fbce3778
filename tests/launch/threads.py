"""Ranks that are threads: armature run --threads."""

import os
import re
import resource
import signal

import harness
from harness import Job, expect, run


def processes_of_ranks(options):
    """rank -> number of its process, by what the ranks say."""
    text = run(["where"], 0, options=options)
    found = re.findall(r"rank (\d+) of (\d+) in process (\d+), pid (\d+)", text)
    pids = {process: pid for _, _, process, pid in found}
    expect(all(pids[process] == pid for _, _, process, pid in found), f"a process has one pid:\n{text}")
    expect(len(set(pids.values())) == len(pids), f"processes have pids of their own:\n{text}")
    return [process for _, process in sorted((int(rank), int(process)) for rank, _, process, _ in found)]


def test_threads_are_numbered_flat_over_processes():
    expect(processes_of_ranks(["-n", 4, "--threads", 4]) == [0, 0, 0, 0], "all in one")
    expect(processes_of_ranks(["-n", 4, "--threads", 2]) == [0, 0, 1, 1], "two and two")
    expect(processes_of_ranks(["-n", 5, "--threads", 2]) == [0, 0, 1, 1, 2], "the last hosts what is left")
    expect(processes_of_ranks(["-n", 2, "--threads", 8]) == [0, 0], "no more than there are")
    expect(processes_of_ranks(["-n", 3, "--threads", 1]) == [0, 1, 2], "as without")


def test_threads_each_have_the_stack_of_a_main_thread():
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    for limit in (64 << 20, resource.RLIM_INFINITY):
        if hard == resource.RLIM_INFINITY:
            run(["deep", 48 << 20], 0, r"rank 3 was deep", options=["-n", 4, "--threads", 4],
                preexec_fn=lambda soft=limit: resource.setrlimit(resource.RLIMIT_STACK, (soft, hard)))


def test_threads_status_is_the_first_that_is_not_0():
    run(["return", 2, 9], 9, r"the process of ranks 2-3 .* exited with status 9", options=["-n", 4, "--threads", 2])


def test_a_thread_rank_that_crashes_is_named_and_ends_the_job():
    options = ["-n", 4, "--threads", 4]
    text = run(["throw", 2], 134, r"uncaught exception std::runtime_error: the soup is cold",
               r"#0 .*throw_something.* at .*program\.cpp:\d+", options=options)
    expect(text.startswith("armature: rank 2 (pid") and not re.search(r"#\d+ .*(hosting|clone)", text), text)
    text = run(["armature_abort", 3], 5, "ended the job: no point in going on", options=options)
    expect(text.startswith("armature: rank 3 (pid"), text)
    text = run(["abort", 1], 134, r"signal 6 \(SIGABRT\)", options=options)
    expect(text.startswith("armature: rank 1 (pid"), text)


def test_a_thread_rank_with_a_segfault_is_named():
    text = run(["segfault", 3], 139, r"signal 11 \(SIGSEGV: address 0x10\)", r"#0 .*touch.* at .*program\.cpp:\d+",
               options=["-n", 4, "--threads", 2])
    expect(text.startswith("armature: rank 3 (pid"), text)


def test_a_thread_rank_with_a_stack_overflow_is_named():
    text = run(["overflow", 1], 139, r"SIGSEGV", r"recurse\(int\) .*times\)", options=["-n", 4, "--threads", 2])
    expect(text.startswith("armature: rank 1 (pid"), text)


def test_thread_ranks_that_crash_together_are_told_once():
    text = run(["segfault_all"], 139, r"signal 11 \(SIGSEGV", "#0 .*touch", options=["-n", 4, "--threads", 4])
    expect(text.count("SIGSEGV") == 1, text)


def test_a_process_killed_takes_its_thread_ranks_along():
    text = run(["kill", 3], 137, r"the process of ranks 2-3 \(pid \d+, .*\) was killed by signal 9 \(SIGKILL\)",
               options=["-n", 4, "--threads", 2])
    expect(text.startswith("armature: the process"), text)
    run(["exit0", 1], 1, r"the process of ranks 0-1 .* left out of order", options=["-n", 4, "--threads", 2])


def test_survivors_learn_of_every_thread_rank_of_a_dead_process():
    options = ["-n", 4, "--threads", 2, "--on-death", "continue"]
    run(["survive_mutex"], 137, r"rank 2 goes on: .*rank 0", r"rank 3 goes on: .*rank 0", options=options)
    run(["survive"], 137, r"rank 2 goes on: .*rank [01] has died", r"rank 3 goes on: .*rank [01] has died",
        options=options)


def test_a_program_that_joins_with_init_hosts_no_threads():
    text = run(["init"], 1, r"init: this process is to host 2 ranks \(armature run --threads\)", "run it without --threads",
               options=["-n", 4, "--threads", 2])
    expect("ARMCI_Init" in text, text)
    run(["init"], 0, options=["-n", 2, "--threads", 1])


def test_labels_of_thread_ranks_name_those_of_the_process():
    text = run(["where"], 0, options=["-n", 5, "--threads", 2, "--label"])
    for line in text.splitlines():
        label, rank = re.fullmatch(r"\[(\S+)\] rank (\d) .*", line).groups()
        expect(label == {"0": "0-1", "1": "0-1", "2": "2-3", "3": "2-3", "4": "4"}[rank], line)


def test_thread_ranks_are_bound_each_to_its_core():
    if len(os.sched_getaffinity(0)) >= 2:
        text = run(["bound"], 0, "in one process", options=["-n", 2, "--threads", 2, "--verbose"])
        expect("rank 0 may use 1" in text and "rank 1 may use 1" in text, text)


def test_inspect_shows_thread_ranks_and_their_processes():
    job = Job(["hold", "barrier"], ["-n", 5, "--threads", 2])
    job.wait_for(4, "waits in a barrier")
    job.wait_for(0, "has been asleep outside")
    ranks = job.inspect()["ranks"]
    expect([rank["process"] for rank in ranks] == [0, 0, 1, 1, 2], str(ranks))
    expect(len({rank["thread"] for rank in ranks}) == 5 and len({rank["pid"] for rank in ranks}) == 3, str(ranks))
    done = harness.subprocess.run([harness.ARMATURE, "inspect", str(ranks[4]["pid"])], capture_output=True, text=True)
    expect("5 ranks of" in done.stdout and "in 3 processes" in done.stdout, done.stdout)
    expect(re.search(r"rank 0 \(pid \d+, thread \d+\)", done.stdout), done.stdout)
    os.kill(job.pid, signal.SIGINT)
    job.expect_end(130)


def test_a_call_by_a_thread_that_runs_no_rank_is_explained():
    run(["other_thread"], 0, r"rank 1: its thread has put", r"notify: called by a thread that runs no rank",
        r"Team::barrier: called by a thread", r"allreduce: called by a thread",
        options=["-n", 2, "--threads", 2])
    run(["other_thread"], 0, r"rank 1: its thread has put", options=["-n", 2])
