"""Programs that close the descriptors of their memory."""

import os

import harness
from harness import expect, run


def test_memory_whose_file_the_program_has_closed_is_refused_in_words():
    program = os.path.join(os.path.dirname(harness.PROGRAM), "launch_closed_files")
    said = run([], 0, program=program, options=["-n", 2])
    why = "no memory: .*the program has closed the job's memory files"
    expect(len(harness.re.findall(why, said)) == 4 and "Bad file descriptor" not in said, said)
