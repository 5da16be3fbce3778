"""What the jobs of virtual ranks under test have computed."""

import re

from harness import expect


def result(ended):
    """What was printed since the last copy is printed once more when a job has gone back there."""
    status, out, err = ended
    found = re.findall(r"^result (\w+)$", out, re.M)
    expect(status == 0 and len(set(found)) == 1 and len(found) <= 1 + err.count("all ranks go back"), f"exit status {status}:\n{out}{err}")
    return found[0], err
