"""Runs a program in the simulator over many seeds.

  sweep.py ARMATURE PROGRAM [--seeds N] [--all-seeds N] [--from FIRST] [--minutes M]
                      every seed must pass; a failure names its seed and how to repeat it. --all-seeds: so many where
                      ARMATURE_TEST_ALL is set, as ./dev test --all does
  sweep.py ARMATURE PROGRAM --same-seed       the same seed gives the same run, another one another
  sweep.py ARMATURE PROGRAM --finds WORDS     a run with these words must fail for some seed
  sweep.py ARMATURE PROGRAM --stalls          a run in which nobody can go on ends, and says so
  sweep.py ARMATURE PROGRAM --deaths N        N processes are killed: the job goes back to its last copy and ends with
                      the same result, or says why it cannot
  sweep.py ARMATURE PROGRAM --leaves N        N processes hand their ranks over, and leave: the result is the same
  sweep.py ARMATURE PROGRAM --joins N         N processes come, and take over ranks: the result is the same
                      Deaths, leaves and joins go together. Each must happen in an eighth of the runs, at least
  --same-fates        with these: the same seed gives the same, even if the launcher has no core for a while

--virtual: with virtual ranks of several simulated processes, some of them balanced; --nodes: on two or three
nodes. --ranks N: so many in every run.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import time

RANKS = (2, 3, 5)
PROCESSES = (2, 3, 1)
NODES_AND_PROCESSES = ((2, 2), (2, 3), (3, 3), (2, 4))


def nodes_and_processes(seed):
    return NODES_AND_PROCESSES[seed // 3 % len(NODES_AND_PROCESSES)]


def ranks_of(options, seed):
    ranks = options.ranks or RANKS[seed % len(RANKS)]
    return max(ranks, nodes_and_processes(seed)[1] + options.joins) if options.nodes else ranks


def run(options, seed, words=(), ranks=None, seconds=60, deaths=0, leaves=0, joins=0, disturb=None):
    ranks = ranks or ranks_of(options, seed)
    kind, variables = [], {"STORM_SEED": str(seed)}
    if options.nodes:
        nodes, processes = nodes_and_processes(seed)
        processes = min(processes, ranks)
        kind = ["--virtual", "--nodes", str(nodes), "--processes", str(processes)]
    elif options.virtual:
        processes = PROCESSES[seed // 2 % len(PROCESSES)] + (1 if deaths + leaves > 0 else 0)
        kind = ["--virtual", "--processes", str(processes)]
    if deaths > 0:
        kind += ["--on-death", "recover", "--simulate-deaths", str(deaths)]
    if leaves > 0:
        kind += ["--simulate-leaves", str(leaves)]
    if joins > 0:
        kind += ["--simulate-joins", str(joins)]
    if kind and seed % 4 == 0:
        kind.append("--balance")
        variables["STORM_BALANCED"] = "1"
    command = [options.armature, "run", "--simulate", str(seed), "-n", str(ranks), *kind, "--timeout", str(seconds),
               options.program, *options.words, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **variables}) as process:
        try:
            if disturb:
                disturb(process)
            output, error = process.communicate(timeout=90)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    done = subprocess.CompletedProcess(command, process.returncode, output, error)
    return done, " ".join([*(f"{name}={value}" for name, value in variables.items()), *command])


def said(done, command):
    return f"exit status {done.returncode}\n{done.stdout}{done.stderr}repeat it with: {command}"


def sweep(options):
    end = time.monotonic() + options.minutes * 60
    failed, passed = [], 0

    def one(seed):
        if time.monotonic() > end or failed:
            return None
        return run(options, seed)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(one, range(options.first, options.first + options.seeds)):
            if result is None:
                continue
            done, command = result
            if done.returncode != 0:
                failed.append((done, command))
                break
            passed += 1
            if passed % 1000 == 0:
                print(f"{passed} seeds passed", flush=True)
    for result in failed:
        print(said(*result))
    print(f"{passed} seeds passed, {len(failed)} failed")
    return not failed and passed > 0


KILLED_AT_ITS_END = re.compile(r"was killed by signal 9 \(SIGKILL\)$", re.MULTILINE)
NO_COPY = "there is no checkpoint in memory yet"
CANNOT = (NO_COPY, "the job cannot go on: ", "no process is left")
SOME_LEFT, SOME_CAME = " has left: ranks are in ", " has come: ranks are in "


def results(done):
    """A job that has gone back at its end says it twice."""
    return {line for line in done.stdout.splitlines() if line.startswith("result")}


def outcome_of(options, done, expected):
    if done.returncode == 0 and results(done) == expected:
        return "went back" if "all ranks go back" in done.stderr else "went on"
    if options.deaths > 0 and done.returncode > 0 and any(why in done.stderr for why in CANNOT):
        return "without a copy" if NO_COPY in done.stderr else "beyond recovery"
    if options.deaths > 0 and done.returncode == 128 + signal.SIGKILL and KILLED_AT_ITS_END.search(done.stderr):
        return "killed at its end"  # when all ranks had ended; what it had printed may be lost
    return "failed"


def undisturbed(options, ranks):
    done, command = run(options, 1, ranks=ranks)
    if done.returncode != 0 or not results(done):
        sys.exit(f"with nobody killed nor leaving: {said(done, command)}")
    return results(done)


def changes(options):
    return {"deaths": options.deaths, "leaves": options.leaves, "joins": options.joins}


def fates(options):
    seeds = range(options.first, options.first + options.seeds)
    # What a run gives depends on its ranks alone.
    expected = {ranks: undisturbed(options, ranks) for ranks in {ranks_of(options, seed) for seed in seeds}}
    count, some_left, some_came = collections.Counter(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for seed, (done, command) in zip(seeds, pool.map(
                lambda seed: run(options, seed, **changes(options)), seeds)):
            outcome = outcome_of(options, done, expected[ranks_of(options, seed)])
            count[outcome] += 1
            some_left += SOME_LEFT in done.stderr
            some_came += SOME_CAME in done.stderr
            if outcome == "failed":
                print(said(done, command))
    print(", ".join(f"{number} {outcome}" for outcome, number in sorted(count.items())),
          f"; some left in {some_left}, some came in {some_came}")
    least = options.seeds // 8
    return (count["failed"] == 0 and (options.deaths == 0 or count["went back"] >= least)
            and (options.leaves == 0 or some_left >= least) and (options.joins == 0 or some_came >= least))


def hold_up(launcher):
    """As where it gets no core for a while, again and again."""
    while launcher.poll() is None:
        for what, seconds in ((signal.SIGSTOP, 0.15), (signal.SIGCONT, 0.04)):
            launcher.send_signal(what)
            time.sleep(seconds)


def fate(done):
    """What happened to the job, without numbers of processes and times of the machine."""
    lines = re.findall(r"^armature: .*$", done.stderr, re.MULTILINE)
    return done.returncode, results(done), [re.sub(r"pid \d+", "pid", line) for line in lines]


def same_fates(options):
    """What a seed gives does not depend on when the launcher sees what has happened."""
    differ, count = 0, collections.Counter()
    for seed in range(options.first, options.first + options.seeds):
        usual, command = run(options, seed, **changes(options))
        late, _ = run(options, seed, disturb=hold_up, **changes(options))
        count["went back" if "all ranks go back" in usual.stderr else "other"] += 1
        if fate(usual) != fate(late):
            differ += 1
            print(f"seed {seed}: {fate(usual)}, and where the launcher is late {fate(late)}; {command}")
    print(f"{options.seeds} seeds, {differ} differ;", dict(count))
    return differ == 0 and len(count) == 2


def same_seed(options):
    orders = []
    for seed in (7, 8):
        first, _ = run(options, seed, ranks=4)
        second, _ = run(options, seed, ranks=4)
        if first.returncode != 0 or first.stdout != second.stdout:
            print(f"seed {seed}: {first.stdout!r}, then {second.stdout!r}\n{first.stderr}")
            return False
        orders.append(first.stdout)
    print(f"orders of two seeds: {orders}")
    return orders[0] != orders[1]


def finds(options):
    for seed in range(1, 200):
        # A count that is lost may keep a fence waiting for ever; a whole run takes a fraction of a second.
        done, command = run(options, seed, options.finds.split(), seconds=5)
        if done.returncode != 0:
            print(f"found with seed {seed}: {done.stderr.strip()}")
            return f"--simulate {seed} " in done.stderr or print(f"no seed in the message of {command}")
    print("not found in 200 seeds")
    return False


def stalls(options):
    done, _ = run(options, 5, ["deadlock"], ranks=2)
    print(done.stderr)
    return (done.returncode != 0 and "no rank can go on" in done.stderr
            and "waits for a message of rank 1" in done.stderr and "--simulate 5 " in done.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("armature")
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--all-seeds", type=int)
    parser.add_argument("--from", dest="first", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--same-seed", action="store_true")
    parser.add_argument("--same-fates", action="store_true")
    parser.add_argument("--finds")
    parser.add_argument("--stalls", action="store_true")
    parser.add_argument("--ranks", type=int)
    parser.add_argument("--virtual", action="store_true")
    parser.add_argument("--deaths", type=int, default=0)
    parser.add_argument("--leaves", type=int, default=0)
    parser.add_argument("--joins", type=int, default=0)
    parser.add_argument("--nodes", action="store_true")
    parser.add_argument("--words", nargs="*", default=[])
    options = parser.parse_args()
    if options.all_seeds and os.environ.get("ARMATURE_TEST_ALL"):
        options.seeds = options.all_seeds
    if options.same_seed:
        good = same_seed(options)
    elif options.finds:
        good = finds(options)
    elif options.stalls:
        good = stalls(options)
    elif options.same_fates:
        good = same_fates(options)
    elif options.deaths or options.leaves or options.joins:
        good = fates(options)
    else:
        good = sweep(options)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
