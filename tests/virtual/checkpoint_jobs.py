"""What tests of checkpoints do with jobs: run, write and kill, restart."""

import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
from harness import expect  # noqa: E402

ARMATURE, PROGRAM, OTHER, CASE = sys.argv[1:5]
SECONDS = 60


def run_words(ranks, processes, directory, *more):
    return [ARMATURE, "run", "-n", ranks, "--virtual", "--processes", processes, "--timeout", SECONDS,
            *(["--checkpoint", directory] if directory else []), *more]


def words_of(words):
    return list(map(str, words))


def perform(words, **more):
    return subprocess.run(words_of(words), capture_output=True, text=True, timeout=2 * SECONDS, stdin=subprocess.DEVNULL, **more)


def result_of(done):
    expect(done.returncode == 0, f"exit status {done.returncode}:\n{done.stdout}{done.stderr}")
    found = re.findall(r"^result (\w+)$", done.stdout, re.M)
    expect(len(found) == 1, f"not one result:\n{done.stdout}{done.stderr}")
    return found[0]


def undisturbed(ranks, *arguments):
    return result_of(perform([*run_words(ranks, min(ranks, 2), None), PROGRAM, *arguments]))


def restart(directory, processes, *more):
    return perform([ARMATURE, "restart", directory, "--processes", processes, "--timeout", SECONDS, *more])


def written_and_killed(directory, ranks, processes, program=None, every=20, options=()):
    """Ends after two checkpoints, the last one at step 40 of 60."""
    done = perform([*run_words(ranks, processes, directory, *options), program or PROGRAM, 60, every, 0, 47])
    expect(done.returncode == 137, f"it was to be killed:\n{done.stdout}{done.stderr}")


def latest(directory):
    try:
        with open(os.path.join(directory, "latest")) as file:
            return file.read().strip()
    except OSError:
        return ""


def wait_until(condition, seconds=SECONDS):
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, "waited in vain")
        time.sleep(0.01)


def refused(directory, *patterns):
    done = restart(directory, 1)
    text = done.stdout + done.stderr
    expect(done.returncode == 1 and "result" not in text, f"exit status {done.returncode}:\n{text}")
    for pattern in patterns:
        expect(re.search(pattern, text), f"not in the output: {pattern}\n{text}")
