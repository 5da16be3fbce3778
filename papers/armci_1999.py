"""armci-1999: the first paper on ARMCI."""

from figures import Claim, Figure, Measured, NotMeasured
from running import LIBRARIES, value_at
from shapes import microseconds, points, section_megabytes_per_s

PAPER = "armci-1999"


def sections(run):
    """Figure 4."""
    rows = run.transfers("strided", "UCX")
    return Measured([Claim(f"{side} x {side} doubles: one strided get has no less bandwidth than a get for each column, MB/s",
                           section_megabytes_per_s(side, value_at(rows, "get.section", side)), ">=",
                           section_megabytes_per_s(side, value_at(rows, "get.rows", side))) for side in (32, 128, 512)],
                    "doubles on a side", "MB/s",
                    {"strided get": points(rows["get.section"], section_megabytes_per_s),
                     "a get for each column": points(rows["get.rows"], section_megabytes_per_s)})


def gather(run):
    """Figure 5."""
    rows = run.transfers("gather", "UCX")
    of = lambda count, ns: count * 8 / ns * 1e3
    return Measured([Claim(f"{count} elements: the vector get has no less bandwidth than single ones, MB/s",
                           of(count, value_at(rows, "get.vector", count)), ">=", of(count, value_at(rows, "get.each", count)))
                     for count in (100, 1000)], "elements", "MB/s",
                    {"vector get": points(rows["get.vector"], of), "single gets": points(rows["get.each"], of)})


def remap(run):
    """Figure 6."""
    ours = {size: row["ns"] for (op, size), row in run.bench("arrays", "remap", quick=True).items() if op.startswith("remap")}
    series, claims, best = {"Armature": points(ours, microseconds)}, [], {}
    for library, name in LIBRARIES.items():
        try:
            printed = run.mpi(library, "arrays.c", library, timeout_s=120)
        except NotMeasured:
            continue
        for line in printed.splitlines():
            words = line.split("\t")
            if len(words) == 4 and words[1].startswith("remap"):
                size, ns, way = int(words[2]), float(words[3]), words[0].partition(".")[2]
                series.setdefault(f"{name}, {way}", []).append([size, ns * 1e-3])
                best[size] = min(best.get(size, ns), ns)
    if not best:
        raise NotMeasured("no MPI library is there")
    claims = [Claim(f"{size} bytes: no slower than the fastest way of MPI, us", ours[size] * 1e-3, "<=", ns * 1e-3)
              for size, ns in sorted(best.items()) if size in ours]
    return Measured(claims, "bytes of the matrix", "us", series)


CHANGED = "two processes instead of four, on two nodes that are pretended on this machine; the target sleeps in the library."
FIGURES = [
    Figure(PAPER, "4", "Sections of a matrix by a strided get", "the strided get is ahead of a native get for each column.",
           CHANGED, [("sections", "1 to 512 on a side", "figure 4"), ("strided get", "ahead, but for very small and large ones", "")],
           sections),
    Figure(PAPER, "5", "Gathering each third element", "the vector get is ahead of native gets but for very small requests.",
           CHANGED, [("vector get", "by far better", "figure 5")], gather),
    Figure(PAPER, "6", "Redistribution of a matrix", "20 % ahead of MPI for large arrays.",
           "two processes of one node; the redistribution is that of Armature's distributed arrays.",
           [("large arrays", "20 % ahead of MPI", "figure 6")], remap)]
