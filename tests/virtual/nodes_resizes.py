"""Jobs of virtual ranks on several nodes that get more processes, or fewer, while they run.

    nodes_resizes.py ARMATURE STEPS RESIZING CASE
"""

import json
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
from harness import expect, perform_case, processes_with, send, wait_until  # noqa: E402
from resizable_job import SECONDS, ResizableJob  # noqa: E402

ARMATURE, STEPS, RESIZING, CASE = sys.argv[1:5]
MARK = f"ARMATURE_TEST_MARK={os.getpid()}.{time.time_ns()}"
os.environ.update([MARK.split("=")])
EVERY_STEP = ("when_due", 3000)


class Job(ResizableJob):
    def __init__(self, ranks, nodes, processes, options, program, *arguments):
        super().__init__(ARMATURE, ranks, processes, ["--nodes", nodes, "--no-globals-note", *options], program, *arguments)

    def resize_to(self, processes, job=None):
        super().resize_to(processes, job)
        self.await_children(processes)  # those that have left may still be ending

    def resize_without_restart(self, processes):
        """Those that are too many end, those that are missing are started, and that is all."""
        before, started = set(self.children()), self.inspected()["processes_started"]
        self.resize_to(processes)
        now = set(self.children())
        expect(now <= before or before <= now, f"{before} became {now}")
        is_now = self.inspected()
        expect(is_now["processes"] == processes, str(is_now))
        expect(is_now["processes_started"] == started + len(now - before), f"{started}, then {is_now}")

    def inspected(self):
        done = subprocess.run([ARMATURE, "inspect", str(self.job.pid), "--json"], capture_output=True, text=True,
                              timeout=SECONDS, stdin=subprocess.DEVNULL, check=True)
        return json.loads(done.stdout)[0]

    def ask(self, pids):
        send_all(pids, signal.SIGTERM)

    def expect_result(self, expected):
        status, out, err = self.end()
        found = re.findall(r"^result (\w+)$", out, re.M)
        expect(status == 0 and found == [expected], f"{self.words}: status {status}, {found}, not {expected}:\n{out}{err}")
        return err


def send_all(pids, number):
    for pid in pids:
        os.kill(pid, number)


def undisturbed(ranks, *arguments):
    status, out, err = Job(ranks, 1, 2, [], STEPS, *arguments).end()
    expect(status == 0, err)
    return re.findall(r"^result (\w+)$", out, re.M)[0]


def attempts(least, has_all_happened):
    """Their numbers. A job may end before anybody is killed, where others keep the machine busy: then there are more of them."""
    for attempt in range(3 * least):
        if attempt >= least and has_all_happened():
            return
        yield attempt


def case_there_and_back():
    """Fewer processes, more, fewer than there were nodes, by the launcher's number and by a process's."""
    expected = undisturbed(6, 600, 0)
    job = Job(6, 2, 4, [], STEPS, 600, *EVERY_STEP)
    job.resize_to(4)
    first = job.children()
    job.resize_to(5, job=first[-1])
    expect(set(first) < set(job.children()), "other processes")
    job.resize_to(1)
    expect(not set(first) & set(job.children()), "the same processes")
    job.resize_to(2)
    job.expect_result(expected)


def case_without_restart():
    """Fewer processes and more, where each node keeps one: the others go on as they are."""
    for options in [], ["--on-death", "recover"]:
        expected = undisturbed(8, 400, 0)
        job = Job(8, 2, 4, options, STEPS, 400, *EVERY_STEP)
        job.resize_to(4)
        first = job.children()
        expect(job.inspected()["processes_started"] == 4, "others were started")
        job.resize_without_restart(3)
        # The first one may leave, too, and the first one of a node.
        left = job.children()
        job.ask(left[:1])
        wait_until("2 processes", lambda: len(job.children()) == 2)
        expect(set(job.children()) == set(left[1:]) and job.inspected()["processes_started"] == 4, f"{first} {job.children()}")
        # One where one has left, several at once, on all nodes, and more than there have ever been.
        for processes in 3, 2, 4, 8, 3:
            job.resize_without_restart(processes)
        expect(job.inspected()["processes_started"] == 11, "they are not counted")
        err = job.expect_result(expected)
        expect("the job goes on in" not in err and "go back" not in err, err)


def case_killed_meanwhile():
    """A process is killed while some leave: all go back, or the job ends, and says why. Nothing is left."""
    expected = undisturbed(8, 300, 0)
    chance = random.Random(5)
    shared = set(os.listdir("/dev/shm"))
    went_on = went_back = ended = 0
    for attempt in attempts(12, lambda: went_back > 0 and ended > 0):
        recovers = attempt % 3 != 2
        job = Job(8, 2, 4, ["--on-death", "recover"] if recovers else [], STEPS, 300, "both", 3000)
        job.resize_to(4)
        children = job.children()
        time.sleep(0.1)
        asking = subprocess.Popen([ARMATURE, "resize", str(job.job.pid), "--processes", "3"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        time.sleep(chance.uniform(0, 0.06))
        try:
            os.kill(children[chance.choice([0, 1, 2, 3, 3, 3])], signal.SIGKILL)
        except ProcessLookupError:
            pass
        said, _ = asking.communicate(timeout=SECONDS)
        status, out, err = job.end()
        found = re.findall(r"^result (\w+)$", out, re.M)
        if status == 0:
            expect(found == [expected], f"{found}, not {expected}:\n{out}{err}")
            went_back += "all ranks go back" in err
            went_on += "all ranks go back" not in err
        else:
            expect(status == 137 and ("killed" in err or "SIGKILL" in err), f"{status}: {said}{out}{err}")
            expect(not recovers or "cannot go on" in err, f"{status}: {said}{out}{err}")
            ended += 1
    print(f"went on {went_on} times, went back {went_back} times, ended {ended} times")
    expect(went_back > 0 and ended > 0, "nothing has happened")
    expect(set(os.listdir("/dev/shm")) <= shared, f"left over: {os.listdir('/dev/shm')}")


def case_killed_as_one_comes():
    """The new process is killed at any moment, or another one. The new one harms nobody before the job has it."""
    expected = undisturbed(8, 300, 0)
    chance = random.Random(7)
    shared = set(os.listdir("/dev/shm"))
    count = {"without it": 0, "went on": 0, "went back": 0, "ended": 0, "ended by UCX": 0}
    wanted = "without it", "went back", "ended"
    for attempt in attempts(24, lambda: all(count[what] > 0 for what in wanted)):
        recovers, is_new = attempt % 2 == 0, attempt % 4 < 2
        job = Job(8, 2, 3, ["--on-death", "recover"] if recovers else [], STEPS, 300, "both", 3000)
        job.resize_to(3)
        before = job.children()
        time.sleep(0.1)
        asking = subprocess.Popen([ARMATURE, "resize", str(job.job.pid), "--processes", "4"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        wait_until("the new process", lambda: set(job.children()) - set(before))
        time.sleep(chance.uniform(0, 0.15))
        new = set(job.children()) - set(before)
        whom = (new or {before[-1]}).pop() if is_new else chance.choice(before)
        try:
            os.kill(whom, signal.SIGKILL)
        except ProcessLookupError:
            pass
        said, _ = asking.communicate(timeout=SECONDS)
        status, out, err = job.end()
        result = re.findall(r"^result (\w+)$", out, re.M)
        if status == 0:
            expect(result == [expected], f"{result}, not {expected}:\n{said}{out}{err}")
            what = "without it" if "the job goes on without it" in err else "went back" if "go back" in err else "went on"
            expect(what != "without it" or (is_new and ("was killed" in said or "process 3 " in said)), said + err)
        elif "ucp_request.c" in err:  # its assertion: docs/internals/network.md, When somebody dies
            expect(is_new, err)
            what = "ended by UCX"
        else:
            expect(status == 137 and ("killed" in err or "SIGKILL" in err), f"{status}: {said}{out}{err}")
            expect(not recovers or "cannot go on" in err, f"{status}: {said}{out}{err}")
            what = "ended"
        count[what] += 1
    print(count)
    expect(all(count[what] > 0 for what in wanted), f"not all has happened: {count}")
    expect(set(os.listdir("/dev/shm")) <= shared, f"left over: {os.listdir('/dev/shm')}")


def case_stopped_as_one_comes():
    """The new process hangs: the resize is refused when others have waited for it, and the job goes on and ends."""
    expected = undisturbed(8, 300, 0)
    os.environ["ARMATURE_NET_CONNECT_TIMEOUT"] = "1"
    refused = 0
    for is_at_once in True, False, False:
        job = Job(8, 2, 3, ["--on-death", "recover"], STEPS, 300, *EVERY_STEP)
        job.resize_to(3)
        before = job.children()
        send_all(before, signal.SIGSTOP)  # so ranks meet when the new one hangs
        asking = subprocess.Popen([ARMATURE, "resize", str(job.job.pid), "--processes", "4"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        wait_until("the new process", lambda: set(job.children()) - set(before))
        new, = set(job.children()) - set(before)
        if not is_at_once:
            wait_until("its network", lambda: len(os.listdir(f"/proc/{new}/task")) > 1)
            time.sleep(0.3)
        os.kill(new, signal.SIGSTOP)
        send_all(before, signal.SIGCONT)
        said, _ = asking.communicate(timeout=SECONDS)
        job.expect_result(expected)
        # One that has greeted before it was stopped has come, and is lost later.
        expect(any(why in said for why in ("no answer within 1 s", "ranks have ended", "the job has ended meanwhile",
                                           "some have left it")), said)
        refused += "no answer within 1 s" in said
    expect(refused > 0, "the others have not waited for it")


def case_with_directory():
    """Checkpoints of the program's own go on to be written beside it, and the last of them is good."""
    arguments = [300, 7, 1000]
    expected = undisturbed(7, 300, 0)
    with tempfile.TemporaryDirectory() as folder:
        job = Job(7, 3, 3, ["--checkpoint", folder], STEPS, *arguments)
        latest = pathlib.Path(folder, "latest")
        wait_until("the first checkpoint", latest.exists)
        for processes in 5, 4:
            job.resize_to(processes)
            number = int(latest.read_text())
            wait_until("a checkpoint", lambda: int(latest.read_text()) > number or job.job.poll() is not None)
        job.expect_result(expected)
        done = subprocess.run([ARMATURE, "restart", folder, "--nodes", "2", "--processes", "2", "--timeout", str(SECONDS)],
                              capture_output=True, text=True, timeout=2 * SECONDS, stdin=subprocess.DEVNULL)
        expect(done.returncode == 0 and f"result {expected}\n" in done.stdout, done.stdout + done.stderr)


def case_from_inside():
    status, out, err = Job(7, 2, 2, [], RESIZING, "inside_nodes").end()
    expect(status == 0 and "all is well\n" in out and "the job goes on in" not in err, f"{status}: {out}{err}")


def case_measured():
    """Who computes most has a process of its own."""
    status, out, err = Job(9, 2, 4, [], RESIZING, "measured").end()
    expect(status == 0 and "the job goes on in" not in err, f"{status}: {out}{err}")


def case_asked_to_end():
    """SIGTERM to a process, to all of a node, and to the last ones that are left."""
    expected = undisturbed(6, 400, 0)
    job = Job(6, 3, 6, [], STEPS, 400, *EVERY_STEP)
    job.resize_to(6)
    before = job.children()
    job.ask(before[3:4])
    wait_until("5 processes", lambda: job.children() == before[:3] + before[4:])
    before = job.children()
    job.ask(before[2:3])  # the only one of the second node
    job.await_children(4, before)
    err = job.expect_result(expected)
    expect(re.findall("the job goes on in .*", err) == ["the job goes on in 4 processes on 2 nodes"], err)
    # All, and one twice: that is meant.
    for processes, often in (2, 1), (1, 2):
        job = Job(4, 2, 2, [], STEPS, 100000, 0, 1000)
        said = job.resize(3, "--timeout", 1)
        expect("has called none of them so far" in said.stderr, said.stderr)
        for pid in job.children()[:processes]:
            send(pid, *[signal.SIGTERM] * often)
        ended = job.end()
        expect(ended[0] == 143, str(ended))


def case_refusals():
    job = Job(4, 2, 2, [], RESIZING, "stays_on_nodes")
    job.resize_to(2)
    job.resize_without_restart(3)  # who must stay does, and others go
    for processes, why in (5, "5 processes are not possible: 1 to 4"), (1, "holds something of its process (Pinned)"):
        done = job.resize(processes)
        expect(done.returncode == 1 and why in done.stderr, f"{done.returncode}: {done.stdout}{done.stderr}")
    job.ask(job.children()[1:2])
    status, out, err = job.end()
    expect(status == 0 and "process 1 stays: rank 3 holds something" in err, f"{status}: {out}{err}")


def case_with_deaths():
    """Processes are killed now and then, too: the job goes back to the last checkpoint, and the request stays."""
    expected = undisturbed(7, 300, 0)
    chance = random.Random(3)
    recovered = resized = 0
    for _ in attempts(2, lambda: recovered > 0 and resized > 0):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(7, 2, 4, ["--checkpoint", folder, "--checkpoint-every", 0.05, "--on-death", "recover"], STEPS, 300, *EVERY_STEP)
            wait_until("a checkpoint", lambda: pathlib.Path(folder, "latest").exists())
            for _ in range(6):
                asking = subprocess.Popen([ARMATURE, "resize", str(job.job.pid), "--processes", str(chance.randint(2, 5))],
                                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                time.sleep(chance.uniform(0, 0.1))
                if (children := job.children()) and chance.random() < 0.5:
                    try:
                        os.kill(chance.choice(children), signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                said, _ = asking.communicate(timeout=SECONDS)
                resized += asking.returncode == 0
                # A process that was to come may be the one that was killed.
                expect(asking.returncode == 0 or job.job.poll() is not None or "ended" in said or "was killed" in said, said)
            status, out, err = job.end()
            found = set(re.findall(r"^result (\w+)$", out, re.M))
            if status == 137 and found:
                status = 0  # one was killed when all ranks had ended
            expect(status == 0 and found == {expected}, f"{status}, {found}, not {expected}:\n{out}{err}")
            recovered += err.count("all ranks go back")
    print(f"gone back {recovered} times, resized {resized} times")
    expect(recovered > 0 and resized > 0, "nothing has happened")


def case_random():
    """This program, from any number of processes to any other, at any time."""
    asks = pathlib.Path(STEPS).name == "virtual_steps"  # others write a checkpoint every three steps
    steps = 200 if asks else 60
    expected = undisturbed(7, steps, 0)
    chance = random.Random(11)
    count = 0
    for nodes in 2, 3:
        with tempfile.TemporaryDirectory() as folder:
            job = Job(7, nodes, nodes, ["--checkpoint", folder], STEPS, steps, *(EVERY_STEP if asks else [3, 3000]))
            while job.job.poll() is None:
                count += job.resize(chance.randint(nodes, 6)).returncode == 0
                time.sleep(chance.uniform(0, 0.1))
            job.expect_result(expected)
    print(f"{count} resizes")
    expect(count >= 6, "hardly anything was done")


def whole_case():
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["TMPDIR"] = scratch
        os.environ["ARMATURE_CRASH_TRACE"] = ""  # of jobs that UCX ends
        tempfile.tempdir = None
        globals()[f"case_{CASE}"]()
        left = [pid for pid in processes_with(MARK) if pid != os.getpid()]
        expect(not left, f"left over: {left}")
        expect(not os.listdir(scratch), f"left over: {os.listdir(scratch)}")


perform_case(CASE, whole_case)
