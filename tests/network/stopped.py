#!/usr/bin/env python3
"""stopped.py ARMATURE PROGRAM: a process of another node is stopped (SIGSTOP). Its memory is read and written all the same
where the engine has one-sided operations. The engine is the one for tests, in which a thread plays the network's card. Where
transfers go by records, nothing is reached before the process goes on."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

ARMATURE, PROGRAM = sys.argv[1:]


class Job:
    """A job whose lines are kept as they come."""

    def __init__(self, hook, file):
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("UCX_", "FI_", "ARMATURE_NET_"))}
        command = [ARMATURE, "run", "-n", "2", "--nodes", "2", "--net-heartbeat", "0", "--timeout", "80", PROGRAM, file]
        self.process = subprocess.Popen(command, env={**inherited, **hook}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True)
        self.text = ""
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.text += line

    def wait_for(self, pattern, seconds):
        """Returns what matches, or None after so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := re.search(pattern, self.text):
                return found
            time.sleep(0.01)
        return None


def state_of(process):
    with open(f"/proc/{process}/stat", encoding="utf-8") as stat:
        return stat.read().rpartition(")")[2].split()[0]


def run(hook, is_reached):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "begin")
        job = Job(hook, file)
        try:
            found = job.wait_for(r"process (\d+)", 60)
            if not found or not job.wait_for("ready", 60):
                sys.exit(f"the job does not begin:\n{job.text}")
            stopped = int(found[1])
            os.kill(stopped, signal.SIGSTOP)
            while state_of(stopped) not in "T":
                time.sleep(0.01)
            with open(file, "w", encoding="utf-8"):
                pass
            reached = job.wait_for(r"\breached (\d)", 60 if is_reached else 2)
            state = state_of(stopped)
            os.kill(stopped, signal.SIGCONT)
            rc = job.process.wait(timeout=80)
            job.reader.join()
        finally:
            job.process.kill()
        if bool(reached) != is_reached or state != "T" or rc != 0 or "was reached 1" not in job.text:
            sys.exit(f"{hook}: reached while stopped: {bool(reached)}, state {state}, ended with {rc}:\n{job.text}")


run({"ARMATURE_NET_HOOK": "card=3", "ARMATURE_NET_WORDS": "engine"}, True)
run({}, False)
