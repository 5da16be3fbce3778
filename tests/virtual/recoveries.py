"""Jobs of virtual ranks that go on when processes are killed.

    recoveries.py ARMATURE PROGRAM CASE
"""

import collections
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
from recovering_job import ARMATURE, PROGRAM, SECONDS, Job, NodesJob, read_until, result, undisturbed, words  # noqa: E402

CASE = sys.argv[3]
OFTEN = int(os.environ.get("KILLS", "20"))  # jobs that each of the cases called often kills


def kill_at_random(runs, ranks, shapes, at_once):
    """Kills until one process is left, at random times; the result is that of an undisturbed run."""
    chance = random.Random(runs)
    expected = undisturbed(ranks, 400, 0, 0, -1)
    recovered, times = 0, []
    for run in range(runs):
        job = Job(ranks, shapes[run % len(shapes)], ["--copy-every", 0.02], [400, 0, 200, -1])
        for _ in range(shapes[run % len(shapes)]):
            time.sleep(chance.uniform(0.05, 0.4) if chance.random() < 0.7 else 0.002)
            # The first copy is made when all have joined.
            job.kill(chance.randint(1, at_once), chance)
        status, out, err = job.end()
        if status == 137 and "there is no checkpoint in memory yet" in err:
            continue
        got, err = result((status, out, err))
        expect(got == expected, f"{job.words}: {got}, not {expected}:\n{err}")
        recovered += err.count("all ranks go back")
        times += [float(text) for text in re.findall(r"all ranks go on, ([0-9.]+) ms", err)]
    print(f"{runs} runs, gone back {recovered} times; ms: {sorted(times)}")
    expect(recovered >= runs // 2, "hardly anything was recovered")
    return times


def case_kills():
    times = kill_at_random(12, 7, [2, 3, 4], 1)
    expect(sorted(times)[len(times) // 2] < 1000, "it took longer than a second")


def case_kills_often():
    kill_at_random(OFTEN, 16, [2, 3, 4], 1)


def case_several_at_once():
    """The second death comes while all go back from the first."""
    kill_at_random(12, 16, [4, 3], 3)


def case_second_death_meanwhile():
    """The next one is killed as soon as the job says that all go back, while ranks elsewhere still compute."""
    expected = undisturbed(7, 25, 0, 0, -1)
    meanwhile = 0
    for processes, deaths in ((3, 2), (4, 2), (4, 3)):
        job = Job(7, processes, ["--copy-every", 0.05], [25, 0, 30000, -1])
        said = read_until(job.job.stderr, "was written to memory")
        chance = random.Random(deaths)
        for _ in range(deaths):
            expect(job.kill(1, chance), "too few processes are left")
            said += read_until(job.job.stderr, "all ranks go back")
        status, out, err = job.end()
        got, _ = result((status, out, said + err))
        expect(got == expected, f"{processes} processes, {deaths} deaths: {got}, not {expected}:\n{said}{err}")
        meanwhile += (said + err).count("all ranks go back") - (said + err).count("all ranks go on")
    expect(meanwhile > 0, "each recovery was over before the next death")


def case_own_checkpoints():
    """The program says when; its rank 0 is killed once, with its process."""
    expected = undisturbed(7, 200, 0, 0, -1)
    for processes in (2, 3):
        got, err = result(Job(7, processes, [], [200, -20, 0, 97]).end())
        expect(got == expected and err.count("all ranks go back") == 1, f"{got}, not {expected}:\n{err}")
    # Without the option it does nothing.
    done = subprocess.run([*words(7, 2), "200", "-20", "0", "-1"], capture_output=True, text=True, timeout=SECONDS)
    expect(result((done.returncode, done.stdout, done.stderr))[0] == expected, "another result")


def on_nodes(processes, folder, *more):
    return ["--nodes", 2, "--checkpoint", folder, "--checkpoint-every", 0.05, *more]


def case_on_nodes():
    """All go back to the last checkpoint on disk, whatever is killed when, a whole node, too; while it starts again as well."""
    steps = [400, "when_due", 2000]
    expected = undisturbed(7, *steps)
    chance = random.Random(7)
    recovered = 0
    for processes, at_once in ((2, 1), (4, 1), (4, 2), (3, 1), (4, 2)):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(7, processes, on_nodes(processes, folder), steps)
            wait_until("a checkpoint", lambda: pathlib.Path(folder, "latest").exists())
            for _ in range(4):
                time.sleep(chance.uniform(0.01, 0.4))
                if at_once == 2 and len(children := job.children()) == processes:
                    job.kill_all(children[:2])  # of the first node
                else:
                    job.kill(1, chance)
            got, err = result(job.end())
            expect(got == expected, f"{job.words}: {got}, not {expected}:\n{err}")
            recovered += err.count("all ranks go back to checkpoint")
    print(f"gone back {recovered} times")
    expect(recovered >= 10, "hardly anything was recovered")


def case_ends_on_nodes():
    with tempfile.TemporaryDirectory() as folder:
        # Checkpoints of another job are none of this one's; one that ends itself is not started again.
        expect(Job(7, 2, on_nodes(2, folder), [50, "when_due", 2000]).end()[0] == 0, "it fails")
        for number, ends, status in ((signal.SIGKILL, "the job cannot go on: there is no checkpoint yet", 137),
                                     (signal.SIGSEGV, "killed by signal 11", 139)):
            job = Job(7, 2, ["--nodes", 2, "--checkpoint", folder], [10000, 0, 1000])
            said = read_until(job.job.stderr, "have joined")
            os.kill(job.children()[1], number)
            got, out, err = job.end()
            expect(got == status and ends in err and "go back" not in err, f"{got}: {out}{said}{err}")
        # Nor is one that somebody ends.
        job = Job(7, 2, on_nodes(2, folder), [10000, "when_due", 1000])
        number = int(pathlib.Path(folder, "latest").read_text())
        wait_until("a checkpoint", lambda: int(pathlib.Path(folder, "latest").read_text()) > number)
        job.job.terminate()
        got, out, err = job.end()
        expect(got == 143 and "go back" not in err, f"{got}: {out}{err}")
        # One that never comes further.
        number = int(pathlib.Path(folder, "latest").read_text())
        job = Job(7, 2, ["--nodes", 2, "--checkpoint", folder], [400, 100, 5000])
        wait_until("a checkpoint", lambda: int(pathlib.Path(folder, "latest").read_text()) > number)
        said = ""
        for _ in range(5):
            said += read_until(job.job.stderr, "have joined")
            os.kill(job.children()[0], signal.SIGKILL)
        got, out, err = job.end()
        expect(got == 137 and "it ended 5 times since its last checkpoint" in err, f"{got}: {out}{said}{err}")


CLEAR_ENDS = ("there is no checkpoint in memory yet", "so is the one with its copy")


def kill_on_nodes(runs, shapes, arguments, expected):
    """Kills processes and nodes at random; the result is that of an undisturbed run, but for those that end with a word."""
    chance = random.Random(runs)
    recovered, ended, times = 0, [], []
    for run in range(runs):
        nodes, processes = shapes[run % len(shapes)]
        job = NodesJob(9, nodes, processes, arguments, *(["--balance"] if run % 2 else []))
        time.sleep(0.1 + 2 * job.start_s)  # mostly to the first copy; without one it ends with a word
        for _ in range(processes):
            time.sleep(chance.uniform(0.02, 0.25) if chance.random() < 0.7 else chance.uniform(0, 0.01))
            job.kill_some(chance)
        status, out, err = job.end()
        err = job.said + err
        if status == 137 and (whys := [why for why in CLEAR_ENDS if why in err]):
            ended += whys
        else:
            got, _ = result((status, out, err))
            expect(got == expected, f"{job.words}: {got}, not {expected}:\n{err}")
        recovered += err.count("all ranks go back")
        times += [float(text) for text in re.findall(r"all ranks go on, ([0-9.]+) ms", err)]
    print(f"{runs} runs, gone back {recovered} times; ended: {dict(collections.Counter(ended))}; ms: {sorted(times)}")
    expect(recovered >= runs and len(ended) <= 2 * runs // 3, "hardly anything was recovered")
    return times


SHAPES = [(2, 4), (3, 3), (2, 2), (3, 6), (4, 5)]  # nodes, processes


def case_nodes_kills():
    kill_on_nodes(10, SHAPES, [300, -3, 500, -1], undisturbed(9, 300, 0, 0, -1))


def case_nodes_kills_often():
    kill_on_nodes(OFTEN, SHAPES, [300, -1, 500, -1], undisturbed(9, 300, 0, 0, -1))


def case_nodes_moving():
    """While ranks go from node to node between copies, and inside of nodes."""
    kill_on_nodes(15, SHAPES, ["recover", 150], "well")


def case_nodes_gathered():
    """Where a node has no ranks, its processes hear of what the others want next while they go back."""
    chance = random.Random(10)
    for run in range(repeated(10)):
        with tempfile.TemporaryDirectory() as folder:
            ends = pathlib.Path(folder, "ends")
            job = NodesJob(4, 2, 4, ["recover_gathered", ends])
            read_until(job.job.stdout, f"copies: {chance.randint(1, 50)}\n")
            time.sleep(chance.uniform(0, 0.005))
            job.kill_all([job.pids[2 + run % 2]])
            # The launcher may hear of it when all have gone back.
            job.said += read_until(job.job.stderr, "all ranks go on|and have done so")
            ends.touch()
            status, out, err = job.end()
            got, err = result((status, out, job.said + err))
            expect(got == "well" and err.count("all ranks go back") == 1, f"{job.words}: {got}:\n{err}")


def case_nodes_one_after_the_other():
    """Node by node, each when all go on after the one before, until one process is left: nothing is lost, nobody ends."""
    expected = undisturbed(9, 300, 0, 0, -1)
    for nodes, processes in ((4, 8), (3, 3)):
        job = NodesJob(9, nodes, processes, [300, -3, 3000, -1])
        time.sleep(job.first_copy_s)
        for node in range(nodes - 1):
            for pid in job.node(node):
                job.kill_all([pid])
                # The launcher may hear of it when all have gone back.
                job.said += read_until(job.job.stderr, "all ranks go on|and have done so")
        job.kill_all(job.node(nodes - 1)[1:])
        status, out, err = job.end()
        got, _ = result((status, out, job.said + err))
        expect(got == expected, f"{nodes} nodes: {got}, not {expected}:\n{job.said}{err}")


def case_nodes_second_death_meanwhile():
    """The next one is killed as soon as all begin to go back, on another node than the partner's."""
    expected = undisturbed(9, 60, 0, 0, -1)
    for victims in ((0, 2), (2, 0), (1, 3), (3, 1)):
        job = NodesJob(9, 4, 8, [60, -3, 20000, -1])
        time.sleep(job.first_copy_s)
        job.kill_all(job.node(victims[0]))
        job.said += read_until(job.job.stderr, "all ranks go back")
        job.kill_all(job.node(victims[1]))
        status, out, err = job.end()
        got, _ = result((status, out, job.said + err))
        expect(got == expected, f"{victims}: {got}, not {expected}:\n{job.said}{err}")


def case_nodes_silent():
    """One that hangs is given up by the others, and killed."""
    expected = undisturbed(9, 300, 0, 0, -1)
    job = NodesJob(9, 3, 6, [300, -3, 20000, -1], "--net-heartbeat", 0.5)
    time.sleep(job.first_copy_s)
    os.kill(job.node(1)[0], signal.SIGSTOP)
    status, out, err = job.end()
    got, _ = result((status, out, job.said + err))
    expect(got == expected and "cannot be reached by the other nodes any more" in err, f"{got}:\n{job.said}{err}")


def case_nodes_to_disk():
    """When node and partner are lost together: to the last checkpoint on disk, where there are some, else to an end."""
    expected = undisturbed(9, 300, 0, 0, -1)
    for on_disk in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            more = ["--checkpoint", folder, "--checkpoint-every", 0.05] if on_disk else []
            job = NodesJob(9, 3, 6, [300, "both", 2000, -1] if on_disk else [300, -3, 2000, -1], *more)
            latest = pathlib.Path(folder, "latest")
            if on_disk:  # one a step at most, so that by the fifth there is a copy in memory
                wait_until("a checkpoint", lambda: latest.exists() and int(latest.read_text()) >= 5)
            else:
                time.sleep(job.first_copy_s)
            job.kill_all(job.node(0) + job.node(1))
            status, out, err = job.end()
            err = job.said + err
            expect("so is the one with its copy" in err, err)
            if on_disk:
                got = re.findall(r"^result (\w+)$", out, re.M)
                expect(status == 0 and got[-1] == expected and "all ranks go back to checkpoint" in err, f"{status}: {out}{err}")
            else:
                expect(status == 137, f"{status}: {out}{err}")


def case_nodes_one_process():
    """Rank 0's process is killed by itself: of its node another one is left, or none."""
    expected = undisturbed(7, 100, 0, 0, -1)
    for nodes, processes in ((2, 4), (3, 3)):
        job = NodesJob(7, nodes, processes, [100, -20, 0, 57])
        status, out, err = job.end()
        got, err = result((status, out, job.said + err))
        expect(got == expected and err.count("all ranks go back") == 1, f"{got}, not {expected}:\n{err}")


def case_nodes_doors():
    """What a rank does in another process than its door, when somebody is lost, harms nobody (doors.cpp)."""
    for what in "team", "heap":
        job = NodesJob(4, 3, 4, [what])
        got, err = result(job.end())
        expect(got == "well" and err.count("all ranks go back") == 1, f"{what}: {got}:\n{job.said}{err}")


def case_nodes_every_so_often():
    """Where the program asks: the first copy at once, the next ones when the interval is over. Node by node is lost."""
    expected = undisturbed(9, 120, 0)
    for every_s, goes_back_s in ((0.05, (0, 0.7)), (1000, (0.7, 60))):
        job = NodesJob(9, 3, 3, [120, "when_due", 5000], "--copy-every", every_s)
        read_until(job.job.stdout, "what was due at first is done")
        for node in range(2):
            time.sleep(0.8)
            job.kill_all(job.node(node))
            job.said += read_until(job.job.stderr, "all ranks go on|and have done so")
        status, out, err = job.end()
        got, err = result((status, out, job.said + err))
        expect(got == expected, f"{got}, not {expected}:\n{err}")
        ages = [float(text) for text in re.findall(r"in memory of ([0-9.]+) s ago", err)]
        # There is none where all had gone back before the launcher heard of the death.
        expect(all(goes_back_s[0] <= age <= goes_back_s[1] for age in ages), f"every {every_s} s, and of {ages} s ago")
        expect("has never called" not in err, err)
    # A program that never asks.
    status, out, err = Job(4, 2, ["--nodes", 2, "--copy-every", 1], [20, 0]).end()
    expect(status == 0 and err.count("no checkpoint in memory was made for that") == 1, f"{status}: {out}{err}")


def case_clear_ends():
    status, out, err = Job(4, 1, ["--copy-every", 0.02], [200, 0, 1000, 100]).end()
    expect(status == 137 and "the job cannot go on without it: no process is left" in err, out + err)
    status, out, err = Job(4, 2, [], [200, 0, 0, 20]).end()
    expect(status == 137 and "there is no checkpoint in memory yet" in err, out + err)
    for options, why in (["--copy-every", 1], "say --on-death recover"), (["--on-death", "recover", "-n", 2], ""):
        done = subprocess.run(list(map(str, [ARMATURE, "run", *options, PROGRAM])), capture_output=True, text=True)
        expect(done.returncode == 1 and (why or "is for virtual ranks") in done.stderr, done.stderr)


perform_case(CASE, globals()[f"case_{CASE}"])
