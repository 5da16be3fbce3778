"""armci-rma-2006: remote memory access."""

import outside
from figures import Claim, Figure, Measured, NotMeasured
from running import ENGINES, LATE, LIBRARIES, ONE_SIDED, value_at
from shapes import best, megabytes_per_s, microseconds, number_behind, points, section_megabytes_per_s

PAPER = "armci-rma-2006"
LONG = 1 << 20
NODE = "memory of the node"


def latencies(run):
    """Table 1."""
    table = [["way", "put, us", "put and its fence, us", "get, us"]]
    found = {}
    for engine in ENGINES:
        rows = run.transfers("contiguous", engine)
        found[engine] = {name: value_at(rows, name, 8) * 1e-3 for name in ("put.local", "put", "get")}
        table.append([engine, *found[engine].values()])
    networks = {engine: one for engine, one in found.items() if engine != NODE}
    claims = [Claim(f"a {words} in the node's memory is the fastest, us", found[NODE][name], "<=",
                    min(one[name] for one in networks.values()))
              for words, name in (("put", "put.local"), ("put with its fence", "put"), ("get", "get"))]
    claims += [Claim(f"{engine}: a put takes no longer than a get, us", one["put.local"], "<=", one["get"])
               for engine, one in networks.items()]
    missing = []
    try:
        table += [[f"{library}, a message over TCP", value_at(rows, "message", 8) * 1e-3, "-", "-"]
                  for library, rows in run.messages("latency", over_tcp=True).items()]
    except NotMeasured as reason:
        missing.append(str(reason))
    return Measured(claims, table=table, missing=missing)


def native_of(engine):
    """{put or get: {bytes: (its own ns, ours)}} of an engine's calls, in windows of eight as ours are."""
    def measure(run, ours):
        found = {}
        for operation in ("put", "get"):
            rows = run.windows(engine).get(f"{operation}.window", {})
            found[operation] = {size: (ns, value_at(ours, f"{operation}.window", size)) for size, ns in rows.items()}
        return found
    return measure


def native_by_memcpy(run, _ours):
    """The same of memcpy, which takes turns with a put or get of the same bytes."""
    rows = run.kept("native memory", lambda: run.bench("rma", "put.bw", "get.bw", quick=True))
    found = {}
    for (op, size), row in rows.items():
        if op in ("put.bw", "get.bw") and size <= LONG:
            found.setdefault(op.split(".")[0], {})[size] = (row["limit_ns"], row["ns"])
    return found


def bandwidth(engine, native_name, native, *, ahead_of_mpi=False, by_records=None, why=""):
    """Figures 14 to 17: windows of transfers over one engine, beside its own calls and MPI. The paper says of figures 16
    and 17 alone that MPI is behind. `by_records` is the same engine without one-sided operations: nothing is claimed of
    it."""
    def beside_native(run, ours):
        rows = native(run, ours)
        claims = []
        for operation, found in rows.items():
            own, our = value_at({operation: found}, operation, LONG)
            claims.append(Claim(f"a {operation} of 1 MiB has 0.9 of {native_name}'s bandwidth, MB/s",
                                megabytes_per_s(LONG, our), ">=", 0.9 * megabytes_per_s(LONG, own), why=why))
        return rows, claims

    def beside_mpi(ours, mpi):
        name, ns = best(mpi, "message.window", LONG) if ahead_of_mpi and mpi else ("", 0)
        return [Claim(f"a {operation} of 1 MiB has no less bandwidth than messages of {name}, MB/s",
                      megabytes_per_s(LONG, value_at(ours, f"{operation}.window", LONG)), ">=", megabytes_per_s(LONG, ns))
                for operation in (("put", "get") if name else ())]

    def measure(run):
        ours = run.transfers("contiguous", engine)
        mpi, rows, missing, claims = {}, {}, [], []
        try:
            mpi = run.messages("windows", over_tcp=engine != NODE)
        except NotMeasured as reason:
            missing.append(str(reason))
        series = {"put": points(ours["put.window"], megabytes_per_s), "get": points(ours["get.window"], megabytes_per_s)}
        if by_records:
            records = run.transfers("contiguous", by_records)
            series |= {f"{operation}, by records": points(records[f"{operation}.window"], megabytes_per_s)
                       for operation in ("put", "get")}
        try:
            rows, claims = beside_native(run, ours)
        except NotMeasured as reason:
            missing.append(f"{native_name}: {reason}")
        series |= {f"{native_name}, {operation}": points({size: own for size, (own, _) in found.items()}, megabytes_per_s)
                   for operation, found in rows.items()}
        series |= {library: points(found["message.window"], megabytes_per_s) for library, found in mpi.items()}

        def again():
            ours = run.transfers("contiguous", engine)
            also = run.messages("windows", over_tcp=engine != NODE) if ahead_of_mpi and mpi else {}
            return (beside_native(run, ours)[1] if rows else []) + beside_mpi(ours, also)
        return Measured(claims + beside_mpi(ours, mpi), "bytes", "MB/s", series, missing=missing, again=again)
    return measure


def sections(run):
    """Figure 18."""
    series, claims = {}, []
    for engine in ("UCX", "libfabric"):
        rows = run.transfers("strided", engine)
        series[f"{engine}, one call"] = points(rows["get.section"], section_megabytes_per_s)
        series[f"{engine}, call for each row"] = points(rows["get.rows"], section_megabytes_per_s)
        claims += [Claim(f"{engine}: {side} x {side} doubles by one call are ahead of row by row, us",
                         value_at(rows, "get.section", side) * 1e-3, "<=", value_at(rows, "get.rows", side) * 1e-3)
                   for side in (16, 64, 256)]
    return Measured(claims, "doubles on a side", "MB/s", series)


def overlap(run):
    """Figure 19."""
    series, claims = {}, []
    for engine in ("UCX", LATE, "one-sided test engine"):
        rows = run.transfers("overlap", engine)
        series[engine] = [[size, max(0, value)] for size, value in sorted(rows["overlap.thrice"].items())]
        if engine != "one-sided test engine":
            claims.append(Claim(f"{engine}: of a get of 1 MiB at least 90 % are hidden behind computing, %",
                                value_at(rows, "overlap.thrice", LONG), ">=", 90))
    mpi = run.messages("overlap", over_tcp=True)
    for library, rows in mpi.items():
        series[f"{library} over TCP"] = [[size, max(0, value)] for size, value in sorted(rows["overlap.thrice"].items())]
        claims.append(Claim(f"more than {library} hides of 1 MiB, %", series["UCX"][-1][1], ">=",
                            max(0, value_at(rows, "overlap.thrice", LONG))))
    return Measured(claims, "bytes", "% hidden", series, log="x")


def aggregation(run):
    """Figure 20."""
    series, claims = {}, []
    for engine in ("UCX", "libfabric"):
        rows = run.transfers("gather", engine)
        for way in ("each", "vector", "aggregated"):
            for operation in ("put", "get"):
                series[f"{engine}: {operation}, {way}"] = points(rows[f"{operation}.{way}"], microseconds)
        for operation in ("put", "get"):
            aggregated = value_at(rows, f"{operation}.aggregated", 1000) * 1e-3
            claims.append(Claim(f"{engine}: 1000 {operation}s of a word, aggregated, take at most 1.2 of a vector, us",
                                aggregated, "<=", 1.2 * value_at(rows, f"{operation}.vector", 1000) * 1e-3))
            claims.append(Claim(f"{engine}: and no longer than one by one, us", aggregated, "<=",
                                value_at(rows, f"{operation}.each", 1000) * 1e-3))
    return Measured(claims, "words", "us", series)


def multigrid_s(start):
    """The seconds that one of the two programs of NAS MG writes."""
    return outside.rows(f"{PAPER}.21", start)[0][2]


def multigrid(nodes):
    """Figures 21 and 22: NAS MG beside MPI, on a node and between two."""
    def ways(run, name, ranks):
        """{title: how its seconds are measured} of a class."""
        arguments = ("--class", name, "--json")
        options = ["--nodes", ranks] if nodes else []
        return {"Armature": lambda: multigrid_s(lambda file: run.launch(ranks, "examples/mg", *arguments, file, options=options,
                                                                        timeout_s=200))} | {
            title: lambda library=library: multigrid_s(lambda file: run.twin(
                library, "mg", *arguments, file, ranks=ranks, over_tcp=nodes, timeout_s=200))
            for library, title in LIBRARIES.items()}

    def claim(name, title, found):
        return Claim(f"class {name}, 2 ranks: no slower than {title}, s", found["Armature"], "<=", found[title])

    def measure(run):
        series, missing, beside = {}, [], {}
        for name, numbers in ({"A": (1, 2), "B": (2,)} | ({"C": (2,)} if run.full else {})).items():
            for ranks in numbers:
                found = run.fastest_in_turn(1 if name == "C" else 2, ways(run, name, ranks), missing)
                for title, seconds in found.items():
                    series.setdefault(f"{title}, class {name}", []).append([ranks, seconds])
            if "Armature" not in found:
                raise NotMeasured(missing[-1])
            there = [(seconds, title) for title, seconds in found.items() if title != "Armature"]
            if there:
                beside[name] = (min(there)[1], found)
        if not beside:
            raise NotMeasured("; ".join(missing))
        series["Armature, class A, simulated clock"] = run.beyond(f"{PAPER}.21", lambda ranks: multigrid_s(
            lambda file: run.simulated(ranks, "examples/mg", "--class", "A", "--json", file)), missing)

        def again():
            pairs = {name: {one: ways(run, name, 2)[one] for one in ("Armature", title)} for name, (title, _) in beside.items()}
            return [claim(name, title, run.fastest_there_and_back(pairs[name])) for name, (title, _) in beside.items()]
        return Measured([claim(name, *one) for name, one in beside.items()], "ranks", "s", series, missing=missing, log="y",
                        again=again)
    return measure


def simulated_product(run, ranks):
    """Milliseconds with a vector get, by the simulated clock."""
    rows = outside.rows(f"{PAPER}.23", lambda file: run.simulated(
        ranks, "examples/sparse_matrix", *matrix_file(run), "--repeat", 3, "--json", file))
    return next(value for _, name, value in rows if name == "vector")


def matrix_file(run):
    return ["--matrix", run.matrix] if run.matrix else []


def product(run, figure, ranks):
    """{series: {x: ms}} of the product of the sparse matrix: a figure's rows, each rank a node."""
    def measure():
        found = outside.rows(figure, lambda file: run.launch(
            ranks, "examples/sparse_matrix", *matrix_file(run), "--json", file, options=["--nodes", ranks], timeout_s=90))
        for library, title in LIBRARIES.items():
            try:
                found += [(x, title, value) for x, _, value in outside.rows(figure, lambda file: run.twin(
                    library, "sparse_matrix", *matrix_file(run), "--json", file, ranks=ranks, over_tcp=True, timeout_s=30))]
            except NotMeasured:
                pass
        return {name: dict(points) for name, points in outside.series_of(found).items()}
    return run.kept(("sparse", figure, ranks), measure)


def matrix(run):
    """Figure 23."""
    series, claims = {}, []
    for ranks in (2, 4):
        rows = product(run, f"{PAPER}.23", ranks)
        for name, values in rows.items():
            series.setdefault(name, []).append([ranks, values[ranks]])
        claims.append(Claim(f"{ranks} ranks: a product takes at most half as long aggregated as one by one, ms",
                            rows["aggregated"][ranks], "<=", 0.5 * rows["one by one"][ranks]))
    missing = []
    series["vector, simulated clock"] = run.beyond(f"{PAPER}.23", lambda ranks: simulated_product(run, ranks), missing)
    return Measured(claims, "ranks", "ms of a product", series, missing=missing)


def communication(run):
    """Figure 24."""
    rows = product(run, f"{PAPER}.24", 4)
    claims = [Claim(f"rank {rank}: fetching takes at most half as long aggregated as one by one, ms", aggregated, "<=",
                    0.5 * rows["one by one"][rank]) for rank, aggregated in sorted(rows["aggregated"].items())]
    return Measured(claims, "rank", "ms of fetching",
                    {name: sorted([rank, value] for rank, value in values.items()) for name, values in rows.items()}, log="y")


NETWORK = "two nodes are pretended on this machine, over loopback; messages of MPI go over TCP, too."
FIGURES = [
    Figure(PAPER, "table-1", "Latency of put and get",
           "the machine with shared memory (Cray X1) has the lowest latency of both; on each network a put's is below a get's.",
           NETWORK + " So the kernel's network stack is most of each number, of MPI's, too, and none is compared with those printed. A put "
           "takes until it returns; beside it with its fence.",
           [("Myrinet", "put 12.8 us, get 17.8 us", "table 1"), ("Cray X1", "put 2.0 us, get 2.1 us", ""),
            ("Elan4", "put 2.45 us, get 4.56 us", ""), ("Infiniband", "put 7.4 us, get 16.0 us", "")], latencies),
    Figure(PAPER, "14", "Bandwidth over UCX", "put and get are very close to the native calls.",
           NETWORK + " Windows of eight transfers; UCX's own calls (ucp_put_nbx, ucp_get_nbx), too.",
           [("put and get", "close to VAPI", "figure 14")], bandwidth("UCX", "UCX", native_of("ucx"))),
    Figure(PAPER, "15", "Bandwidth over libfabric", "put and get are close to the native calls.",
           NETWORK + " Libfabric's own calls (fi_write, fi_read) are over the provider tcp;ofi_rxm. Put and get are made of "
           "them, as with a card (ARMATURE_NET_ONE_SIDED=on). Beside these are put and get by records, as Armature does them over TCP unasked.",
           [("put", "close to GM", "figure 15")],
           bandwidth(ONE_SIDED, "libfabric", native_of("fabric"), by_records="libfabric",
                     why="libfabric's own program polls at both sides; the target's rank sleeps here, and the network's "
                     "thread is woken for what comes")),
    Figure(PAPER, "16", "Bandwidth over the one-sided test engine",
           "put has little overhead over the native calls, and is ahead of MPI.",
           NETWORK + " The engine is one of tests: a thread of the initiator moves the bytes on the other core.",
           [("put", "close to Elan4's", "figure 16")],
           bandwidth("one-sided test engine", "the engine", native_of("card"), ahead_of_mpi=True)),
    Figure(PAPER, "17", "Bandwidth in a node's memory", "put and get are the machine's copy, and ahead of MPI.",
           "memory that two processes share, instead of the Cray X1's; the native call is memcpy, beside which one "
           "transfer at a time is measured.",
           [("get", "ahead of MPI at all sizes", "figure 17")], bandwidth(NODE, "memcpy", native_by_memcpy, ahead_of_mpi=True)),
    Figure(PAPER, "18", "Square sections, by one call and row by row", "one strided call is ahead of a call for each row.",
           NETWORK, [("2D", "ahead of 2D by 1D", "figure 18")], sections),
    Figure(PAPER, "19", "Communication hidden behind computation",
           "at least 90 % of a get can be overlapped, of long messages of MPI little.",
           NETWORK + " The computation takes thrice as long as the get, as the other core then has the work of both processes' networks; "
           "what the calls still take is counted. The test engine tells late of what it has done, as other networks do. Told at "
           "once, 1 MiB takes some 40 us here, no more than a copy; two calls are a fifth of that.",
           [("direct protocol", "more than 99 %", "6.1.2"), ("buffered protocol", "about 90 %", ""),
            ("MPI from 16 kB on", "little", "")], overlap),
    Figure(PAPER, "20", "Aggregated transfers of words",
           "aggregation is ahead of single transfers, and almost as fast as one vector.",
           NETWORK + " 1000 doubles, each third of an array.",
           [("aggregated", "almost as fast as a vector", "figure 20")], aggregation),
    Figure(PAPER, "21", "NAS MG on a node", "ahead of MPI by 14 to 27 %.", "2 processes of one node, not Infiniband.",
           [("class A", "14 to 25 % ahead", "figure 21"), ("class B", "14 to 27 % ahead", "")], multigrid(nodes=False)),
    Figure(PAPER, "22", "NAS MG between nodes", "ahead of MPI by 28 to 46 %.", NETWORK +
           " More ranks than cores: by the simulated clock.",
           [("class A", "28 to 46 % ahead", "figure 22"), ("class B", "30 to 45 % ahead", ""),
            ("class C", "30 to 40 % ahead", "")], multigrid(nodes=True)),
    Figure(PAPER, "23", "Sparse matrix times vector", "aggregation is ahead of single gets in all cases.",
           NETWORK + " Each rank is a node. The matrix is made, of the same size: a finite-element one of an elastic block; or --matrix FILE. "
           "The simulated clock charges each get of an aggregate as a message, so it shows a vector instead.",
           [("matrix", "41,092 rows, 1,683,902 entries", "6.2.2"), ("aggregated", "ahead in all cases", "")], matrix),
    Figure(PAPER, "24", "Communication of each rank", "on each processor aggregated requests take much less time.",
           NETWORK, [("32 processors", "much less on each", "figure 24")], communication)]
