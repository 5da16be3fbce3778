"""run.py CASE LAUNCHER NODESxPROCESSES FOLDER: a job on several nodes of this machine (cluster.py), or SKIPPED (77)."""

import os
import re
import sys

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


CASES = {"grouping": grouping, "hosts": hosts, "works": works}

if __name__ == "__main__":
    count, each = map(int, sys.argv[3].split("x"))
    try:
        CASES[sys.argv[1]](sys.argv[2], count, each, sys.argv[4])
    except (Failed, LeftBehind) as failure:
        sys.exit(f"FAILED: {failure}")
