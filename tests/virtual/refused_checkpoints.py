"""What is refused of checkpoints, and what is said of those that are not: cases of checkpoints.py."""

import os
import random
import re
import resource
import shutil
import subprocess
import sys

from checkpoint_jobs import (
    ARMATURE, OTHER, PROGRAM, latest, perform, refused, restart, result_of, run_words, undisturbed,
    wait_until, words_of, written_and_killed,
)
from harness import expect


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
    expect(not re.search(r"#\d |\[0x", done.stderr), f"no stack says more: {done.stderr}")


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
        try:
            wait_until(lambda: latest(saved))
            second = perform([*words, 60, 5])
            said = rf"another job writes checkpoints to {saved}: process \d+ on "
            expect(second.returncode != 0 and re.search(said, second.stderr), f"{second.returncode}: {second.stderr}")
            before = latest(saved)
            wait_until(lambda: latest(saved) != before)
        finally:
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
