"""What `armature run --trace FILE` writes.

    trace.py ARMATURE MOVING BALANCE CASE
"""

import bisect
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
from harness import expect, perform_case  # noqa: E402

ARMATURE, MOVING, BALANCE, CASE = sys.argv[1:5]
VIRTUAL = ["--virtual", "--no-globals-note", "--processes", 2]


def traced(status, options, *program):
    """The events, times in ns, and what was said."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "trace.json")
        words = [ARMATURE, "run", *options, "--timeout", 40, "--trace", path, *program]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        expect(done.returncode == status, f"exit status {done.returncode}: {done.stdout}{done.stderr}")
        events = json.loads(path.read_text())["traceEvents"]
    for event in events:
        for time in {"ts", "dur"} & event.keys():
            event[time] = round(event[time] * 1000)
    return events, done.stderr


def tracks(events):
    """The spans of each rank in each process, in the order of their beginnings."""
    found = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            found[event["pid"], event["tid"]].append(event)
    for spans in found.values():
        spans.sort(key=lambda span: (span["ts"], -span["dur"]))
    return found


def check_nesting(events):
    for track, spans in tracks(events).items():
        around = []
        for span in spans:
            end = span["ts"] + span["dur"]
            while around and around[-1] <= span["ts"]:
                around.pop()
            expect(not around or end <= around[-1], f"{track}: {span} ends after what it lies in: {around}")
            around.append(end)


def check_turns(events):
    """A process runs one rank at a time, and a rank is in one process at a time."""
    turns = [event for event in events if event["ph"] == "X" and event["name"] == "turn"]
    for what in ("pid", "tid"):
        last = {}
        for turn in sorted(turns, key=lambda turn: turn["ts"]):
            expect(turn["ts"] >= last.get(turn[what], 0), f"two turns at a time of one {what}: {turn}")
            last[turn[what]] = turn["ts"] + turn["dur"]
    return turns


def arrows(events):
    """Pairs of ends; each must lie in a span of its rank, and time not go backwards."""
    ends = {"s": {}, "f": {}}
    for event in events:
        if event["ph"] in ends:
            expect(event["id"] not in ends[event["ph"]], f"two ends of one arrow: {event}")
            ends[event["ph"]][event["id"]] = event
    expect(ends["s"].keys() == ends["f"].keys(), "an arrow with one end")
    spans = {track: [s for s in all_of if not s["name"].startswith("moves")] for track, all_of in tracks(events).items()}
    begins = {track: [span["ts"] for span in all_of] for track, all_of in spans.items()}
    for end in [*ends["s"].values(), *ends["f"].values()]:
        track = end["pid"], end["tid"]
        at = bisect.bisect_right(begins[track], end["ts"])
        expect(any(span["ts"] + span["dur"] >= end["ts"] for span in spans[track][max(at - 50, 0):at] + spans[track][:1]),
               f"an arrow's end outside of all spans: {end}")
    pairs = [(start, ends["f"][number]) for number, start in ends["s"].items()]
    for start, end in pairs:
        expect(start["ts"] <= end["ts"], f"an arrow into the past: {start} {end}")
    return pairs


def check_moves(events, turns):
    moves = [event for event in events if event["ph"] == "X" and event["name"].startswith("moves to process")]
    expect(moves, "no rank has moved")
    for move in moves:
        there = int(move["name"].split()[-1])
        expect(there == 1 - move["pid"], f"moves to where it is: {move}")
        # Where it is next is where it has gone to.
        after = [t for t in turns if t["tid"] == move["tid"] and t["ts"] >= move["ts"] + move["dur"]]
        expect(not after or min(after, key=lambda t: t["ts"])["pid"] == there, f"is elsewhere after {move}")


def test_ranks_that_move():
    events, said = traced(0, ["-n", 8, *VIRTUAL], MOVING, 100)
    expect("before had no room" not in said, said)
    check_nesting(events)
    turns = check_turns(events)
    expect({turn["tid"] for turn in turns} == set(range(8)), "each rank has turns")
    calls = arrows(events)
    expect(len(calls) > 50 and any(start["tid"] != end["tid"] for start, end in calls), f"{len(calls)} calls")
    check_moves(events, turns)


def test_ranks_that_change_nodes():
    events, _ = traced(0, ["-n", 6, *VIRTUAL, "--nodes", 2], pathlib.Path(MOVING).parent / "virtual_changing_nodes", "work", 5)
    check_nesting(events)
    check_moves(events, check_turns(events))


def test_ranks_that_are_given_away():
    events, _ = traced(0, ["-n", 8, *VIRTUAL, "--balance"], BALANCE)
    check_nesting(events)
    check_turns(events)
    given = [event for event in events if event["ph"] == "i" and event["name"].startswith("balancing gives rank")]
    moves = [event for event in events if event["ph"] == "X" and event["name"].startswith("moves")]
    expect(given, "nothing was balanced")
    for event in given:
        rank, process = map(int, re.search(r"gives rank (\d+) to process (\d+),", event["name"]).groups())
        expect(any(move["tid"] == rank and move["pid"] == event["pid"] and move["name"] == f"moves to process {process}" and
                   move["ts"] >= event["ts"] for move in moves), f"nobody went: {event}")


def test_ranks_that_are_processes():
    for options in (["-n", 2], ["-n", 4, "--threads", 2]):
        events, _ = traced(0, options, pathlib.Path(ARMATURE).parent / "examples" / "word_count")
        check_nesting(events)
        ranks = {(event["tid"], event["pid"]) for event in events if event["ph"] == "X" and event["name"] == "runs"}
        expect(ranks == {(rank, rank // (options[1] // 2)) for rank in range(options[1])}, f"{ranks}")
        expect(arrows(events), "no calls")


def test_the_last_events_count():
    words = ["bench-rank", "virtual", "--to", "/dev/null"]  # nothing but turns and calls
    events, said = traced(0, ["-n", 2, "--virtual", "--no-globals-note", "--processes", 1], ARMATURE, *words)
    lost = re.search(r"holds the last (\d+) events of each process: \d+ before had no room", said)
    expect(lost, f"nothing is said of those that are missing: {said}")
    check_nesting(events)
    expect(len(check_turns(events)) <= int(lost[1]), "there are more")
    expect(max(event["ts"] for event in events if "ts" in event) > 10_000_000, "the last ones are not there")


def traced_program(*options):
    # On several nodes a rank alone goes nowhere.
    events, said = traced(0, ["-n", 4, *options], pathlib.Path(MOVING).parent / "virtual_traced",
                          *(["stay"] if "--nodes" in options else []))
    check_nesting(events)
    return events, said


def test_phases_and_counters():
    for options in [], ["--threads", 2], VIRTUAL, [*VIRTUAL, "--nodes", 2]:
        events, _ = traced_program(*options)
        for rank in range(4):
            open_now, found = [], collections.Counter()
            ends = [event for event in events if event.get("cat") == "phase" and event["tid"] == rank]
            # Of a rank's phases that begin or end at once, the outer one begins first and ends last.
            for event in sorted(ends, key=lambda event: event["ts"]):
                expect(event["id"] == f"rank {rank}", event)
                if event["ph"] == "b":
                    open_now.append(event["name"])
                    found[event["name"]] += 1
                else:
                    expect(open_now and open_now.pop() == event["name"], f"{options}: {event} ends what is not the last")
            expect(not open_now and found == {"halo": 3, 'whole "step"': 1}, f"{options}, rank {rank}: {found} {open_now}")
            values = [event["args"]["value"] for event in events
                      if event["ph"] == "C" and event["name"] == f"residual of rank {rank}"]
            expect(sorted(values) == sorted([1, 1 / 2, 1 / 3]), f"{options}, rank {rank}: {values}")


def test_names_of_calls():
    for options in [], ["--threads", 2], VIRTUAL, [*VIRTUAL, "--nodes", 2], ["--nodes", 2]:
        events, _ = traced_program(*options)
        found = collections.Counter(start["name"] for start, _ in arrows(events))
        names = {"(anonymous namespace)::Account::deposit(long)": 12, "(anonymous namespace)::greet(int)": 12,
                 "(anonymous namespace)::Account::total() const": 4}
        expect(names.items() <= found.items(), f"{options}: {found}")


def test_looks_are_not_told():
    """A rank that waits has turns in which it finds that it still has to; they are counted, and not told."""
    events, _ = traced(0, ["-n", 8, *VIRTUAL, "--balance"], BALANCE)
    turns = check_turns(events)
    looks = sum(turn.get("args", {}).get("looks before", 0) for turn in turns)
    print(f"{len(turns)} turns, {looks} looks")
    expect(looks > len(turns), f"{len(turns)} turns are told, and {looks} looks are not")


def test_simulations():
    """The clock is the simulation's, and the same seed makes the same trace."""
    for options in ["-n", 4, "--simulate", 3], ["-n", 4, "--simulate", 3, "--virtual", "--nodes", 2, "--no-globals-note"]:
        first, _ = traced(0, options, pathlib.Path(MOVING).parent / "virtual_traced", "stay")
        again, _ = traced(0, options, pathlib.Path(MOVING).parent / "virtual_traced", "stay")
        check_nesting(first)
        expect(first == again, f"{options}: another trace of the same seed")
        expect(arrows(first), f"{options}: no calls")
        spans = [event for event in first if event["ph"] == "X"]
        expect({span["tid"] for span in spans} == set(range(4)), f"{options}: each rank does something")


def test_pages():
    """A name that ends with .html is a page with pictures."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "trace.html")
        words = [ARMATURE, "run", "-n", 4, "--timeout", 40, "--trace", path, pathlib.Path(MOVING).parent / "virtual_traced"]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        expect(done.returncode == 0, done.stderr)
        page = path.read_text()
    expect(page.startswith("<!doctype html>") and page.endswith("</html>\n"), page[:200])
    pictures = re.findall(r"<svg .*?</svg>", page, re.S)
    for picture in pictures:
        xml.etree.ElementTree.fromstring(picture)
    # Each rank calls the next one: 3 times each of two calls, and the question at the end.
    for rank in range(4):
        expect(re.search(rf"<title>rank {rank} to rank {(rank + 1) % 4}: \d+ calls</title>", page), f"no calls of rank {rank}")
        expect(re.search(rf"<title>rank {rank}: \d+ %</title>", page), f"no load of rank {rank}")
    expect("<tr><td>halo</td><td>12</td>" in page, "no phase halo, 3 times on each of 4 ranks")


def test_refusals():
    for options, word in ((["--simulate", "1-2"], "--trace does not go with --simulate FIRST-LAST"),):
        done = subprocess.run([ARMATURE, "run", "-n", "2", *map(str, options), "--trace", "/dev/null", MOVING],
                              capture_output=True, text=True, timeout=20)
        expect(done.returncode != 0 and word in done.stderr, done.stderr)
    done = subprocess.run([ARMATURE, "run", "-n", "2", "--trace", "/nowhere/trace", MOVING], capture_output=True, text=True,
                          timeout=20)
    expect(done.returncode != 0 and "--trace: /nowhere/trace cannot be written: No such file" in done.stderr, done.stderr)
    # A full disk: of a job that has failed the status stays.
    for words, status in ((["true"], 1), (["sh", "-c", "exit 3"], 3)):
        done = subprocess.run([ARMATURE, "run", "-n", "2", "--trace", "/dev/full", *words], capture_output=True, text=True,
                              timeout=20)
        expect(done.returncode == status, f"exit status {done.returncode}: {done.stderr}")
        expect("--trace: /dev/full cannot be written: No space left on device" in done.stderr, done.stderr)


perform_case(CASE, globals()[f"test_{CASE}"])
