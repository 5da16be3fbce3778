"""Jobs under launchers that are not ours. They are found under their usual names in ARMATURE_TEST_LAUNCHERS (folders, as in
PATH), below build/launchers, where `./dev setup` puts some, and in PATH."""

import ctypes
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import uuid

from signals import signal_each

FOLDER = sys.argv[3]  # of the programs
ARMATURE = os.path.join(FOLDER, "../armature")
SKIPPED = 77
HYDRA = ["-n", "{n}"]
ORTE = ["--oversubscribe", "-n", "{n}"]
# name: (program, its options, what must be in the answer to --version, options to go on after a death).
LAUNCHERS = {
    "openmpi": ("mpirun.openmpi", ORTE, r"(Open MPI|OpenRTE)\) 4", ["--enable-recovery"]),
    "openmpi5": ("mpirun", ORTE, r"(Open MPI|OpenRTE)\) 5", None),
    "prterun": ("prterun", ["--map-by", ":OVERSUBSCRIBE", "-n", "{n}"], "", None),
    "mpich": ("mpirun.mpich", HYDRA, "", None),
    "mpich5": ("mpiexec.hydra", HYDRA, r"Version: +5", None),
}
FETCHED = sorted(map(str, pathlib.Path(__file__).resolve().parents[2].glob("build/launchers/*/bin")))
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "ARMATURE_START_TIMEOUT": "40",
    "PATH": ":".join([os.environ.get("ARMATURE_TEST_LAUNCHERS", ""), *FETCHED, os.environ["PATH"]]),
}


RANK = "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-$PMIX_RANK}}"  # in a shell that any of them has started


class Failed(Exception):
    pass


def die_with_me():
    """In a child: PR_SET_PDEATHSIG, and with the launcher its processes die."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(SKIPPED)


def every(program):
    """All files of that name in PATH."""
    folders = ENVIRONMENT["PATH"].split(":")
    return [found for folder in folders if folder and (found := shutil.which(program, path=folder))]


def find(launcher):
    program, options, version, go_on = LAUNCHERS[launcher]
    for path in every(program):
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, env=ENVIRONMENT, check=False)
        if re.search(version, answer.stdout + answer.stderr):
            return path, options, go_on
    return skip(f"no {launcher} ({program}) here")


class Run:
    """A job under a launcher, in a process group of its own."""

    def __init__(self, launcher, n, program, *words, options=(), **environment):
        path, usual, _ = find(launcher)
        self.mark = f"ARMATURE_TEST_MARK={uuid.uuid4()}"
        name, value = self.mark.split("=")
        command = [path, *(word.format(n=n) for word in usual), *options, os.path.join(FOLDER, program), *words]
        print(" ".join(command), flush=True)
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        stdin=subprocess.DEVNULL, process_group=0, preexec_fn=die_with_me,
                                        env={**ENVIRONMENT, name: value, **environment})

    def ranks(self):
        """Process numbers of the program's copies."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as environ, open(f"/proc/{pid}/stat", errors="replace") as stat:
                    line = stat.read()
                    if self.mark.encode() in environ.read() and line.rpartition(")")[2].split()[0] != "Z":
                        found.append((line[line.index("(") + 1:line.rindex(")")], int(pid)))
            except OSError:
                pass
        return found

    def read_until(self, pattern, count, seconds=60):
        """Lines until so many match."""
        lines = []
        hangs = threading.Timer(seconds, self.kill)
        hangs.start()
        try:
            while sum(bool(re.search(pattern, line)) for line in lines) < count:
                line = self.process.stdout.readline()
                if not line:
                    raise Failed(f"ended, or was ended after {seconds} s, before it said {pattern}:\n{''.join(lines)}")
                lines.append(line)
        finally:
            hangs.cancel()
        return "".join(lines)

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        signal_each(pid for _, pid in self.ranks())

    def end(self, seconds=45):
        """Status and output. Nothing may be left over."""
        try:
            output, _ = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            output, _ = self.process.communicate()
            raise Failed(f"did not end within {seconds} s:\n{output}") from None
        deadline = time.monotonic() + 10
        while left := self.ranks():
            if time.monotonic() > deadline:
                raise Failed(f"left over: {left}")
            time.sleep(0.02)
        return self.process.returncode, output

    def expect(self, good, *patterns):
        status, output = self.end()
        print(output, f"[exit status {status}]", sep="")
        if (status == 0) != good:
            raise Failed(f"exit status {status}")
        for pattern in patterns:
            if not re.search(pattern, output, re.MULTILINE):
                raise Failed(f"not in the output: {pattern}")
        return output


def on_pretended_nodes(ranks, nodes, and_then=":"):
    """Options that deal the processes out to so many, each of which does something more."""
    if nodes == 1:
        return []
    return ["sh", "-c", f'export ARMATURE_NODE=$(({RANK} * {nodes} / {ranks})); {and_then}; exec "$0" "$@"']
