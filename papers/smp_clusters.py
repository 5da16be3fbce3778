"""armci-smp-clusters-2000: shared memory and a network, on clusters of nodes with several processors."""

import pathlib
import tempfile

import outside
from figures import Claim, Figure, Measured
from running import beyond, value_at
from shapes import best, megabytes_per_s, number_behind, points, section_megabytes_per_s

PAPER = "armci-smp-clusters-2000"
HALF_A_MEBI = 1 << 18
NODE = "memory of the node"


def beside_mpi(run):
    """Table 1."""
    ours = run.transfers("contiguous", NODE)
    mpi = run.messages("windows")
    latencies = run.messages("latency")
    name, message_ns = best(latencies, "message", 8)
    fastest, window_ns = best(mpi, "message.window", HALF_A_MEBI)
    table = [["interface", "latency, us", "bandwidth, MB/s"],
             ["get", value_at(ours, "get", 8) * 1e-3, megabytes_per_s(HALF_A_MEBI, value_at(ours, "get", HALF_A_MEBI))]]
    table += [[library, value_at(rows, "message", 8) * 1e-3,
               megabytes_per_s(HALF_A_MEBI, value_at(mpi[library], "message.window", HALF_A_MEBI))]
              for library, rows in latencies.items() if library in mpi]
    return Measured([Claim(f"a get of a word takes at most a tenth of a message of {name}, ns", value_at(ours, "get", 8), "<=",
                           message_ns / 10),
                     Claim(f"256 KiB: its bandwidth is no less than {fastest}'s, MB/s",
                           megabytes_per_s(HALF_A_MEBI, value_at(ours, "get", HALF_A_MEBI)), ">=",
                           megabytes_per_s(HALF_A_MEBI, window_ns))], table=table)


def memory_and_network(parts):
    """Figures 3 and 4: the same operation through the node's memory, and through the network on the same machine."""
    def measure(run):
        series, claims = {}, []
        for part, operation, of, size in parts:
            for engine in (NODE, "UCX"):
                rows = run.transfers(part, engine)
                series[f"{engine}, {operation}"] = [[at if of is megabytes_per_s else at * at * 8, value]
                                                    for at, value in points(rows[operation], of)]
            claims += [Claim(f"{operation} of {at}: shared memory has at least twice the network's bandwidth, MB/s",
                             of(at, value_at(run.transfers(part, NODE), operation, at)), ">=",
                             2 * of(at, value_at(run.transfers(part, "UCX"), operation, at)))
                       for at in size]
        return Measured(claims, "bytes", "MB/s", series)
    return measure


LU = ["examples/lu", "--n", 3072, "--block", 32]


def lu_seconds(run, ranks, distribution, nodes=1):
    """Of the ranks; and of threads, where all is one node."""
    options, more, ways = ["--nodes", nodes], ["--no-threads"], ["one-sided"]
    if nodes == 1:
        options, more, ways = [], [], ["one-sided", "plain threads"]
    printed = run.launch(ranks, *LU, "--distribution", distribution, *more, options=options, timeout_s=90)
    return [number_behind(way, printed) for way in ways]


def layouts(run):
    """Figure 5."""
    series = {}
    for ranks in (1, 2):
        for distribution in ("block", "block-cyclic"):
            ours, threads = lu_seconds(run, ranks, distribution)
            series.setdefault(f"ranks, {distribution}", []).append([ranks, ours])
            series.setdefault(f"plain threads, {distribution}", []).append([ranks, threads])
    missing = []
    series["block-cyclic, simulated clock"] = beyond(lambda ranks: number_behind(
        "one-sided", run.simulated(ranks, *LU, "--no-threads")), missing)
    two = lambda name: series[name][1][1]
    return Measured([Claim("block-cyclic is no slower than block, s", two("ranks, block-cyclic"), "<=", two("ranks, block"))] +
                    [Claim(f"{one}: ranks are within 1.25 of threads, s", two(f"ranks, {one}"), "<=",
                           1.25 * two(f"plain threads, {one}")) for one in ("block", "block-cyclic")],
                    "processors", "s", series, missing=missing)


def layouts_between_nodes(run):
    """Figure 6. A node's rectangle that its ranks deal among themselves makes sense where a node has several."""
    series = {}
    for name, nodes, distributions in (("network only", 4, ("block", "block-cyclic")),
                                       ("memory on the node", 2, ("block", "block-cyclic", "node-cyclic"))):
        for distribution in distributions:
            ours, = lu_seconds(run, 4, distribution, nodes)
            series[f"{name}, {distribution}"] = [[4, ours]]
    only = lambda name: series[name][0][1]
    table = [["way", "s"]] + [[name, one[0][1]] for name, one in series.items()]
    return Measured([Claim(f"{one}: memory on the node is no slower than the network alone, s",
                           only(f"memory on the node, {one}"), "<=", only(f"network only, {one}"))
                     for one in ("block", "block-cyclic")], table=table)


def water_size(run):
    return ["--cells", 4, "--steps", 1000, "--settle", 500] if run.full else ["--cells", 3, "--steps", 100, "--settle", 300]


def water_row(run, figure, name, options):
    """{figure: value} of a run of liquid water on 4 ranks. The program fails where the energy drifts by more than 1e-4."""
    with tempfile.TemporaryDirectory(prefix="papers-") as folder:
        file = pathlib.Path(folder) / "rows.json"
        run.launch(4, "examples/water", "--deal", "scattered", *water_size(run), "--series", name, "--json", file,
                   options=options, timeout_s=150)
        return {row[0].removeprefix(figure): row[3] for row in outside.read(file)}


def water(run):
    """Figure 7."""
    figure = f"{PAPER}.7"
    with tempfile.TemporaryDirectory(prefix="papers-") as folder:
        links = pathlib.Path(folder) / "links"
        run.launch(4, "examples/water", "--deal", "scattered", *water_size(run), options=["--record-links", links],
                   timeout_s=150)
        ways = {"network only": ["--nodes", "4"], "memory on the node": ["--nodes", "2"],
                "permuted": ["--nodes", "2", "--place", links]}
        found = {name: water_row(run, figure, name, options) for name, options in ways.items()}
    seconds, megabytes = ({name: rows[kind] for name, rows in found.items()} for kind in ("", "-bytes"))
    table = [["way", "s", "MB between nodes"]] + [[name, seconds[name], megabytes[name]] for name in ways]
    return Measured([Claim("memory on the node is no slower than the network alone, s", seconds["memory on the node"], "<=",
                           seconds["network only"]),
                     Claim("memory on the node sends less between nodes than the network alone, MB",
                           megabytes["memory on the node"], "<=", megabytes["network only"], is_counted=True),
                     Claim("permuted ranks send at most 0.95 of that, MB", megabytes["permuted"], "<=",
                           0.95 * megabytes["memory on the node"], is_counted=True)], table=table)


CHANGED = "the network is loopback TCP between two nodes pretended on this machine, as LAPI was between tasks of one node."
FIGURES = [
    Figure(PAPER, "table-1", "Get on a node, and MPI", "get is ahead of MPI's messages in latency and bandwidth.",
           "bandwidth of 256 KiB instead of 512; messages of MPI go in windows of eight.",
           [("MPI", "13.2 us, 65.63 MB/s", "table 1"), ("ARMCI get", "0.85 us, 109.64 MB/s", "")], beside_mpi),
    Figure(PAPER, "3", "Get through memory and through the network", "shared memory outperforms the network by a large margin.",
           CHANGED, [("shared memory", "ahead by a large margin", "figure 3")],
           memory_and_network([("contiguous", "get", megabytes_per_s, (8, 4096, 1 << 20)),
                               ("strided", "get.section", section_megabytes_per_s, (16, 256))])),
    Figure(PAPER, "4", "Accumulate through memory and through the network", "shared memory outperforms the network.",
           CHANGED, [("shared memory", "ahead by a large margin", "figure 4")],
           memory_and_network([("accumulate", "acc", megabytes_per_s, (8, 4096, 1 << 20)),
                               ("accumulate", "acc.section", section_megabytes_per_s, (16, 256))])),
    Figure(PAPER, "5", "LU on a node, by layout", "block-cyclic is ahead of block; ranks are similar to threads.",
           "2 processors instead of 4; more by the simulated clock.",
           [("matrix", "3072, block 32", "4.1"), ("block-cyclic", "ahead of block", "figure 5")], layouts),
    Figure(PAPER, "6", "LU on several nodes", "shared memory on a node improves on the network alone.",
           "4 ranks on 2 cores: as four nodes, and as two of two ranks, whose blocks lie across the nodes (node-cyclic).", [("memory on a node", "ahead", "figure 6")],
           layouts_between_nodes),
    Figure(PAPER, "7", "Molecular dynamics of water", "shared memory improves it, and permuted ranks more: 12.6 % of 64 processors.",
           "liquid water by the program examples/water, not NWChem; 100 steps of 729 molecules, with --full 1000 of 1728.",
           [("64 processors", "12.6 % faster", "4.2")], water)]
