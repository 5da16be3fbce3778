"""Goes on from a checkpoint of ranks that have had threads, and have mapped memory.

    written.py ARMATURE WRITTEN
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
from harness import expect  # noqa: E402

ARMATURE, WRITTEN = sys.argv[1:3]


def perform(*words):
    done = subprocess.run(list(map(str, [ARMATURE, *words])), capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


with tempfile.TemporaryDirectory() as folder:
    saved = os.path.join(folder, "saved")
    status, out = perform("run", "-n", 4, "--virtual", "--processes", 2, "--checkpoint", saved,
                          "--collectives", "adaptive", WRITTEN)
    expect(status == 77, f"it was to be ended behind its checkpoint: {status}: {out}")
    status, out = perform("restart", saved, "--collectives", "rounds")
    expect(status != 0 and "'rounds' is not what the ranks were started with" in out and "go on with 'adaptive'" in out,
           f"another way: {status}: {out}")
    status, out = perform("restart", saved, "--reproducible")
    expect(status != 0 and "--reproducible: the ranks were started without it" in out, f"an order: {status}: {out}")
    for processes in 1, 3:
        status, out = perform("restart", saved, "--processes", processes, *["--collectives", "adaptive"][:2 * (processes - 1)])
        expect(status == 0 and "all is there" in out, f"{status}: {out}")
