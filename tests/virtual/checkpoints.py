"""Jobs of virtual ranks that are written to disk, killed, and restarted.

    checkpoints.py ARMATURE PROGRAM OTHER_BUILD CASE [LIBRARY OTHER_BUILD]
"""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
from checkpoint_jobs import (  # noqa: E402
    ARMATURE, CASE, PROGRAM, latest, perform, refused, restart, result_of, run_words, undisturbed,
    wait_until, words_of, written_and_killed,
)
import refused_checkpoints  # noqa: E402
from harness import expect, perform_case, wait_until_awaited  # noqa: E402


def shapes(directory, ranks, pairs):
    expected = undisturbed(ranks, 60, 0, 0, -1)
    for before, after in pairs:
        folder = os.path.join(directory, f"{before}-{after}")
        written_and_killed(folder, ranks, before)
        got = result_of(restart(folder, after))
        expect(got == expected, f"{ranks} ranks, {before} to {after} processes: {got}, not {expected}")


ALL_SHAPES = [(a, b) for a in range(1, 5) for b in range(1, 5)]


def case_few_shapes(directory):
    shapes(directory, 7, [(1, 1), (2, 2), (1, 3), (3, 1)])


def case_all_shapes_of_1(directory):
    shapes(directory, 1, [(1, 1)])  # it has no more processes than ranks


def case_all_shapes_of_7(directory):
    shapes(directory, 7, ALL_SHAPES)


def case_all_shapes_of_16(directory):
    shapes(directory, 16, ALL_SHAPES)


def case_restarted_twice(directory):
    """The second restart goes on from a checkpoint that the first one has written."""
    expected = undisturbed(4, 200, 0, 2000, -1)
    words = [*run_words(4, 2, directory), PROGRAM, 200, 10, 2000, 55]
    expect(perform(words).returncode == 137, "it was to be killed")
    first = subprocess.Popen(words_of([ARMATURE, "restart", directory, "--processes", 1]), stdin=subprocess.DEVNULL)
    before = latest(directory)
    wait_until(lambda: latest(directory) != before)
    first.kill()
    first.wait()
    shown = perform([ARMATURE, "checkpoint", "show", directory])
    expect("restarted      1 times before" in shown.stdout, shown.stdout)
    trace = pathlib.Path(directory, "trace.json")
    expect(result_of(restart(directory, 2, "--trace", trace)) == expected, "another result")
    turns = {event["tid"] for event in json.loads(trace.read_text())["traceEvents"] if event["name"] == "turn"}
    expect(turns == set(range(4)), f"turns of these ranks alone: {turns}")


def case_options_kept(directory):
    """A restart goes on with what the run was told of checkpoints, unless it is told otherwise."""
    saved, other = os.path.join(directory, "saved"), os.path.join(directory, "other")

    def options_of(folder):
        shown = perform([ARMATURE, "checkpoint", "show", folder]).stdout
        return re.search(r"^  options +(.*)$", shown, re.M)[1]
    words = [*run_words(4, 2, saved, "--checkpoint-every", "1m", *INCREMENTAL, "--balance"), PROGRAM, 100, 20, 0, 47]
    expect(perform(words).returncode == 137, "it was to be killed")
    expect(options_of(saved) == "--checkpoint-incremental=true --balance=true --checkpoint-every=60", options_of(saved))
    shutil.copytree(saved, other)
    result_of(restart(saved, 2))
    expect(options_of(saved) == "--checkpoint-incremental=true --balance=true --checkpoint-every=60", options_of(saved))
    result_of(restart(other, 2, "--checkpoint-every", "0", "--no-checkpoint-incremental", "--no-balance", "--on-death", "recover"))
    expect(options_of(other) == "--on-death=recover", options_of(other))


def case_signal(directory):
    """A program that knows nothing of checkpoints is written when the launcher is told to."""
    expected = undisturbed(6, 300, 0, 0, -1)
    job = subprocess.Popen(words_of([*run_words(6, 2, directory), PROGRAM, 300, 0, 3000]), stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL)
    wait_until_awaited(job.pid, signal.SIGUSR2)
    os.kill(job.pid, signal.SIGUSR2)
    wait_until(lambda: latest(directory))
    os.kill(job.pid, signal.SIGUSR2)
    wait_until(lambda: latest(directory) == "000002")
    job.kill()
    job.wait()
    expect(result_of(restart(directory, 3)) == expected, "another result")


def case_kills(directory, runs=int(os.environ.get("KILLS", "12")), options=("--checkpoint-every", "0.1")):
    """Killed at random times, again and again, each time going on from the last checkpoint."""
    expected = undisturbed(7, 100, 0, 0, -1)
    chance = random.Random(os.environ.get("SEED", "5"))
    start = words_of([*run_words(7, 2, directory, *options), PROGRAM, 100, 0, 2000])
    restarts = 0
    for _ in range(runs):
        goes_on = bool(latest(directory))
        words = words_of([ARMATURE, "restart", directory, "--processes", chance.choice([1, 2, 3]),
                          *options]) if goes_on else start
        restarts += goes_on
        job = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = job.communicate(timeout=chance.uniform(0.2, 2.5))
        except subprocess.TimeoutExpired:
            job.kill()
            job.communicate()
            continue
        expect(job.returncode == 0 and f"result {expected}" in out, f"{words}:\n{out}{err}")
        shutil.rmtree(directory)
    if latest(directory):
        expect(result_of(restart(directory, 2)) == expected, "another result")
    print(f"killed or ended {runs} times, {restarts} restarts")
    expect(restarts > 0, "it was never restarted")


INCREMENTAL = ["--checkpoint-incremental"]


def links(directory):
    """The folders that the last checkpoint is made of, the whole one first."""
    shown = perform([ARMATURE, "checkpoint", "show", directory]).stdout
    return re.findall(r"^    (\d+)  (?:whole|what changed) ", shown, re.M)


def increments(directory, ranks, pairs, least):
    """Restarted from a chain of checkpoints, the last one at step 45."""
    expected = undisturbed(ranks, 60, 0, 0, -1)
    longest = 0
    for before, after in pairs:
        for every in 1, 5:
            folder = os.path.join(directory, f"{before}-{after}-{every}")
            written_and_killed(folder, ranks, before, every=every, options=INCREMENTAL)
            chain = links(folder)
            expect(chain[-1:] == [latest(folder)] or not chain, f"{chain}, but the last one is {latest(folder)}")
            expect(sorted(os.listdir(folder)) == sorted([".armature-lock", *(chain or [latest(folder)]), "latest"]), os.listdir(folder))
            got = result_of(restart(folder, after))
            expect(got == expected, f"{ranks} ranks, {before} to {after} processes, {chain}: {got}, not {expected}")
            longest = max(longest, len(chain))
    expect(longest >= least, f"no chain was longer than {longest}")


def case_incremental(directory):
    increments(directory, 7, [(1, 3), (2, 2), (3, 1)], 4)


def case_incremental_calls(directory):
    """The program says for each call what it wants, with the job's setting and against it."""
    expected = undisturbed(5, 60, 0, 0, -1)
    for options in [], INCREMENTAL:
        # 47 calls until it dies: how many links the last one has then, with itself.
        for whole_every, wanted in (100, None), (1, 0), (5, 2), (8, 7):
            folder = os.path.join(directory, f"{whole_every}-{len(options)}")
            done = perform([*run_words(5, 2, folder, *options), PROGRAM, 60, 1, 0, 46, whole_every])
            expect(done.returncode == 137, f"it was to be killed:\n{done.stdout}{done.stderr}")
            chain = links(folder)
            expect(len(chain) == wanted if wanted is not None else len(chain) >= 4, f"{whole_every}: a chain of {chain}")
            got = result_of(restart(folder, 3))
            expect(got == expected, f"{whole_every}, {chain}: {got}, not {expected}")


def case_incremental_shapes_of_1(directory):
    increments(directory, 1, [(1, 1)], 4)


def case_incremental_shapes_of_7(directory):
    increments(directory, 7, ALL_SHAPES, 4)


def case_incremental_shapes_of_16(directory):
    increments(directory, 16, [(1, 4), (4, 1), (3, 2)], 4)


def case_incremental_on_nodes(directory):
    """From as many nodes and processes to others; with ranks that change nodes, behind which all is written again."""
    expected = undisturbed(7, 60, 0, 0, -1)
    for before, after in ((2, 2), (1, 1)), ((2, 4), (3, 3)), ((3, 3), (2, 4)):
        for move_every in 0, 20:
            folder = os.path.join(directory, f"{before}-{move_every}")
            done = perform([*run_words(7, before[1], folder, "--nodes", before[0], *INCREMENTAL), PROGRAM,
                            60, 1, 0, 47, 0, move_every])
            expect(done.returncode == 137, f"it was to be killed:\n{done.stdout}{done.stderr}")
            chain = links(folder)
            expect(len(chain) >= 4 and chain[-1] == latest(folder), f"{chain}, but the last one is {latest(folder)}")
            expect(move_every == 0 or int(chain[0]) > 40, f"{chain} begins before all have moved")
            got = result_of(restart(folder, after[1], "--nodes", after[0]))
            expect(got == expected, f"{before} to {after}, {chain}: {got}, not {expected}")


def case_incremental_moving(directory):
    """Ranks move inside their nodes when all have agreed that what changed will do: all is written nevertheless."""
    expected = undisturbed(7, 60, 0, 0, -1)
    done = perform([*run_words(7, 4, directory, "--nodes", 2, *INCREMENTAL), PROGRAM, 60, 1, 0, 44, 0, -5])
    expect(done.returncode == 137, f"it was to be killed:\n{done.stdout}{done.stderr}")
    expect(links(directory) in ([], [latest(directory)]), f"the last one goes on from {links(directory)}")
    got = result_of(restart(directory, 4, "--nodes", 2))
    expect(got == expected, f"{got}, not {expected}")


def case_incremental_kills(directory):
    case_kills(directory, options=["--checkpoint-every", "0.03", *INCREMENTAL])


def case_incremental_damage(directory):
    """Any link, damaged, cut off, missing, or from elsewhere, is refused by name."""
    whole, spoilt, other = (os.path.join(directory, name) for name in ("whole", "spoilt", "other"))
    written_and_killed(whole, 3, 2, every=10, options=INCREMENTAL)
    written_and_killed(other, 3, 2, every=10, options=INCREMENTAL)
    chain = links(whole)
    expect(len(chain) >= 3, f"a chain of {chain}")
    chance = random.Random(7)
    for link in chain:
        # Of the last one the restart needs the rest as well.
        names = os.listdir(os.path.join(whole, link))
        for name in (names if link == chain[-1] else [name for name in names if name != "control"]):
            path = os.path.join(link, name)
            size = os.path.getsize(os.path.join(whole, path))
            for spoil in "bit", "cut off", "missing":
                shutil.copytree(whole, spoilt)
                if spoil == "bit":
                    with open(os.path.join(spoilt, path), "r+b") as file:
                        file.seek(chance.randrange(size))
                        byte = file.read(1)[0]
                        file.seek(-1, os.SEEK_CUR)
                        file.write(bytes([byte ^ (1 << chance.randrange(8))]))
                elif spoil == "cut off":
                    os.truncate(os.path.join(spoilt, path), chance.randrange(size))
                else:
                    os.remove(os.path.join(spoilt, path))
                refused(spoilt, re.escape(path) + r"\b", "damaged|not the|cut off|cannot be opened|missing|another checkpoint")
                shutil.rmtree(spoilt)
        shutil.copytree(whole, spoilt)
        shutil.rmtree(os.path.join(spoilt, link))
        refused(spoilt, link + "/manifest is missing")
        # Whole, but of another run.
        if link != chain[-1] and os.path.exists(os.path.join(other, link)):
            shutil.copytree(os.path.join(other, link), os.path.join(spoilt, link))
            refused(spoilt, f"only what changed since .*/{link}, which is another checkpoint")
        shutil.rmtree(spoilt)


def case_incremental_elsewhere(directory):
    """Whole again when the processes are others, and after a restart; the option is for virtual ranks."""
    job = subprocess.Popen(words_of([*run_words(4, 2, directory, "--checkpoint-every", "0.02", *INCREMENTAL), PROGRAM,
                                     100000, 0, 1000]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: len(links(directory)) >= 3)
        for processes in 3, 1, 2:
            done = perform([ARMATURE, "resize", job.pid, "--processes", processes])
            expect(done.returncode == 0, done.stderr)
            number = latest(directory)
            wait_until(lambda: links(directory)[:1] > [number])
            wait_until(lambda: len(links(directory)) >= 3)
    finally:
        job.kill()
        job.wait()
    number = latest(directory)
    again = subprocess.Popen(words_of([ARMATURE, "restart", directory, "--checkpoint-every", "0.02", *INCREMENTAL]),
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: latest(directory) > number)
        wait_until(lambda: len(links(directory)) >= 3 and links(directory)[0] > number)
    finally:
        again.kill()
        again.wait()
    done = perform([ARMATURE, "run", "-n", 2, *INCREMENTAL, PROGRAM])
    expect(done.returncode == 1 and "--checkpoint-incremental is for virtual ranks" in done.stderr, done.stderr)


with tempfile.TemporaryDirectory(prefix="armature-checkpoint-") as for_checkpoints:
    perform_case(CASE, {**vars(refused_checkpoints), **globals()}[f"case_{CASE}"], for_checkpoints)
