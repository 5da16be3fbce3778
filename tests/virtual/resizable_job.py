"""A job of virtual ranks under test that gets more processes, or fewer, while it runs."""

import os
import subprocess

from harness import expect, wait_until

SECONDS = 60  # what a job may take


def resize(armature, job, processes, *options):
    return subprocess.run(list(map(str, [armature, "resize", job, "--processes", processes, *options])),
                          capture_output=True, text=True, timeout=2 * SECONDS, stdin=subprocess.DEVNULL)


class ResizableJob:
    def __init__(self, armature, ranks, processes, options, program, *arguments, command=None, seconds=SECONDS):
        self.armature = armature
        self.seconds = seconds
        self.words = list(map(str, [command or armature, "run", "-n", ranks, "--virtual", "--processes", processes,
                                    "--timeout", seconds, *options, program, *arguments]))
        self.job = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)

    @property
    def pid(self):
        return self.job.pid

    def children(self):
        """Those that run the program. One that has not begun it shares the launcher's memory, which waits for it: if it
        were stopped, so would be the launcher."""
        try:
            with open(f"/proc/{self.pid}/task/{self.pid}/children") as file:
                return sorted(pid for pid in map(int, file.read().split()) if self.has_begun(pid))
        except OSError:
            return []

    def has_begun(self, pid):
        try:
            return os.readlink(f"/proc/{pid}/exe") != os.readlink(f"/proc/{self.pid}/exe")
        except OSError:  # it has ended
            return True

    def resize(self, processes, *options, job=None):
        return resize(self.armature, job or self.pid, processes, *options)

    def resize_to(self, processes, job=None):
        """Done when it returns."""
        done = self.resize(processes, job=job)
        expect(done.returncode == 0 and done.stdout == f"{processes} processes\n",
               f"resize to {processes}: {done.returncode}: {done.stdout}{done.stderr}")

    def await_children(self, count, but=()):
        wait_until(f"{count} processes", lambda: len(self.children()) == count and not set(self.children()) & set(but))

    def end(self):
        out, err = self.job.communicate(timeout=2 * self.seconds)
        return self.job.returncode, out, err


class TooSoon(Exception):
    """A job was over before all had happened to it that was to happen: it is to take longer."""


def require_running(job, seconds=0.0):
    """What has been seen may be the end of a job that ends by itself, within so many seconds."""
    try:
        status = job.job.wait(seconds)
    except subprocess.TimeoutExpired:
        return
    _, out, err = job.end()
    expect(status == 0, f"{status}: {out}{err}")
    raise TooSoon


def await_children(job, count, but=()):
    def are_there():
        require_running(job)
        children = job.children()
        return len(children) == count and not set(children) & set(but) and children

    return wait_until(f"{count} processes", are_there, 2 * SECONDS)
