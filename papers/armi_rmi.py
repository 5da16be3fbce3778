"""armi-rmi-2003: remote method invocation."""

from figures import Claim, Figure, Measured, NotMeasured, is_one_in_doubt
from running import LIBRARIES, need, rows_of, value_at
from shapes import best, microseconds, number_behind, points

PAPER = "armi-rmi-2003"


def invocation(run):
    """Table 1."""
    rows = run.bench("rmi", "rpc.self", "call.member", "call.virtual")
    net = run.kept("net.rpc", lambda: run.bench("net", "net.rpc", quick=True))
    ours = rows["rpc.self", 8]
    direct, through_pointer, call = ours["limit_ns"], rows["call.member", 8]["ns"], ours["ns"]
    return Measured(
        [Claim("a call through a pointer to member takes no more than twice a direct one, ns", through_pointer, "<=", 2 * direct),
         Claim("a remote call to oneself costs more than one through a pointer, ns", call, ">=", through_pointer),
         Claim("and a small part of a call to another node, ns", call, "<=", 0.05 * net["net.rpc", 0]["ns"])],
        table=[["way", "ns"], ["direct", direct], ["method pointer", through_pointer],
               ["virtual", rows["call.virtual", 8]["ns"]], ["Armature, to oneself", call],
               ["Armature, to another node and back", net["net.rpc", 0]["ns"]]])


def latency(run):
    """Table 2."""
    rows = run.bench("rmi", "rpc", "rpc.pingpong", "rpc.threads", "rpc.pingpong.threads", quick=True)
    net = run.kept("net.rpc", lambda: run.bench("net", "net.rpc", quick=True))["net.rpc", 0]
    on_node, over_tcp = run.messages("latency"), run.messages("latency", over_tcp=True)
    name, mpi_ns = best(over_tcp, "message", 8)
    explicit, sync = rows["rpc.threads", 0]["limit_ns"], rows["rpc.threads", 0]["ns"]
    table = [["transport", "explicit, us", "one-way there, one-way back, us", "two-way, us"],
             ["threads", explicit * 1e-3, rows["rpc.pingpong.threads", 0]["ns"] * 1e-3, sync * 1e-3],
             ["processes of a node", rows["rpc", 0]["limit_ns"] * 1e-3, rows["rpc.pingpong", 0]["ns"] * 1e-3,
              rows["rpc", 0]["ns"] * 1e-3],
             ["nodes, loopback TCP", net["limit_ns"] * 1e-3, "-", net["ns"] * 1e-3]]
    for where, found in (("of a node", on_node), ("over TCP", over_tcp)):
        table += [[f"{library}, processes {where}", 2 * value_at(one, "message", 8) * 1e-3, "-", "-"]
                  for library, one in found.items()]
    return Measured(
        [Claim("by threads: a two-way call is within 18/5 of a word there and back, ns", sync, "<=", 3.6 * explicit),
         Claim(f"between nodes: it is within 49/16 of {name} there and back over TCP, ns", net["ns"], "<=", 2 * mpi_ns * 49 / 16)],
        table=table)


def ping_series(run, nodes):
    options = ["--nodes", "2"] if nodes else []
    counts = [1, 2, 5, 10, 20, 50, 100, 1000, 10000]
    ours = rows_of(run.launch(2, "papers/pings", *counts, options=options, timeout_s=60))
    return {int(aggregation): rows for aggregation, rows in ours.items()}


def pings(run):
    """Figure 6."""
    ours, over_net = ping_series(run, nodes=False), ping_series(run, nodes=True)
    on_node, over_tcp = run.messages("pings"), run.messages("pings", over_tcp=True)
    claims = []
    for where, own, others in (("on a node", ours, on_node), ("between nodes", over_net, over_tcp)):
        name, ns = best(others, "pings", 10)
        claims.append(Claim(f"{where}, 10 pings and a pong take no longer than by {name}, us",
                            own[0][10] * 1e-3, "<=", ns * 1e-3))
    name, ns = best(over_tcp, "pings", 10000)
    claims.append(Claim(f"between nodes, 10,000 pings take at most a fifteenth of {name}'s time, us",
                        over_net[0][10000] * 1e-3, "<=", ns / 15 * 1e-3))
    optimum = min(rows[10000] for rows in over_net.values())
    claims.append(Claim("between nodes, aggregation by 4 takes longer than the best, us", over_net[4][10000] * 1e-3, ">=",
                        1.1 * optimum * 1e-3))
    last_us = 2048 * ours[0][10000] / 10000 * 1e-3
    claims.append(Claim("and so does aggregation by 2048, us", over_net[2048][10000] * 1e-3, ">=", 1.1 * optimum * 1e-3,
                        why=f"2,048 calls take {last_us:.2g} us on a node, and all 10,000 between nodes "
                        f"{over_net[2048][10000] * 1e-3:.0f} us: so little is left for the end, and the times beyond 16 are the same."))
    series = {f"between nodes, {aggregation or 'adaptive'}": points(rows, microseconds)
              for aggregation, rows in over_net.items()}
    series |= {f"on a node, {'adaptive' if aggregation == 0 else aggregation}": points(ours[aggregation], microseconds)
               for aggregation in (0, 256)}
    series |= {f"{name} over TCP": points(rows["pings"], microseconds) for name, rows in over_tcp.items()}
    series |= {f"{name} on a node": points(rows["pings"], microseconds) for name, rows in on_node.items()}
    return Measured(claims, "pings, then a pong", "us", series)


AGGREGATED = ("--aggregation", 256)  # as figures 7 and 8 have it


def sorting(run, numbers, times, claims_of, simulated):
    """Figures 7 and 8: seconds of each way and number of ranks, the fastest of so many runs, which take turns. So many
    numbers are sorted by the simulated clock, too. claims_of(seconds) returns the claims of {way: seconds} with 2 ranks
    and with 1."""
    printed = {}

    def ways(ranks):
        def calls(hosting, options):
            text = run.launch(ranks, "examples/sample_sort", "--n", numbers, options=[*AGGREGATED, *options], timeout_s=90)
            printed.setdefault((hosting, ranks), []).append(text)
            return number_behind("remote calls", text)

        def by_hand(library):
            return number_behind("seconds", run.mpi(library, "sample_sort.cpp", numbers, ranks=ranks, timeout_s=90))

        return {"calls, threads": lambda: calls("threads", ["--threads", ranks]),
                "calls, processes": lambda: calls("processes", [])} | {
            name: lambda library=library: by_hand(library) for library, name in LIBRARIES.items()}

    series, missing, found = {}, [], {}
    for ranks in (1, 2):
        found[ranks] = run.fastest_in_turn(times, ways(ranks), missing)
        for name, seconds in found[ranks].items():
            series.setdefault(name, []).append([ranks, seconds])
        for hosting in ("threads", "processes"):
            texts = printed.get((hosting, ranks))
            if texts:
                series.setdefault(f"calls of 512 numbers, {hosting}", []).append(
                    [ranks, min(number_behind("calls of blocks", one) for one in texts)])
    series[f"calls, {simulated:,} by the simulated clock"] = run.beyond(("sorting", simulated), lambda ranks: number_behind(
        "remote calls", run.simulated(ranks, "examples/sample_sort", "--n", simulated, options=AGGREGATED)), missing)
    library = fastest_mpi(found[2])
    for seconds in found.values():
        need(seconds, "calls, threads", "calls, processes")

    first = claims_of(found[2], found[1], library)

    def again():
        of_two = ways(2)
        of_one = {f"1, {name}": measure for name, measure in ways(1).items()
                  if is_one_in_doubt(first, claims_of(found[2], None, library)) and name == "calls, threads"}
        seconds = run.fastest_there_and_back(
            {name: of_two[name] for name in ("calls, threads", "calls, processes", library)} | of_one)
        return claims_of(seconds, {name.removeprefix("1, "): seconds[name] for name in of_one} or None, library)
    return Measured(first, "ranks", "s", series, missing=missing, again=again)


def fastest_mpi(seconds):
    """The library, of those in {way: seconds}, that is the fastest."""
    there = [(seconds[name], name) for name in LIBRARIES.values() if name in seconds]
    if not there:
        raise NotMeasured("no MPI library is there")
    return min(there)[1]


def sorting_few(run):
    def claims(two, one, library):
        return [Claim(f"2 ranks, a call for each number, threads: no slower than {library} by hand, s", two["calls, threads"],
                      "<=", two[library]),
                Claim("threads are no slower than processes, s", two["calls, threads"], "<=", two["calls, processes"]),
                one and Claim("2 ranks are faster than 1, s", two["calls, threads"], "<=", one["calls, threads"])]
    return sorting(run, 1_000_000, 5, claims, simulated=200_000)


def sorting_many(run):
    def claims(two, _one, library):
        return [Claim("threads are no slower than processes, s", two["calls, threads"], "<=", two["calls, processes"]),
                Claim(f"{library} by hand is ahead of calls for each number, s", two[library], "<=", two["calls, processes"],
                      why="a call for each number takes some nanoseconds today, no more than a number takes to be copied into "
                      "the one message: both ways take the time of the sorting.")]
    return sorting(run, 50_000_000 if run.full else 10_000_000, 2, claims, simulated=1_000_000)


AGGREGATIONS = ("1", "25", "50", "75", "100", "adaptive")


def searches(printed):
    """{aggregation: (seconds, iterations, calls)} of the table that examples/scc prints."""
    rows = (line.split() for line in printed.splitlines())
    return {words[0]: (float(words[3]) * 1e-3, int(words[1]), int(words[2].replace(",", "")))
            for words in rows if len(words) == 5 and words[0] in AGGREGATIONS}


def per_call(found, name):
    seconds, _, calls = found[name]
    return f"{'one by one' if name == '1' else f'{name} together'} {calls / 1e6:.0f} million calls of {seconds / calls * 1e9:.1f} ns"


MESHES = ["examples/scc", "--input", "meshes", "--svg", "/dev/null"]


# Where figure 9 is claimed, of 2 ranks: options, how often each aggregation is timed, and why none is ahead there.
PLACES = {"on a node": ([], 3, "a call is a store into memory that both share, published one by one or together"),
          "between nodes": (["--nodes", "2"], 2, "calls travel in packets of many in any case, however often they are published")}
CLAIMED = ("1", "25", "50", "75", "100")


def searched(run, where, ranks, aggregations, repeat, options):
    """A run has all aggregations, which take turns in it."""
    found = searches(run.launch(ranks, *MESHES, "--aggregation", ",".join(aggregations), "--repeat", repeat, options=options,
                                timeout_s=150))
    for name in aggregations:
        if name not in found:
            raise NotMeasured(f"there is no time of aggregation {name} {where}")
    return found


def inner_optimum(where, found):
    seconds = lambda name: found[name][0]
    outer, inner = min("1", "100", key=seconds), min("25", "50", "75", key=seconds)
    return Claim(f"{where}, one by one and 100 together take a tenth longer than the best of 25, 50 and 75, s",
                 seconds(outer), ">=", 1.1 * seconds(inner),
                 why=f"{PLACES[where][2]}. Measured: {', '.join(per_call(found, name) for name in ('1', inner, '100'))}. Calls are "
                 "more where they are held back: who hears late of a louder vertex has told others of the last one")


def components(run):
    """Figure 9: on a node, and between two."""
    series, missing, at = {}, [], {}
    table = [["where", "ranks", "aggregation", "s", "iterations", "calls", "ns a call"]]
    for where, ranks, repeat, options in (("on a node", 1, 1, []),
                                          *((where, 2, repeat, options) for where, (options, repeat, _) in PLACES.items())):
        at[where] = found = searched(run, where, ranks, AGGREGATIONS, repeat, options)  # at last of 2 ranks
        for name in AGGREGATIONS:
            seconds, iterations, calls = found[name]
            series.setdefault(f"{where}, {name}", []).append([ranks, seconds])
            table.append([where, ranks, name, seconds, iterations, calls, seconds / calls * 1e9])
    # Without aggregation each of a hundred million calls would be a message.
    series["75, simulated clock"] = run.beyond(f"{PAPER}.9", lambda ranks: searches(run.simulated(
        ranks, *MESHES, "--aggregation", "75", "--repeat", 1))["75"][0], missing)

    def again():
        return [inner_optimum(where, searched(run, where, 2, CLAIMED, 1, options)) for where, (options, _, _) in PLACES.items()]
    return Measured([inner_optimum(where, at[where]) for where in PLACES], "ranks", "s", series, table, missing=missing, log="y",
                    again=again)


THREADS = "threads of a node's process"


def jacobi(run):
    """Figure 10."""
    side = {1: 500, 2: 707, 4: 1000}
    series, missing, found = {}, [], {}

    def ways(ranks):
        nodes = ["--nodes", "2"] if ranks == 4 else []

        def by_calls(*more):
            return number_behind("by calls:", run.launch(ranks, "examples/jacobi", "--n", side[ranks], "--steps", 200, "--by",
                                                         "calls", options=[*nodes, *more]))

        def by_hand(library):
            return number_behind("seconds", run.mpi(library, "jacobi.c", side[ranks], 200, ranks=ranks))

        return {"processes": by_calls} | ({THREADS: lambda: by_calls("--threads", 2)} if ranks > 1 else {}) | {
            name: lambda library=library: by_hand(library) for library, name in LIBRARIES.items()
            if ranks < 4 or library == "openmpi"}

    def claims(two, library):
        return [Claim("2 ranks: threads of a process are no slower than processes, s", two[THREADS], "<=", two["processes"]),
                Claim(f"and processes remain within 1.25 of {library} by hand, s", two["processes"], "<=", 1.25 * two[library])]

    for ranks in (1, 2, 4):
        found[ranks] = run.fastest_in_turn(5, ways(ranks), missing)
        for name, seconds in found[ranks].items():
            series.setdefault(name, []).append([ranks, seconds])
    series["by the simulated clock"] = run.beyond(f"{PAPER}.10", lambda ranks: number_behind("by calls:", run.simulated(
        ranks, "examples/jacobi", "--n", round(500 * ranks ** 0.5), "--steps", 200, "--by", "calls")), missing)
    library = fastest_mpi(found[2])
    need(found[2], "processes", THREADS)

    def again():
        of_two = ways(2)
        return claims(run.fastest_there_and_back({name: of_two[name] for name in ("processes", THREADS, library)}), library)
    return Measured(claims(found[2], library), "ranks", "s", series, missing=missing, again=again)


FIGURES = [
    Figure(PAPER, "table-1", "Overhead of method invocation",
           "a pointer to a method takes twice a direct call, ARMI more; both are a small part of the latency.",
           "the processor; the compiler may not inline the methods either. ARMI's call is Armature's statement to oneself.",
           [("direct", "65, 12, 8, 60 ns", "V2200, O3800, Regatta, RS6000"),
            ("method pointer", "132, 26, 14, 121 ns", "the same"), ("ARMI", "933, 325, 197, 842 ns", "the same")], invocation),
    Figure(PAPER, "table-2", "Latency of explicit communication and ARMI",
           "ARMI takes longer than explicit communication, by at most 21/5 with threads and 49/16 with MPI.",
           "processes and thread ranks of one node; between nodes loopback TCP. A round trip, as in the paper.",
           [("threads, V2200", "explicit 5 us, ARMI 21/18 us", "one-way/two-way"),
            ("MPI, V2200", "explicit 16 us, ARMI 45/49 us", ""), ("MPI, O3800", "explicit 13 us, ARMI 15/16 us", ""),
            ("MPI, Regatta", "explicit 6 us, ARMI 10/11 us", ""), ("MPI, RS6000", "explicit 29 us, ARMI 66/71 us", "")], latency),
    Figure(PAPER, "6", "Many pings, one pong",
           "ARMI is faster after 10 pings, 15 times after 10,000; of the aggregation factors an inner one is best (256).",
           "on a node by shared memory, and between two nodes by loopback TCP, each beside both MPI libraries.",
           [("ARMI ahead from", "10 pings", "5.2"), ("after 10,000 pings", "15 times", "5.2"),
            ("best aggregation", "256 of 4 to 2048", "5.2")], pings),
    Figure(PAPER, "7", "Sorting a million numbers",
           "with a call for each number and an aggregation factor of 256, threads are ahead of hand-written MPI.",
           "2 cores instead of 16, more by the simulated clock. The MPI program is ours, with one exchange of all.",
           [("threads", "ahead of MPI on 2 to 16 processors", "figure 7, Regatta")], sorting_few),
    Figure(PAPER, "8", "Sorting 50 million numbers",
           "threads stay ahead of ARMI over MPI; hand-written MPI is ahead of ARMI.",
           "10 million numbers, with --full 50 million; 2 cores instead of 16.",
           [("threads", "ahead of ARMI over MPI", "figure 8, Regatta"), ("MPI", "ahead of ARMI", "")], sorting_many),
    Figure(PAPER, "9", "Strongly connected components by aggregation",
           "no aggregation is slow, and so is too much (100): an inner optimum (75).",
           "the meshes are made: 10 of 10,000 vertices and 30,000 edges, 338 components in all. Beside 2 processes of a node "
           "stand 2 nodes over loopback TCP, as a call between the V2200's processors took longer than one between nodes does today.",
           [("best aggregation", "75 of 1, 25, 50, 75, 100", "figure 9, V2200")], components),
    Figure(PAPER, "10", "Jacobi iteration, processes and threads",
           "threads of a process are slightly ahead of processes, and both remain comparable to MPI.",
           "the matrix has 500 x 500 points a rank, but is square. 4 ranks are 2 nodes that share 2 cores. "
           "More: by the simulated clock.",
           [("mixed mode", "slightly ahead of MPI", "figure 10, RS6000")], jacobi)]
