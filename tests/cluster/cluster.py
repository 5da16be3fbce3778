"""Several nodes on one machine: each a namespace of network, host name, IPC and mounts, with its own /dev/shm, /tmp and
/sys, joined by veth pairs to a bridge in a namespace of its own. Nothing of it is seen outside, and no traffic leaves it.

    with Cluster(2) as cluster:
        cluster.start("openmpi", 2, [program])   # 2 processes on each node, by that launcher

    Cluster(2, delay_us=500, megabits=1000, relay=path)   # half a millisecond from node to node, 1 Gbit/s each way

It needs root, and says why where it cannot be had. A node lives as long as a process that holds its namespaces;
that dies with this process, however it ends, and namespaces, links and mounts go with the last process in them.
What nodes write to /tmp and /dev/shm must be gone with the programs that wrote it.
"""

import ctypes
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).parents[1] / "harness"))
from links import Link, missing_for
from scratch import LeftOver, Scratch, strange_files
from signals import signal_each

SKIPPED = 77
SUBNET = "10.213.77"
TEMPORARY = "/var/tmp"  # not /tmp, which nodes have for themselves
PROJECT = pathlib.Path(__file__).resolve().parents[2]
LIBC = ctypes.CDLL(None, use_errno=True)
ROOT_MAY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Failed(Exception):
    pass


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(SKIPPED)


def die_with_me():
    """In a child: PR_SET_PDEATHSIG."""
    LIBC.prctl(1, signal.SIGKILL, 0, 0, 0)


def try_command(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def require_rights():
    if os.geteuid() != 0:
        skip("namespaces for several nodes need root")
    for tool in ("ip", "unshare", "nsenter"):
        if shutil.which(tool) is None:
            skip(f"there is no {tool} here (Debian: iproute2, util-linux)")
    probe = try_command("unshare", "--net", "--uts", "--ipc", "--mount", "sh", "-c",
                        "ip link add name link0 type veth peer name link1 && ip link add name bridge0 type bridge && mount -t tmpfs t /mnt")
    if probe.returncode != 0:
        skip(f"no namespaces with a bridge here: {probe.stderr.strip()}")


def await_condition(what, holds, seconds=20):
    """What holds in the end."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        if time.monotonic() > deadline:
            raise Failed(f"in vain waited for {what}")
        time.sleep(0.01)
    return found


def takes(pid, number):
    """Whether that process has a handler for the signal."""
    try:
        with open(f"/proc/{pid}/status") as status:
            caught = next(line for line in status if line.startswith("SigCgt:"))
        return int(caught.split()[1], 16) >> (number - 1) & 1 == 1
    except OSError:
        return False


def await_handlers(cluster, program, number, count):
    """That many processes of the program, once they have a handler for the signal."""
    def ready():
        pids = [pid for name in cluster.names for pid in cluster.processes_on(name, program) if takes(pid, number)]
        return pids if len(pids) == count else None
    return await_condition(f"{count} processes that take signal {number}", ready)


class Namespace:
    """A process that holds namespaces open."""

    def __init__(self, kinds, script):
        self.process = subprocess.Popen(
            ["unshare", *(f"--{kind}" for kind in kinds), "sh", "-ec", f"{script}\necho ready\nexec sleep infinity"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=die_with_me)
        said = self.process.stdout.readline()
        if said.strip() != "ready":
            raise Failed(f"a namespace could not be made: {said}{self.process.stdout.read()}")
        self.pid = self.process.pid

    def network(self):
        return os.readlink(f"/proc/{self.pid}/ns/net")

    def enter(self, *words):
        """Runs a command in there, as root does by hand."""
        done = try_command("nsenter", "-t", str(self.pid), "-n", "-u", "-i", "-m", *words)
        if done.returncode != 0:
            raise Failed(f"{' '.join(words)}: {done.stderr}")
        return done.stdout


def own(folder):
    """Returns the commands that give a node such a folder of its own. A project that lies there is seen on the node, too."""
    mount = f"mount -t tmpfs tmpfs {folder}\n"
    if pathlib.Path(folder) not in PROJECT.parents:
        return mount
    place = shlex.quote(str(PROJECT))
    return f"mount --bind {place} /mnt\n{mount}mkdir -p {place}\nmount --move /mnt {place}\n"


def left_over_on(node):
    """Returns the files in the node's /tmp and /dev/shm that are neither a launcher's nor the way to the project."""
    files = [file for place in ("tmp", "dev/shm") for file in strange_files(f"/proc/{node.pid}/root/{place}")]
    ours = {f"/proc/{node.pid}/root{folder}" for folder in (PROJECT, *PROJECT.parents)}
    return [file for file in files if file not in ours]


class Cluster:
    """delay_us: what a message takes from node to node at least; round trips take twice that. It needs the program `relay`.
    megabits: what each node sends in a second at most, and what it receives. Neither unless said; what a kernel cannot do is said, and
    the test skipped."""

    def __init__(self, nodes, folder=TEMPORARY, *, delay_us=0, megabits=0, relay=None):
        require_rights()
        if why := missing_for(delay_us, megabits, relay):
            skip(why)
        self.kind_of_link = (delay_us, megabits, relay)
        self.names = [f"node{i}" for i in range(nodes)]
        self.scratch = Scratch(folder)
        self.folder = self.scratch.folder / "cluster"
        self.folder.mkdir()
        self.nodes, self.links, self.bridge = {}, [], None

    def __enter__(self):
        try:
            self.make()
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise
        return self

    def make(self):
        hosts = self.folder / "hosts"
        hosts.write_text("127.0.0.1 localhost\n" + "".join(
            f"{SUBNET}.{i + 1} {name}\n" for i, name in enumerate(self.names)))
        self.bridge = Namespace(["net"], "ip link add name bridge0 type bridge\nip link set bridge0 up")
        for i, name in enumerate(self.names):
            node = Namespace(["net", "uts", "ipc", "mount"],
                             f"hostname {name}\nmount --bind {hosts} /etc/hosts\nmount -t sysfs sysfs /sys\n"
                             f"{own('/dev/shm')}{own('/tmp')}ip link set lo up")
            self.nodes[name] = node
            self.links.append(Link(self.bridge, node, name, *self.kind_of_link, preexec_fn=die_with_me))
            node.enter("ip", "address", "add", f"{SUBNET}.{i + 1}/24", "dev", "eth0")
        # What launchers start in the place of ssh: AGENT [-x] HOST COMMAND...
        agent = self.folder / "agent"
        cases = "".join(f"    {name}) holder={node.pid} ;;\n" for name, node in self.nodes.items())
        agent.write_text('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nhost=$1\nshift\n[ -e "$0.$host.is_lost" ] && exit 255\ncase $host in\n'
                         f'{cases}    *) echo "no node $host" >&2; exit 1 ;;\nesac\n'
                         'exec nsenter -t $holder -n -u -i -m -- sh -c "$*"\n')
        agent.chmod(0o755)
        self.agent = str(agent)

    def __exit__(self, *exception):
        self.kill_all()
        for link in self.links:
            link.close()
        for space in [*self.nodes.values(), *([self.bridge] if self.bridge else [])]:
            space.process.kill()
            space.process.wait()
            space.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.scratch.__exit__(*exception)

    def processes(self):
        """Everything that runs on a node."""
        networks = {node.network() for node in self.nodes.values()}
        holders = {node.pid for node in self.nodes.values()}
        found = []
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            try:
                if pid not in holders and os.readlink(f"/proc/{pid}/ns/net") in networks:
                    with open(f"/proc/{pid}/stat", errors="replace") as stat:
                        if stat.read().rpartition(")")[2].split()[0] != "Z":
                            found.append(pid)
            except OSError:
                pass
        return found

    def kill_all(self):
        signal_each(self.processes())

    def command(self, launcher, per_node, words, options=()):
        words = [*map(str, options), *words]
        hosts = ",".join(f"{name}:{per_node}" for name in self.names)
        total = str(per_node * len(self.names))
        if launcher == "openmpi":
            return ["mpirun.openmpi", "--oversubscribe", "--host", hosts, "-n", total, *words]
        return ["mpirun.mpich", "-hosts", hosts, "-n", total, *words]

    def environment(self, launcher):
        """How that launcher enters nodes, and that the plain mpirun is that one."""
        folder = self.folder / launcher
        folder.mkdir(exist_ok=True)
        mpirun = folder / "mpirun"
        if found := shutil.which(f"mpirun.{launcher}"):
            mpirun.write_text(f'#!/bin/sh\nexec {found} "$@"\n')  # it looks for its kin beside itself
            mpirun.chmod(0o755)
        return {"OMPI_MCA_plm_rsh_agent": self.agent, "OMPI_MCA_oob_tcp_if_include": "eth0",
                "OMPI_MCA_btl_tcp_if_include": "eth0", "HYDRA_LAUNCHER": "rsh",
                "HYDRA_LAUNCHER_EXEC": self.agent, "PATH": f"{folder}:{os.environ['PATH']}"}

    def require_mpirun(self, launcher):
        """That the plain mpirun is that launcher's: where it is not here, the test is skipped."""
        if not os.access(f"{self.environment(launcher)['PATH'].split(':')[0]}/mpirun", os.X_OK):
            skip(f"there is no mpirun.{launcher} here")

    def processes_on(self, name, program=""):
        """What runs on that node; of that program alone, if one is named."""
        def is_wanted(pid):
            try:
                with open(f"/proc/{pid}/comm", errors="replace") as comm:
                    return (os.readlink(f"/proc/{pid}/ns/net") == self.nodes[name].network()
                            and comm.read().strip().startswith(program))
            except OSError:
                return False
        return [pid for pid in self.processes() if is_wanted(pid)]

    def add_bridges(self):
        """What machines that run containers have besides: a bridge with the same address on each, and a virtual cable to it, in a subnet
        that leads nowhere."""
        for i, node in enumerate(self.nodes.values()):
            node.enter("sh", "-ec", "ip link add name docker0 type bridge\nip link add name veth0 type veth peer name veth1\n"
                       "ip link set veth1 master docker0\nip link set docker0 up\nip link set veth0 up\nip link set veth1 up\n"
                       f"ip address add 172.17.0.1/16 dev docker0\nip address add 192.168.{i}.1/24 dev veth0")

    def add_dead_ends(self):
        """dead0: an address for each node in one subnet; what is sent there vanishes, as at a firewall."""
        for i, node in enumerate(self.nodes.values()):
            node.enter("sh", "-ec", "ip link add name dead0 type veth peer name dead1\nip link set dead0 up\nip link set dead1 up\n"
                       f"ip address add 10.98.0.{i + 1}/24 dev dead0\n" + "".join(
                           f"ip neighbour add 10.98.0.{other + 1} lladdr 02:00:00:00:00:{other + 1:02x} dev dead0\n"
                           for other in range(len(self.nodes)) if other != i))

    def cut(self, name):
        """That node's link goes down."""
        self.bridge.enter("ip", "link", "set", name, "down")

    def lose(self, name):
        """It crashes, and stays away."""
        (self.folder / f"agent.{name}.is_lost").touch()
        self.cut(name)
        signal_each(self.processes_on(name))

    def start(self, launcher, per_node, words, **more):
        """A job by that launcher's own command."""
        command = self.command(launcher, per_node, [str(word) for word in words])
        if shutil.which(command[0]) is None:
            skip(f"there is no {command[0]} here")
        return self.run(command, **self.environment(launcher), **more)

    def run(self, command, seconds=60, **environment):
        """Status and output of a command on the first node. Nothing of it may be left over."""
        return self.finish(self.begin(command, **environment), seconds)

    def begin(self, command, **environment):
        print(" ".join(command), flush=True)
        return subprocess.Popen(
            ["nsenter", "-t", str(self.nodes[self.names[0]].pid), "-n", "-u", "-i", "-m", *command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
            preexec_fn=die_with_me, env={**os.environ, **ROOT_MAY, **environment})

    def finish(self, process, seconds):
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill_all()
            output, _ = process.communicate()
            raise Failed(f"did not end within {seconds} s:\n{output}") from None
        print(output, f"[exit status {process.returncode}]", sep="", flush=True)
        deadline = time.monotonic() + 10
        while left := self.processes():
            if time.monotonic() > deadline:
                raise Failed(f"left over: {left}")
            time.sleep(0.02)
        for node in self.nodes.values():
            if strange := left_over_on(node):
                raise Failed(f"left over: {strange}")
        return process.returncode, output
