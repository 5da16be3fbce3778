"""Jobs of virtual ranks under test whose processes are killed while they run."""

import os
import signal
import subprocess
import sys
import time

from printed_result import read_until, result

ARMATURE, PROGRAM = sys.argv[1:3]
SECONDS = 60


def words(ranks, processes, *more):
    return list(map(str, [ARMATURE, "run", "-n", ranks, "--virtual", "--processes", processes, "--timeout", SECONDS,
                          *more, PROGRAM]))


class Job:
    """One that is killed from outside while it runs."""

    def __init__(self, ranks, processes, options, arguments):
        self.words = [*words(ranks, processes, "-v", "--on-death", "recover", *options), *map(str, arguments)]
        self.job = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)
        self.killed = set()

    def children(self):
        try:
            with open(f"/proc/{self.job.pid}/task/{self.job.pid}/children") as file:
                return [int(pid) for pid in file.read().split() if int(pid) not in self.killed]
        except OSError:
            return []

    def kill(self, count, chance):
        """That many processes at once; False when there are too few for one to be left."""
        children = self.children()
        if len(children) <= count:
            return False
        return self.kill_all(chance.sample(children, count))

    def kill_all(self, pids):
        """False when one has ended before."""
        for pid in pids:
            self.killed.add(pid)
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return False
        return True

    def end(self):
        out, err = self.job.communicate(timeout=2 * SECONDS)
        return self.job.returncode, out, err


def undisturbed(ranks, *arguments):
    done = subprocess.run([*words(ranks, min(ranks, 2)), *map(str, arguments)], capture_output=True, text=True,
                          timeout=SECONDS, stdin=subprocess.DEVNULL)
    return result((done.returncode, done.stdout, done.stderr))[0]


class NodesJob(Job):
    """On pretended nodes, whose processes are in a row; the program makes its own checkpoints in memory."""

    def __init__(self, ranks, nodes, processes, arguments, *more):
        begun = time.monotonic()
        super().__init__(ranks, processes, ["--nodes", nodes, *more], arguments)
        self.said = read_until(self.job.stderr, "have joined")
        self.start_s = time.monotonic() - begun
        self.first_copy_s = max(0.8, 2 * self.start_s)  # on a busy machine all takes longer
        self.nodes, self.pids = nodes, self.children()

    def node(self, number):
        first = [len(self.pids) * node // self.nodes for node in range(self.nodes + 1)]
        return [pid for pid in self.pids[first[number]:first[number + 1]] if pid not in self.killed]

    def kill_some(self, chance):
        """One process, or all of a node; not the last node."""
        living = [node for node in map(self.node, range(self.nodes)) if node]
        victims = chance.choice(living)
        if chance.random() < 0.5:
            victims = [chance.choice(victims)]
        if len(living) > 1 or len(victims) < len(living[0]):
            self.kill_all(victims)
