"""Modules of a C program are written with their rank, and go on where they waited after a restart."""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
from harness import expect  # noqa: E402

ARMATURE, PROGRAM = sys.argv[1:3]
SECONDS = 30


def perform(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=2 * SECONDS,
                          stdin=subprocess.DEVNULL)


def result_of(done):
    expect(done.returncode == 0, f"exit status {done.returncode}:\n{done.stdout}{done.stderr}")
    found = re.findall(r"^result (\w+)$", done.stdout, re.M)
    expect(len(found) == 1, f"not one result:\n{done.stdout}{done.stderr}")
    return found[0]


def run(*words):
    return perform(ARMATURE, "run", "-n", 5, "--virtual", "--processes", 2, "--timeout", SECONDS, *words)


expected = result_of(run(PROGRAM, 60))
expect(result_of(run("--balance", PROGRAM, 60)) == expected, "ranks that are balanced have another result")
for processes in (1, 3):
    with tempfile.TemporaryDirectory() as directory:
        done = run("--checkpoint", directory, PROGRAM, 60, 10, 0, 37)
        expect(done.returncode == 137, f"it was to be killed:\n{done.stdout}{done.stderr}")
        again = perform(ARMATURE, "restart", directory, "--processes", processes, "--timeout", SECONDS)
        expect(result_of(again) == expected, f"another result on {processes} processes")
