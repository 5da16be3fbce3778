"""run.py LAUNCHER CASE FOLDER: one program under one launcher, or SKIPPED (status 77) where that is not there.
CASE is one of the functions below, or PROGRAM:RANKS or PROGRAM:RANKS:NODES, on so many pretended nodes, for a program
that says "everything is right".

FOLDER holds the programs, TMPDIR and what else launchers write lies in a folder of its own. How jobs are started and end: launched.py."""

import contextlib
import fcntl
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(str(pathlib.Path(__file__).parents[1] / "harness"))
from bound import levels  # noqa: F401: a case
from launched import ARMATURE, ENVIRONMENT, FOLDER, RANK, Failed, Run, find, on_pretended_nodes, skip
from scratch import LeftOver, Scratch


# MPICH 4.0's mpiexec may lose what a process said that ends while it kills another one, or answers it.
ONE_BY_ONE = ["sh", "-c", f'sleep {RANK}; exec "$0" "$@"']


def finds_its_job(launcher):
    for n in (1, 2, 4):
        Run(launcher, n, "wired", str(n)).expect(True, f"{n} ranks, {n} processes")


def reads_once_per_node(launcher):
    Run(launcher, 8, "wired", "reads").expect(True, "16 values read by 8 processes")


def threads(launcher):
    Run(launcher, 2, "wired", "6", ARMATURE_THREADS="3").expect(True, "6 ranks, 2 processes")


def virtual(launcher):
    """Fibers of processes that have made themselves alike: they move, also between nodes."""
    Run(launcher, 2, "wired", "7", ARMATURE_VIRTUAL="7").expect(True, "7 ranks, 2 processes")
    Run(launcher, 3, "../virtual_moving", "300", ARMATURE_VIRTUAL="8").expect(True)
    for nodes in (2, 4):
        Run(launcher, 4, "../virtual_changing_nodes", "work", "10", ARMATURE_VIRTUAL="12", ARMATURE_NET_DEVICE="lo",
            options=on_pretended_nodes(4, nodes)).expect(True, "12 ranks, 10 rounds: well")
    Run(launcher, 4, "../virtual_changing_nodes", "leave", ARMATURE_VIRTUAL="6", ARMATURE_NET_DEVICE="lo",
        options=on_pretended_nodes(4, 2)).expect(False)


def virtual_secrets(launcher):
    """The launcher's own name of the job decides, whatever stands behind it. Without one, processes that differ there are unlike."""
    has_name = "mpich" not in launcher
    Run(launcher, 2, "../virtual_moving", "10", ARMATURE_VIRTUAL="4", options=["sh", "-c", 'SLURM_STEP_ID=$$ exec "$0" "$@"']).expect(
        has_name, *([] if has_name else ["ranks cannot move here"]))


LOADS_IT = """
import ctypes
print("main begins", flush=True)
library = ctypes.CDLL({library!r})
library._ZN8armature11can_migrateEv.restype = ctypes.c_bool
rank = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda *_: not library._ZN8armature11can_migrateEv())
exit(library._ZN8armature6detail3runEiPPcPFiPvRNS_5WorldEES3_(0, None, rank, None))
"""


def virtual_loaded(launcher):
    """What a program has done before it loads the library is not done once more; with the library from its start it is as others."""
    library = os.path.join(FOLDER, "../../lib/libarmature.so")
    for early in (False, True):
        output = Run(launcher, 2, sys.executable, "-c", LOADS_IT.format(library=library), ARMATURE_VIRTUAL="2", **({"LD_PRELOAD": library} if early else {})).expect(
            early, *([] if early else ["too late to be started again"]))
        if output.count("main begins") != 2:
            raise Failed("each process begins once")


def virtual_refused(launcher):
    """What cannot be is said."""
    for n, said, variables in ((1, "ARMATURE_VIRTUAL=1: there are 2 processes", {}),
                               (4, "ARMATURE_VIRTUAL does not go with ARMATURE_THREADS", {"ARMATURE_THREADS": "2"}),
                               ("many", "ARMATURE_VIRTUAL='many' is not", {})):
        Run(launcher, 2, "wired", str(n), options=ONE_BY_ONE, ARMATURE_VIRTUAL=str(n), **variables).expect(False, said)
    Run(launcher, 2, "wired", "4", options=["sh", "-c", f'ARMATURE_VIRTUAL=$(({RANK} + 4)) exec "$0" "$@"']).expect(
        False, "some processes know of [45] virtual ranks, others of [45]")


def virtual_saved(launcher):
    """A checkpoint from several nodes of another launcher goes on under ours."""
    armature = os.path.join(FOLDER, "..", "armature")
    with tempfile.TemporaryDirectory() as folder:
        Run(launcher, 2, "../virtual_changing_nodes", "save", folder, ARMATURE_VIRTUAL="6", ARMATURE_NET_DEVICE="lo",
            options=on_pretended_nodes(2, 2)).expect(True)
        for shape in (["--processes", "1"], ["--processes", "4", "--nodes", "2"]):
            again = subprocess.run([armature, "restart", folder, *shape], capture_output=True, text=True, timeout=60, check=False)
            print(again.stdout, again.stderr)
            if again.returncode != 0:
                raise Failed(f"restart {shape}: status {again.returncode}")


@contextlib.contextmanager
def opened_late(path, seconds):
    """Who opens the file waits so long."""
    file = os.open(path, os.O_RDWR)
    waited = []

    def let_go(*_):
        waited.append(True)
        threading.Timer(seconds, fcntl.fcntl, (file, fcntl.F_SETLEASE, fcntl.F_UNLCK)).start()

    signal.signal(signal.SIGIO, let_go)
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    try:
        yield
    finally:
        os.close(file)
    if not waited:
        raise Failed(f"nobody has waited for {path}")


def virtual_restored(launcher):
    """Each node finds the checkpoint by itself, on a disk of its own perhaps: but the same one."""
    secrets = "0123456789abcdef" * 2

    def go(n, words, *expected, good=True, **environment):
        Run(launcher, n, "../virtual_changing_nodes", "save", *words, ARMATURE_VIRTUAL="6", ARMATURE_NET_DEVICE="lo", ARMATURE_SECRETS=secrets,
            options=on_pretended_nodes(n, 2, '[ -z "$RESTART" ] || export ARMATURE_RESTART=$RESTART/$ARMATURE_NODE'), **environment).expect(good, *expected)

    with tempfile.TemporaryDirectory() as folder:
        saved = f"{folder}/saved"
        go(2, [saved], "saved: well")
        for node in "01":
            shutil.copytree(saved, f"{folder}/same/{node}")
        shutil.copytree(saved, f"{folder}/other/0")
        go(2, [f"{folder}/other/1"], "saved: well")
        go(4, [saved], "restarted: well", RESTART=f"{folder}/same")
        alone = subprocess.run([os.path.join(FOLDER, "../virtual_changing_nodes"), "save", saved], capture_output=True, text=True, timeout=60, check=False, env={
            **ENVIRONMENT, "ARMATURE_VIRTUAL": "6", "ARMATURE_SECRETS": secrets, "ARMATURE_RESTART": saved})
        if alone.returncode != 0 or "restarted: well" not in alone.stdout:
            raise Failed(f"a process by itself: {alone}")
        with opened_late(next(pathlib.Path(folder, "same/1").glob("*/ranks-0")), seconds=5):
            go(2, [saved], "restarted: well", RESTART=f"{folder}/same", ARMATURE_START_TIMEOUT="3")
        go(2, [saved], "the nodes would go on from different checkpoints: .*/other/0/0.*/other/1/0", good=False, RESTART=f"{folder}/other")


def virtual_death(launcher):
    death_ends_it(launcher, "process", ARMATURE_VIRTUAL="3")


def death_ends_it(launcher, what="rank", **environment):
    """And somebody says so: the survivors, Open MPI's launchers, or hydra, which names any that has ended, as it kills the rest."""
    run = Run(launcher, 3, "wired", "hold", **environment)
    run.read_until("is process", 3)
    program = [pid for name, pid in run.ranks() if name == "wired"]
    start = time.monotonic()
    os.kill(program[1], signal.SIGKILL)
    output = run.expect(False, rf"armature: {what} \d \(pid {program[1]} on \S+\) has died: the job ends$|PID ({'|'.join(map(str, program))}) RUNNING AT|"
                        r"process rank \d with PID \d+ on node \S+ exited on signal 9 \(Killed\)")
    if "terminate called" in output:
        raise Failed("a survivor shows an error of its own")
    if time.monotonic() - start > 10:
        raise Failed("it took more than 10 s")


def launcher_killed(launcher):
    run = Run(launcher, 3, "wired", "hold")
    run.read_until("is process", 3)
    run.process.kill()
    run.expect(False)


def recovering(launcher, **environment):
    """A job on two nodes that has a copy to go back to."""
    run = Run(launcher, 4, "../armature", "outlive", os.path.join(FOLDER, "../virtual_steps"), "200", "-3", "5000", "-1", ARMATURE_VIRTUAL="9",
              ARMATURE_NET_DEVICE="lo", ARMATURE_ON_DEATH="recover", options=on_pretended_nodes(4, 2), **environment)
    run.read_until("the first copy is made", 1)
    return run


def recovers(launcher):
    """One after the other is killed, in the end a node is lost, too: each time all ranks go back to their checkpoint in memory."""
    alone = subprocess.run([ARMATURE, "run", "-n", "9", "--virtual", "--processes", "2", os.path.join(FOLDER, "../virtual_steps"), "200", "0", "0", "-1"],
                           capture_output=True, text=True, timeout=60, check=True)
    run = recovering(launcher)
    said = ""
    for lost in range(1, 4):
        os.kill([pid for name, pid in run.ranks() if name == "virtual_steps"][0], signal.SIGKILL)
        said += run.read_until(f"without {lost} of 4 processes, all ranks have gone back", 1)
    status, output = run.end()
    print(said + output)
    if status != 0 or re.findall(r"^result \w+$", output, re.M) != re.findall(r"^result \w+$", alone.stdout, re.M):
        raise Failed(f"exit status {status}, or another result than {alone.stdout}")


def hanging(launcher, node):
    """Such a job, and its processes of that node, which hang from now on."""
    run = recovering(launcher, ARMATURE_NET_HEARTBEAT="1")
    mark = f"ARMATURE_NODE={node}".encode()
    hung = [pid for name, pid in run.ranks() if name == "virtual_steps" and mark in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")]
    for pid in hung:
        os.kill(pid, signal.SIGSTOP)
    return run, hung


def hangs_and_wakes_up(launcher):
    """A node that hangs is given up; when it is awake again its processes end by themselves, rather than go on beside the others."""
    run, hung = hanging(launcher, 1)
    said = run.read_until("without 2 of 4 processes, all ranks have gone back", 1)
    for pid in hung:
        os.kill(pid, signal.SIGCONT)
    status, output = run.end()
    print(said + output)
    if status != 0 or len(re.findall(r"^result \w+$", output, re.M)) != 1 or output.count("SIGKILL") != 2:
        raise Failed(f"exit status {status}, or another result")


def cut_off(launcher):
    """The half without the first process cannot know that the other one hangs: it ends, without a word to the launcher."""
    run, hung = hanging(launcher, 0)
    it_ends, was_killed = "may go on without this one: it ends", "was killed by signal 9 (SIGKILL)"
    # One may have been killed before the other one says a word.
    said = run.read_until(f"{re.escape(it_ends)}|{re.escape(was_killed)}", 4)
    for pid in hung:
        os.kill(pid, signal.SIGKILL)
    run.end()
    print(said)
    if said.count(it_ends) != 2 or said.count(was_killed) != 2:
        raise Failed("not each of the two has said so and ended")


def survives(launcher):
    _, _, go_on = find(launcher)
    if go_on is None:
        skip(f"{launcher} ends a job of which a process dies")
    output = Run(launcher, 3, "wired", "survive", options=go_on, ARMATURE_ON_DEATH="continue").end()[1]
    print(output)
    if len(re.findall(r"rank [01] goes on: .*rank 2 has died", output)) != 2:
        raise Failed("not both others went on")


def outlives(launcher):
    """Whatever the launcher does about deaths: it does not learn of this one, and returns when the others have left."""
    output = Run(launcher, 3, ARMATURE, "outlive", f"{FOLDER}/wired", "survive").expect(True, r"was killed by signal 9 \(SIGKILL\)")
    if len(re.findall(r"rank [01] goes on: .*rank 2 has died", output)) != 2:
        raise Failed("not both others went on")
    if "does not suffice" in output:
        raise Failed("the warning is for jobs without the command")
    Run(launcher, 2, ARMATURE, "outlive", f"{FOLDER}/wired", "6", ARMATURE_VIRTUAL="6").expect(True, "6 ranks, 2 processes")


def outlives_no_start(launcher):
    """A death before there is a job is the launcher's."""
    start = time.monotonic()
    Run(launcher, 2, ARMATURE, "outlive", "sh", "-c",
        f'[ "${{PMIX_RANK:-$PMI_RANK}}" = 1 ] && kill -9 $$; exec {FOLDER}/wired survive').expect(False)
    if time.monotonic() - start > 10:
        raise Failed("it took more than 10 s")


def outlives_no_network(launcher):
    """So is one of virtual ranks whose processes have met, but have no network yet."""
    Run(launcher, 2, ARMATURE, "outlive", f"{FOLDER}/wired", "4", ARMATURE_VIRTUAL="4", ARMATURE_NET_DEVICE="nowhere",
        options=on_pretended_nodes(2, 2)).expect(False, "nowhere")


def outlives_status(launcher):
    """Who has left the job may fail: it is the program's to say."""
    output = Run(launcher, 2, ARMATURE, "outlive", f"{FOLDER}/wired", "status").expect(False)
    if "the job may go on" in output:
        raise Failed("nobody has died")


def outlives_no_request_to_end(launcher):
    """Where the launcher ends all nobody goes on without anybody."""
    run = Run(launcher, 3, ARMATURE, "outlive", f"{FOLDER}/wired", "hold")
    run.read_until("is process", 3)
    run.process.terminate()
    status, output = run.end()
    # A rank that hears of another's end before it is told to end itself dies of that (SIGABRT), and is outlived. Hydra that
    # is told to end now and then does so with 0, whatever it runs.
    if re.search(r"by signal (9|15) .*the job may go on", output) or (status == 0 and launcher != "mpich"):
        raise Failed(f"exit status {status}: {output}")


def outlives_no_launcher(launcher):
    run = Run(launcher, 3, ARMATURE, "outlive", f"{FOLDER}/wired", "hold")
    run.read_until("is process", 3)
    run.process.kill()
    run.expect(False)


def hydra_is_named(launcher):
    """Without the command, which is needed there, the job says so."""
    Run(launcher, 2, "wired", "2", ARMATURE_ON_DEATH="continue").expect(True, "does not suffice .* armature outlive", "2 ranks")


def valgrind(launcher):
    """As it is: segments are small without being asked to be."""
    if shutil.which("valgrind") is None:
        skip("no valgrind here")
    loader = f"--suppressions={pathlib.Path(__file__).with_name('valgrind.supp')}"
    for environment in ({}, {"ARMATURE_VIRTUAL": "2"}):
        output = Run(launcher, 2, "../examples/ring", options=["valgrind", loader], **environment).expect(True, "2 ranks: total 1.5")
        if output.count("ERROR SUMMARY: 0 errors") != 2:
            raise Failed("not two processes without an error")


def one_never_joins(launcher):
    run = Run(launcher, 2, "wired", "late", ARMATURE_START_TIMEOUT="2")
    run.expect(False, "not all of the 2 processes that the launcher has started join the job: process 0 has not called armature::run; waited 2 s")


def one_ends_before_it_joins(launcher):
    """With status 0: those who wait end, and say for whom they have waited. Open MPI 5 ends a job itself of which a process ends without
    a word after others have spoken to it, so these are a second late."""
    run = Run(launcher, 3, "wired", "3", options=["sh", "-c", f'[ {RANK} = 0 ] || {{ sleep 1; exec "$0" "$@"; }}'], ARMATURE_START_TIMEOUT="3")
    run.expect(False, "not all of the 3 processes .*: process 0 has not called armature::run; waited 3 s")


def one_joins_late(launcher):
    """The others are silent for 10 s, then one says for whom they wait."""
    output = Run(launcher, 4, "wired", "4", options=["sh", "-c", f'[ $(({RANK} % 2)) = 0 ] || sleep 12; exec "$0" "$@"']).expect(
        True, "4 ranks, 4 processes")
    if output.count("has not begun after 10 s: processes 1 and 3 have not called armature::run yet") != 1:
        raise Failed("not said once")


def pretended_nodes(launcher):
    """Each process takes itself for a node of its own: all goes over the network interface."""
    Run(launcher, 2, "wired", "2", ARMATURE_NET_DEVICE="lo",
        options=["sh", "-c", 'ARMATURE_NODE=$$ exec "$0" "$@"']).expect(True, "2 ranks, 2 processes")


def no_way_to_it(launcher):
    Run(launcher, 2, "wired", "2", options=[*ONE_BY_ONE, "sh", "-c", 'unset PMI_FD PMIX_RANK PMIX_NAMESPACE; exec "$0" "$@"']).expect(
            False, "2 copies of this program were started by", "PMIx: no PMIX_RANK", "PMI-1: no PMI_FD",
            "armature run -n N PROGRAM")


def mixed(order, mpi):
    def case(launcher):
        Run(launcher, 3, f"mixed_{mpi}", order).expect(True, "both agree")
    return case


def another_mpis_launcher(mpi):
    def case(launcher):
        Run(launcher, 2, f"mixed_{mpi}", "mpi_first").expect(False, "the mpirun of another MPI")
    return case


CASES = {function.__name__: function for function in (
    finds_its_job, reads_once_per_node, threads, levels, virtual, virtual_secrets, virtual_loaded, virtual_refused, virtual_saved, virtual_restored, virtual_death, death_ends_it, launcher_killed, recovers, hangs_and_wakes_up, cut_off, survives,
    outlives, outlives_no_start, outlives_no_network, outlives_status, outlives_no_request_to_end, outlives_no_launcher, hydra_is_named, one_never_joins, one_ends_before_it_joins, one_joins_late, pretended_nodes, no_way_to_it, valgrind)}
for the_mpi in ("openmpi", "mpich"):
    CASES[f"another_mpi_{the_mpi}"] = another_mpis_launcher(the_mpi)
    for the_order in ("mpi_first", "armature_first", "found"):
        CASES[f"mixed_{the_mpi}_{the_order}"] = mixed(the_order, the_mpi)


def client(launcher, program, ranks, nodes="1"):
    """A program that says itself whether all went well."""
    find(launcher)
    run = Run(launcher, int(ranks), program, options=on_pretended_nodes(int(ranks), int(nodes)), ARMATURE_NET_DEVICE="lo")
    status, output = run.end(seconds=150)
    print(output)
    if status != 0 or "everything is right" not in output:
        raise Failed(f"exit status {status}")


if __name__ == "__main__":
    try:
        with Scratch() as scratch:
            ENVIRONMENT.update(scratch.environment)
            if ":" in sys.argv[2]:
                client(sys.argv[1], *sys.argv[2].split(":"))
            else:
                CASES[sys.argv[2]](sys.argv[1])
    except (Failed, LeftOver) as failure:
        sys.exit(f"FAILED: {failure}")
