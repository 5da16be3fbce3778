"""Memory that ranks leave out of checkpoints is not in them, and zero when they go on.

    left_out.py ARMATURE LEFT_OUT [LU]
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
from harness import expect  # noqa: E402

ARMATURE, LEFT_OUT, *LU = sys.argv[1:]
MEBIBYTE = 1 << 20


def perform(*words):
    done = subprocess.run(list(map(str, [ARMATURE, *words])), capture_output=True, text=True, timeout=100,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def well(what, status, out):
    expect(status == 0 and "all is as it should be" in out, f"{what}: {status}: {out}")


def bytes_of(folder):
    return sum(file.stat().st_size for file in pathlib.Path(folder).rglob("*") if file.is_file())


def saves(scratch, shape, what):
    folder = f"{scratch}/{what}{len(shape)}"
    status, out = perform("run", "-n", 3, "--virtual", "--processes", 2, *shape, "--checkpoint", folder, LEFT_OUT, what)
    expect(status == 77, f"{shape}: {what}: it was to be ended behind its checkpoint: {status}: {out}")
    # Of 16 MiB of each rank 8 are written, which cannot be packed.
    expect(24 * MEBIBYTE < bytes_of(folder) < 32 * MEBIBYTE, f"{shape}: {what}: {bytes_of(folder)} bytes")
    status, out = perform("checkpoint", "show", folder)
    expect(status == 0 and "left out       24.0 MiB in 9 ranges" in out, f"{shape}: show: {status}: {out}")
    expect(not list(pathlib.Path(folder).rglob("left-out-*")), "no file is left but those of the checkpoint")
    for processes in 1, 3:
        well(f"{shape}: {what}: {processes} processes", *perform("restart", folder, "--processes", processes))


def factors(status, out):
    expect(status == 0 and "RESIDUAL OK" in out, f"LU: {status}: {out}")
    return next(line for line in out.splitlines() if line.startswith("result "))


def factorizes(scratch, program):
    """The example of LU writes less where it guides checkpoints, and has the same factors after a restart."""
    words = ["run", "-n", 4, "--virtual", "--processes", 2]
    expected = factors(*perform(*words, program, 512))
    written = {}
    for kind in "whole", "guided":
        folder = f"{scratch}/lu_{kind}"
        status, out = perform(*words, "--checkpoint", folder, program, 512, 32, "cyclic", kind)
        expect(factors(status, out) == expected and f"checkpoint, {kind}: " in out, f"{kind}: {out}")
        written[kind] = bytes_of(folder)
        shown = perform("checkpoint", "show", folder)[1]
        expect(("left out " in shown) == (kind == "guided"), f"{kind}: {shown}")
        status, out = perform("restart", folder, "--processes", 3)
        expect(factors(status, out) == expected and "goes on from the checkpoint" in out, f"{kind}: {status}: {out}")
    expect(written["guided"] < written["whole"], f"{written}")


with tempfile.TemporaryDirectory() as scratch:
    if LU:
        factorizes(scratch, LU[0])
    well("refusals", *perform("run", "-n", 2, "--virtual", "--processes", 1, LEFT_OUT, "is_refused"))
    for shape in [], ["--nodes", 2]:
        saves(scratch, shape, "saves")
    saves(scratch, [], "saves_increments")
    for shape in ["--processes", 2], ["--processes", 3, "--nodes", 3]:
        well(f"{shape}: recovers", *perform("run", "-n", 4, "--virtual", *shape, "--on-death", "recover", LEFT_OUT,
                                            "recovers"))
