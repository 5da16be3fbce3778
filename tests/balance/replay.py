"""`armature balance --replay FILE`: what it says of what programs have recorded, and of files that are none.

    replay.py ARMATURE RECORDING CASE
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
from harness import Failed, expect  # noqa: E402

ARMATURE, RECORDING, CASE = sys.argv[1:4]
STRATEGIES = ["none", "greedy", "refine", "communication", "hierarchical", "distributed", "chosen"]
Row = collections.namedtuple("Row", "share most mean moved cut")


def armature(*words):
    command = [ARMATURE, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)


def replay(file, *words):
    """What the first line says, and the rows by strategy."""
    done = armature("balance", "--replay", file, *words)
    expect(done.returncode == 0, f"exit status {done.returncode}: {done.stdout}{done.stderr}")
    head, columns, *lines = done.stdout.splitlines()
    expect(columns.split() == ["strategy", "of", "ideal", "most_s", "mean_s", "moved", "cut"], columns)
    rows = {}
    for line in lines:
        name, share, _, *numbers = line.split()
        rows[name] = Row(float(share), *map(float, numbers))
    return head, rows


def recorded(folder, what, *options):
    """A program's record: the file, and its lines by their first word."""
    file = pathlib.Path(folder, "recorded")
    done = armature("run", *options, "--timeout", 100, RECORDING, what, file)
    expect(done.returncode == 0, f"exit status {done.returncode}: {done.stdout}{done.stderr}")
    lines = collections.defaultdict(list)
    for line in file.read_text().splitlines():
        kind, *numbers = line.split()
        lines[kind].append([float(number) for number in numbers])
    return file, lines


def expect_rows(rows, lines):
    """Of each strategy one that fits what was recorded; that of `none` is nothing else."""
    expect(list(rows) == STRATEGIES, f"strategies: {list(rows)}")
    places = int(lines["places"][0][0])
    speeds = lines["speeds"][0] if lines["speeds"] else [1] * places
    all_loads = sum(load for load, _ in lines["item"])
    loads = [sum(load for load, at in lines["item"] if at == place) / speeds[place] for place in range(places)]
    at = [int(place) for _, place in lines["item"]]
    cut = sum(weight for a, b, weight in lines["link"] if at[int(a)] != at[int(b)])

    def close(value, printed):
        return abs(value - printed) <= 1e-3 * abs(value) + 1e-12
    for name, row in rows.items():
        expect(close(all_loads / sum(speeds), row.mean), f"{name}: a mean of {row.mean}, not {all_loads / sum(speeds)}")
        expect(abs(row.share - 100 * row.mean / row.most) < 0.2 and row.share <= 100, f"{name}: {row}")
        expect(0 <= row.moved <= len(at), f"{name}: {row}")
    none = rows["none"]
    expect(none.moved == 0 and none.cut == cut and close(max(loads), none.most), f"none: {none}, {loads}, {cut}")


def elements(folder):
    file, lines = recorded(folder, "elements", "-n", 2)
    expect(len(lines["item"]) == 12 and len(lines["link"]) == 12, str(lines))
    head, rows = replay(file)
    expect(head == "12 items, 12 links, 2 places", head)
    expect_rows(rows, lines)
    expect(rows["none"].cut == 2, f"a ring in two blocks: {rows['none']}")
    head, rows = replay(file, "--places", 5, "--strategy", "greedy", "--strategy", "refine")
    expect(head == "12 items, 12 links, 5 places" and list(rows) == ["greedy", "refine"], f"{head} {rows}")


def ranks(folder):
    file, lines = recorded(folder, "ranks", "-n", 6, "--virtual", "--no-globals-note", "--processes", 3)
    head, rows = replay(file)
    expect(head == "6 items, 0 links, 3 places", head)
    expect_rows(rows, lines)


def by_hand(folder):
    file = pathlib.Path(folder, "by_hand")
    file.write_text("# all at one place\nplaces 2\nitem 1 0\nitem 2 0\nitem 1 0\nlink 0 1 3\n")
    _, rows = replay(file)
    expect(rows["none"] == Row(50, 4, 2, 0, 0), str(rows["none"]))
    for name in ("greedy", "refine", "hierarchical", "chosen"):
        expect(rows[name][:3] == (100, 2, 2), f"{name}: {rows[name]}")
    expect(rows["communication"].cut == 0, str(rows["communication"]))


def refusals(folder):
    file = pathlib.Path(folder, "damaged")

    def refused(pattern, *words, status=1):
        done = armature("balance", *words)
        expect(done.returncode == status, f"{words}: exit status {done.returncode}: {done.stdout}{done.stderr}")
        expect(re.search(pattern, done.stderr), f"{words}: not in the output: {pattern}\n{done.stderr}")
        expect(done.stderr.count("armature") <= 2 and "terminate" not in done.stderr, done.stderr)
    for text, pattern in {
        "places 2\nitem 1 0\nnonsense\n": "damaged, line 3, makes no sense: nonsense",
        "places 2\nitem 1\n": "damaged, line 2, makes no sense: item 1",
        "places 2\nitem 1 0 0\n": "damaged, line 2, makes no sense",
        "places 2\nitem nan 0\n": "damaged, line 2, makes no sense",
        "places 2\nitem 1 2\n": "damaged: .*load of 1 at place 2 of 2",
        "places 2\nitem -1 0\n": "damaged: .*load of -1 at place 0",
        "places 2\nitem 1 0\nlink 0 1 1\n": "damaged: .*link between items 0 and 1 of 1",
        "places 2\nitem 1 0\nlink 0 0 -1\n": "damaged, line 3, makes no sense: link 0 0 -1",
        "places 2\ngroups 0 99999999999 1\n": "damaged, line 2, makes no sense",
        "places 2\nitem 1e308 0\nitem 1e308 0\n": "damaged: .*no sum",
        "places 2\ngroups 0\n": "damaged: .*2 places, and groups of 1",
        "item 1 0\n": "damaged: .*0 places",
        "places 2000000000\nitem 1 0\n": "damaged has 2000000000 places, and strategies can be tried on 4096",
        "": "damaged: .*0 places",
    }.items():
        file.write_text(text)
        refused(pattern, "--replay", file)
    refused(r"no-such-file cannot be read", "--replay", pathlib.Path(folder, "no-such-file"))
    refused(rf"{re.escape(folder)} cannot be read", "--replay", folder)
    file.write_text("places 1\nitem 1 0\n")
    refused(r"no strategy 'best'; there are " + ", ".join(STRATEGIES), "--replay", file, "--strategy", "best")
    refused(r"--places.* 4096", "--replay", file, "--places", 4097, status=2)
    refused(r"--replay is required", status=2)


try:
    with tempfile.TemporaryDirectory() as scratch:
        {"elements": elements, "ranks": ranks, "by_hand": by_hand, "refusals": refusals}[CASE](scratch)
except Failed as failure:
    sys.exit(f"{CASE}: {failure}")
