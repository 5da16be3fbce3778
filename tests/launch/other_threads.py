"""Threads of the program that outlast a rank, and ranks that do not outlast their thread."""

import pathlib

import harness
from harness import expect, run

OF_ANY_THREAD = ["put", "get", "get_long", "get_async", "strided", "fetch_add", "fence"]
OF_A_RANK = ["accumulate", "lock", "lock_that_is_held", "wait_notify", "receive"]
REMOTE_CALLS = ["sync", "ask", "rmi_poll"]


def program(words, status, *patterns, options):
    path = str(pathlib.Path(harness.PROGRAM).with_name("launch_other_threads"))
    return run(words, status, *patterns, options=["--timeout", 40, *options], program=path)


def refuse_late_calls(calls, options):
    for call in calls:
        text = program([call], 0, options=options)
        expect(text.count("the thread: misuse") == text.count("the thread: ") >= 2, f"{call}: {text}")


def test_a_thread_in_a_call_to_another_node_when_its_rank_returns_is_refused():
    refuse_late_calls(OF_ANY_THREAD + OF_A_RANK, ["-n", 2, "--nodes", 2])


def test_a_thread_in_a_call_on_its_node_when_its_rank_returns_is_refused():
    refuse_late_calls(OF_ANY_THREAD + OF_A_RANK, ["-n", 2])


def test_a_thread_in_a_receive_when_its_rank_returns_is_refused():
    for nodes in (1, 2):
        refuse_late_calls(["receive_async"], ["-n", 2, "--nodes", nodes])


def test_a_thread_in_a_remote_call_when_its_rank_returns_is_refused():
    for nodes in (1, 2):
        refuse_late_calls(REMOTE_CALLS, ["-n", 2, "--nodes", nodes, "--program-threads"])


def test_threads_of_no_rank_are_not_allowed_remote_calls():
    program(["put"], 1, "--program-threads .* does not go with --threads",
            options=["-n", 2, "--threads", 2, "--program-threads"])


def test_a_thread_in_a_transfer_when_ranks_of_its_process_return_is_refused():
    for kind in (["--threads", 2], ["--virtual", "--no-globals-note", "--processes", 2]):
        refuse_late_calls(["put", "get_long"], ["-n", 4, "--nodes", 2, *kind])


def test_a_rank_that_ends_its_thread_ends_the_job():
    for kind in ([], ["--threads", 3], ["--virtual", "--no-globals-note", "--processes", 1], ["--nodes", 3]):
        text = program(["thread_exit", 1], 1, r"rank 1 \(pid .*ended the job: its thread was ended by pthread_exit",
                       options=["-n", 3, *kind])
        expect(text.count("pthread_exit") == 1, text)
