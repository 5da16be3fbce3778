"""slurm.py CASE PLUGIN FOLDER: jobs that srun starts on two nodes of this machine, or SKIPPED (77). PLUGIN is what srun's --mpi says:
pmix or pmi2, or none where it says nothing. FOLDER holds this test's programs, its parents those of others.

Slurm is started for the test alone: one munged, slurmctld on the first node, a slurmd on each. They speak over the nodes' links; what they write
lies in the cluster's folder. They end with this process, however it ends."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

from cluster import TEMPORARY, Cluster, Failed, LeftOver, Scratch, await_condition, await_handlers, die_with_me, require_rights, signal_each, skip

INSIDE = "ARMATURE_TEST_FOLDER"  # set within: where the cluster may write
DAEMONS = ("slurmctld", "slurmscriptd", "slurmd")
NODES = 2
CPUS_EACH = 4  # as many tasks as a test starts there; nothing is bound to them

CONFIGURATION = """ClusterName=armature
SlurmctldHost={first}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SlurmUser=root
SlurmdUser=root
SlurmdParameters=config_overrides
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
MailProg=/bin/true
KillWait=2
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName={names} CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Slurm(Cluster):
    def __init__(self):
        for program in (*DAEMONS[::2], "munged", "srun", "salloc", "sinfo"):
            if shutil.which(program) is None:
                skip(f"there is no {program} here (Debian: slurmctld, slurmd, slurm-client, munge)")
        self.daemons = []
        super().__init__(NODES, os.environ[INSIDE])

    def make(self):
        super().make()
        self.scratch.folder.chmod(0o755)  # munge wants to be reachable
        self.folder.chmod(0o755)
        for name in ("state", "munge", *(f"spool-{node}" for node in self.names)):
            (self.folder / name).mkdir()
        self.configuration = self.folder / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(
            first=self.names[0], folder=self.folder, names=",".join(self.names), cpus=CPUS_EACH))
        # Nodes have no control groups, and nobody asks for them.
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        self.start_munge()
        self.start_daemon(self.names[0], "slurmctld", "-D", "-c")
        for name in self.names:
            self.start_daemon(name, "slurmd", "-D", "-N", name)
        self.await_idle_nodes()

    def start_munge(self):
        own = self.folder / "munge"
        key = own / "key"
        key.write_bytes(os.urandom(64))
        key.chmod(0o600)
        files = [f"--{what}={own / what.partition('-')[0]}" for what in ("socket", "key-file", "log-file", "pid-file", "seed-file")]
        self.keep("munged", ["munged", "-F", "--force", *files])
        deadline = time.monotonic() + 10
        while not (own / "socket").exists():
            if time.monotonic() > deadline:
                raise Failed(f"munged does not start:\n{self.logs()}")
            time.sleep(0.02)

    def start_daemon(self, node, *command):
        self.keep(f"{command[0]}-{node}", ["nsenter", "-t", str(self.nodes[node].pid), "-n", "-u", "-i", "-m", *command])

    def keep(self, name, command):
        with open(self.folder / f"{name}.log", "w") as log:
            self.daemons.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.slurm_environment(),
                                                 preexec_fn=die_with_me))

    def slurm_environment(self):
        outer = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "PMI_", "PMIX_"))}
        return {**outer, "SLURM_CONF": str(self.configuration)}

    def await_idle_nodes(self):
        deadline = time.monotonic() + 60
        while True:
            said = subprocess.run(["nsenter", "-t", str(self.nodes[self.names[0]].pid), "-n", "-u", "-i", "-m", "sinfo", "-h", "-o", "%n %T"],
                                  capture_output=True, text=True, env=self.slurm_environment(), check=False)
            if said.stdout.count("idle") == NODES:
                return
            if time.monotonic() > deadline:
                raise Failed(f"Slurm's nodes do not come up: {said.stdout}{said.stderr}\n{self.logs()}")
            time.sleep(0.1)

    def logs(self):
        return "\n".join(f"{log.name}: {log.read_text()[-2000:]}" for log in self.folder.glob("*.log"))

    def processes(self):
        """Those of jobs."""
        def is_daemon(pid):
            try:
                with open(f"/proc/{pid}/comm", errors="replace") as comm:
                    return comm.read().strip() in DAEMONS
            except OSError:
                return False
        return [pid for pid in super().processes() if not is_daemon(pid)]

    def __exit__(self, *exception):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        signal_each(super().processes())  # what a daemon has left, slurmscriptd among it
        super().__exit__(*exception)

    def srun(self, plugin, tasks, words, **environment):
        command = ["srun", "-N", str(NODES), "-n", str(tasks), "--ntasks-per-node", str(tasks // NODES)]
        if plugin != "none":
            command.append(f"--mpi={plugin}")
        return self.begin([*command, *map(str, words)], SLURM_CONF=str(self.configuration), **environment)


def finds_its_job(slurm, plugin, folder):
    """Also its name service takes long values: addresses, what nodes say of themselves."""
    for tasks in (2, 4):
        status, output = slurm.finish(slurm.srun(plugin, tasks, [f"{folder}/../wire_up/wired", tasks]), seconds=60)
        if status != 0 or f"{tasks} ranks, {tasks} processes" not in output:
            raise Failed(f"exit status {status}")


def threads(slurm, plugin, folder):
    status, output = slurm.finish(slurm.srun(plugin, 2, [f"{folder}/../wire_up/wired", 6], ARMATURE_THREADS="3"), seconds=60)
    if status != 0 or "6 ranks, 2 processes" not in output:
        raise Failed(f"exit status {status}")


def virtual(slurm, plugin, folder):
    """Virtual ranks, which go from node to node."""
    status, output = slurm.finish(slurm.srun(plugin, 4, [f"{folder}/../virtual_changing_nodes", "work", 10], ARMATURE_VIRTUAL="12"), seconds=60)
    if status != 0 or "12 ranks, 10 rounds: well" not in output:
        raise Failed(f"exit status {status}")


def asked_for(slurm, plugin, folder):
    """A program that asks in each step writes a checkpoint for each signal that srun is sent."""
    latest = slurm.folder / "saved" / "latest"
    job = slurm.srun(plugin, 4, [f"{folder}/../virtual_steps", 300, "when_due", 3000], ARMATURE_VIRTUAL="7", ARMATURE_CHECKPOINT=str(latest.parent))
    await_handlers(slurm, "virtual_steps", signal.SIGUSR2, 4)
    for number in range(1, 4):
        job.send_signal(signal.SIGUSR2)
        await_condition(f"checkpoint {number}", lambda: latest.exists() and int(latest.read_text()) >= number)
    status, output = slurm.finish(job, seconds=60)
    if status != 0 or "result" not in output or int(latest.read_text()) != 3:
        raise Failed(f"exit status {status}, {latest.read_text()} checkpoints")


def suites(slurm, plugin, folder):
    """A part of what is tested elsewhere at length."""
    for words, well in (([f"{folder}/../conformance", "--gtest_brief=1", "--gtest_filter=Put*:Locality*:Collectives*:Team*:RmiFence*"], "PASSED"),
                        ([f"{folder}/../property", "--cases", "500", "--seconds", "10"], "agree with the model")):
        expect_well(slurm, plugin, words, well)


def shmem(slurm, plugin, folder):
    """OpenSHMEM's tests of one node."""
    expect_well(slurm, plugin, [f"{folder}/../programs_shmem"], "all programs are right with 4 PEs")
    expect_well(slurm, plugin, [f"{folder}/../conformance_shmem"], "")


def expect_well(slurm, plugin, words, well):
    status, output = slurm.finish(slurm.srun(plugin, 4, words), seconds=200)
    if status != 0 or well not in output:
        raise Failed(f"exit status {status}")


def death(whole_node):
    def case(slurm, plugin, folder):
        job = slurm.srun(plugin, 4, [f"{folder}/../lost", "barrier", "node"])
        for _ in range(4):
            while "is process" not in (line := job.stdout.readline()):
                if not line:
                    raise Failed("it ended before anything happened")
        time.sleep(0.3)
        begun = time.monotonic()
        ranks = slurm.processes_on(slurm.names[-1], "lost")
        signal_each(ranks if whole_node else ranks[:1])
        status, output = slurm.finish(job, seconds=60)
        took = time.monotonic() - begun
        if status == 0 or took > 20:
            raise Failed(f"exit status {status} after {took:.1f} s")
        if not re.search(r"rank [23].* has died|Killed", output) or "exception" in output:
            raise Failed("it is not told in a line who has died")
    return case


def goes_on(slurm, plugin, folder):
    """A job that has chosen to goes on without a dead rank, and srun returns when the others have left."""
    job = slurm.srun(plugin, 4, ["--kill-on-bad-exit=0", f"{folder}/../lost", "barrier", "rank"], ARMATURE_ON_DEATH="continue")
    lose_one(slurm, job)


def outlives(slurm, plugin, folder):
    """The same without an option of srun's, which does not learn of the death."""
    job = slurm.srun(plugin, 4, ["--kill-on-bad-exit=1", f"{folder}/../armature", "outlive", f"{folder}/../lost", "barrier", "rank"])
    if lose_one(slurm, job) != 0:
        raise Failed("srun has learnt of the death")


def lose_one(slurm, job):
    """The job's exit status, when all others have gone on."""
    pids = {}
    while len(pids) < 4:
        line = job.stdout.readline()
        if not line:
            raise Failed("it ended before anything happened")
        if found := re.search(r"rank (\d+) is process (\d+)", line):
            pids[int(found[1])] = int(found[2])
    time.sleep(0.3)
    os.kill(pids[3], signal.SIGKILL)
    status, output = slurm.finish(job, seconds=60)
    for rank in range(3):
        if f"rank {rank} goes on, well" not in output:
            raise Failed(f"rank {rank} does not go on")
    return status


def no_plugin(slurm, plugin, folder):
    """srun alone starts copies that cannot find each other: each says so, none runs."""
    status, output = slurm.finish(slurm.srun(plugin, 2, [f"{folder}/../wire_up/wired", 2]), seconds=60)
    if status == 0 or "2 copies of this program were started by srun" not in output or "--mpi=pmix" not in output:
        raise Failed(f"exit status {status}")


def hosts(slurm, plugin, folder):
    """Within an allocation `armature run --hosts` hands over to srun."""
    job = slurm.begin(["salloc", "--quiet", "-N", str(NODES), "-n", "4", f"{folder}/../armature", "run", "--verbose", "--hosts", ",".join(slurm.names),
                       "-n", "4", f"{folder}/../wire_up/wired", "4"], SLURM_CONF=str(slurm.configuration))
    status, output = slurm.finish(job, seconds=60)
    if status != 0 or not re.search(rf"srun .*--mpi={plugin}", output) or "4 ranks, 4 processes" not in output:
        raise Failed(f"exit status {status}")


CASES = {function.__name__: function for function in (finds_its_job, threads, virtual, asked_for, suites, shmem, goes_on, outlives, no_plugin, hosts)}
CASES["kill_rank"] = death(whole_node=False)
CASES["kill_node"] = death(whole_node=True)

def run_case():
    try:
        with Slurm() as the_slurm:
            CASES[sys.argv[1]](the_slurm, sys.argv[2], sys.argv[3])
    except (Failed, LeftOver) as failure:
        sys.exit(f"FAILED: {failure}")


def run_in_a_space_of_its_own():
    """slurmstepd and what it starts outlive slurmd, so the case runs in a namespace of processes, whose first one is killed with this one,
    and all others with that. What they write lies below this process's folder."""
    require_rights()
    with Scratch(TEMPORARY) as scratch:
        case = subprocess.Popen(["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, "-B", *sys.argv],
                                env={**os.environ, INSIDE: str(scratch.folder)}, preexec_fn=die_with_me)
        status = case.wait()
    sys.exit(status)


if __name__ == "__main__":
    if INSIDE in os.environ:
        run_case()
    else:
        run_in_a_space_of_its_own()
