"""Ranks that are fibers: armature run --virtual."""

import os
import re
import signal

import harness
from harness import Job, expect, run
from threads import processes_of_ranks


def options(ranks, processes, *more):
    return ["-n", ranks, "--virtual", "--no-globals-note", "--processes", processes, *more]


def test_virtual_ranks_are_spread_evenly_over_processes():
    expect(processes_of_ranks(options(4, 1)) == [0, 0, 0, 0], "all in one")
    expect(processes_of_ranks(options(5, 2)) == [0, 0, 0, 1, 1], "three and two")
    expect(processes_of_ranks(options(4, 3)) == [0, 0, 1, 2], "none without ranks")
    expect(processes_of_ranks(options(2, 8)) == [0, 1], "no more than there are ranks")


def test_virtual_options_that_make_no_sense_are_refused():
    run(["end"], 1, "--virtual does not go with --threads", options=options(4, 2, "--threads", 2))
    run(["end"], 1, "--threads does not go with --simulate", options=["-n", "4", "--simulate", "1", "--threads", "2"])
    run(["end"], 1, "--simulate-deaths is for --simulate", options=options(4, 2, "--simulate", 1, "--simulate-deaths", 1))
    run(["end"], 1, "--simulate-leaves is for --simulate", options=options(4, 2, "--simulate-leaves", 1))
    run(["end"], 1, "say --virtual", options=["-n", 4, "--processes", 2])
    run(["end"], 1, "say --virtual", options=["-n", 4, "--processes", 2, "--hosts", "a"])
    run(["end"], 1, "--stall is not possible with --hosts", options=["-n", 4, "--stall", 2, "--hosts", "a"])
    run(["end"], 1, "directory has 4001 bytes, and may have 512", options=options(4, 2, "--checkpoint", "/" + 4000 * "d"))
    run(["end"], 1, "stacks of .* are not possible", options=options(2, 1, "--stack-size", "1T"))


def test_a_virtual_rank_that_fails_is_named_and_ends_the_job():
    text = run(["throw", 2], 134, r"uncaught exception std::runtime_error: the soup is cold",
               r"#0 .*throw_something.* at .*program\.cpp:\d+", options=options(4, 2))
    expect(text.startswith("armature: rank 2 (pid"), text)
    text = run(["segfault", 3], 139, r"signal 11 \(SIGSEGV: address 0x10\)", options=options(4, 1))
    expect(text.startswith("armature: rank 3 (pid"), text)
    run(["return", 2, 9], 9, r"the process of ranks 2-3 .* exited with status 9", options=options(4, 2))


def test_a_virtual_rank_with_a_stack_overflow_hears_how_to_get_more():
    text = run(["overflow", 1], 139, "just below the stack of rank 1, which is full", r"--stack-size BYTES",
               r"recurse\(int\) .*times\)", options=options(4, 2))
    expect(text.startswith("armature: rank 1 (pid"), text)


def test_virtual_ranks_have_the_stack_that_was_asked_for():
    run(["deep", 7 << 20], 0, "rank 3 was deep", options=options(4, 2))
    run(["deep", 48 << 20], 0, "rank 3 was deep", options=options(4, 2, "--stack-size", "50M"))
    run(["deep", 48 << 20], 139, "armature run --stack-size", options=options(4, 2))


def test_a_process_killed_takes_its_virtual_ranks_along():
    run(["kill", 3], 137, r"the process of ranks 2-3 \(pid \d+, .*\) was killed by signal 9", options=options(4, 2))
    run(["survive_mutex"], 137, r"rank 2 goes on: .*rank 0", r"rank 3 goes on: .*rank 0",
        options=options(4, 2, "--on-death", "continue"))
    text = run(["survive"], 137, r"rank 2 goes on: .*rank [01] has died", options=options(8, 4, "--on-death", "continue"))
    expect("out of order" not in text, text)
    for words in (["survive"], ["survive_mutex"]):
        run(words, 137, *[rf"rank {rank} goes on: .*rank [01] has died" for rank in range(2, 8)],
            options=options(8, 4, "--nodes", 2, "--on-death", "continue"))


def test_variables_that_virtual_ranks_share_are_named_once():
    shared = ["-n", 4, "--virtual", "--processes", 2]
    text = run(["end"], 0, r"share \d+ variables? of .*launch_program that can be written to: ", "armature::rank_local<T>",
               options=shared)
    expect(text.count("that can be written to") == 1, text)
    for quiet in (options(4, 2), ["-n", 2, "--virtual", "--processes", 2], ["-n", 2]):
        expect("can be written to" not in run(["end"], 0, options=quiet), f"nothing is said with {quiet}")


def test_a_program_that_joins_with_init_is_no_virtual_rank():
    run(["init"], 1, r"init: this process hosts virtual ranks", "run it without --virtual", options=options(2, 2))


def test_inspect_shows_virtual_ranks_and_their_processes():
    job = Job(["hold", "barrier"], options(5, 2))
    job.wait_for(4, "waits in a barrier")
    job.wait_for(0, "has been asleep outside")
    job.wait_for(1, "has not called armature::run yet|has been ready.*rank 0")
    ranks = job.inspect()["ranks"]
    expect([rank["process"] for rank in ranks] == [0, 0, 0, 1, 1], str(ranks))
    expect(len({rank["pid"] for rank in ranks}) == 2, str(ranks))
    done = harness.subprocess.run([harness.ARMATURE, "inspect", str(ranks[4]["pid"])], capture_output=True, text=True)
    expect("5 ranks of" in done.stdout and "in 2 processes" in done.stdout, done.stdout)
    os.kill(job.pid, signal.SIGINT)
    job.expect_end(130)


def test_a_virtual_rank_that_others_cannot_run_for_is_named():
    job = Job(["hold", "question"], options(3, 1))
    job.wait_for(0, "has been asleep outside")
    os.kill(job.pid, signal.SIGINT)
    job.expect_end(130)
    text = Job(["hold", "rmi_wait"], options(3, 2, "--stall", 1, "--timeout", 4)).expect_end(124)
    expect(re.search(r"ranks 0-2 .*in rmi_wait, for a call from anyone", text), text)
    text = Job(["hold", "mutex"], options(4, 2, "--stall", 1, "--timeout", 4)).expect_end(124)
    # Whether rank 1 has come to the mutex before rank 0 fell asleep is open.
    expect(re.search(r"ranks (1-3|2 and 3) .* for mutex 0 at rank 0, held by rank 0", text), text)
