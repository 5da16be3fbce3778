"""How a process serves other nodes: by a thread that sleeps, or polls."""

import json
import os

from harness import expect
from last_events import end, inspect, working_job

NODES = ["-n", 2, "--nodes", 2]


def seen(*options):
    job = working_job([*NODES, *options])
    networks = [rank["network"] for rank in json.loads(inspect(job, "--json").stdout)[0]["ranks"]]
    end(job)
    return networks


def test_server_that_polls_makes_no_call_in_which_it_sleeps():
    for network in seen("--net-server", "poll"):
        expect(network["server"] == "polls" and network["server_sleeps"] == 0, f"{network}")


def test_server_sleeps_by_default_where_cores_are_few():
    options = ["--net-server", "auto"] if len(os.sched_getaffinity(0)) < 4 else ["--net-server", "sleep"]
    for network in seen(*options):
        expect(network["server"] == "sleeps" and network["server_sleeps"] > 0, f"{network}")
