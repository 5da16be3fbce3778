"""rows.py ARMATURE SUITE: `ARMATURE bench SUITE --quick --json F` writes a row for every operation and size."""

import json
import pathlib
import subprocess
import sys
import tempfile

TRANSFERS = [8, 64, 4096, 65536, 1 << 20, 16 << 20]
PATCHES = [8 * n * n for n in (1, 8, 64, 256, 512)]
ACCUMULATES = [8, 4096, 524288, 8388608]
ALLOCATIONS = [64, 4096, 65536, 1 << 20, 16 << 20, 64 << 20]
LONG_COLLECTIVES = ["broadcast", "scatter", "gather", "alltoall"]
VOLUMES = [65536, 1 << 20, 16 << 20]
COLLECTIVES = [*LONG_COLLECTIVES, "reduce", "allreduce", "scan", "allgather"]
RMA = {
    **{f"{op}.p{ranks}{kind}": VOLUMES for op in LONG_COLLECTIVES for ranks in (2, 8) for kind in ("", ".private")},
    **{op: ALLOCATIONS for op in ("allocate", "allocate.group", "allocate.local", "allocate.local.zeros")},
    **{f"{op}.best{form}": TRANSFERS[2:] for op in ("put", "get") for form in ("", ".skewed")},
    "put": TRANSFERS, "get": TRANSFERS, "put.bw": TRANSFERS, "get.bw": TRANSFERS,
    "put.pingpong": [8], "wait.value": [8], "wait.value.asleep": [8], "put2d": PATCHES, "get2d": PATCHES,
    "gather": [8000], "gather.strided": [8000], "gather.aggregate": [8000],
    "acc": ACCUMULATES, "acc.contended": [4096, 8388608],
    "fadd": [8], "fadd.contended": [8], "lock": [8], "lock.contended": [8], "nbput1000": [8],
    "put.threads2": [8],
    "put.busy": [8, 65536], "get.busy": [8, 65536], "acc.busy": [8, 65536], "fadd.busy": [8],
    "lock.busy": [8], "put2d.busy": [32768], "barrier.p2": [0], "barrier.p8": [0],
    "start.1": [0], "start.64": [0],
}
WORDS = ["histogram.add", "histogram.rpc", "histogram.rpc.agg256",
         "index_gather.get", "index_gather.rpc", "index_gather.rpc.agg256",
         "gups.get_put", "gups.xor", "gups.rpc", "gups.rpc.agg256"]
RMI = {
    "rpc": [0], "rpc.pingpong": [0], "rpc.oneway": [0, 8], "rpc.alternate": [8], "fence.p2": [0],
    "rpc.threads": [0], "rpc.pingpong.threads": [0], "rpc.oneway.threads": [0, 8],
    "rpc.alternate.threads": [8], "fence.p2.threads": [0], "rpc.p8": [0], "fence.p8": [0], "rpc.concurrent": [0],
    "rpc.self": [8], "call.member": [8], "call.virtual": [8],
    **{f"rpc.oneway.agg{2 ** k}": [8] for k in range(12)}, **{op: [8] for op in WORDS},
}
NET = {
    **{f"net.{op}{kind}": VOLUMES for op in LONG_COLLECTIVES for kind in ("", ".private")},
    "net.put": [8, 1 << 20], "net.get": [8, 1 << 20], "net.acc": [8, 4096], "net.fadd": [8],
    "net.rpc": [0], "net.put2d": [32768, 2 << 20], "net.get2d": [32768, 2 << 20],
    "ucx.put": [8, 1 << 20], "ucx.get": [8, 1 << 20], "ucx.am": [8],
    "net.compute": [8], "net.compute.tcp": [8], "net.overlap": [1 << 20],
    "net.overlap.twice": [1 << 20], "net.overlap.tcp": [1 << 20],
    "net.put.crowded": [8], "net.fadd.crowded": [8], "net.rpc.crowded": [0],
}
LONG = [4096, 65536]
SHMEM = {"put.value": [8], "get.value": [8], "put": [8, 4096, 1 << 20], "get": [8, 4096, 1 << 20], "fadd": [8],
         "nbput1000": [8], "put_signal.pingpong": [8], "barrier": [0], "sync": [0]}
# Suite -> (rows that have a limit, rows that have none, where the size is None when it is measured).
SUITES = {
    "rma": (RMA, {"allreduce8.p2": [0], "allreduce8.p8": [0], "rss": [None], "rss.64": [None]}),
    "virtual": ({"yield": [0], "rpc": [0], "checkpoint": [32 << 20], "restart": [32 << 20],
                 "globals.copy": [0, 1 << 20], "globals.switch": [0, 256], "globals.migrate": [1 << 20],
                 "globals.start.1000": [0],
                 "hotspot": [0], "hotspot.balanced": [0], "lu": [0], "mg": [0], "jacobi": [0],
                 **{f"{program}.far{each}": [0] for program in ("lu", "mg", "jacobi") for each in (1, 8, 16)}},
                {"recovery": [16 << 20], "rpc.oneway": [8], "migrate": [1 << 10, 1 << 20, 1 << 30]}),
    "net": (NET, {"net.rpc.oneway": [8], "net.nbput1000": [8], "net.nbget1000": [8],
                  **{f"net.{op}.busy": [8] for op in ("put", "get", "acc", "fadd")}}),
    "collectives": ({}, {f"{op}.{ranks}": sizes for ranks in ("p2", "p8") for op, sizes in (
        ("barrier", [0]), *((op, [8, 65536, 1 << 20]) for op in COLLECTIVES))}),
    "arrays": ({"remap.p2": [8 * n * n for n in (128, 256, 512, 1024, 2048, 4096)], "ghosts.p2": [6 * 128 * 128 * 8],
                "multiply.p2": [8 << 22], "lu.p2": [8 << 20], "triad.p2": [8 << 23],
                "section.nodes2": [32768, 8 << 16, 8 << 18]},
               {**{f"transpose{kind}.p2": [8 * n * n for n in (128, 256, 512, 1024, 2048, 4096)]
                   for kind in ("", ".alike")},
                **{f"patch.{verb}{kind}.p2": [512, 32768, 2 << 20] for verb in ("put", "get", "acc")
                   for kind in ("", ".of2")},
                "construct.p2": [8 * n * n for n in (64, 256, 1024)], "read_increment.p2": [8]}),
    "tasks": ({"cholesky.p2": [0], "smith_waterman.p2": [0], "stealing.p2": [0], "sort.p2": [800_000],
               **{op: [8] for op in WORDS if ".rpc" in op}},
              {"empty.p2": [0], **{f"metg_{pattern}.p2": [0] for pattern in (
                  "trivial", "stencil", "fft", "tree", "random", "spread")}}),
    "scale": ({}, {f"{op}.{ranks}": [size] for op, size in (("start", None), ("halo", 4096), ("barrier", 0), ("allreduce", 8))
                   for ranks in ("p2", "p4", "p8", "p16", "p32", "v4", "v10", "v100", "v1000")}),
    "predict": ({f"{op}.p{ranks}": [0] for op in ("halo", "allreduce", "alltoall", "hotspot")
                 for ranks in (2, 4, 8, 16)}, {}),
    "balance": ({op: [0] for op in ("foreign", "foreign.stealing", "foreign.rebalanced", "stencil.before",
                                    "stencil.after", "distributed", "distributed.known", "hotspot.before",
                                    "hotspot.after")}, {}),
    "shmem": (SHMEM, {op: [8, 1 << 20] for op in ("sum_reduce", "broadcast", "collect", "fcollect")}),
    "rmi": (RMI, {"rpc.bytes": LONG, "rpc.bytes.threads": LONG}),
}


def expect(good, what):
    if not good:
        sys.exit(f"rows.py: {what}")


def check_row(row):
    expect(set(row) - {"aim_ns"} == {"op", "bytes", "ns", "limit_ns", "ratio"}, f"unexpected fields: {row}")
    expect(row["ns"] > 0, f"no time: {row}")
    if row["limit_ns"] is None:
        expect(row["ratio"] is None, f"a ratio to nothing: {row}")
    else:
        expect(row["limit_ns"] > 0, f"no limit: {row}")
        expect(abs(row["ratio"] * row["limit_ns"] / row["ns"] - 1) < 1e-6, f"wrong ratio: {row}")


def check_peer(armature):
    """A command's lines are beside the rows of the same run; one without lines is named."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "rows.json")
        command = [armature, "bench", "shmem", "--quick", "--only", "put", "--json", path, "--peer"]
        lines = r"printf 'slow\tput\t8\t900\nother\tput\t8\t700.5\nother\tget\t8\t1\n'"
        table = subprocess.run([*command, lines], check=True, stdout=subprocess.PIPE, text=True).stdout
        row = next(row for row in json.loads(path.read_text()) if (row["op"], row["bytes"]) == ("put", 8))
        expect((row["peer"], row["peer_ns"]) == ("other", 700.5) and "other" in table, f"not the best peer: {row}")
        failed = subprocess.run([*command, "echo nothing here"], stderr=subprocess.PIPE, text=True)
        expect(failed.returncode != 0 and "echo nothing here" in failed.stderr, f"not named: {failed.stderr}")


def main():
    armature, suite = sys.argv[1:]
    with_limit, without_limit = SUITES[suite]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "rows.json")
        options = ["--nodes", "2"] if suite == "net" else []
        table = subprocess.run([armature, "bench", suite, "--quick", "--json", path, *options], check=True,
                               stdout=subprocess.PIPE, text=True).stdout
        rows = json.loads(path.read_text())
    if suite == "shmem":
        check_peer(armature)
    for row in rows:
        check_row(row)
        expect(f"\n{row['op']} " in table, f"not in the table: {row}")
    found = {(row["op"], row["bytes"]): row for row in rows}
    expect(len(found) == len(rows), "a row appears twice")
    for op, sizes in with_limit.items():
        for size in sizes:
            expect((op, size) in found, f"no row of {op} with {size} bytes")
            expect(found[op, size]["limit_ns"] is not None, f"{op} with {size} bytes has no limit")
    for op, sizes in without_limit.items():
        for size in sizes:
            expect(any(row["op"] == op and size in (None, row["bytes"]) for row in rows), f"no row of {op} with {size} bytes")
    print(f"{len(rows)} rows")


if __name__ == "__main__":
    main()
