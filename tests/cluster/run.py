"""run.py CASE LAUNCHER NODESxPROCESSES[xTHREADS][vRANKS] FOLDER: a job on several nodes of this machine (cluster.py), or SKIPPED (77).
THREADS ranks in each process, one unless said; or so many virtual ones in all. FOLDER holds the programs of this test, its parents those of others."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

from cluster import SUBNET, Cluster, Failed, LeftBehind, await_condition, await_handlers, signal_each, skip
from resized import resized, resized_from_inside


def grouping(launcher, nodes, per_node, folder):
    """All processes agree who is on which node, and those of a node can meet there."""
    with Cluster(nodes) as cluster:
        status, output = cluster.start(launcher, per_node, [os.path.join(folder, "grouping")])
    expect_groups(nodes, per_node, status, output)


def hosts(launcher, nodes, per_node, folder):
    """`armature run --hosts` hands over to that launcher."""
    with Cluster(nodes) as cluster:
        cluster.require_mpirun(launcher)
        status, output = cluster.run(
            [os.path.join(folder, "../armature"), "run", "--verbose", "--hosts", ",".join(cluster.names), "-n",
             str(nodes * per_node), os.path.join(folder, "grouping")], **cluster.environment(launcher))
    expect_groups(nodes, per_node, status, output)


def hosts_virtual(launcher, nodes, per_node, folder):
    """The same for virtual ranks, which then go from node to node."""
    with Cluster(nodes) as cluster:
        cluster.require_mpirun(launcher)
        status, output = cluster.run(
            [os.path.join(folder, "../armature"), "run", "--verbose", "--hosts", ",".join(cluster.names), "-n", "12", "--virtual", "--processes",
             str(nodes * per_node), os.path.join(folder, "../virtual_changing_nodes"), "work", "10"], **cluster.environment(launcher))
    if status != 0 or "12 ranks, 10 rounds: well" not in output:
        raise Failed(f"exit status {status}")


def asked_for(launcher, nodes, per_node, folder):
    """A program that asks in each step writes a checkpoint every so often, and one for each signal that the launcher is sent; or its processes
    themselves, where the launcher dies of it."""
    armature, program = os.path.join(folder, "../armature"), os.path.join(folder, "../virtual_steps")
    with Cluster(nodes) as cluster:
        cluster.require_mpirun(launcher)
        latest = cluster.folder / "saved" / "latest"
        start = [armature, "run", "--hosts", ",".join(cluster.names), "-n", "7", "--virtual", "--processes", str(nodes * per_node),
                 "--checkpoint", str(latest.parent)]
        status, output = cluster.run([*start, "--checkpoint-every", "0.1", "--rebalance-every", "1h", program, "100", "when_due", "3000"],
                                     **cluster.environment(launcher))
        before = int(latest.read_text())
        if status != 0 or before < 3:
            raise Failed(f"exit status {status}, {before} checkpoints")
        if output.count("when_due") != 1 or "ranks have stayed where they were" not in output:
            raise Failed("it is not said once that nobody asks whether ranks are to be rebalanced")
        job = cluster.begin([*start, program, "300", "when_due", "3000"], **cluster.environment(launcher))
        ready = await_handlers(cluster, "virtual_steps", signal.SIGUSR2, nodes * per_node)
        for number in range(before + 1, before + 4):
            signal_each([job.pid] if launcher == "openmpi" else ready, signal.SIGUSR2)
            await_condition(f"checkpoint {number}", lambda: int(latest.read_text()) >= number)
        status, output = cluster.finish(job, 60)
        if status != 0 or "result" not in output or int(latest.read_text()) != before + 3:
            raise Failed(f"exit status {status}, {latest.read_text()} is the last checkpoint, not {before + 3}")


def restarted(launcher, nodes, per_node, folder):
    """A checkpoint goes on under that launcher, on as many nodes and on fewer."""
    armature, program = os.path.join(folder, "../armature"), os.path.join(folder, "../virtual_changing_nodes")
    with Cluster(nodes) as cluster:
        cluster.require_mpirun(launcher)
        saved = str(cluster.folder / "saved")
        options = ["-n", "7", "--virtual", "--processes", str(nodes * per_node)]
        for words, names, well in ((["run", *options], cluster.names, "saved: well"), (["restart", saved], cluster.names, "restarted: well"),
                                   (["restart", saved, "--processes", "3"], cluster.names[:-1], "restarted: well")):
            program_words = [program, "save", saved] if words[0] == "run" else []
            status, output = cluster.run([armature, *words, "--verbose", "--hosts", ",".join(names), *program_words], **cluster.environment(launcher))
            if status != 0 or well not in output:
                raise Failed(f"{words[0]}: exit status {status}")


def recovers(launcher, nodes, per_node, folder):
    """Of a process that is killed, and of a node that is lost: the job goes on from its last checkpoint, on the nodes that are left."""
    armature, program = os.path.join(folder, "../armature"), os.path.join(folder, "../virtual_steps")
    steps = [program, "400", "when_due", "5000"]
    with Cluster(nodes) as cluster:
        cluster.require_mpirun(launcher)
        latest = cluster.folder / "saved" / "latest"
        options = ["-n", "7", "--virtual", "--no-globals-note"]
        status, output = cluster.run([armature, "run", *options, *steps])
        if status != 0:
            raise Failed(f"exit status {status}")
        expected = re.findall(r"^result \w+$", output, re.M)
        start = [armature, "run", "--hosts", ",".join(cluster.names), *options, "--processes", str(nodes * per_node), "--checkpoint",
                 str(latest.parent), "--checkpoint-every", "0.1", "--on-death", "recover"]
        status, output = cluster.run([*start, os.path.join(folder, "../launch_program"), "return", "2", "7"], **cluster.environment(launcher))
        if status != 7 or "the job cannot go on" in output:
            raise Failed(f"it ends by itself with {status}")
        job = cluster.begin([*start, *steps], **cluster.environment(launcher))

        def await_next():
            before = latest.read_text() if latest.exists() else ""
            await_condition("a checkpoint", lambda: latest.exists() and latest.read_text() != before, 60)
        await_next()
        signal_each(cluster.processes_on(cluster.names[1], "virtual_steps")[:1])
        await_next()
        cluster.lose(cluster.names[-1])
        status, output = cluster.finish(job, 200)
        if status != 0 or re.findall(r"^result \w+$", output, re.M) != expected:
            raise Failed(f"exit status {status}")
        if output.count("all ranks go back to checkpoint") < 2 or f"{cluster.names[-1]} does not answer: the job goes on without it" not in output:
            raise Failed("it has not recovered twice")


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
        expect_work(cluster, launcher, nodes, per_node, folder)


def expect_work(cluster, launcher, nodes, per_node, folder, **environment):
    status, output = cluster.start(launcher, per_node, [os.path.join(folder, "../wire_up/wired"), nodes * per_node], **environment)
    if status != 0 or f"{nodes * per_node} ranks" not in output:
        raise Failed(f"exit status {status}")


def interfaces(launcher, nodes, per_node, folder):
    """Of several interfaces the one is taken that leads to the others, or the one that is wanted; who cannot be reached over that is named."""
    with Cluster(nodes) as cluster:
        cluster.add_bridges()
        expect_work(cluster, launcher, nodes, per_node, folder)
        expect_work(cluster, launcher, nodes, per_node, folder, ARMATURE_NET_DEVICE=f"{SUBNET}.0/24")
        cluster.add_dead_ends()
        begun = time.monotonic()
        status, output = cluster.start(launcher, per_node, [os.path.join(folder, "../wire_up/wired"), nodes * per_node],
                                       ARMATURE_NET_DEVICE="dead0", ARMATURE_NET_CONNECT_TIMEOUT="2")
        if status == 0 or time.monotonic() - begun > 20:
            raise Failed(f"exit status {status} after {time.monotonic() - begun:.1f} s")
        wanted = r"rank \d+ \(pid \d+ on node\d\), at 10\.98\.0\.\d, from 10\.98\.0\.\d here, cannot be reached by UCX .* on dead0: "
        if not re.search(wanted, output):
            raise Failed("interface, address and peer are not named")
        status, output = cluster.start(launcher, per_node, [os.path.join(folder, "../wire_up/wired"), nodes * per_node],
                                       ARMATURE_NET_DEVICE="10.97.0.0/24")
        if status == 0 or "this node has no address in that subnet" not in output:
            raise Failed(f"exit status {status}")


# What tests elsewhere run on one node or on pretended ones: its words, and what it says when all is well.
SUITES = {
    "conformance": (["../conformance"], "  PASSED  "),
    "conformance_c": (["../conformance_c"], ", 0 failed"),
    "property": (["../property", "--cases", "2000", "--seconds", "15"], "agree with the model"),
    "storm": (["../rmi_storm", "storm"], ""),
    "changing_nodes": (["../virtual_changing_nodes", "work", "20"], "20 rounds: well"),
    "flood": (["../rmi_storm", "flood"], ""),
    "forward": (["../rmi_storm", "forward"], ""),
    "circle": (["../rmi_storm", "circle"], ""),
    "ga": (["../clients/ga_{mpi}"], "everything is right"),
    "arrays": (["../clients/arrays_{mpi}"], "everything is right"),
    "armci_mpi": (["../clients/armci_mpi_{mpi}"], "everything is right"),
}


def suite(name):
    words, well = SUITES[name]

    def case(launcher, nodes, per_node, folder):
        program = os.path.join(folder, words[0].format(mpi=launcher))
        if not os.access(program, os.X_OK):
            skip(f"{program} was not built")
        uses_mpi = "{mpi}" in words[0]
        with Cluster(nodes) as cluster:
            try:
                status, output = cluster.start(launcher, per_node, [program, *words[1:]], seconds=40 if uses_mpi else 380)
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


def hosted_by(processes):
    """So many ranks."""
    if virtual := os.environ.get("ARMATURE_VIRTUAL"):
        return processes * int(virtual) // ALL_PROCESSES
    return processes * int(os.environ.get("ARMATURE_THREADS", "1"))


def begin_losing(cluster, launcher, nodes, per_node, words, options=(), **environment):
    """The job, once all ranks are in the call, and the processes of the last node's ranks, in their order."""
    command = cluster.command(launcher, per_node, words, options)
    if shutil.which(command[0]) is None:
        skip(f"there is no {command[0]} here")
    job = cluster.begin(command, **{**cluster.environment(launcher), "ARMATURE_NET_HEARTBEAT": str(HEARTBEAT_S), **environment})
    pids = {}
    hosted = hosted_by(per_node)
    while len(pids) < nodes * hosted:
        line = job.stdout.readline()
        if not line:
            raise Failed("it ended before anything happened")
        if found := re.search(r"rank (\d+) is process (\d+)", line):
            pids[int(found[1])] = int(found[2])
        else:
            print(line, end="")
    time.sleep(0.5)
    return job, [pids[rank] for rank in range((nodes - 1) * hosted, nodes * hosted)]


def expect_told_in_lines(output):
    """A death elsewhere is nothing that is wrong with a survivor: it gives no stack of its own."""
    if found := re.search("terminate called|exception|libarmature.so", output):
        raise Failed(f"a survivor shows an error of its own: {found[0]}")


def lost(action):
    """The job ends within seconds, and says whom it has lost."""
    def case(launcher, nodes, per_node, folder):
        with Cluster(nodes) as cluster:
            job, pids = begin_losing(cluster, launcher, nodes, per_node, [os.path.join(folder, "../lost"), "put", "node"])
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
        if action != "kill_node" and not re.search(r"rank \d+ .* has died|signal 9|KILLED|PID \d+ RUNNING AT node\d", output):
            raise Failed("nobody is named")
    return case


def goes_on(action, call):
    """The job has chosen to go on: each survivor learns whom it has lost, in that call and in all others, and works on with the rest."""
    def case(launcher, nodes, per_node, folder):
        whom = "rank" if action == "kill_rank" else "node"
        with Cluster(nodes) as cluster:
            job, pids = begin_losing(cluster, launcher, nodes, per_node, [os.path.join(folder, "../lost"), call, whom],
                                     [os.path.join(folder, "../armature"), "outlive"])
            begun = time.monotonic()
            lose(cluster, action, pids)
            hosted = hosted_by(per_node)
            survivors = nodes * hosted - (1 if whom == "rank" else hosted)
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
        expect_all_lost_it("".join(lines), call, range((nodes - 1) * hosted))
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
    def case(launcher, nodes, per_node, folder):
        last = nodes * per_node - 1
        with Cluster(nodes) as cluster:
            job, _ = begin_losing(cluster, launcher, nodes, per_node, [os.path.join(folder, "../lost"), call, "rank"], ARMATURE_NET_HEARTBEAT="60")
            pids = {name: min(cluster.processes_on(name, "lost")) for name in cluster.names}
            if action:
                lose(cluster, action, [pids[cluster.names[-1]]])
            for name in cluster.names[:-1]:
                expect_explained(os.path.join(folder, "../armature"), pids[name], [
                    rf"rank \d+ \(pid {pids[name]}\)  waits [\d.]+ s {wait.format(last=last)}",
                    rf"=> Ranks? .*waits?, directly or through others, for rank {last}, which is on another node"])
            if not action:
                expect_explained(os.path.join(folder, "../armature"), pids[cluster.names[-1]], [
                    rf"rank {last} \(pid {pids[cluster.names[-1]]}\)  has been asleep"])
            cluster.kill_all()
            job.communicate()
    return case


CASES = {"grouping": grouping, "hosts": hosts, "hosts_virtual": hosts_virtual, "recovers": recovers, "resized": resized, "resized_from_inside": resized_from_inside, "restarted": restarted, "asked_for": asked_for, "works": works, "interfaces": interfaces}
for lost_action in ("kill_rank", "kill_node", "stop_node", "link_down"):
    CASES[lost_action] = lost(lost_action)
CASES["explains_a_barrier"] = explained("barrier", "", r"in a barrier \(round \d+\) of the world: rank {last} has not entered it")
CASES["explains_a_notify"] = explained("wait_notify", "", "for a notify from rank {last}")
CASES["explains_a_cut"] = explained("get", "link_down", "for an operation at rank {last} to complete")
CASES["explains_a_stop"] = explained("atomic", "stop_node", "for an operation at rank {last} to complete")
for lost_action in ("kill_rank", "kill_ranks", "stop_node"):
    for lost_call in ("put", "barrier", "allreduce"):
        CASES[f"{lost_action}_{lost_call}_goes_on"] = goes_on(lost_action, lost_call)

if __name__ == "__main__":
    shape, _, virtual = sys.argv[3].partition("v")
    count, each, *threads = map(int, shape.split("x"))
    if threads:
        os.environ["ARMATURE_THREADS"] = str(threads[0])
    if virtual:
        os.environ["ARMATURE_VIRTUAL"] = virtual
    ALL_PROCESSES = count * each
    try:
        (CASES.get(sys.argv[1]) or suite(sys.argv[1]))(sys.argv[2], count, each, sys.argv[4])
    except (Failed, LeftBehind) as failure:
        sys.exit(f"FAILED: {failure}")
