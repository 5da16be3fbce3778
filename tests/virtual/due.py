"""Checkpoints and rebalancing where the program asks whether they are due: every so often, and on a signal.

    due.py ARMATURE STEPS UNEVEN CHANGING_NODES CASE
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
import harness  # noqa: E402
from harness import Job, expect, run, wait_until, wait_until_awaited  # noqa: E402

harness.ARMATURE, STEPS, UNEVEN, CHANGING, CASE = sys.argv[1:6]
NEVER = r"but {what}: the program says where .* has never called armature::{call} with .when_due = true"
NO_CHECKPOINT = NEVER.format(what="no checkpoint was written for that", call="checkpoint")
NOT_REBALANCED = NEVER.format(what="ranks have stayed where they were", call="rebalance")


def options(ranks, nodes, processes, *more):
    return ["-n", ranks, "--virtual", "--nodes", nodes, "--processes", processes, "--timeout", 60, "--no-globals-note",
            *more]


def result_of(text):
    found = re.findall(r"^result (\w+)$", text, re.M)
    expect(len(found) == 1, f"not one result:\n{text}")
    return found[0]


def undisturbed(program, *words):
    return result_of(run(words, 0, options=options(6, 1, 2), program=program))


def written(directory):
    """How many checkpoints so far."""
    latest = pathlib.Path(directory) / "latest"
    return int(latest.read_text()) if latest.exists() else 0


def expect_never_twice(count, every_s, took_s):
    expect(2 <= count <= took_s / every_s, f"{count} times in {took_s:.2f} s")


def every_so_often():
    """By whomever, the launcher of one node or the program, never twice in an interval."""
    steps, every_s = (60, "when_due", 2000), 0.05
    expected = undisturbed(STEPS, 60, 0)
    for nodes in 1, 2:
        with tempfile.TemporaryDirectory() as folder:
            begun = time.monotonic()
            text = run(steps, 0, program=STEPS, options=options(
                6, nodes, 2, "--checkpoint", folder, "--checkpoint-every", every_s))
            expect_never_twice(written(folder), every_s, time.monotonic() - begun)
            expect(result_of(text) == expected and "armature:" not in text, f"{nodes} nodes: {text}")


def restart(folder, nodes, *more):
    done = subprocess.run([harness.ARMATURE, "restart", folder, "--nodes", str(nodes), "--processes", "3", "--timeout", "60",
                           *more], capture_output=True, text=True, timeout=90)
    expect(done.returncode == 0, f"exit status {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def restarted():
    """It goes on to the same end, on as many nodes as one likes, writing further ones."""
    expected = undisturbed(STEPS, 100, 0)
    with tempfile.TemporaryDirectory() as folder:
        every = ("--checkpoint-every", "0.05")
        run((100, "when_due", 1000, 80), 137, program=STEPS, options=options(6, 2, 3, "--checkpoint", folder, *every))
        before = written(folder)
        expect(before > 0, "none was written")
        expect(result_of(restart(folder, 3, *every)) == expected, "another result on 3 nodes")
        expect(written(folder) > before, "none was written after the restart")
        for nodes in 2, 1:
            expect(result_of(restart(folder, nodes)) == expected, f"another result on {nodes} nodes")


def ask(pid, folder, often):
    """One after the other, each when the one before is there; each gives one checkpoint."""
    before = written(folder)
    for count in range(before + 1, before + 1 + often):
        os.kill(pid, signal.SIGUSR2)
        wait_until(f"checkpoint {count}", lambda: written(folder) >= count)
    time.sleep(0.1)
    expect(written(folder) == before + often, f"{written(folder)} checkpoints")


def on_signal():
    """To the launcher, while ranks stay, and while rank 0 goes from node to node."""
    expected = undisturbed(STEPS, 150, 0)
    with tempfile.TemporaryDirectory() as folder:
        job = Job((150, "when_due", 3000), options(6, 2, 2, "--checkpoint", folder), STEPS)
        job.wait_for(5, "waits|ready")
        ask(job.pid, folder, 3)
        expect(result_of(job.expect_end(0)) == expected, "another result")
        expect(result_of(restart(folder, 2)) == expected, "another result after a restart")
    with tempfile.TemporaryDirectory() as folder:
        job = Job(["wander"], options(6, 2, 2, "--checkpoint", folder), CHANGING)
        wait_until("ranks to move", lambda: (found := job.inspect()) and found["ranks"][0]["process"] == 1)
        ask(job.pid, folder, 10)
        os.kill(job.pid, signal.SIGINT)
        job.expect_end(130)


def without_launcher():
    """A process that was started by itself keeps the interval, and takes the signal itself."""
    expected = undisturbed(STEPS, 100, 0)
    words = [STEPS, "100", "when_due", "2000"]
    with tempfile.TemporaryDirectory() as folder:
        setting = {**os.environ, "ARMATURE_VIRTUAL": "6", "ARMATURE_CHECKPOINT": folder}
        job = subprocess.Popen(words, env=setting, stdout=subprocess.PIPE, text=True)
        wait_until_awaited(job.pid, signal.SIGUSR2)
        ask(job.pid, folder, 2)
        expect(result_of(job.communicate(timeout=60)[0]) == expected, "another result")
        setting["ARMATURE_CHECKPOINT_EVERY"] = "0.1s"
        begun = time.monotonic()
        done = subprocess.run(words, env=setting, capture_output=True, text=True, timeout=60)
        expect(result_of(done.stdout) == expected, "another result")
        expect_never_twice(written(folder) - 2, 0.1, time.monotonic() - begun)


def rebalanced():
    """Ranks with work go to where there is less, by the strategy that is named, never twice in an interval."""
    words, every_s = (800, 5000, "when_due"), 0.1
    expected = undisturbed(UNEVEN, 800, 5000)
    for nodes in 1, 2:
        begun = time.monotonic()
        text = run(words, 0, r"balance: \d+ of 6 move", program=UNEVEN,
                   options=options(6, nodes, 2, "-v", "--rebalance-every", every_s))
        expect_never_twice(sum("balance: " in line for line in text.splitlines()), every_s, time.monotonic() - begun)
        expect(result_of(text) == expected, f"{nodes} nodes: {text}")
    text = run(words, 0, "balance: nothing moves", program=UNEVEN,
               options=options(6, 2, 2, "--rebalance-every", every_s, "--rebalance-by", "none"))
    expect("of 6 move" not in text, text)


def never_asked():
    """That is said once, where nobody else does it."""
    with tempfile.TemporaryDirectory() as folder:
        every = ("--checkpoint", folder, "--checkpoint-every", 0.1, "--rebalance-every", 0.1)
        text = run((20, 0), 0, NO_CHECKPOINT, NOT_REBALANCED, program=STEPS, options=options(6, 2, 2, *every))
        expect(text.count("when_due") == 2, text)
        text = run((20, 0), 0, program=STEPS, options=options(6, 1, 2, *every))
        expect("when_due" not in text, text)
        text = run((20, 800, "when_due"), 0, NO_CHECKPOINT, program=UNEVEN, options=options(6, 2, 2, *every))
        expect("stayed" not in text, text)
        job = Job((150, 0, 3000), options(6, 2, 2, "--checkpoint", folder), STEPS)
        job.wait_for(5, "waits|ready")
        os.kill(job.pid, signal.SIGUSR2)
        job.expect_end(0, "a checkpoint is written as soon as the program calls .*which it has not done so far")


def not_asked_for():
    """Without an interval a program may ask all the same, whatever its ranks are."""
    for ranks in (["-n", 2], ["-n", 4, "--threads", 2], options(4, 1, 2), options(4, 2, 2)):
        run((20, "when_due"), 0, program=STEPS, options=ranks)
        text = run((20, 800, "when_due"), 0, program=UNEVEN, options=ranks)
        expect("balance" not in text and "when_due" not in text, text)
    # A simulation has a clock of its own.
    os.environ["ARMATURE_CHECKPOINT_EVERY"] = "0.0001"
    run((20, "when_due"), 0, program=STEPS, options=["-n", 4, "--virtual", "--processes", 2, "--simulate", 5])


def refusals():
    os.environ["ARMATURE_CHECKPOINT_EVERY"] = "soon"
    run((20, "when_due"), 1, "ARMATURE_CHECKPOINT_EVERY='soon' is not a time", program=STEPS, options=options(4, 2, 2))
    os.environ["ARMATURE_CHECKPOINT_EVERY"] = "0.001"
    run((20, "when_due", 1000), 134, "no directory is given", program=STEPS, options=options(4, 2, 2))
    os.environ["ARMATURE_CHECKPOINT"] = "/nowhere"
    run((20, "when_due", 1000), 134, "only virtual ranks can be written", program=STEPS)
    del os.environ["ARMATURE_CHECKPOINT_EVERY"]
    run((20, 0), 1, "--checkpoint-every: where to", program=STEPS, options=options(4, 2, 2, "--checkpoint-every", 1))
    for more in ((), ("--hosts", "a")):
        run((20, 0), 1, "--checkpoint-every is for virtual ranks", program=STEPS,
            options=["-n", 2, "--checkpoint-every", 1, *more])
        run((20, 0), 1, "--rebalance-every is for virtual ranks", program=STEPS,
            options=["-n", 2, "--rebalance-every", 1, *more])


globals()[CASE]()
