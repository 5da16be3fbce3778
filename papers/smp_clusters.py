"""armci-smp-clusters-2000: shared memory and a network, on clusters of nodes with several processors."""

import pathlib
import tempfile

import outside
from figures import Claim, Figure, Measured, NotMeasured
from running import value_at
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


def simulated_lu(run, distribution, missing, node=1):
    """The curve of ranks beyond the machine's cores, with so many on each node; figures of two papers show it."""
    return run.beyond(("LU", distribution, node), lambda ranks: number_behind("one-sided", run.simulated(
        ranks, *LU, "--distribution", distribution, "--no-threads", node=node)), missing)


def layouts(run):
    """Figure 5. A run has ranks, and then as many threads."""
    series, missing = {}, []
    for ranks in (1, 2):
        printed = {}

        def seconds_of(distribution, ranks=ranks, printed=printed):
            text = run.launch(ranks, *LU, "--distribution", distribution, timeout_s=90)
            printed.setdefault(distribution, []).append(text)
            return number_behind("one-sided", text)

        found = run.fastest_in_turn(3, {one: lambda one=one: seconds_of(one) for one in ("block", "block-cyclic")}, missing)
        for distribution, seconds in found.items():
            series.setdefault(f"ranks, {distribution}", []).append([ranks, seconds])
            series.setdefault(f"plain threads, {distribution}", []).append(
                [ranks, min(number_behind("plain threads", text) for text in printed[distribution])])
    series["block-cyclic, simulated clock"] = simulated_lu(run, "block-cyclic", missing)
    two = lambda name: series[name][1][1]
    return Measured([Claim("block-cyclic is no slower than block, s", two("ranks, block-cyclic"), "<=", two("ranks, block"))] +
                    [Claim(f"{one}: ranks are within 1.25 of threads, s", two(f"ranks, {one}"), "<=",
                           1.25 * two(f"plain threads, {one}")) for one in ("block", "block-cyclic")],
                    "processors", "s", series, missing=missing)


def layouts_between_nodes(run):
    """Figure 6. A node's rectangle that its ranks deal among themselves makes sense where a node has several."""
    def measured(nodes, distribution):
        return lambda: number_behind("one-sided", run.launch(4, *LU, "--distribution", distribution, "--no-threads",
                                                             options=["--nodes", nodes], timeout_s=90))
    ways, missing = {}, []
    for name, nodes, distributions in (("network only", 4, ("block", "block-cyclic")),
                                       ("memory on the node", 2, ("block", "block-cyclic", "node-cyclic"))):
        ways |= {f"{name}, {distribution}": measured(nodes, distribution) for distribution in distributions}

    def claims(seconds):
        on_node = lambda one: seconds[f"memory on the node, {one}"]
        return [Claim(f"{one}: memory on the node is no slower than the network alone, s", on_node(one), "<=",
                      seconds[f"network only, {one}"]) for one in ("block", "block-cyclic")] + [
            Claim("on nodes, block-cyclic with blocks across is as good as the better of both, s", on_node("node-cyclic"), "<=",
                  min(on_node("block"), on_node("block-cyclic")))]

    seconds = run.fastest_in_turn(3, ways, missing)
    if len(seconds) < len(ways):
        raise NotMeasured("; ".join(missing))
    series = {f"{title}, {distribution}, simulated clock": simulated_lu(run, distribution, missing, node)
              for title, node in (("network only", 1), ("memory on nodes of 4", 4)) for distribution in ("block", "block-cyclic")}
    series |= {name: [[4, one]] for name, one in seconds.items()}
    return Measured(claims(seconds), "ranks", "s", series, [["way", "s"], *seconds.items()], missing=missing, log="y",
                    again=lambda: claims(run.fastest_there_and_back(ways)))


def water_size(run):
    return ["--cells", 4, "--steps", 1000, "--settle", 500] if run.full else ["--cells", 3, "--steps", 100, "--settle", 300]


WATER = ["examples/water", "--deal", "scattered"]


def water_rows(run, ranks, options, *words):
    """[seconds, MB between nodes, where all molecules are at last] of a run of liquid water. The program fails where the
    energy drifts by more than 1e-4."""
    with tempfile.TemporaryDirectory(prefix="papers-") as folder:
        file = pathlib.Path(folder) / "rows.json"
        printed = run.launch(ranks, *WATER, *words, "--json", file, options=options, timeout_s=150)
        rows = {name: value for name, _, _, value in outside.read(file)}
        return rows[f"{PAPER}.7"], rows[f"{PAPER}.7-bytes"], printed.partition("trajectory ")[2].split()[0]


def water_measured(run, ways, size):
    """{way: (seconds, MB, trajectory)} of {way: (ranks, options)}; of three runs, which take turns, the shortest."""
    rows, missing = {name: [] for name in ways}, []

    def seconds_of(name):
        rows[name].append(water_rows(run, *ways[name], *size))
        return rows[name][-1][0]

    seconds = run.fastest_in_turn(1 if run.full else 3, {name: lambda name=name: seconds_of(name) for name in ways}, missing)
    if missing:
        raise NotMeasured("; ".join(missing))
    return {name: (seconds[name], *rows[name][-1][1:]) for name in ways}


def energy_drift(run):
    """The largest change of the energy, as a part of it: the same on any number of ranks, as the trajectory is."""
    return run.kept("energy", lambda: number_behind("energy drifts by", run.launch(
        2, *WATER, "--cells", 3, "--steps", 1000, "--settle", 500, timeout_s=150)), is_counted=True)


def simulated_water(run, ranks):
    with tempfile.TemporaryDirectory(prefix="papers-") as folder:
        file = pathlib.Path(folder) / "rows.json"
        run.simulated(ranks, *WATER, *water_size(run), "--json", file)
        return outside.of_figure(outside.read(file), f"{PAPER}.7")[0][2]


def water(run):
    """Figure 7."""
    size = water_size(run)
    links = run.file("links")
    run.launch(4, *WATER, *size, options=["--record-links", links], timeout_s=150)
    several = {"network only": (4, ["--nodes", "4"]), "memory on the node": (4, ["--nodes", "2"]),
               "permuted": (4, ["--nodes", "2", "--place", links])}
    ways = {"1 rank": (1, []), "2 ranks": (2, [])} | several
    found = water_measured(run, ways, size)
    if len({trajectory for _, _, trajectory in found.values()}) != 1:
        raise NotMeasured("the trajectory is not the same on 1, 2 and 4 ranks")
    seconds, megabytes = ({name: one[kind] for name, one in found.items()} for kind in (0, 1))
    missing = []
    series = {"a node": [[1, seconds["1 rank"]], [2, seconds["2 ranks"]]],
              "simulated clock": run.beyond(f"{PAPER}.7", lambda ranks: simulated_water(run, ranks), missing)}
    series |= {name: [[4, seconds[name]]] for name in several}

    def timed(seconds):
        return [Claim(f"{words} no slower than the network alone{either}, s", seconds[name], "<=", seconds["network only"])
                for words, name, either in (("memory on the node is", "memory on the node", ""),
                                            ("with permuted ranks it is", "permuted", " either"))]

    def again():
        return timed(run.fastest_there_and_back({name: lambda way=way: water_rows(run, *way, *size)[0] for name, way in several.items()})
                     ) + [None] * len(counted)
    counted = [Claim("memory on the node sends less between nodes than the network alone, MB", megabytes["memory on the node"],
                     "<", megabytes["network only"], is_counted=True),
               Claim("the energy drifts by at most 1/10,000 of it in 1,000 steps", energy_drift(run), "<=", 1e-4,
                     is_counted=True),
               Claim("permuted ranks send less than that, MB", megabytes["permuted"], "<", megabytes["memory on the node"],
                     is_counted=True)]
    return Measured([*timed(seconds), *counted], "ranks", "s", series,
                    [["way", "s", "MB between nodes"], *([name, seconds[name], megabytes[name]] for name in ways)],
                    missing=missing, log="y", again=again)


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
