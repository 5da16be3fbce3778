"""What inspect says of a job that learns its collectives, and of its connections."""

import json

from harness import expect
from last_events import KINDS, VIRTUAL, end, inspect, working_job

WAYS = "usual", "rounds", "halving", "doubling"


def test_learned_ways_are_shown_by_inspect():
    for name, options in [*KINDS.items(), ("virtual", VIRTUAL)]:
        job = working_job([*options, "--collectives", "adaptive"], "learns")
        looked = json.loads(inspect(job, "--json").stdout)[0]
        row, = looked["learned"]
        way = row.pop("way", None)
        expect(way in WAYS, f"{name}: by {way}")
        expect(row.pop("ns") >= 0 and row.pop("skew_ns") >= 0, f"{name}: {row}")
        expect(row == {"team": row["team"], "call": "allreduce", "bytes_below": 1 << 17, "tries": False, "changes": 0},
               f"{name}: {row}")
        text = inspect(job).stdout
        expect(f"learned by the world: allreduce below 131072 bytes by {way}: " in text, f"{name}: {text}")
        connections = [rank.get("connections") for rank in looked["ranks"]]
        expect(connections == ([1, 1] if name == "nodes" else [None] * options[1]), f"{name}: connections {connections}")
        end(job)


def test_learned_ways_are_none_by_default():
    job = working_job(KINDS["processes"], "learns")
    expect(json.loads(inspect(job, "--json").stdout)[0]["learned"] == [], "something was learned")
    expect("allreduce" not in inspect(job).stdout, "something is said of what was learned")
    end(job)
