"""Memory under the limit of a control group: what cannot be had is an error at the call, and nobody is killed."""

import contextlib
import os
import pathlib
import re
import sys
import uuid

import harness
from harness import expect, run, wait_until

MIB = 1 << 20
LIMIT = 160 * MIB  # of all processes of a job, the launcher's memory and the kernel's for them included


def places():
    """Folders in which a group may be made, with the names of its limit and of a file that only such groups have."""
    with open("/proc/self/cgroup") as file:
        own = [line.rstrip("\n").split(":", 2) for line in file]
    for _, controllers, group in own:
        v1 = "memory" in controllers.split(",")
        if v1 or not controllers:
            root = pathlib.Path("/sys/fs/cgroup", "memory" if v1 else "")
            for folder in root / group.strip("/"), root:
                yield folder, "memory.limit_in_bytes" if v1 else "memory.max"


@contextlib.contextmanager
def group_of_memory(limit):
    """A new control group with that limit. Ends the test as skipped, saying why, where none can be made."""
    problems = []
    for parent, name in places():
        group = parent / f"armature-test-{uuid.uuid4()}"
        try:
            group.mkdir()
            (group / name).write_text(str(limit))
        except OSError as error:
            problems.append(str(error))
            with contextlib.suppress(OSError):
                group.rmdir()
            continue
        try:
            yield group
        finally:
            wait_until("the group to be empty", lambda: not (group / "cgroup.procs").read_text())
            group.rmdir()
        return
    print("SKIPPED: no control group can be made here:", "; ".join(problems) or "no memory controller")
    sys.exit(77)


def run_limited(words, ranks, *patterns, status=0, options=()):
    program = str(pathlib.Path(harness.PROGRAM).with_name("launch_memory_limit"))
    with group_of_memory(LIMIT) as group:
        return run(words, status, *patterns, options=["-n", ranks, "--segment-size", "1G", *options], program=program,
                   preexec_fn=lambda: (group / "cgroup.procs").write_text("0"))


def expect_use_of_limit(text, ranks):
    """Refused late: at least half of the limit was given."""
    got = [int(kib) for kib in re.findall(r"rank \d+ got (\d+) KiB", text)]
    expect(len(got) == ranks and sum(got) << 10 > LIMIT // 2, f"only {got} KiB of {LIMIT >> 10}:\n{text}")


def test_memory_limit_of_a_group_is_an_error_for_pieces_of_any_size():
    for kib in 1, 48, 512, 2048:
        text = run_limited(["pieces", kib], 1, r"the memory limit of control group", r"the job goes on")
        expect_use_of_limit(text, 1)


def test_memory_limit_of_a_group_is_of_all_ranks_together():
    for how in "pieces", "all_pieces":
        text = run_limited([how, 512], 3, r"the memory limit of control group", r"the job goes on")
        expect_use_of_limit(text, 3)


def test_memory_limit_of_a_group_is_an_error_for_ranks_that_ask_at_once():
    text = run_limited(["at_once", LIMIT // MIB // 2], 3, r"the memory limit of control group", r"the job goes on")
    expect(text.count("got it") <= 1, text)


def test_memory_limit_of_a_group_counts_what_was_touched_once():
    text = run_limited(["in_turn", LIMIT // MIB // 4], 2, r"the job goes on")
    expect(text.count("got it") == 2, text)


def test_memory_limit_of_a_group_a_killed_rank_gives_back_its_promise():
    run_limited(["after_death", LIMIT // MIB // 2], 2, r"rank 0 got it", status=137, options=["--on-death", "continue"])
