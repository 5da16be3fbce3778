#!/usr/bin/env python3
"""A team that one of its members does not make, since it has heard of a death.

left_out.py ARMATURE LEFT_OUT RANKS [OPTION...]: so many ranks of LEFT_OUT, started with these options. Whoever is in the call gets an
error that names the dead, all the same whether it waits to be invited or has met others in the team, and the survivors make one of
themselves. Where they disagree about who is in it, they are told, on one node.
"""

import re
import sys
import pathlib

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
import harness  # noqa: E402
from harness import Failed, Job, expect  # noqa: E402


def lose_last(job, waits):
    """What they say in the end; the last rank is killed when each of them waits as said."""
    for rank, how in enumerate(waits):
        job.wait_for(rank, how)
    last = len(waits) - 1
    job.kill_rank(last)
    text = job.expect_end(137, rf"armature: rank {last} \(pid \d+, .*\) was killed by signal 9 \(SIGKILL\)")
    expect("(--timeout)" not in text, f"somebody waits for ever:\n{text}")
    return text


def leave_out(start, ranks, who):
    # Rank 0 invites. Who was not invited cannot have met the others.
    inside = r"waits for rank \d to create a team" if who == 0 else "waits in a barrier"
    waits = [inside] * ranks
    waits[who] = "waits"
    text = lose_last(start(who), waits)
    for rank in range(ranks - 1):
        expect(re.search(rf"rank {rank}: lost: .*rank {ranks - 1} has died", text),
               f"rank {rank} does not say that it has lost rank {ranks - 1}:\n{text}")
        expect(f"rank {rank}: goes on, well" in text, f"rank {rank} does not go on:\n{text}")


def disagree(start, ranks):
    text = lose_last(start("mistaken"), ["waits"] * ranks)
    expect(re.search("rank 1: mistaken: .*rank 0 makes a team of other members", text), f"rank 1 is not told:\n{text}")


def main():
    harness.ARMATURE, program, ranks, *options = sys.argv[1:]

    def start(what):
        return Job([what], ["-n", ranks, *options, "--on-death", "continue", "--timeout", 30], program=program)

    ranks = int(ranks)
    cases = {"who invites leaves it out": lambda: leave_out(start, ranks, 0),
             "who was invited leaves it out": lambda: leave_out(start, ranks, 1),
             "they disagree": lambda: disagree(start, ranks)}
    if "--nodes" in options:
        del cases["they disagree"]
    failures = 0
    for name, case in cases.items():
        try:
            case()
        except Failed as failure:
            failures += 1
            print(f"{name}: {failure}\n", flush=True)
    print(f"{len(cases)} teams, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
