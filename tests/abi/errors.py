"""What a transfer to memory that is not ARMCI's does: it returns -6 and says why, once for each place of the program,
or ends the job with ARMCI_ERRORS=abort.

usage: errors.py ARMATURE PROGRAM (errors.c)
"""

import collections
import os
import re
import subprocess
import sys

ARMATURE, PROGRAM = sys.argv[1:]
RANKS = 2
problems = []


def run(*words, nodes=1, **environment):
    return subprocess.run([ARMATURE, "run", "-n", str(RANKS), "--nodes", str(nodes), "--timeout", "40", PROGRAM, *words],
                          env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=False)


def expect(condition, what, job):
    if not condition:
        problems.append(f"{what}:\n{job.stdout}{job.stderr}[exit status {job.returncode}]")


def kinds():
    return re.findall(r"^(ARMCI_\w+) -6 -6 -6$", run().stdout, re.MULTILINE)


def said_once(all_kinds, nodes, times, **environment):
    """By each rank."""
    job = run(nodes=nodes, **environment)
    expect(job.returncode == 0 and job.stdout.count("-6 -6 -6") == len(all_kinds), "each returns -6", job)
    said = collections.Counter(re.findall(r"(ARMCI_\w+)(?:, called at \S+\+0x[0-9a-f]+)?: .* the address lies in no rank", job.stderr))
    expect(said == {kind: times for kind in all_kinds}, f"{nodes} nodes, each kind says it {times} times, not {said}", job)


def main():
    all_kinds = kinds()
    expect(len(all_kinds) == 30, "30 kinds of transfers return -6", run())
    for nodes in (1, 2):
        said_once(all_kinds, nodes, RANKS)
    said_once(all_kinds, 1, RANKS, ARMCI_ERRORS="return")
    said_once(all_kinds, 1, 3 * RANKS, ARMCI_VERBOSE="1")
    for kind in all_kinds:
        job = run(kind, ARMCI_ERRORS="abort")
        expect(job.returncode not in (0, 124) and re.search(rf"ended the job: {kind}: .* the address lies in no rank", job.stderr)
               and "-6" not in job.stdout, f"{kind} ends the job", job)
    job = run(ARMCI_ERRORS="stop")
    expect(job.returncode != 0 and "ARMCI_Init: ARMCI_ERRORS=stop is neither return nor abort" in job.stderr, "another word", job)
    for problem in problems:
        print(problem)
    print(f"{len(all_kinds)} kinds of transfers, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
