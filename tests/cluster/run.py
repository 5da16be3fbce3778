"""run.py CASE LAUNCHER NODESxPROCESSES[xTHREADS] FOLDER: a job on several nodes of this machine (cluster.py), or SKIPPED (77).
THREADS ranks in each process; one unless said. FOLDER holds the programs of this test, its parents those of others."""

import os
import re
import shutil
import signal
import sys
import time

from cluster import Cluster, Failed, LeftBehind, skip


def grouping(launcher, nodes, per_node, folder):
    """All processes agree who is on which node, and those of a node can meet there."""
    with Cluster(nodes) as cluster:
        status, output = cluster.start(launcher, per_node, [os.path.join(folder, "grouping")])
    expect_groups(nodes, per_node, status, output)


def hosts(launcher, nodes, per_node, folder):
    """`armature run --hosts` hands over to that launcher."""
    with Cluster(nodes) as cluster:
        if not os.access(f"{cluster.environment(launcher)['PATH'].split(':')[0]}/mpirun", os.X_OK):
            skip(f"there is no mpirun.{launcher} here")
        status, output = cluster.run(
            [os.path.join(folder, "../armature"), "run", "--verbose", "--hosts", ",".join(cluster.names), "-n",
             str(nodes * per_node), os.path.join(folder, "grouping")], **cluster.environment(launcher))
    expect_groups(nodes, per_node, status, output)


def expect_groups(nodes, per_node, status, output):
    if status != 0:
        raise Failed(f"exit status {status}")
    seen = re.findall(r"process (\d+): node (\d+), index (\d+), on (\S+)", output)
    want = sorted((str(node * per_node + index), str(node), str(index), f"node{node}")
                  for node in range(nodes) for index in range(per_node))
    if sorted(seen) != want:
        raise Failed(f"seen {sorted(seen)}\nnot  {want}")
    if len(re.findall("met the others of its node", output)) != nodes * per_node:
        raise Failed("not all have met the others of their node")


def works(launcher, nodes, per_node, folder):
    """A whole job: transfers, atomics, remote methods and collectives between nodes."""
    with Cluster(nodes) as cluster:
        status, output = cluster.start(launcher, per_node, [os.path.join(folder, "../wire_up/wired"),
                                                            str(nodes * per_node)],
                                       ARMATURE_NET_DEVICE="eth0")
    if status != 0 or f"{nodes * per_node} ranks" not in output:
        raise Failed(f"exit status {status}")


# What tests elsewhere run on one node or on pretended ones: its words, and what it says when all is well.
SUITES = {
    "conformance": (["../conformance"], "  PASSED  "),
    "conformance_c": (["../conformance_c"], ", 0 failed"),
    "property": (["../property", "--cases", "2000", "--seconds", "15"], "agree with the model"),
    "storm": (["../rmi_storm", "storm"], ""),
    "flood": (["../rmi_storm", "flood"], ""),
    "forward": (["../rmi_storm", "forward"], ""),
    "circle": (["../rmi_storm", "circle"], ""),
    "ga": (["../clients/ga_{mpi}"], "everything is right"),
    "arrays": (["../clients/arrays_{mpi}"], "everything is right"),
    "armci_mpi": (["../clients/armci_mpi_{mpi}"], "everything is right"),
}


def suite(name, threads):
    words, well = SUITES[name]

    def case(launcher, nodes, per_node, folder):
        program = os.path.join(folder, words[0].format(mpi=launcher))
        if not os.access(program, os.X_OK):
            skip(f"{program} was not built")
        uses_mpi = "{mpi}" in words[0]
        with Cluster(nodes) as cluster:
            try:
                status, output = cluster.start(launcher, per_node, [program, *words[1:]], seconds=40 if uses_mpi else 380,
                                               ARMATURE_NET_DEVICE="eth0", ARMATURE_THREADS=str(threads))
            except Failed as failure:
                if not (uses_mpi and launcher == "mpich" and well in str(failure)):
                    raise
                # With MPICH 4.0 one in six programs that do nothing but MPI hangs there between nodes: one process
                # closes its connections while the others wait for it without answering.
                print(f"{failure}\nAll was right; then it hung in MPI_Finalize, which is MPICH's.")
                return
        if status != 0 or well not in output:
            raise Failed(f"exit status {status}")
    return case


HEARTBEAT_S = 3


def lose(cluster, action):
    """Something befalls the last node."""
    last = cluster.names[-1]
    ranks = cluster.processes_on(last, "lost")
    if action == "link_down":
        cluster.cut(last)
    elif action == "stop_node":
        for pid in ranks:
            os.kill(pid, signal.SIGSTOP)
    elif action == "kill_node":
        for pid in cluster.processes_on(last):
            os.kill(pid, signal.SIGKILL)
    else:
        os.kill(ranks[-1], signal.SIGKILL)


def lost(action):
    """The job ends within seconds, and says whom it has lost."""
    def case(launcher, nodes, per_node, folder):
        with Cluster(nodes) as cluster:
            command = cluster.command(launcher, per_node, [os.path.join(folder, "../lost"), "put", "node"])
            if shutil.which(command[0]) is None:
                skip(f"there is no {command[0]} here")
            job = cluster.begin(command, **cluster.environment(launcher), ARMATURE_NET_DEVICE="eth0",
                                ARMATURE_NET_HEARTBEAT=str(HEARTBEAT_S))
            for _ in range(nodes * per_node):
                while "is process" not in (line := job.stdout.readline()):
                    if not line:
                        raise Failed("it ended before anything happened")
            time.sleep(0.5)
            begun = time.monotonic()
            lose(cluster, action)
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
        # With a whole node the launcher loses its own part there, and may end the others before they speak.
        if action != "kill_node" and not re.search(r"rank \d+.* (has died|cannot be reached any more)|signal 9|KILLED", output):
            raise Failed("nobody is named")
    return case


CASES = {"grouping": grouping, "hosts": hosts, "works": works}
for lost_action in ("kill_rank", "kill_node", "stop_node", "link_down"):
    CASES[lost_action] = lost(lost_action)

if __name__ == "__main__":
    count, each, *threads = map(int, sys.argv[3].split("x"))
    try:
        (CASES.get(sys.argv[1]) or suite(sys.argv[1], *threads or [1]))(sys.argv[2], count, each, sys.argv[4])
    except (Failed, LeftBehind) as failure:
        sys.exit(f"FAILED: {failure}")
