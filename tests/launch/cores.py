"""Core files of ranks that crash."""

import os
import tempfile

import harness
from harness import expect, run


def test_a_rank_that_crashes_leaves_its_core_file():
    with open("/proc/sys/kernel/core_pattern") as file:
        is_file_beside_it = file.read()[0] not in "|/"
    with tempfile.TemporaryDirectory() as place:
        script = (f"ulimit -c unlimited; echo 0x31 > /proc/self/coredump_filter; cd {place}; "
                  f"exec {os.path.abspath(harness.PROGRAM)} segfault 1")
        run(["-c", script], 139, r"signal 11", program="sh", options=["-n", 2, "--band-size", "64M"])
        expect(not is_file_beside_it or os.listdir(place), "no core file")
