"""Predicted times against closed forms of LogGP (Alexandrov et al., 1995): timed.py ARMATURE PROGRAM [--large | --huge]

The closed forms follow the schedules that the runtime uses (docs/internals/collectives.md, rounds.md): dissemination,
trees and doubling of messages, and the tree of rounds. A message of n bytes takes o + (n + HEAD) G + L + o.
"""

import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ARMATURE, PROGRAM = sys.argv[1:3]
HEAD = 56  # an envelope, and the head of its chunk; both in lines of 64 bytes
RECORD = 64
ALLOWED = 0.05


def run(network, ranks, *words, fails=False):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "prediction"
        done = subprocess.run(
            [ARMATURE, "run", "--simulate", "1", "--network", network, "-n", str(ranks), PROGRAM, *map(str, words)],
            capture_output=True, text=True, timeout=110, check=False,
            env=os.environ | {"ARMATURE_PREDICTION_FILE": str(file)})
        assert (done.returncode != 0) == fails, (network, ranks, words, done.stderr)
        return done, None if fails else json.loads(file.read_text())


def time_of(network, ranks, *words):
    """Seconds of one repeat; 0 where nothing is measured."""
    return float(run(network, ranks, *words)[0].stdout or 0) * 1e-9


class Costs:
    def __init__(self, latency, overhead, gap, bandwidth):
        self.L, self.o, self.g, self.G = latency, overhead, gap, 1 / bandwidth
        self.text = f"latency={latency * 1e9:g}ns,overhead={overhead * 1e9:g}ns,gap={gap * 1e9:g}ns," \
                    f"bandwidth={bandwidth / 1e6:g}MB/s"

    def wire(self, payload):
        return math.ceil((HEAD + payload) / 64) * 64 * self.G

    def message(self, payload):
        return self.o + self.wire(payload) + self.L + self.o

    def stages(self, ranks, payload):
        """Each member sends and receives a message in each of log2 stages."""
        return math.ceil(math.log2(ranks)) * self.message(payload)

    def tree(self, ranks, payload):
        """The last of a binomial tree in which the largest half is served first, one message after the other."""
        apart = max(self.o, self.g, self.wire(payload))

        def last(count, now):
            end = now
            for sent in range(math.ceil(math.log2(count)) if count > 1 else 0):
                half = (count + 1) // 2
                end = max(end, last(count - half, now + sent * apart + self.message(payload)))
                count = half
            return end
        return last(ranks, 0)

    def round(self, ranks):
        """Up a binomial tree and down another branch, which is one step less deep; from five nodes on."""
        return (2 * math.ceil(math.log2(ranks)) - 1) * (2 * self.o + RECORD * self.G + self.L)


NETWORKS = (Costs(1e-6, 200e-9, 200e-9, 10e9), Costs(20e-6, 1e-6, 1e-6, 100e6), Costs(5e-6, 0, 0, 1e9),
            Costs(500e-9, 100e-9, 400e-9, 1e9))


def close(found, expected, what):
    assert abs(found - expected) <= ALLOWED * expected, f"{what}: {found:g} s, by the closed form {expected:g} s"


def closed_forms():
    for costs in NETWORKS:
        for ranks in (2, 4, 8, 16, 32, 64):
            where = f"{ranks} ranks, {costs.text}"
            close(time_of(costs.text, ranks, "barrier", 1), costs.stages(ranks, 0), f"barrier, {where}")
            close(time_of(costs.text, ranks, "allreduce", 1, 8), costs.stages(ranks, 8), f"allreduce, {where}")
            close(time_of(costs.text, ranks, "broadcast", 1, 8), costs.tree(ranks, 8), f"broadcast, {where}")
        for ranks in (8, 64):
            where = f"{ranks} ranks, {costs.text}"
            close(time_of(costs.text, ranks, "round_barrier", 1), costs.round(ranks), f"a round, {where}")
            # The first fence of a job takes two waves, each of which is such a round.
            close(time_of(costs.text, ranks, "fence", 1), 2 * costs.round(ranks), f"a fence, {where}")
    # The blocking ones are such rounds; what they show takes no time here.
    fast = Costs(2e-6, 300e-9, 100e-9, 1e12)
    for ranks in (8, 64):
        for kernel in ("round_allreduce", "round_broadcast"):
            close(time_of(fast.text, ranks, kernel, 1), fast.round(ranks), f"{kernel}, {ranks} ranks, {fast.text}")


def operations():
    costs = NETWORKS[0]
    get = 2 * (costs.L + costs.o) + (32 + 8) * costs.G
    close(time_of(costs.text, 2, "gets", 100, 8), get, "a get")
    big = 1 << 20
    close(time_of(costs.text, 2, "gets", 10, big), 2 * (costs.L + costs.o) + big * costs.G, "a large get")
    # A neighbour's notification comes behind its put; whoever computes longer than that waits for nobody.
    close(time_of(costs.text, 6, "halo", 100, 8, 50e-6), 50e-6 + 4 * costs.o, "a halo behind computing")
    close(time_of(costs.text, 2, "halo", 50, big), 2 * big * costs.G, "a halo of much")
    # Where the ends of wires are never idle a rank that is late makes others late.
    assert 1.9 * big * costs.G < time_of(costs.text, 6, "halo", 20, big) < 4 * big * costs.G
    for kernel in ("atomics", "calls", "alltoall", "round_allreduce"):
        assert time_of(costs.text, 5, kernel, 20, 64) > 2 * costs.L, kernel
    _, sum_ = run(costs.text, 3, "compute", 1, 0, 0.25)
    close(sum_["computed_max_s"], 1.25, "computing")
    assert sum_["ranks"] == 3 and sum_["time_s"] >= 1.25


def levels():
    near = "latency=100us,node=4,node-latency=1us,node-overhead=0s"
    assert time_of(near, 4, "barrier", 1) < 3e-6
    assert time_of(near, 8, "barrier", 1) > 100e-6
    # The members of a node hear of all from its first one.
    close(time_of(near, 8, "round_barrier", 1), 102e-6, "a round of two nodes")


def endless():
    """A wait that nobody ends is named, however long others compute before."""
    done, _ = run("latency=1us", 3, "unheard", fails=True)
    assert "no rank can go on" in done.stderr and "rank 0 waits for a word" in done.stderr, done.stderr
    close(time_of("latency=1us", 3, "patient", 1, 8, 5000), 5000, "computing for long while another one polls")
    done, _ = run("latency=1us", 2, "compute", 1, 0, 1e8, fails=True)
    assert "a prediction ends after" in done.stderr, done.stderr


def held_back():
    """Ranks that keep much for others hold back what comes; they look again when some time is over."""
    assert time_of(NETWORKS[0].text, 8, "spreading", 20000) > 0


def repeats():
    first, second = (run("latency=3us", 9, "atomics", 10)[0] for _ in range(2))
    assert first.stdout == second.stdout and first.stderr == second.stderr


def refusals():
    for network, says in (("latency", "has no '='"), ("speed=1", "there is no 'speed'"),
                          ("latency=1", "a time is wanted"), ("bandwidth=1GB", "a bandwidth is wanted"),
                          ("node=0", "a number of ranks is wanted"), ("latency=-1us", "a time is wanted")):
        done, _ = run(network, 2, "barrier", fails=True)
        assert "--network" in done.stderr and says in done.stderr, done.stderr
    done = subprocess.run([ARMATURE, "run", "-n", "2", "--network", "latency=1us", PROGRAM, "barrier"],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0 and "--network is for --simulate" in done.stderr, done.stderr


def large():
    took = time_of(NETWORKS[0].text, 10000, "halo", 100, 8, 50e-6)
    close(took, 50e-6 + 4 * NETWORKS[0].o, "a halo of 10,000 ranks")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"100 steps of a halo of 10,000 ranks in {spent.ru_utime + spent.ru_stime:.1f} s of one core")


def huge():
    time_of(NETWORKS[0].text, 100_000, "start")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"100,000 ranks start and end in {spent.ru_utime + spent.ru_stime:.1f} s of one core, "
          f"{spent.ru_maxrss / 1e6:.1f} GB")


if "--huge" in sys.argv:
    huge()
elif "--large" in sys.argv:
    large()
else:
    closed_forms()
    operations()
    levels()
    endless()
    held_back()
    repeats()
    refusals()
