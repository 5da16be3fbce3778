#!/usr/bin/env python3
"""kill -9 of a rank in every call, with either policy.

fault.py ARMATURE VICTIM POLICY NODES [CALL...]: on that many pretended nodes. POLICY end: the job ends within a second (three, on a busy
machine), says which rank died and how, and exits with 137. POLICY continue: the others get
Error(rank_lost) that names the rank, where they need it, and otherwise go on; nobody hangs. Nothing may
be left of any job, neither processes nor memory.
"""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
import harness  # noqa: E402
from fates import wrong_with  # noqa: E402
from harness import Failed, Job, expect  # noqa: E402

END_SECONDS_MAX = 3
JOB_MIB = 3 * 8  # what each job touches of its segments, at least


def node_of(rank, nodes):
    """As the launcher deals three ranks out."""
    return max(node for node in range(nodes) if 3 * node // nodes <= rank)


def shmem_mib():
    with open("/proc/meminfo") as file:
        return int(re.search(r"Shmem:\s+(\d+)", file.read())[1]) // 1024


def start(policy, nodes, call, moment, victim):
    options = ["-n", 3, "--nodes", nodes, "--on-death", policy, "--timeout", 40]
    return Job([call, moment], options, program=victim)


def expect_prompt_end(job):
    text = job.expect_end(137, r"armature: rank 1 \(pid \d+, .*\) was killed by signal 9 \(SIGKILL\)")
    died = re.search(r"dies at ([\d.]+)", text)
    expect(died, f"it does not say when:\n{text}")
    seconds = job.ended - float(died[1])
    expect(seconds < END_SECONDS_MAX, f"the job ended {seconds:.1f} s after the rank's death:\n{text}")


def expect_survivors(job, nodes, call, moment):
    text = job.expect_end(137, r"armature: rank 1 \(pid \d+, .*\) was killed by signal 9")
    if moment.startswith("joining"):
        return  # the others may not even have met
    for rank in (0, 2):
        wrong = wrong_with(text, rank, call, moment, near=node_of(rank, nodes) == node_of(1, nodes), dead=[1])
        expect(not wrong, f"{wrong}:\n{text}")
    expect(text.count("a survivor has left") == 2, f"not both survivors have left the job in order:\n{text}")


def main():
    harness.ARMATURE, victim, policy, nodes, *calls = sys.argv[1:]
    nodes = int(nodes)
    all_calls = harness.subprocess.run([victim], capture_output=True, text=True, check=True).stdout.split()
    cases = [(call, moment) for call in calls or all_calls for moment in ("inside", "missing")]
    cases += [("barrier", f"joining{microseconds}") for microseconds in (0, 300, 1000, 2000, 4000, 8000)]
    before = shmem_mib()
    failures = 0
    for call, moment in cases:
        try:
            job = start(policy, nodes, call, moment, victim)
            expect_prompt_end(job) if policy == "end" else expect_survivors(job, nodes, call, moment)
        except Failed as failure:
            failures += 1
            print(f"{policy}: {call}, {moment}: {failure}\n", flush=True)
    # Other tests use shared memory at the same time: what they hold is given back in time.
    left_max = JOB_MIB * len(cases) / 3 + 200
    try:
        harness.wait_until("shared memory to be given back", lambda: shmem_mib() - before < left_max)
    except Failed:
        failures += 1
        print(f"{shmem_mib() - before} MiB more shared memory is in use than before")
    print(f"{len(cases)} deaths, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
