"""Libraries are copied with the program: the rank's are their variables, and gfortran's units.

    libraries.py ARMATURE libraries | units PROGRAM...
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
from harness import expect  # noqa: E402

ARMATURE, WHICH, *PROGRAMS = sys.argv[1:]
SHAPES = ((4, 1, 1), (5, 2, 1), (4, 4, 2))


def perform(*words, **environment):
    done = subprocess.run(list(map(str, [ARMATURE, *words])), capture_output=True, text=True, timeout=100,
                          stdin=subprocess.DEVNULL, env=os.environ | environment)
    return done.returncode, done.stdout + done.stderr


def run(shape, *words, **environment):
    ranks, processes, nodes = shape
    return perform("run", "-n", ranks, "--virtual", "--processes", processes, "--nodes", nodes, "--timeout", 60, *words,
                   **environment)


def restarts(folder, words, *behind):
    """The job stops behind a checkpoint, and goes on in three processes."""
    status, out = run((5, 2, 1), "--checkpoint", f"{folder}/checkpoint", *words)
    expect("stopped" in out, f"no stop behind the checkpoint: {status}: {out}")
    status, out = perform("restart", f"{folder}/checkpoint", "--processes", 3, "--timeout", 60, *behind)
    expect(status == 0 and "all well" in out, f"restart: {status}: {out}")
    return out


def libraries(folder):
    listed = "--private-globals=program,libcounted.so"
    for program in PROGRAMS:
        for shape in SHAPES:
            status, out = run(shape, listed, program, SAY_END="1")
            expect(status == 0 and "all well" in out, f"{program}: {shape}: {status}: {out}")
            for rank in range(shape[0]):
                expect(f"library of rank {rank} ended with 12" in out, f"{program}: {shape}: rank {rank}'s end: {out}")
        restarts(folder, [listed, program])
    # The words of the test can fail: ranks that share the library count together.
    status, out = run((4, 1, 1), "--private-globals=on", PROGRAMS[1])
    expect(status != 0 and "variable of the library" in out, f"shared: {status}: {out}")
    for wanted, why in (("program,libnone.so", "not linked with libnone.so; the libraries that it is linked with: .*"
                                               "libcounted.so.1"),
                        ("program,libc.so", "libc.so.6 is one that the ranks of a process have to share"),
                        ("libcounted.so", "is none of on, off, or a list that begins with the program"),
                        ("yes", "is none of on, off, or a list")):
        status, out = run((2, 1, 1), f"--private-globals={wanted}", PROGRAMS[0])
        expect(status != 0, f"{wanted}: it was not refused: {out}")
        first, *more = why.split(".*")
        expect(first in out and all(word in out for word in more), f"{wanted}: {out}")


def units(folder):
    def require_files(ranks):
        for rank in range(ranks):
            with open(f"{folder}/unit.{rank}") as file:
                lines = [line.split() for line in file]
            expected = [["rank", str(rank), "round", str(number)] for number in range(6)] + [["left", "open"]]
            expect(lines == expected, f"rank {rank} has written {lines}")

    for shape in SHAPES:
        status, out = run(shape, PROGRAMS[0], folder)
        expect(status == 0 and "all well" in out, f"{shape}: {status}: {out}")
        require_files(shape[0])
    restarts(folder, [PROGRAMS[0], folder])
    require_files(5)


with tempfile.TemporaryDirectory() as scratch:
    {"libraries": libraries, "units": units}[WHICH](scratch)
