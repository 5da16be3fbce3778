"""armci-on-charm-2006: ARMCI on virtual ranks."""

from figures import Claim, Figure, Measured, NotMeasured, is_one_in_doubt
from running import rows_of, value_at
from shapes import megabytes_per_s, number_behind, points, section_megabytes_per_s
from smp_clusters import simulated_lu

PAPER = "armci-on-charm-2006"
LONG = 1 << 20
VIRTUAL = ["--virtual", "--processes", "2"]
FAR = {"ARMATURE_NET_HOOK": "delay=500"}


def modules(run):
    """Figure 2."""
    printed = run.launch(4, "examples/modules", options=[*VIRTUAL, "--nodes", "2"], environment=FAR)
    b, c, together = (number_behind(word, printed) for word in ("B", "C", "together"))
    return Measured([Claim("both modules together take at most 0.8 of one after the other, s", together, "<=", 0.8 * (b + c))],
                    table=[["module", "s"], ["B", b], ["C", c], ["both together", together]])


def checkpoints(run):
    """Table 1."""
    rows = run.bench("virtual", "checkpoint")
    table = [["what", "MB", "ms", "MB/s", "plain files, MB/s"]]
    claims = []
    for (op, size), row in rows.items():
        table.append([op, size * 1e-6, row["ns"] * 1e-6, megabytes_per_s(size, row["ns"]), megabytes_per_s(size, row["limit_ns"])])
        claims.append(Claim("a checkpoint has 1/1.5 of the bandwidth of plain files, MB/s", megabytes_per_s(size, row["ns"]),
                            ">=", megabytes_per_s(size, row["limit_ns"]) / 1.5))
    return Measured(claims, table=table)


def copies(operations, of, longest, title):
    """Figures 4 and 5: process ranks and virtual ranks."""
    def measure(run):
        part = "contiguous" if operations[0] in ("put", "get") else "strided"
        native = run.transfers(part, "memory of the node")
        virtual = run.kept(("virtual", part), lambda: rows_of(run.launch(2, "papers/transfers_virtual", part, options=VIRTUAL)))
        series, claims = {}, []
        for operation in operations:
            series[f"processes, {operation}"] = points(native[operation], of)
            series[f"virtual ranks, {operation}"] = points(virtual[operation], of)
            claims.append(Claim(f"{operation} of {longest}: virtual ranks have 0.8 of processes' bandwidth, MB/s",
                                of(longest, value_at(virtual, operation, longest)), ">=",
                                0.8 * of(longest, value_at(native, operation, longest))))
        short = min(native[operations[0]])
        claims.append(Claim(f"{operations[0]} of {short}: virtual ranks take at most 28/15 of processes' time, ns",
                            value_at(virtual, operations[0], short), "<=", 28 / 15 * value_at(native, operations[0], short)))
        return Measured(claims, title, "MB/s", series)
    return measure


def elimination(run):
    """Figure 6."""
    series, missing, found = {}, [], {}

    def measured(count, program, distribution, options):
        return lambda: number_behind("processes:", run.launch(count, program, 3072, 32, distribution, options=options))

    def ways(ranks):
        return {f"{title}, {distribution}": measured(*way, distribution, options)
                for distribution in ("cyclic", "rectangles")
                for title, way, options in (("processes", (ranks, "examples/armci_lu"), []),
                                            ("16 virtual ranks", (16, "papers/armci_lu_virtual"),
                                             ["--virtual", "--processes", ranks]))}

    def claims(two, one):
        of = [Claim(f"{distribution}: 2 processes with 16 virtual ranks are comparable to 2 ranks, s",
                    two[f"16 virtual ranks, {distribution}"], "<=", 1.25 * two[f"processes, {distribution}"])
              for distribution in ("cyclic", "rectangles")]
        return of + [one and Claim("virtual ranks go on to scale from one process to two, s", two["16 virtual ranks, cyclic"],
                                   "<=", 0.75 * one["16 virtual ranks, cyclic"])]

    for ranks in (1, 2):
        found[ranks] = run.fastest_in_turn(2, ways(ranks), missing)
        for name, seconds in found[ranks].items():
            series.setdefault(name, []).append([ranks, seconds])
    if missing:
        raise NotMeasured("; ".join(missing))
    series["ranks, cyclic, simulated clock"] = simulated_lu(run, "block-cyclic", missing)
    first = claims(found[2], found[1])

    def again():
        of_one = {f"1, {name}": measure for name, measure in ways(1).items()
                  if is_one_in_doubt(first, claims(found[2], None)) and name == "16 virtual ranks, cyclic"}
        seconds = run.fastest_there_and_back(ways(2) | of_one)
        return claims(seconds, {name.removeprefix("1, "): seconds[name] for name in of_one} or None)
    return Measured(first, "processes", "s", series, missing=missing, log="", again=again)


FIGURES = [
    Figure(PAPER, "2", "Modules that overlap", "while one module waits, the other computes.",
           "the figure is a drawing; here two modules of 100 steps run on 4 virtual ranks of two nodes 0.5 ms apart.",
           [("modules B and C", "interleaved", "figure 2")], modules),
    Figure(PAPER, "table-1", "Checkpoints on disk", "the bandwidth is that of the file system.",
           "a job of two processes writes to this machine's disk, not to a network file system.",
           [("2 processors", "20.05 MB, 221 ms, 90.8 MB/s", "table 1"), ("4", "22.29 MB, 249 ms, 89.7 MB/s", ""),
            ("8", "26.50 MB, 303 ms, 87.6 MB/s", ""), ("16", "35.43 MB, 366 ms, 96.9 MB/s", ""),
            ("32", "53.27 MB, 533 ms, 100.0 MB/s", "")], checkpoints),
    Figure(PAPER, "4", "Contiguous copies, native and virtual", "virtual processes take 28 us for a get, where 15 or so are native.",
           "two processes of one node; the program keeps its state in globals, of which each virtual rank has its own.",
           [("short get", "28 us, about 12 us more than native", "5.1"), ("short put", "27 us", "")],
           copies(("put", "get"), megabytes_per_s, LONG, "bytes")),
    Figure(PAPER, "5", "Strided copies, native and virtual", "virtual processes pay for a copy more.",
           "as for figure 4; sections of a matrix of 512 doubles a row.", [("strided copies", "below native", "figure 5")],
           copies(("get.section",), section_megabytes_per_s, 256, "doubles on a side")),
    Figure(PAPER, "6", "LU on virtual ranks", "virtual processes are comparable to native ones, and scale on.",
           "3072 x 3072, block 32, on 1 and 2 processes; 16 virtual ranks instead of 32 or 64. More ranks: by the simulated "
           "clock, and the C++ program, as its ranks share the process and so the C program's variables.",
           [("LU and LU-Block", "comparable, if not better", "figure 6")], elimination)]
