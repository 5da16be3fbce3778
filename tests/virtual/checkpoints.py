"""Jobs of virtual ranks that are written to disk, killed, and restarted.

    checkpoints.py ARMATURE PROGRAM OTHER_BUILD CASE [LIBRARY OTHER_BUILD]
"""

import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
from harness import expect, perform_case, wait_until_awaited  # noqa: E402

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
    expect(result_of(restart(directory, 2)) == expected, "another result")


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


def refused(directory, *patterns):
    done = restart(directory, 1)
    text = done.stdout + done.stderr
    expect(done.returncode == 1 and "result" not in text, f"exit status {done.returncode}:\n{text}")
    for pattern in patterns:
        expect(re.search(pattern, text), f"not in the output: {pattern}\n{text}")


def case_damage(directory):
    """Every file, damaged anywhere or cut off, is refused by name."""
    whole = os.path.join(directory, "whole")
    written_and_killed(whole, 3, 2)
    files = [os.path.join(latest(whole), name) for name in sorted(os.listdir(os.path.join(whole, latest(whole))))]
    expect(len(files) == 4, str(files))
    chance = random.Random(3)
    for name in files:
        size = os.path.getsize(os.path.join(whole, name))
        for place in [0, size - 1, *(chance.randrange(size) for _ in range(4))]:
            spoilt = os.path.join(directory, "spoilt")
            shutil.copytree(whole, spoilt)
            with open(os.path.join(spoilt, name), "r+b") as file:
                file.seek(place)
                byte = file.read(1)[0]
                file.seek(place)
                file.write(bytes([byte ^ (1 << chance.randrange(8))]))
            refused(spoilt, re.escape(name) + r"\b", "damaged|not the manifest|cut off|not the file")
            shutil.rmtree(spoilt)
        shutil.copytree(whole, spoilt)
        os.truncate(os.path.join(spoilt, name), size // 2)
        refused(spoilt, re.escape(name) + r"\b", "cut off")
        os.remove(os.path.join(spoilt, name))
        refused(spoilt, re.escape(name) + r"\b", "missing|cannot be opened")
        shutil.rmtree(spoilt)
    os.remove(os.path.join(whole, "latest"))
    refused(whole, "holds no checkpoint")


def case_other_build(directory):
    program = os.path.join(directory, "program")
    saved = os.path.join(directory, "saved")
    shutil.copy(PROGRAM, program)
    # It finds its library where the tests do.
    os.environ["LD_LIBRARY_PATH"] = os.path.join(os.path.dirname(os.path.dirname(ARMATURE)), "lib")
    written_and_killed(saved, 3, 2, program)
    result_of(restart(saved, 1))
    os.remove(program)
    shutil.copy(OTHER, program)
    done = restart(saved, 1)
    expect(done.returncode != 0 and "the program is another build" in done.stderr, done.stdout + done.stderr)


def case_other_library(directory):
    """Ranks have addresses in all libraries on their stacks, not only in the program and libarmature."""
    library, saved = os.path.join(directory, "library.so"), os.path.join(directory, "saved")
    shutil.copy(sys.argv[5], library)
    os.environ["LD_PRELOAD"] = library
    written_and_killed(saved, 3, 2)
    result_of(restart(saved, 1))
    shutil.copy(sys.argv[6], library)
    done = restart(saved, 1)
    expect(done.returncode != 0 and "a library is another build" in done.stderr, done.stdout + done.stderr)


def case_show(directory):
    written_and_killed(directory, 5, 2)
    done = perform([ARMATURE, "checkpoint", "show", directory])
    expect(done.returncode == 0 and "5, of which 0 had ended, in 2 processes" in done.stdout, done.stdout)
    expect(f"checkpoint 2 of {PROGRAM} 60 20 0 47\n" in done.stdout and f"started in     {os.getcwd()}\n" in done.stdout,
           f"not what it was started with:\n{done.stdout}")
    expect(perform([ARMATURE, "checkpoint", "verify", directory]).stdout.endswith(": whole\n"), "it is whole")
    # No thread has room for such a stack.
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    done = perform([ARMATURE, "checkpoint", "verify", directory],
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 47 if hard == -1 else hard, hard)))
    expect(done.returncode == 0 and done.stdout.endswith(": whole\n"), f"{done.returncode}: {done.stderr}")


def case_other_folder(directory):
    """The program is looked for where it was started, and a restart that does not find it says where."""
    place, saved = os.path.join(directory, "place"), os.path.join(directory, "saved")
    os.mkdir(place)
    os.symlink(PROGRAM, os.path.join(place, "program"))
    done = perform([*run_words(3, 2, saved), "./program", 60, 20, 0, 47], cwd=place)
    expect(done.returncode == 137, f"it was to be killed:\n{done.stdout}{done.stderr}")
    result_of(restart(saved, 1))
    far = os.path.join(directory, *(letter * 200 for letter in "abc"))
    shutil.copytree(saved, far)
    done = restart(far, 1)
    expect(done.returncode == 1 and f"{far}: the name of a directory of checkpoints may have 512 bytes" in done.stderr, done.stderr)
    os.remove(os.path.join(place, "program"))
    done = restart(saved, 1)
    expect(done.returncode == 127 and f"there is no file ./program in {place}, where the job was started" in done.stderr,
           f"{done.returncode}: {done.stderr}")


def case_two_jobs(directory):
    """The second one in a directory fails its checkpoint, and what the first one has written stays."""
    expected = undisturbed(4, 60, 0, 0, -1)
    for nodes in 1, 2:
        saved = os.path.join(directory, str(nodes))
        words = [*run_words(4, 2, saved, "--nodes", nodes), PROGRAM]
        first = subprocess.Popen(words_of([*words, 100000, 5, 3000]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        wait_until(lambda: latest(saved))
        second = perform([*words, 60, 5])
        said = rf"another job writes checkpoints to {saved}: process \d+ on "
        expect(second.returncode != 0 and re.search(said, second.stderr), f"{second.returncode}: {second.stderr}")
        before = latest(saved)
        wait_until(lambda: latest(saved) != before)
        first.kill()
        first.wait()
        done = perform([ARMATURE, "checkpoint", "verify", saved])
        expect(done.returncode == 0, done.stderr)
        # As soon as that one is gone, there is room for another.
        expect(result_of(perform([*words, 60, 5])) == expected, "another result")


def case_refusals(directory):
    done = perform([ARMATURE, "run", "-n", 2, "--checkpoint", directory, PROGRAM])
    expect(done.returncode == 1 and "--checkpoint is for virtual ranks" in done.stderr, done.stderr)
    done = perform([*run_words(2, 1, None), PROGRAM, 20, 5])
    expect(done.returncode != 0 and "checkpoint: no directory is given" in done.stderr, done.stderr)
    done = perform([ARMATURE, "restart", directory, "--on-death", "continue"])
    expect(done.returncode == 2 and "'continue' is neither 'end' nor 'recover'" in done.stderr, done.stderr)
    # A name that only a restart would find too long.
    done = perform([*run_words(2, 1, None), PROGRAM, 20, 5], env={**os.environ, "ARMATURE_CHECKPOINT": "./" * 255 + "no"})
    expect(done.returncode != 0 and "has 513 bytes from the root on, and may have 512" in done.stderr, done.stderr)
    # Nowhere to write: the job says so and the program hears of it.
    done = perform([*run_words(2, 1, "/proc/none"), PROGRAM, 20, 5])
    expect(done.returncode != 0 and "checkpoint: /proc/none cannot be made" in done.stderr, done.stderr)


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
    perform_case(CASE, globals()[f"case_{CASE}"], for_checkpoints)
