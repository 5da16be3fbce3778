#!/usr/bin/env python3
"""A node that is lost: all its ranks are killed, or one of them, or they hang.

nodes.py ARMATURE LOST ACTION POLICY [CALL...]: four ranks of LOST on two pretended nodes; ACTION kill_rank, kill_node or
stop_node befalls the second one while the others are in CALL. POLICY end: the job ends, names a rank of that
node, and exits with 137. POLICY continue: each call of the others that needs the lost ones ends with an error that names
one of them; then they go on together. Nothing may be left of any job.
"""

import pathlib
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "launch"), str(TESTS / "harness")]
import harness  # noqa: E402
from harness import Failed, Job, expect  # noqa: E402
from signals import signal_each  # noqa: E402

HEARTBEAT_S = 3
# A death is seen at once, a silence after the heartbeat; the rest is what a busy machine takes.
PROMPT_S = {"kill_rank": 10, "kill_node": 10, "stop_node": HEARTBEAT_S + 12}
VICTIMS = {"kill_rank": [3], "kill_node": [2, 3], "stop_node": [2, 3]}
WHY = {"kill_rank": r"was killed by signal 9 \(SIGKILL\)", "kill_node": r"was killed by signal 9 \(SIGKILL\)",
       "stop_node": "cannot be reached by the other nodes any more"}


def lose(job, action):
    def process(rank):
        return harness.wait_until(f"rank {rank} to be there", lambda: (job.rank(rank) or {}).get("pid"))
    victims = [process(rank) for rank in VICTIMS[action]]
    job.wait_for(0, "waits|has run")
    time.sleep(0.3)  # the others are in the call
    signal_each(victims, signal.SIGSTOP if action == "stop_node" else signal.SIGKILL)
    return time.monotonic()


def check(program, action, policy, call, calls):
    job = Job([call, "rank" if action == "kill_rank" else "node"], ["-n", 4, "--nodes", 2, "--on-death", policy, "--net-heartbeat", HEARTBEAT_S, "--timeout", 60],
              program=program)
    while "is process" not in (line := job.process.stdout.readline()):
        if not line:
            raise Failed(f"the job ended before anything happened, with {job.end()}:\n{job.out}{job.err}")
    begun = lose(job, action)
    text = job.expect_end(137, rf"armature: rank [23] \(pid \d+, .*\) {WHY[action]}")
    took = time.monotonic() - begun
    expect("(--timeout)" not in text and took < PROMPT_S[action] + (30 if policy == "continue" else 0),
           f"it took {took:.1f} s:\n{text}")
    survivors = [rank for rank in range(4) if rank not in VICTIMS[action]]
    for rank in survivors if policy == "continue" else ():
        for one in calls if rank < 2 else ["barrier", "lock", "lock_held_far", "sync"]:
            expect(re.search(rf"rank {rank}: {one}: lost: .*rank [23] has died", text),
                   f"rank {rank} does not say that {one} was lost:\n{text}")
        expect(f"rank {rank} goes on, well" in text, f"rank {rank} does not go on:\n{text}")


def main():
    harness.ARMATURE, program, action, policy, *wanted = sys.argv[1:]
    calls = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    failures = 0
    for call in wanted or calls:
        try:
            check(program, action, policy, call, calls)
        except Failed as failure:
            failures += 1
            print(f"{action}, {policy}: {call}: {failure}\n", flush=True)
    print(f"{len(wanted or calls)} losses, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
