"""How debuggers find the processes of a job: by the launcher's table, whose symbols other programs know (MPIR), and by
`armature gdb`."""

import os
import pathlib
import re
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile

import harness
from harness import Job, expect, wait_until

NAMES = ("MPIR_proctable", "MPIR_proctable_size", "MPIR_debug_state", "MPIR_being_debugged", "MPIR_Breakpoint",
         "MPIR_debug_abort_string", "MPIR_i_am_starter", "MPIR_partial_attach_ok")


class Memory:
    """The launcher's memory, read by the names of symbols, as a debugger does."""

    def __init__(self, pid):
        self.pid = pid
        listed = subprocess.run(["nm", "-D", harness.ARMATURE], capture_output=True, text=True, check=True).stdout
        self.symbols = {name: int(address, 16) for address, name in re.findall(r"^(\w+) \w (MPIR_\w+)$", listed, re.M)}
        expect(sorted(self.symbols) == sorted(NAMES), f"the command has {sorted(self.symbols)}")
        file = os.path.realpath(harness.ARMATURE)
        maps = pathlib.Path(f"/proc/{pid}/maps").read_text()
        self.base = min(int(line.split("-")[0], 16) for line in maps.splitlines() if line.endswith(file))

    def read(self, address, count):
        with open(f"/proc/{self.pid}/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            return memory.read(count)

    def number(self, name):
        return struct.unpack("i", self.read(self.base + self.symbols[name], 4))[0]

    def text(self, address):
        return self.read(address, 256).split(b"\0")[0].decode()

    def table(self):
        """(host, program, process) of each entry."""
        count = self.number("MPIR_proctable_size")
        start = struct.unpack("P", self.read(self.base + self.symbols["MPIR_proctable"], 8))[0]
        entries = [struct.unpack("PPi", self.read(start + 24 * i, 20)) for i in range(count)]
        return [(self.text(host), self.text(program), pid) for host, program, pid in entries]


def table_of(job, processes):
    memory = Memory(job.pid)
    wait_until("the table", lambda: memory.number("MPIR_debug_state") == 1 and len(memory.table()) == processes)
    return memory


def expect_processes_of(job, processes):
    """The table has the processes that the job's ranks have."""
    memory = table_of(job, processes)
    ranks = job.inspect()["ranks"]
    pids = list(dict.fromkeys(rank["pid"] for rank in ranks))
    expect([pid for _, _, pid in memory.table()] == pids, f"{memory.table()}, but inspect says {pids}")
    for host, program, _ in memory.table():
        expect(host == os.uname().nodename, host)
        expect(os.path.samefile(program, harness.PROGRAM), program)
    return memory


def test_debuggers_find_the_processes():
    for options, processes in (("-n", 3), 3), (("-n", 4, "--threads", 2), 2):
        job = Job(["hold", "asleep"], options)
        for rank in range(options[1]):
            job.wait_for(rank, "asleep")
        memory = expect_processes_of(job, processes)
        expect(memory.number("MPIR_being_debugged") == 0, "nobody debugs")
        expect(memory.number("MPIR_i_am_starter") == 1, "the launcher is no rank")
        job.process.send_signal(signal.SIGTERM)
        job.end()


def test_debuggers_find_a_program_behind_a_script():
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "script"
        script.write_text(f"#!/bin/sh\n{shlex.quote(harness.PROGRAM)} \"$@\"\nexit $?\n")
        script.chmod(0o755)
        job = Job(["hold", "asleep"], ("-n", 2), program=str(script))
        pids = {job.wait_for(rank, "asleep")["pid"] for rank in range(2)}
        memory = table_of(job, 2)
        wait_until("the program's own processes", lambda: {pid for _, _, pid in memory.table()} == pids)
        job.process.send_signal(signal.SIGTERM)
        job.end()


def test_debuggers_hold_processes_that_they_start():
    """A debugger that runs the launcher gets control at MPIR_Breakpoint, before processes have begun; then they go on."""
    expect(shutil.which("gdb"), "gdb is not installed (packages.txt)")
    with tempfile.NamedTemporaryFile("w", suffix=".gdb") as commands:
        commands.write("""
            set startup-with-shell off
            set breakpoint pending on
            handle all nostop noprint pass
            break main
            run
            delete
            set var (*(int*) &MPIR_being_debugged) = 1
            break MPIR_Breakpoint
            continue
            python
import gdb
size = int(gdb.parse_and_eval("*(int*) &MPIR_proctable_size"))
states = []
for i in range(size):
    pid = int(gdb.parse_and_eval(f"MPIR_proctable[{i}].pid"))
    states.append(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0])
print("HELD", size, "".join(states), int(gdb.parse_and_eval("*(int*) &MPIR_debug_state")))
            end
            delete
            continue
            """.replace("            ", ""))
        commands.flush()
        done = subprocess.run(["gdb", "-nx", "-batch", "-x", commands.name, "--args", harness.ARMATURE, "run", "-n", "2",
                               harness.PROGRAM, "end"], capture_output=True, text=True, timeout=50,
                              stdin=subprocess.DEVNULL)
    text = done.stdout + done.stderr
    expect("HELD 2 TT 1" in text, text)
    expect("exited normally" in text, text)


def gdb(*words, path=None):
    environment = {**os.environ, "PATH": path} if path is not None else None
    return subprocess.run([harness.ARMATURE, "gdb", *map(str, words)], capture_output=True, text=True, env=environment,
                          stdin=subprocess.DEVNULL, timeout=50)


def test_debuggers_attach_to_a_rank():
    expect(shutil.which("gdb"), "gdb is not installed (packages.txt)")
    job = Job(["hold", "asleep"], ("-n", 4, "--threads", 2))
    ranks = [job.wait_for(rank, "asleep") for rank in range(4)]
    with tempfile.TemporaryDirectory() as folder:
        fake = pathlib.Path(folder) / "gdb"
        fake.write_text("#!/bin/sh\nfor word; do echo \"<$word>\"; done\n")
        fake.chmod(0o755)
        done = gdb(0, job.pid, "--", "-batch", path=folder)
        expect(done.stdout.split() == ["<-q>", "<-p>", f"<{ranks[0]['pid']}>", "<-batch>"], done.stdout)
        done = gdb(0, job.pid, path="/nonexistent")
        expect(done.returncode == 127 and "gdb is not installed" in done.stderr, done.stderr)
    for rank, pattern in (4, "no rank 4: job [0-9]+ has ranks 0 to 3"), ("x", "'x' is not"):
        done = gdb(rank, job.pid)
        expect(done.returncode == 2 and re.search(pattern, done.stderr), done.stderr)
    done = gdb(0, os.getpid())
    expect(done.returncode == 2 and "neither the launcher nor a rank" in done.stderr, done.stderr)
    done = gdb(3, job.pid, "--", "-nx", "-batch", "-ex", "printf \"THREAD %d\\n\", $_thread", "-ex", "bt")
    if "Operation not permitted" not in done.stderr:
        expect("THREAD" in done.stdout and "THREAD 1\n" not in done.stdout, done.stdout + done.stderr)
    job.process.send_signal(signal.SIGTERM)
    job.end()
