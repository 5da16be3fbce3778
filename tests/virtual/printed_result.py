"""What the jobs of virtual ranks under test have computed, and say meanwhile."""

import re

from harness import Failed, expect


def result(ended):
    """What was printed since the last copy is printed once more when a job has gone back there."""
    status, out, err = ended
    found = re.findall(r"^result (\w+)$", out, re.M)
    expect(status == 0 and len(set(found)) == 1 and len(found) <= 1 + err.count("all ranks go back"), f"exit status {status}:\n{out}{err}")
    return found[0], err


def read_until(stream, pattern):
    """What a job has said up to the line that tells of it."""
    said = ""
    for line in stream:
        said += line
        if re.search(pattern, line):
            return said
    raise Failed(f"never said: {pattern}\n{said}")
