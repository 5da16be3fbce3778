"""Virtual ranks that go where what they compute says, every so often and without a word of the program.

    rebalances.py ARMATURE UNEVEN BALANCE CASE
"""

import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
from harness import expect, perform_case, repeated, wait_until  # noqa: E402

ARMATURE, UNEVEN, BALANCE, CASE = sys.argv[1:5]
SECONDS = 60
MOVE = r"balance: \d+ of \d+ move, (\d+) % of ideal before, (\d+) % after"


def words_of(ranks, processes, *options):
    return list(map(str, [ARMATURE, "run", "-n", ranks, "--virtual", "--processes", processes, "--timeout", SECONDS,
                          *options]))


def perform(words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=2 * SECONDS,
                          stdin=subprocess.DEVNULL)


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return list(map(int, file.read().split()))


def result_of(done):
    expect(done.returncode == 0, f"exit status {done.returncode}:\n{done.stdout}{done.stderr}")
    found = re.findall(r"^result (\w+)$", done.stdout, re.M)
    expect(len(found) == 1, f"not one result:\n{done.stdout}{done.stderr}")
    return found[0]


def case_results():
    """The same, however often ranks go elsewhere."""
    for ranks, processes in (8, 2), (7, 3):
        expected = result_of(perform([*words_of(ranks, processes), UNEVEN, 300, 60]))
        for strategy in "chosen", "greedy", "distributed":
            done = perform([*words_of(ranks, processes, "--rebalance-every", 0.03, "--rebalance-by", strategy), UNEVEN,
                            300, 60])
            expect(result_of(done) == expected, f"another result with {strategy}:\n{done.stderr}")
            expect(re.search(MOVE, done.stderr), f"{strategy}: nobody has moved:\n{done.stderr}")


def case_more_even():
    """What the first look finds is far from even; after it has acted, a later one finds that it is not.

    A process that gets less of its processor makes what the others do look more even."""
    done = perform([*words_of(8, 2, "-v", "--rebalance-every", 0.2), UNEVEN, 1500])
    result_of(done)
    shares = [int(share) for share in re.findall(r"balance: .*?(\d+) % of ideal(?: before|\n)", done.stderr)]
    print(f"of ideal, look by look: {shares}")
    expect(len(shares) >= 2 and shares[0] < 85, f"the first look:\n{done.stderr}")
    expect(max(shares[1:]) >= 85, f"it did not get better:\n{done.stderr}")


def case_stays():
    """Ranks with work go to the process without; who holds something of its process stays."""
    done = perform([*words_of(8, 2, "--rebalance-every", 0.02), BALANCE])
    expect(done.returncode == 0 and re.search(MOVE, done.stderr), done.stdout + done.stderr)


def case_deaths():
    """Processes are killed at any time, also while ranks are on the way."""
    expected = result_of(perform([*words_of(8, 3), UNEVEN, 2400, 40]))
    chance = random.Random(11)
    recovered = 0
    for _ in range(12):
        job = subprocess.Popen(words_of(8, 3, "--on-death", "recover", "--copy-every", "0.02", "--rebalance-every",
                                        "0.01", "--rebalance-by", "greedy", UNEVEN, 2400, 40),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.3 + chance.random() * 0.4)
        children = wait_until("its processes", lambda: children_of(job.pid))
        os.kill(chance.choice(children), signal.SIGKILL)
        out, err = job.communicate(timeout=2 * SECONDS)
        # On a machine that has much else to do: the first copy is made when all have joined.
        if job.returncode == 137 and "there is no checkpoint in memory yet" in err:
            continue
        done = subprocess.CompletedProcess([], job.returncode, out, err)
        expect(result_of(done) == expected, f"another result:\n{err}")
        expect("all ranks go back" in err, f"nobody has noticed:\n{err}")
        recovered += 1
        if recovered == repeated(6):
            return
    expect(False, f"only {recovered} jobs had anything to go back to")


def case_checkpoints():
    """One after the other with checkpoints to disk; a restart goes on with both."""
    expected = result_of(perform([*words_of(8, 2), UNEVEN, 600, 50]))
    every = ["--rebalance-every", "0.03", "--checkpoint-every", "0.05"]
    with tempfile.TemporaryDirectory() as directory:
        job = subprocess.Popen(words_of(8, 2, *every, "--checkpoint", directory, UNEVEN, 600, 50),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + SECONDS
        while not os.path.exists(os.path.join(directory, "latest")):
            expect(time.monotonic() < end, "no checkpoint was written")
            time.sleep(0.01)
        time.sleep(0.3)
        job.kill()
        _, err = job.communicate(timeout=SECONDS)
        expect(re.search(MOVE, err), f"nobody has moved:\n{err}")
        done = perform([ARMATURE, "restart", directory, "--processes", 3, "--timeout", SECONDS, *every])
        expect(result_of(done) == expected, f"another result:\n{done.stderr}")


def case_refusals():
    def refused(words, pattern):
        done = perform(words)
        expect(done.returncode != 0 and re.search(pattern, done.stderr), f"{pattern}:\n{done.stdout}{done.stderr}")

    refused([ARMATURE, "run", "-n", 2, "--rebalance-every", 1, UNEVEN], "--rebalance-every is for virtual ranks")
    refused([*words_of(2, 2, "--rebalance-every", 1, "--on-death", "continue"), UNEVEN], "does not go with --on-death")
    refused([*words_of(2, 2, "--rebalance-every", 1, "--rebalance-by", "best"), UNEVEN], "best")


perform_case(CASE, globals()[f"case_{CASE}"])
