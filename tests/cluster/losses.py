"""run.py's cases of ranks, nodes and links that are lost, and of those that keep others waiting."""

import os
import re
import shutil
import signal
import subprocess
import time

from cluster import Failed, signal_each, skip

HEARTBEAT_S = 3


def lose(cluster, action, pids):
    """Something befalls the last node, on which those ranks run."""
    last = cluster.names[-1]
    if action == "link_down":
        cluster.cut(last)
    elif action == "stop_node":
        signal_each(set(pids), signal.SIGSTOP)
    elif action == "kill_node":
        signal_each(cluster.processes_on(last))
    elif action == "kill_ranks":  # but not the launcher's part there
        signal_each(set(pids))
    else:
        os.kill(pids[-1], signal.SIGKILL)


def begin_losing(cluster, shape, launcher, words, options=(), **environment):
    """The job, once all ranks are in the call, and the processes of the last node's ranks, in their order."""
    command = cluster.command(launcher, shape.per_node, words, options)
    if shutil.which(command[0]) is None:
        skip(f"there is no {command[0]} here")
    job = cluster.begin(command, **{**cluster.environment(launcher), "ARMATURE_NET_HEARTBEAT": str(HEARTBEAT_S), **environment})
    pids = {}
    hosted = shape.hosted_by(shape.per_node)
    while len(pids) < shape.nodes * hosted:
        line = job.stdout.readline()
        if not line:
            raise Failed("it ended before anything happened")
        if found := re.search(r"rank (\d+) is process (\d+)", line):
            pids[int(found[1])] = int(found[2])
        else:
            print(line, end="")
    time.sleep(0.5)
    return job, [pids[rank] for rank in range((shape.nodes - 1) * hosted, shape.nodes * hosted)]


def expect_told_in_lines(output):
    """A death elsewhere is nothing that is wrong with a survivor: it gives no stack of its own."""
    if found := re.search("terminate called|exception|libarmature.so", output):
        raise Failed(f"a survivor shows an error of its own: {found[0]}")


def lost(action):
    """The job ends within seconds, and says whom it has lost."""
    def case(shape, launcher):
        with shape.cluster() as cluster:
            job, pids = begin_losing(cluster, shape, launcher, [shape.program("../lost"), "put", "node"])
            begun = time.monotonic()
            lose(cluster, action, pids)
            if action == "link_down":  # Open MPI's launcher waits for its part behind the link; the ranks do not
                while any(cluster.processes_on(name, "lost") for name in cluster.names):
                    if time.monotonic() - begun > HEARTBEAT_S + 20:
                        raise Failed("the ranks do not end")
                    time.sleep(0.1)
                cluster.kill_all()
            status, output = cluster.finish(job, seconds=40)
            took = time.monotonic() - begun
        if status == 0 or took > HEARTBEAT_S + 20:
            raise Failed(f"exit status {status} after {took:.1f} s")
        expect_told_in_lines(output)
        # With a whole node the launcher loses its own part there, and may end the others before they speak.
        if action != "kill_node" and not re.search(r"(rank|ranks|process) [\d-]+ .* has died|signal 9|KILLED|PID \d+ RUNNING AT node\d", output):
            raise Failed("nobody is named")
    return case


def goes_on(action, call):
    """The job has chosen to go on: each survivor learns whom it has lost, in that call and in all others, and works on with the rest."""
    def case(shape, launcher):
        whom = "rank" if action == "kill_rank" else "node"
        with shape.cluster() as cluster:
            job, pids = begin_losing(cluster, shape, launcher, [shape.program("../lost"), call, whom],
                                     [shape.program("../armature"), "outlive"])
            begun = time.monotonic()
            lose(cluster, action, pids)
            hosted = shape.hosted_by(shape.per_node)
            survivors = shape.nodes * hosted - (1 if whom == "rank" else hosted)
            lines = []
            while sum("goes on, well" in line for line in lines) < survivors:
                line = job.stdout.readline()
                if not line:
                    raise Failed(f"it ended before all went on:\n{''.join(lines)}")
                lines.append(line)
            took = time.monotonic() - begun
            signal_each(set(pids))  # those that hang
            await_end_of_ranks(cluster)
            status, rest = cluster.finish(job, seconds=20)
            lines.append(rest)
            if status != 0:
                raise Failed(f"exit status {status}")
        print(f"all went on after {took:.1f} s")
        expect_all_lost_it("".join(lines), call, range((shape.nodes - 1) * hosted))
    return case


def await_end_of_ranks(cluster):
    deadline = time.monotonic() + 20
    while left := [pid for name in cluster.names for pid in cluster.processes_on(name, "lost")]:
        if time.monotonic() > deadline:
            raise Failed(f"these ranks do not end: {left}")
        time.sleep(0.05)


def expect_all_lost_it(output, call, ranks):
    expect_told_in_lines(output)
    for rank in ranks:
        if not re.search(rf"rank {rank}: {call}: lost: .*rank \d+ has died", output):
            raise Failed(f"rank {rank} does not say that {call} was lost:\n{output}")


def expect_explained(armature, pid, patterns):
    """`armature inspect` of the job's part on the node of that process says so, before long."""
    deadline = time.monotonic() + 15
    while True:
        said = subprocess.run([armature, "inspect", str(pid)], capture_output=True, text=True, check=False).stdout
        missing = [pattern for pattern in patterns if not re.search(pattern, said)]
        if not missing:
            print(said)
            return
        if time.monotonic() > deadline:
            raise Failed(f"not said of process {pid}: {missing[0]}\n{said}")
        time.sleep(0.2)


def explained(call, action, wait):
    """Each node knows of its own ranks whom on other nodes they wait for."""
    def case(shape, launcher):
        last = shape.processes - 1
        with shape.cluster() as cluster:
            job, _ = begin_losing(cluster, shape, launcher, [shape.program("../lost"), call, "rank"], ARMATURE_NET_HEARTBEAT="60")
            pids = {name: min(cluster.processes_on(name, "lost")) for name in cluster.names}
            if action:
                lose(cluster, action, [pids[cluster.names[-1]]])
            for name in cluster.names[:-1]:
                expect_explained(shape.program("../armature"), pids[name], [
                    rf"rank \d+ \(pid {pids[name]}\)  waits [\d.]+ s {wait.format(last=last)}",
                    rf"=> Ranks? .*waits?, directly or through others, for rank {last}, which is on another node"])
            if not action:
                expect_explained(shape.program("../armature"), pids[cluster.names[-1]], [
                    rf"rank {last} \(pid {pids[cluster.names[-1]]}\)  has been asleep"])
            cluster.kill_all()
            job.communicate()
    return case
