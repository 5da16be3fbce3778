"""Programs that lock their memory (mlockall): of segments only what is used is there."""

import os
import re
import sys

import harness
from harness import expect, run

SEGMENT_MIB = 64


def lock(when, options):
    if os.geteuid() != 0:
        print("SKIPPED: so much memory is locked by root alone")
        sys.exit(77)
    program = os.path.join(os.path.dirname(harness.PROGRAM), "launch_locked_memory")
    said = run([when], 0, "rank 1 has", program=program, options=["-n", 2, "--segment-size", f"{SEGMENT_MIB}M", *options])
    for rank, mebibytes in re.findall(r"rank (\d) has (\d+) MiB", said):
        expect(int(mebibytes) < SEGMENT_MIB // 2, f"rank {rank} has {mebibytes} MiB of shared memory")


def test_locked_memory_leaves_unused_segments_alone():
    lock("joined", [])


def test_locked_memory_of_virtual_ranks_leaves_unused_segments_alone():
    lock("joined", ["--virtual", "--processes", 2, "--no-globals-note"])


def test_locked_memory_of_all_that_will_be_mapped_leaves_unused_segments_alone():
    lock("before", [])
