"""rows.py ARMATURE: `ARMATURE bench rma --quick --json F` writes a row for every operation and size."""

import json
import pathlib
import subprocess
import sys
import tempfile

TRANSFERS = [8, 64, 4096, 65536, 1 << 20, 16 << 20]
PATCHES = [8 * n * n for n in (1, 8, 64, 256, 512)]
ACCUMULATES = [8, 4096, 524288, 8388608]
WITH_LIMIT = {
    "put": TRANSFERS, "get": TRANSFERS, "put.bw": TRANSFERS, "get.bw": TRANSFERS,
    "put.pingpong": [8], "put2d": PATCHES, "get2d": PATCHES,
    "gather": [8000], "gather.strided": [8000], "gather.aggregate": [8000],
    "acc": ACCUMULATES, "acc.contended": [4096, 8388608],
    "fadd": [8], "fadd.contended": [8], "lock": [8], "lock.contended": [8], "nbput1000": [8],
    "put.busy": [8, 65536], "get.busy": [8, 65536], "acc.busy": [8, 65536], "fadd.busy": [8],
    "lock.busy": [8], "put2d.busy": [32768], "barrier.p2": [0], "barrier.p8": [0],
    "start.1": [0], "start.64": [0],
}
WITHOUT_LIMIT = ["allreduce8.p2", "allreduce8.p8"]


def expect(good, what):
    if not good:
        sys.exit(f"rows.py: {what}")


def check_row(row):
    expect(set(row) == {"op", "bytes", "ns", "limit_ns", "ratio"}, f"unexpected fields: {row}")
    expect(row["ns"] > 0, f"no time: {row}")
    if row["limit_ns"] is None:
        expect(row["ratio"] is None, f"a ratio to nothing: {row}")
    else:
        expect(row["limit_ns"] > 0, f"no limit: {row}")
        expect(abs(row["ratio"] * row["limit_ns"] / row["ns"] - 1) < 1e-6, f"wrong ratio: {row}")


def main():
    armature = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "rows.json")
        table = subprocess.run([armature, "bench", "rma", "--quick", "--json", path], check=True,
                               stdout=subprocess.PIPE, text=True).stdout
        rows = json.loads(path.read_text())
    for row in rows:
        check_row(row)
        expect(f"\n{row['op']} " in table, f"not in the table: {row}")
    found = {(row["op"], row["bytes"]): row for row in rows}
    expect(len(found) == len(rows), "a row appears twice")
    for op, sizes in WITH_LIMIT.items():
        for size in sizes:
            expect((op, size) in found, f"no row of {op} with {size} bytes")
            expect(found[op, size]["limit_ns"] is not None, f"{op} with {size} bytes has no limit")
    for op in WITHOUT_LIMIT:
        expect((op, 0) in found, f"no row of {op}")
    for op in ("rss", "rss.64"):
        expect(any(row["op"] == op for row in rows), f"no row of {op}")
    print(f"{len(rows)} rows")


if __name__ == "__main__":
    main()
