"""Core files of ranks that crash."""

import os
import tempfile

import harness
from harness import expect, run


MIB = 1 << 20


def crash(options):
    """Returns how many bytes the core files hold together that the ranks of a job leave, one of which crashes."""
    with tempfile.TemporaryDirectory() as place:
        script = f"ulimit -c unlimited; cd {place}; exec {os.path.abspath(harness.PROGRAM)} segfault 1"
        run(["-c", script], 139, r"signal 11", program="sh", options=options)
        return sum(file.stat().st_size for file in os.scandir(place))


def expect_core_files(options):
    """What a rank has allocated is there; segments of 256 GiB and more are not."""
    with open("/proc/sys/kernel/core_pattern") as file:
        is_file_beside_it = file.read()[0] not in "|/"
    held = crash(options)
    expect(not is_file_beside_it or 64 * 1024 < held < 256 * MIB, f"core files of {held} bytes")


def test_a_rank_that_crashes_leaves_its_core_file():
    expect_core_files(["-n", 2])


def test_a_virtual_rank_that_crashes_leaves_the_core_file_of_its_process():
    expect_core_files(["-n", 2, "--virtual", "--processes", 2, "--no-globals-note"])
