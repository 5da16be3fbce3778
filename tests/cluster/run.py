"""run.py CASE LAUNCHER SHAPE FOLDER: a job on several nodes of this machine (README.md), or SKIPPED (77). SHAPE: 2x2 and its like, see
shape.py. FOLDER holds the programs of this test, its parents those of others."""

import collections
import json
import os
import pathlib
import re
import sys
import tempfile
import time

from cluster import SUBNET, Failed, LeftOver
from every_call import every_call, expect_end, expect_survivors
from link_speed import links
from losses import explained, goes_on, lost
from recovery import asked_for, recovers, restarted
from resized import resized, resized_from_inside
from shape import Shape
from suites import kernels, suite


def grouping(shape, launcher):
    """All processes agree who is on which node, and those of a node can meet there."""
    with shape.cluster() as cluster:
        status, output = cluster.start(launcher, shape.per_node, [shape.program("grouping")])
    expect_groups(shape, status, output)


def hosts(shape, launcher):
    """`armature run --hosts` hands over to that launcher."""
    with shape.cluster() as cluster:
        cluster.require_mpirun(launcher)
        status, output = cluster.run(
            [shape.program("../armature"), "run", "--verbose", "--hosts", ",".join(cluster.names), "-n",
             str(shape.processes), shape.program("grouping")], **cluster.environment(launcher))
    expect_groups(shape, status, output)


def hosts_virtual(shape, launcher):
    """The same for virtual ranks, which then go from node to node."""
    with shape.cluster() as cluster:
        cluster.require_mpirun(launcher)
        status, output = cluster.run(
            [shape.program("../armature"), "run", "--verbose", "--hosts", ",".join(cluster.names), "-n", "12", "--virtual", "--processes",
             str(shape.processes), shape.program("../virtual_changing_nodes"), "work", "10"], **cluster.environment(launcher))
    if status != 0 or "12 ranks, 10 rounds: well" not in output:
        raise Failed(f"exit status {status}")


def hosts_switches(shape, launcher):
    """--topology with --hosts: ranks of all hosts know at which switch they are."""
    with tempfile.TemporaryDirectory(dir=shape.folder) as folder, shape.cluster() as cluster:
        cluster.require_mpirun(launcher)
        topology = pathlib.Path(folder, "topology.conf")
        topology.write_text(f"SwitchName=s0 Nodes=node0\nSwitchName=s1 Nodes=node[1-{shape.nodes - 1}]\nSwitchName=s Switches=s[0-1]\n")
        status, output = cluster.run(
            [shape.program("../armature"), "run", "--verbose", "--hosts", ",".join(cluster.names), "-n", str(shape.processes),
             "--topology", str(topology), shape.program("../launch_levels")], **cluster.environment(launcher))
    of_nodes = [node for node in range(shape.nodes) for _ in range(shape.per_node)]
    for level, domains in ("switch", [min(node, 1) for node in of_nodes]), ("node", of_nodes):
        if status != 0 or f"{level} {domains[-1] + 1}: {' '.join(map(str, domains))}\n" not in output:
            raise Failed(f"exit status {status}, or not the {level} of each rank")


def hosts_traced(shape, launcher):
    """--trace with --hosts: what all processes did is in one file, and none of theirs is left."""
    for options in [], ["--virtual", "--no-globals-note", "--processes", str(shape.processes)]:
        with tempfile.TemporaryDirectory(dir=shape.folder) as folder, shape.cluster() as cluster:
            cluster.require_mpirun(launcher)
            trace = pathlib.Path(folder, "trace.json")
            status, output = cluster.run(
                [shape.program("../armature"), "run", "--hosts", ",".join(cluster.names), "-n", str(shape.processes), *options,
                 "--trace", str(trace), shape.program("../virtual_traced"), "stay"], **cluster.environment(launcher))
            if status != 0:
                raise Failed(f"exit status {status}")
            events, left = json.loads(trace.read_text())["traceEvents"], sorted(os.listdir(folder))
        if left != ["trace.json"] or "left nothing" in output:
            raise Failed(f"left are {left}")
        processes = {event["pid"] for event in events}
        phases = collections.Counter(event["tid"] for event in events if event["ph"] == "b" and event["name"] == "halo")
        if processes != set(range(shape.processes)) or phases != {rank: 3 for rank in range(shape.processes)}:
            raise Failed(f"{options}: processes {processes}, phases {phases}")
        between = sum(event["ph"] == "s" and "deposit" in event["name"] for event in events)
        if between != 3 * shape.processes:
            raise Failed(f"{options}: {between} calls of deposit, where each of {shape.processes} ranks makes 3")


def expect_groups(shape, status, output):
    if status != 0:
        raise Failed(f"exit status {status}")
    seen = re.findall(r"process (\d+): node (\d+), index (\d+), on (\S+)", output)
    want = sorted((str(node * shape.per_node + index), str(node), str(index), f"node{node}")
                  for node in range(shape.nodes) for index in range(shape.per_node))
    if sorted(seen) != want:
        raise Failed(f"seen {sorted(seen)}\nnot  {want}")
    if len(re.findall("met the others of its node", output)) != shape.processes:
        raise Failed("not all have met the others of their node")


def works(shape, launcher):
    """A whole job: transfers, atomics, remote methods and collectives between nodes."""
    with shape.cluster() as cluster:
        expect_work(cluster, shape, launcher)


def expect_work(cluster, shape, launcher, **environment):
    status, output = cluster.start(launcher, shape.per_node, [shape.program("../wire_up/wired"), shape.processes], **environment)
    if status != 0 or f"{shape.processes} ranks" not in output:
        raise Failed(f"exit status {status}")


def interfaces(shape, launcher):
    """Of several interfaces the one is taken that leads to the others, or the one that is wanted; who cannot be reached over that is named."""
    with shape.cluster() as cluster:
        cluster.add_bridges()
        expect_work(cluster, shape, launcher)
        expect_work(cluster, shape, launcher, ARMATURE_NET_DEVICE=f"{SUBNET}.0/24")
        cluster.add_dead_ends()
        begun = time.monotonic()
        status, output = cluster.start(launcher, shape.per_node, [shape.program("../wire_up/wired"), shape.processes],
                                       ARMATURE_NET_DEVICE="dead0", ARMATURE_NET_CONNECT_TIMEOUT="2")
        if status == 0 or time.monotonic() - begun > 20:
            raise Failed(f"exit status {status} after {time.monotonic() - begun:.1f} s")
        wanted = r"rank \d+ \(pid \d+ on node\d\), at 10\.98\.0\.\d, from 10\.98\.0\.\d here, cannot be reached by UCX .* on dead0: "
        if not re.search(wanted, output):
            raise Failed("interface, address and peer are not named")
        status, output = cluster.start(launcher, shape.per_node, [shape.program("../wire_up/wired"), shape.processes],
                                       ARMATURE_NET_DEVICE="10.97.0.0/24")
        if status == 0 or "this node has no address in that subnet" not in output:
            raise Failed(f"exit status {status}")


CASES = {case.__name__: case for case in (links, grouping, hosts, hosts_virtual, hosts_switches, hosts_traced, works, interfaces, kernels, asked_for,
                                         restarted, recovers, resized, resized_from_inside)}
for lost_action in ("kill_rank", "kill_node", "stop_node", "link_down"):
    CASES[lost_action] = lost(lost_action)
CASES["explains_a_barrier"] = explained("barrier", "", r"in a barrier \(round \d+\) of the world: rank {last} has not entered it")
CASES["explains_a_notify"] = explained("wait_notify", "", "for a notify from rank {last}")
CASES["explains_a_cut"] = explained("get", "link_down", "for an operation at rank {last} to complete")
CASES["explains_a_stop"] = explained("atomic", "stop_node", "for an operation at rank {last} to complete")
for lost_action in ("kill_rank", "kill_ranks", "stop_node"):
    for lost_call in ("put", "barrier", "allreduce"):
        CASES[f"{lost_action}_{lost_call}_goes_on"] = goes_on(lost_action, lost_call)
CASES["every_call_ends"] = every_call(expect_end, ["inside"])
CASES["every_call_goes_on"] = every_call(expect_survivors, ["inside"])
CASES["every_call_not_made_goes_on"] = every_call(expect_survivors, ["missing"])

if __name__ == "__main__":
    name, launcher, text, folder = sys.argv[1:]
    shape = Shape(text, folder)
    os.environ.update(shape.environment())
    try:
        (CASES.get(name) or suite(name))(shape, launcher)
    except (Failed, LeftOver) as failure:
        sys.exit(f"FAILED: {failure}")
