"""run.py's cases of a process that dies in every call there is, or instead of making it (VICTIM of tests/fault). One cluster serves all these jobs,
since one takes half a second there."""

import pathlib
import re
import shutil
import subprocess
import sys
import time

from cluster import Failed, skip

sys.path.append(str(pathlib.Path(__file__).parents[1] / "fault"))
from fates import wrong_with  # noqa: E402

END_SECONDS_MAX = 15  # of which a busy machine takes most


def start(cluster, shape, launcher, options, call, moment):
    command = cluster.command(launcher, shape.per_node, [shape.program("../victim"), call, moment], options)
    return cluster.finish(cluster.begin(command, **cluster.environment(launcher)), 60)


def expect_end(cluster, shape, launcher, call, moment):
    """The job ends with its first dead, and says who that is."""
    begun = time.monotonic()
    status, output = start(cluster, shape, launcher, [], call, moment)
    if status == 0 or time.monotonic() - begun > END_SECONDS_MAX:
        raise Failed(f"exit status {status} after {time.monotonic() - begun:.1f} s")
    if not re.search(r"(ranks?|process) [\d-]+ .* has died|signal 9|KILLED|PID \d+ RUNNING AT node\d", output):
        raise Failed("nobody is named")


def expect_survivors(cluster, shape, launcher, call, moment):
    """All others learn of it where they need the dead, and go on without them."""
    status, output = start(cluster, shape, launcher, [shape.program("../armature"), "outlive"], call, moment)
    each = shape.hosted_by(1)
    dead = range(each, 2 * each)
    node_of_dead = 1 // shape.per_node
    for rank in set(range(shape.hosted_by(shape.processes))) - set(dead):
        near = rank // each // shape.per_node == node_of_dead
        if wrong := wrong_with(output, rank, call, moment, near, dead):
            raise Failed(wrong)
    if status != 0 or output.count("a survivor has left") != shape.processes - 1:
        raise Failed(f"exit status {status}: not all survivors have left the job in order")


def every_call(expect, moments):
    """Those not as expected are all told."""
    def case(shape, launcher):
        victim = shape.program("../victim")
        calls = subprocess.run([victim], capture_output=True, text=True, check=True).stdout.split()
        failures = []
        with shape.cluster() as cluster:
            if shutil.which(cluster.command(launcher, 1, [])[0]) is None:
                skip(f"there is no {launcher} here")
            for call in calls:
                for moment in moments:
                    try:
                        expect(cluster, shape, launcher, call, moment)
                    except Failed as failure:
                        failures.append(f"{call}, {moment}: {failure}")
        print(f"{len(calls) * len(moments)} deaths, {len(failures)} failures")
        if failures:
            raise Failed("\n".join(failures))
    return case
