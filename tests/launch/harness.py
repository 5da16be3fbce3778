"""Jobs under test: start one, look at it, let it end, and make sure that nothing is left of it."""

import atexit
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import uuid

ARMATURE = PROGRAM = EXAMPLES = ""  # set by run.py
SLOW = 5  # how much longer things may take on a busy machine


class Failed(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Failed(message)


def repeated(times):
    """Returns how often what happens at random times is tried: so often in `./dev test --all`, otherwise a third of it."""
    return times if os.environ.get("ARMATURE_TEST_ALL") else -(-times // 3)


def perform_case(name, case, *arguments):
    """One case, which is the whole test: says how it went."""
    try:
        case(*arguments)
    except Failed as failure:
        print(f"{name}: {failure}")
        sys.exit(1)
    print(f"{name}: passed")


def wait_until(what, condition, seconds=10 * SLOW):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        answer = condition()
        if answer:
            return answer
        time.sleep(0.01)
    raise Failed(f"in vain waited for: {what}")


def signals_of(pid, field):
    """Those whose bits are set in a field of its status, as one number."""
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(rf"{field}:\s*(\w+)", file.read())[1], 16)


def send(pid, *numbers):
    """Each when the one before has been taken: those that wait are one."""
    try:
        for number in numbers:
            wait_until("the signal to be taken", lambda: signals_of(pid, "ShdPnd") == 0)
            os.kill(pid, number)
    except (FileNotFoundError, ProcessLookupError):
        raise Failed(f"process {pid} has ended")


def wait_until_awaited(pid, number):
    """Until it would not end by that signal, whether it has a function for it or reads it."""
    wait_until("it to take the signal", lambda: (signals_of(pid, "SigCgt") | signals_of(pid, "SigBlk")) >> (number - 1) & 1)


def chance():
    """Another one each time: what was found is found again with SEED=..., which is printed."""
    seed = int(os.environ.get("SEED", os.getpid()))
    print(f"SEED={seed}", flush=True)
    return random.Random(seed)


def is_napping(pid):
    """In nanosleep or clock_nanosleep, where it looks now and then."""
    with open(f"/proc/{pid}/syscall") as file:
        return file.read().split()[0] in ("35", "230", "101", "115")  # x86-64, AArch64


def states_of(pids):
    """A line for each process: what it is, whether it runs, and what of the system it waits for, thread by thread."""
    lines = []
    for pid in pids:
        try:
            with open(f"/proc/{pid}/cmdline", errors="replace") as command:
                lines.append(f"process {pid}: {command.read().replace(chr(0), ' ')}")
            for thread in os.listdir(f"/proc/{pid}/task"):
                of_thread = f"/proc/{pid}/task/{thread}"
                with open(f"{of_thread}/stat", errors="replace") as stat, open(f"{of_thread}/wchan") as wchan:
                    lines.append(f"  thread {thread}: {stat.read().rpartition(')')[2].split()[0]} {wchan.read()}")
        except OSError as error:
            lines.append(f"process {pid}: {error}")
    return "\n".join(lines)


def processes_with(mark):
    """All processes that inherited this environment, whoever their parent is by now."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if mark.encode() in file.read():
                    with open(f"/proc/{pid}/stat", errors="replace") as stat:
                        if stat.read().rpartition(")")[2].split()[0] != "Z":
                            found.append(int(pid))
        except OSError:
            pass
    return found


class Job:
    """`armature run OPTIONS program WORDS`, in a process group of its own."""

    def __init__(self, words, options=(), program=None, **popen):
        self.mark = f"ARMATURE_TEST_MARK={uuid.uuid4()}"
        name, value = self.mark.split("=")
        command = [ARMATURE, "run", *map(str, options), program or PROGRAM, *map(str, words)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
            process_group=0, env={**os.environ, name: value}, **popen)
        atexit.register(self.kill_what_is_left)
        self.out = self.err = ""
        self.ended = None  # when, once it has

    @property
    def pid(self):
        return self.process.pid

    def kill_what_is_left(self):
        """A test that fails leaves no job behind."""
        if self.process.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)

    def inspect(self):
        """What `armature inspect` says of this job, or None."""
        done = subprocess.run([ARMATURE, "inspect", str(self.pid), "--json"], capture_output=True, text=True)
        jobs = json.loads(done.stdout) if done.returncode == 0 else []
        return jobs[0] if jobs else None

    def rank(self, number):
        job = self.inspect()
        return job["ranks"][number] if job else None

    def wait_for(self, number, pattern):
        """Until rank `number` does what `pattern` says; returns its line."""
        def matches():
            line = self.rank(number)
            return line and re.search(pattern, f"{line['state']} {line['detail']}") and line
        return wait_until(f"rank {number}: {pattern}", matches)

    def kill_rank(self, number, signal_number=signal.SIGKILL):
        pid = self.rank(number)["pid"]
        os.kill(pid, signal_number)
        return pid

    def end(self, seconds=10 * SLOW):
        """Waits for the end; returns the exit status. Nothing may be left over."""
        try:
            self.out, self.err = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            states = states_of(processes_with(self.mark))
            os.killpg(self.pid, signal.SIGKILL)
            self.out, self.err = self.process.communicate()
            raise Failed(f"the job did not end within {seconds} s:\n{self.out}{self.err}{states}") from None
        self.ended = time.monotonic()
        self.expect_nothing_left()
        return self.process.returncode

    def expect_nothing_left(self):
        """No process, and with the last process the memory files without a name are gone."""
        wait_until("all processes of the job to be gone", lambda: not processes_with(self.mark))

    def expect_end(self, status, *patterns, seconds=10 * SLOW):
        got = self.end(seconds)
        text = self.out + self.err
        expect(got == status, f"exit status {got}, not {status}:\n{text}")
        for pattern in patterns:
            expect(re.search(pattern, text), f"not in the output: {pattern}\n{text}")
        return text


def run(words, status, *patterns, options=("-n", 3), **more):
    """A job that ends by itself."""
    return Job(words, options, **more).expect_end(status, *patterns)
