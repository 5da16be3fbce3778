"""Files that virtual ranks have open go with them: to other processes and nodes, and into checkpoints.

    files.py ARMATURE FILES moves | moves_by_name | saves | is_refused | recovers
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
from harness import expect  # noqa: E402

ARMATURE, FILES = sys.argv[1:3]


def perform(*words, **environment):
    done = subprocess.run(list(map(str, [ARMATURE, *words])), capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, env=os.environ | environment)
    return done.returncode, done.stdout + done.stderr


def moves(folder):
    for shape in (["-n", 4, "--virtual", "--processes", 2], ["-n", 5, "--virtual", "--processes", 3],
                  ["-n", 1, "--virtual"], ["-n", 4, "--virtual", "--processes", 4, "--nodes", 2],
                  ["-n", 4, "--virtual", "--processes", 2, "--private-globals=on"]):
        status, out = perform("run", *shape, FILES, "moves", folder)
        expect(status == 0, f"{shape}: {status}: {out}")
        for rank in range(shape[1]):
            with open(f"{folder}/open.{rank}") as file:
                text = file.read()
            expect(text == "first,last", f"{shape}: rank {rank} has written {text!r}")


def moves_by_name(folder):
    """The system forbids processes to take each other's descriptors."""
    status, out = perform("run", "-n", 4, "--virtual", "--processes", 2, FILES, "moves_by_name", folder)
    expect(status == 0, f"{status}: {out}")


def recovers(folder):
    for number, shape in enumerate((["--processes", 2], ["--processes", 3, "--nodes", 3])):
        own = f"{folder}/{number}"
        os.mkdir(own)
        status, out = perform("run", "-n", 5, "--virtual", *shape, "-v", "--on-death", "recover", FILES, "recovers",
                              own)
        expect(status == 0 and "all is there" in out and "all ranks go back" in out, f"{shape}: {status}: {out}")


def saves(folder):
    def run(**environment):
        status, out = perform("run", "-n", 4, "--virtual", "--processes", 2, "--checkpoint", f"{folder}/checkpoint",
                              FILES, "saves", folder, **environment)
        expect(status == 77, f"it was to be ended behind its checkpoint: {status}: {out}")

    def refuses(why, name):
        status, out = perform("restart", f"{folder}/checkpoint")
        expect(status != 0 and why in out and name in out, f"{name}: {why}: {status}: {out}")

    run()
    for processes in 1, 3:
        status, out = perform("restart", f"{folder}/checkpoint", "--processes", processes)
        expect(status == 0 and "all is there" in out, f"{processes} processes: {status}: {out}")
    read, written = f"{folder}/saved.2.read", f"{folder}/saved.1"
    with open(read, "a") as file:
        file.write("more")
    refuses("it has changed since", read)
    os.remove(read)
    refuses("No such file", read)
    os.mkdir(read)
    refuses("there is something else of that name now", read)
    os.rmdir(read)
    with open(written, "w"):
        pass
    run()
    with open(written, "w"):
        pass
    refuses("it has become shorter", written)


def is_refused(folder):
    status, out = perform("run", "-n", 2, "--virtual", "--processes", 2, "--checkpoint", f"{folder}/checkpoint", FILES,
                          "is_refused", folder)
    expect(status == 0 and "refused" in out, f"{status}: {out}")


with tempfile.TemporaryDirectory() as scratch:
    {"moves": moves, "moves_by_name": moves_by_name, "saves": saves, "is_refused": is_refused,
     "recovers": recovers}[sys.argv[3]](scratch)
