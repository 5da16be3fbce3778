"""The levels of a machine, by which ranks are near each other: hwloc's made machines, and a file with switches."""

import os
import pathlib
import tempfile

import harness
from harness import expect, run

MACHINE = "pack:2 numa:2 l3:2 core:2 pu:2"  # 16 cores of 2 hardware threads, 2 to each of 8 caches


def levels(options, machine=MACHINE):
    """For each level how many domains there are, and the domain of each rank; and the levels of a plan."""
    path = str(pathlib.Path(harness.PROGRAM).with_name("launch_levels"))
    os.environ["HWLOC_SYNTHETIC"] = machine
    try:
        lines = run([], 0, options=["--timeout", 40, *options], program=path).splitlines()
    finally:
        del os.environ["HWLOC_SYNTHETIC"]
    domains = {}
    for line in lines:
        if ": " in line and line.split()[0] in ("switch", "node", "socket", "numa", "cache", "core"):
            head, of_ranks = line.split(": ")
            name, count = head.split()
            domains[name] = (int(count), [int(number) for number in of_ranks.split()])
    return domains, [[int(group) for group in line.split()[1:]] for line in lines if line.startswith("level ")]


def blocks(count, each):
    return [number for number in range(count) for _ in range(each)]


def expect_levels(found, **expected):
    expect(found == {name: (count, blocks(count, each)) for name, (count, each) in expected.items()}, f"{found}")


def test_levels_of_a_made_machine():
    found, _ = levels(["-n", 32])
    expect_levels(found, switch=(1, 32), node=(1, 32), socket=(2, 16), numa=(4, 8), cache=(8, 4), core=(16, 2))
    found, _ = levels(["-n", 4])  # a core for each
    expect_levels(found, switch=(1, 4), node=(1, 4), socket=(1, 4), numa=(1, 4), cache=(2, 2), core=(4, 1))
    found, _ = levels(["-n", 8, "--threads", 4])
    expect_levels(found, switch=(1, 8), node=(1, 8), socket=(1, 8), numa=(2, 4), cache=(4, 2), core=(8, 1))
    found, _ = levels(["-n", 6], "pack:1 core:3 pu:1")  # no cache, and one memory
    expect(found["core"] == (3, [0, 1, 2, 0, 1, 2]) and found["cache"] == found["socket"] == (1, [0] * 6), f"{found}")


def test_levels_of_pretended_nodes_and_switches():
    """Each node is such a machine."""
    found, _ = levels(["-n", 16, "--nodes", 4], "pack:2 l3:1 core:2 pu:1")
    expect_levels(found, switch=(1, 16), node=(4, 4), socket=(8, 2), numa=(8, 2), cache=(8, 2), core=(16, 1))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "topology.conf")
        with open(path, "w") as file:
            file.write("SwitchName=s0 Nodes=node[0-1]\nSwitchName=s1 Nodes=node2,node3\nSwitchName=s Switches=s[0-1]\n")
        found, _ = levels(["-n", 16, "--nodes", 4, "--topology", path], "pack:2 l3:1 core:2 pu:1")
        expect(found["switch"] == (2, blocks(2, 8)) and found["node"] == (4, blocks(4, 4)), f"{found}")
        with open(path, "w") as file:
            file.write("SwitchName=s0 Nodes=node0\n")
        run([], 1, f"--topology: {path} does not say at which switch node1 is", options=["-n", 4, "--nodes", 2,
            "--topology", path])


def test_levels_of_virtual_ranks_and_of_plans():
    """Ranks are where their processes are; a plan is given each level that divides the one above."""
    found, plan = levels(["-n", 16, "--virtual", "--processes", 8, "--no-globals-note"])
    expect_levels(found, switch=(1, 16), node=(1, 16), socket=(1, 16), numa=(2, 8), cache=(4, 4), core=(8, 2))
    expect(plan == [blocks(2, 4), blocks(4, 2)], f"{plan}")
    found, plan = levels(["-n", 16, "--virtual", "--processes", 8, "--nodes", 2, "--no-globals-note"])
    expect_levels(found, switch=(1, 16), node=(2, 8), socket=(2, 8), numa=(2, 8), cache=(4, 4), core=(8, 2))
    expect(plan == [blocks(2, 4), blocks(4, 2)], f"{plan}")
