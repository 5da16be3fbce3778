"""Ranks are where their processes are bound (armature/locality.hpp), whoever has bound them."""

import os
import pathlib
import socket
import tempfile

from launched import RANK, Run, on_pretended_nodes


def levels(launcher):
    """Ranks are in the cores and sockets to which somebody has bound their processes, on each node."""
    processors = sorted(os.sched_getaffinity(0))[:2]

    def domains(part, of_ranks):
        shared = [pathlib.Path(f"/sys/devices/system/cpu/cpu{one}/topology/{part}_siblings_list").read_text() for one in processors]
        numbers = [sorted(set(shared), key=shared.index).index(one) for one in shared]
        return rf"{len(set(shared))}: " + " ".join(str(numbers[bound % len(numbers)]) for bound in of_ranks)

    bound = f"taskset -pc $(echo {' '.join(map(str, processors))} | cut -d' ' -f$(({RANK} % {len(processors)} + 1))) $$ > /dev/null"
    alone = ["sh", "-c", bound + '; exec "$0" "$@"']
    for variables, of_ranks in (({}, range(4)), ({"ARMATURE_VIRTUAL": "8"}, [rank // 2 for rank in range(8)])):
        Run(launcher, 4, "../launch_levels", options=alone, **variables).expect(
            True, "core " + domains("thread", of_ranks), "socket " + domains("core", of_ranks))
    # Those of one node are bound to different ones.
    Run(launcher, 4, "../launch_levels", ARMATURE_NET_DEVICE="lo", options=on_pretended_nodes(4, 2, bound)).expect(
        True, f"core {4 if len(processors) == 2 and domains('thread', range(2)).startswith('2') else 2}: ", "node 2: ")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "topology.conf")
        for host, good, said in ((socket.gethostname(), True, "switch 1: 0 0"),
                                 ("another", False, f"ARMATURE_TOPOLOGY: {path} does not say at which switch {socket.gethostname()} is")):
            with open(path, "w") as file:
                file.write(f"SwitchName=s0 Nodes=unknown\nSwitchName=s1 Nodes={host}\n")
            Run(launcher, 2, "../launch_levels", ARMATURE_TOPOLOGY=path).expect(good, said)
