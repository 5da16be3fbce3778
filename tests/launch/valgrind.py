"""Programs on valgrind, without any option for it: they end soon, and memcheck finds nothing."""

import os
import shutil
import subprocess
import sys

import harness
from harness import expect, run

FULL = ("valgrind", "--leak-check=full",
        f"--suppressions={os.path.join(os.path.dirname(__file__), '../../src/command/valgrind.supp')}")


def valgrind():
    found = shutil.which("valgrind")
    if found is None:
        print("SKIPPED: no valgrind here")
        sys.exit(77)
    return found


def example(name):
    return os.path.join(harness.EXAMPLES, name)


def nothing_is_found(processes, options, words=("valgrind",), program=None):
    valgrind()
    said = run([*words[1:], program or example("three_ways")], 0, program=words[0], options=options)
    expect(said.count("ERROR SUMMARY: 0 errors") == processes, f"not {processes} processes without an error:\n{said}")


def test_valgrind_of_a_job_finds_nothing():
    nothing_is_found(4, ["-n", 4], FULL)


def test_valgrind_of_virtual_ranks_finds_nothing():
    nothing_is_found(2, ["-n", 4, "--virtual", "--processes", 2, "--no-globals-note"], FULL)


def test_valgrind_of_ranks_that_are_threads_finds_nothing():
    nothing_is_found(2, ["-n", 4, "--threads", 2], FULL)


def test_valgrind_of_two_nodes_finds_nothing():
    nothing_is_found(2, ["-n", 2, "--nodes", 2], program=example("ring"))


def test_valgrind_in_a_script_is_seen():
    nothing_is_found(2, ["-n", 2], ("sh", "-c", 'exec valgrind "$0"'))


def test_valgrind_that_is_not_seen_is_warned_of():
    run(["-c", f"import os; os.execv({valgrind()!r}, ['v', '--leak-check=no', {example('ring')!r}])"], 0,
        "2 segments of 1.0 GiB .*--segment-size 64M", program=sys.executable, options=["-n", 2, "--segment-size", "1G"])


def test_valgrind_of_a_program_alone_finds_nothing():
    for virtual in ({}, {"ARMATURE_VIRTUAL": "3"}):
        done = subprocess.run([valgrind(), *FULL[1:], example("three_ways")], capture_output=True, text=True, timeout=50,
                              env={**os.environ, **virtual}, check=False)
        expect(done.returncode == 0 and "ERROR SUMMARY: 0 errors" in done.stderr, f"{virtual}: {done}")
