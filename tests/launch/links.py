"""Ranks on nodes by what an earlier run has recorded: armature run --record-links FILE, and --place FILE."""

import os
import pathlib
import re
import tempfile

import harness
from harness import expect, run

RANKS, STEP, BYTES = 8, 3, 6708  # a ring; what each moves to or from the next one (links.cpp)
RING = {(rank, (rank + STEP) % RANKS): BYTES for rank in range(RANKS)}
ALLOCATES = 400  # so many bytes at most do two ranks read of each other to begin, and to allocate memory


def program(options, status=0, *patterns, calls="none"):
    path = str(pathlib.Path(harness.PROGRAM).with_name("launch_links"))
    return run([STEP, calls], status, *patterns, options=["--timeout", 40, *options], program=path)


def recorded(path):
    with open(path) as file:
        first, *lines, last = file.read().splitlines()
    expect(first == f"armature links of ranks: {RANKS}" and last == "end", f"first and last line: {first}, {last}")
    return {(int(rank), int(partner)): int(bytes) for rank, partner, bytes in map(str.split, lines)}


def expect_ring(path):
    """The ring, and little else."""
    links = recorded(path)
    expect(all(0 <= bytes - RING.get(link, 0) <= ALLOCATES for link, bytes in links.items()) and set(RING) <= set(links),
           f"{links}")


def between_nodes(text):
    """Bytes of the ring between nodes, by where the ranks say that they are."""
    nodes = {int(rank): int(node) for rank, node in re.findall(r"rank (\d+) is on node (\d+)", text)}
    expect(len(nodes) == RANKS, f"all ranks are on a node:\n{text}")
    sizes = [list(nodes.values()).count(node) for node in set(nodes.values())]
    expect(len(set(sizes)) == 1, f"as many on each: {nodes}")
    return sum(bytes for (rank, partner), bytes in RING.items() if nodes[rank] != nodes[partner])


def test_links_are_recorded_and_partners_share_a_node():
    with tempfile.TemporaryDirectory() as folder:
        path, other = os.path.join(folder, "links"), os.path.join(folder, "other")
        for options in ([], ["--nodes", 2], ["--threads", 2]):
            program(["-n", RANKS, *options, "--record-links", path])
            expect_ring(path)
        program(["-n", RANKS, "--record-links", other], calls="calls")
        expect({link for link, bytes in recorded(other).items() if bytes >= BYTES + 100 * 8} == set(RING),
               f"calls count: {recorded(other)}")
        with open(path, "w") as file:
            file.writelines([f"armature links of ranks: {RANKS}\n",
                             *(f"{rank} {partner} {bytes}\n" for (rank, partner), bytes in RING.items()), "end\n"])
        for nodes, before, after in ((2, 6, 2), (4, 8, 4)):
            text = program(["-n", RANKS, "--nodes", nodes])
            expect(between_nodes(text) == before * BYTES, f"in a row:\n{text}")
            text = program(["-n", RANKS, "--nodes", nodes, "--place", path, "--record-links", other], 0,
                           rf"--place {path}: of what was recorded, {after * BYTES} bytes go between nodes; "
                           rf"{before * BYTES} with ranks in a row")
            expect(between_nodes(text) == after * BYTES, f"placed:\n{text}")
            expect_ring(other)
        # Processes of ranks 0-1, 2-3, 4-5, 6-7: 0-1 has two links with 4-5, and 2-3 two with 6-7.
        text = program(["-n", RANKS, "--threads", 2, "--nodes", 2, "--place", path])
        expect(between_nodes(text) == 4 * BYTES, f"threads of a process stay together:\n{text}")


def test_collectives_and_notifications_count():
    """As far as they read, or send, bytes of another rank: those of other nodes may come by one of the own node."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "links")
        program(["-n", RANKS, "--record-links", path])
        alone = recorded(path)
        program(["-n", RANKS, "--record-links", path], calls="notifications")
        expect(all(bytes - alone.get(link, 0) == (80 if link in RING else 0) for link, bytes in recorded(path).items()),
               f"notifications count: {alone}, {recorded(path)}")
        for options in ([], ["--threads", 2], ["--nodes", 2]):
            program(["-n", RANKS, *options, "--record-links", path], calls="collectives")
            links = recorded(path)
            for rank in range(RANKS):
                read = sum(bytes - alone.get((rank, partner), 0) for (me, partner), bytes in links.items() if me == rank)
                # An allgather of 4,000 of each, and the broadcast or the gather, and the reduction: once through all.
                least = (RANKS - 1) * 4000 + (8000 if rank not in (0, 1) else 0) + 800_000
                least += (RANKS - 1) * 8000 + 8000 if rank == 0 else 0
                expect(least <= read <= 3 * least, f"{options}: rank {rank} has read {read}, not {least}: {links}")
            if "--nodes" not in options:
                expect(all(links.get((0, partner), 0) >= 12_000 for partner in range(1, RANKS)), f"the root reads: {links}")
                expect(all(links.get((rank, 1), 0) >= 12_000 for rank in range(RANKS) if rank != 1), f"all read: {links}")


def test_links_that_are_wrong_are_refused():
    first = f"armature links of ranks: {RANKS}\n"
    cases = [
        ("", "line 1: it begins with '', not with 'armature links of ranks: N'"),
        ("nonsense\n", "line 1: it begins with 'nonsense'"),
        ("armature links of ranks: 4\nend\n", "line 1: it was recorded with 4 ranks, and this job has 8"),
        (first + "0 3 17\n", "line 3: the file ends before its last line"),
        (first + "0 3\nend\n", "line 2: '0 3' is not 'RANK PARTNER BYTES'"),
        (first + "0 3 x\nend\n", "line 2: '0 3 x' is not"),
        (first + "0 3 5 7\nend\n", "line 2: '0 3 5 7' is not"),
        (first + "0 -3 5\nend\n", "line 2: '0 -3 5' is not"),
        (first + "0 3 5\n0 8 5\nend\n", "line 3: '0 8 5': there are ranks 0 to 7"),
        (first + "0 3 18446744073709551615\nend\n", "line 2: '0 3 18446744073709551615': so many bytes"),
        (first + "0 3 99999999999999999999\nend\n", "line 2: '0 3 99999999999999999999' is not"),
        (first + "end\n0 3 5\n", "line 3: there is something behind the last line"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "links")
        options = ["-n", RANKS, "--nodes", 2, "--place", path]
        program(options, 1, r"--place: \S+ cannot be read")
        for text, why in cases:
            with open(path, "w") as file:
                file.write(text)
            program(options, 1, re.escape(why))
        program(["-n", RANKS, "--record-links", os.path.join(folder, "no", "links")], 1, "No such file or directory")
