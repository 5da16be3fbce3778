"""An elastic job whose nodes are the lines of a file that is watched, each in a network namespace of its own: its processes
have no other way to those of other nodes than a virtual cable to a bridge.

    host_file.py ARMATURE HOTSPOT LU

Exits with 77 where the kernel does not allow such namespaces.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
from harness import expect, perform_case, wait_until  # noqa: E402
from resizable_job import SECONDS, ResizableJob, TooSoon, await_children, require_running  # noqa: E402

ARMATURE, HOTSPOT, LU = sys.argv[1:4]
INSIDE = "ARMATURE_TEST_IN_NAMESPACE"
NAMES = "abcd"


def enter_namespace():
    """Begins this program once more, in a network namespace of its own."""
    if os.environ.get(INSIDE):
        return
    root = [] if os.geteuid() == 0 else ["--map-root-user"]
    try_it = "ip link add name bridge0 type bridge && ip link add name port1 type veth peer name eth1"
    unshare = ["unshare", "--net", *root]
    if not shutil.which("unshare") or not shutil.which("ip") or \
            subprocess.run([*unshare, "sh", "-c", try_it], capture_output=True, check=False).returncode != 0:
        print("no network namespaces here")
        sys.exit(77)
    os.environ[INSIDE] = "1"
    os.execvp("unshare", [*unshare, sys.executable, *sys.argv])


def shell(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"{words}: {done.stderr}")


class Node:
    """A network namespace with the address 10.213.78.NUMBER, which a process keeps open."""

    def __init__(self, number):
        self.keeper = subprocess.Popen(["unshare", "--net", "sleep", "1000"])
        self.netns = f"/proc/{self.keeper.pid}/ns/net"
        own = os.stat("/proc/self/ns/net").st_ino
        wait_until("a namespace", lambda: os.stat(self.netns).st_ino != own)
        port = f"port{number}"
        shell("ip", "link", "add", "name", port, "type", "veth", "peer", "name", "eth0", "netns", self.keeper.pid)
        shell("ip", "link", "set", port, "master", "bridge0", "up")
        inside = ["nsenter", f"--net={self.netns}"]
        shell(*inside, "ip", "addr", "add", f"10.213.78.{number}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            shell(*inside, "ip", "link", "set", device, "up")

    def close(self):
        self.keeper.kill()
        self.keeper.wait()


def write(path, names):
    """Namespaces are named beside the file."""
    with open(path + ".new", "w") as file:
        file.writelines(f"{name} netns={os.path.dirname(path)}/{name}\n" for name in names)
    os.replace(path + ".new", path)


def of_node(pids, node):
    space = os.stat(node.netns).st_ino
    return [pid for pid in pids if os.stat(f"/proc/{pid}/ns/net").st_ino == space]


def come_and_go(nodes, result, seconds_to_copy, program, *arguments):
    """2 nodes, 4 as two lines come, 3 as one goes, and 2 as the processes of one are killed: the same result."""
    stays = ResizableJob(ARMATURE, 8, 2, ["--nodes", 2, "--no-globals-note"], program, *arguments, seconds=2 * SECONDS)
    status, out, err = stays.end()
    expected = re.findall(result, out, re.M)
    expect(status == 0 and expected, f"{status}: {out}{err}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "hosts")
        for name in NAMES:
            os.symlink(nodes[name].netns, os.path.join(folder, name))
        write(path, "ab")
        job = ResizableJob(ARMATURE, 8, 2, ["--elastic", "--hostfile", path, "--no-globals-note", "--copy-every", 0.05],
                           program, *arguments, seconds=2 * SECONDS)
        first = await_children(job, 2)
        expect(all(len(of_node(first, nodes[name])) == 1 for name in "ab"), "a process is in another namespace")
        os.unlink(os.path.join(folder, "a"))  # the job has the namespace, and needs its name no more
        write(path, "abcd")
        four = await_children(job, 4, first)
        expect(all(len(of_node(four, nodes[name])) == 1 for name in NAMES), "a process is in another namespace")
        write(path, "acd")
        three = await_children(job, 3, four)
        expect(not of_node(three, nodes["b"]), "the node that was to leave is there")
        time.sleep(seconds_to_copy)
        require_running(job)
        for pid in of_node(three, nodes["c"]):
            os.kill(pid, signal.SIGKILL)
        status, out, err = job.end()
    is_right = re.findall(result, out, re.M) == expected
    lost = re.findall(r"all ranks go on, ([\d.]+) ms after (they have stopped|the death was noticed)", err)
    goes_back = "all ranks go back to the checkpoint in memory of" in err
    if (is_right and not (goes_back and len(lost) == 3)) or "there is no checkpoint in memory yet" in err:
        raise TooSoon
    expect(status == 0 and is_right and goes_back, f"{status}, not {expected}: {out}{err}")
    went = re.findall(r"goes on in (\d) processes on (\d) nodes", err)
    expect(went == [("4", "4"), ("3", "3")], f"{went}: {err}")
    expect([how for _, how in lost] == ["they have stopped"] * 2 + ["the death was noticed"], err)
    print(f"{pathlib.Path(program).name}: " + ", ".join(f"{ms} ms" for ms, _ in lost))


def come_and_go_in_time(nodes, result, program, *of_longer_and_longer_jobs):
    for number, arguments in enumerate(of_longer_and_longer_jobs):
        try:
            return come_and_go(nodes, result, 0.7 * 2**number, program, *arguments)
        except TooSoon:
            print(f"{pathlib.Path(program).name} {arguments}: over too soon")
    expect(False, f"{pathlib.Path(program).name} is over before all has happened, however long it takes")


def lines_that_cannot_be():
    """A file that makes no sense later changes nothing; too many nodes are refused, and the job goes on."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "hosts")
        with open(path, "w") as file:
            file.write("a\n")
        job = ResizableJob(ARMATURE, 2, 2, ["--elastic", "--hostfile", path, "--no-globals-note"], HOTSPOT, 100, 5)
        status, _, err = job.end()
        expect(status == 1 and "a job that begins on one node stays there" in err, f"{status}: {err}")
        wanted = ("line 3: b is there twice; what it said before holds", "c does not come: netns=/no/such/file: No such",
                  "its new nodes are not taken in: 3 processes are not possible: 1 to 2")
        for steps in (8000, 24000, 72000):  # one that is over before all has been said is to take longer
            status, err = change_lines(path, steps)
            expect(status == 0, f"{status}: {err}")
            if all(said in err for said in wanted):
                return
        expect(False, f"not all of {wanted}: {err}")


def change_lines(path, steps):
    with open(path, "w") as file:
        file.write("a\nb\n")
    job = ResizableJob(ARMATURE, 2, 2, ["--elastic", "--hostfile", path, "--no-globals-note"], HOTSPOT, steps, 5)
    wait_until("2 processes", lambda: job.job.poll() is not None or len(job.children()) == 2)
    first = job.children()
    with open(path, "a") as file:
        file.write("b\n")
    time.sleep(0.5)
    with open(path, "w") as file:
        file.write("a\nb\nc netns=/no/such/file\nd\n")
    time.sleep(1)
    expect(set(job.children()) <= set(first), "the processes are others")
    status, _, err = job.end()
    return status, err


def whole_case():
    shell("ip", "link", "set", "lo", "up")
    shell("ip", "link", "add", "name", "bridge0", "type", "bridge")
    shell("ip", "addr", "add", "10.213.78.100/24", "dev", "bridge0")  # for jobs of nodes that have no own namespace
    shell("ip", "link", "set", "bridge0", "up")
    nodes = {name: Node(number + 1) for number, name in enumerate(NAMES)}
    try:
        come_and_go_in_time(nodes, r" sum ([\d.]+)$", HOTSPOT, *((steps, 5) for steps in (10000, 20000, 40000)))
        come_and_go_in_time(nodes, r"^(RESIDUAL OK|  \d+ gets.*)$", LU,
                            *(("--n", n, "--block", 16, "--meet", 1, "--no-threads") for n in (2304, 3072, 4096)))
        lines_that_cannot_be()
    finally:
        for node in nodes.values():
            node.close()


enter_namespace()
perform_case("host_file", whole_case)
