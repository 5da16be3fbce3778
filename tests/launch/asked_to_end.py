"""SIGTERM to virtual ranks' processes that have only begun, and to what is not ours to ask."""

import os
import pathlib
import signal
import tempfile
import time

import harness
from harness import Job, run, wait_until

OPTIONS = ["-n", 2, "--virtual", "--no-globals-note", "--processes", 2]


def program():
    return str(pathlib.Path(harness.PROGRAM).with_name("launch_asked_to_end"))


def test_asked_to_end_before_it_joins_a_process_leaves_when_it_has():
    run(["itself"], 0, "rank 0: in one process", "rank 1: in one process", options=OPTIONS, program=program())


def test_asked_to_end_by_the_launcher_a_process_that_has_only_begun_ends():
    job = Job(["hold", "start"], OPTIONS)
    wait_until("processes", lambda: (job.inspect() or {}).get("ranks"))
    os.kill(job.pid, signal.SIGTERM)
    job.expect_end(143)


def test_asked_to_end_with_all_processes_at_once_a_job_ends():
    """As timeout(1) does: the launcher's signal comes while another one is still to be taken, and is one with it."""
    job = Job(["hold", "barrier"], OPTIONS)
    job.wait_for(1, "barrier")
    pids = {job.rank(rank)["pid"] for rank in (0, 1)}
    for number in (signal.SIGSTOP, signal.SIGTERM):
        for pid in pids:
            os.kill(pid, number)
    os.kill(job.pid, signal.SIGTERM)
    time.sleep(0.2)  # whether the launcher was so quick decides only what is tested
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    job.expect_end(143)


def test_asked_to_end_children_of_a_process_of_virtual_ranks_do():
    run(["children"], 0, "rank 0: what it starts ends, too", "rank 1: what it starts ends, too", options=OPTIONS, program=program())


def test_asked_to_end_a_program_that_blocks_this_takes_it_itself():
    run(["blocks"], 0, "rank 0: has taken it", "rank 1: has taken it", options=OPTIONS, program=program())


def test_asked_to_end_a_script_around_the_program_hears_of_it():
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "wrapper")
        script.write_text('#!/bin/sh\ntrap "echo the script was asked" TERM\nkill -TERM $$\ntrap - TERM\nexec "$@"\n')
        script.chmod(0o755)
        run([harness.PROGRAM, "end"], 0, "the script was asked", options=OPTIONS, program=str(script))
