"""Jobs of virtual ranks that get more processes, or fewer, while they run.

    resizes.py ARMATURE STEPS RESIZING CASE
"""

import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
import resizable_job  # noqa: E402
from harness import expect, is_napping, perform_case, processes_with, wait_until  # noqa: E402
from printed_result import read_until, result  # noqa: E402
from resizable_job import SECONDS, ResizableJob  # noqa: E402

ARMATURE, STEPS, RESIZING, CASE = sys.argv[1:5]
MARK = f"ARMATURE_TEST_MARK={os.getpid()}.{time.time_ns()}"
os.environ.update([MARK.split("=")])


class Job(ResizableJob):
    def __init__(self, ranks, processes, options, program, *arguments, command=None):
        super().__init__(ARMATURE, ranks, processes, ["-v", *options], program, *arguments, command=command)


def resize(job, processes):
    return resizable_job.resize(ARMATURE, job, processes)


def undisturbed(ranks, *arguments):
    return result(Job(ranks, min(ranks, 2), [], STEPS, *arguments).end())[0]


def there_and_back(ranks, before, after, pause_us):
    """The result, and how often ranks were spread before the job was over."""
    job = Job(ranks, before, [], STEPS, 400, 0, pause_us, -1)
    moved = 0
    for wanted in (after, before, after):
        while (done := job.resize(wanted)).returncode != 0 and job.job.poll() is None:
            # It is about to end, or has.
            expect("ended" in done.stderr or "neither" in done.stderr, done.stderr)
        moved += done.returncode == 0
    got, _ = result(job.end())
    return got, moved


def all_pairs(ranks):
    """From each number of processes to each other, and back, and there again."""
    expected = undisturbed(ranks, 400, 0, 0, -1)
    for before in range(1, min(ranks, 4) + 1):
        for after in range(1, min(ranks, 4) + 1):
            for pause_us in (100, 400, 1600):
                got, moved = there_and_back(ranks, before, after, pause_us)
                expect(got == expected, f"{before} to {after}: {got}, not {expected}")
                if moved == 3:
                    break
            expect(moved > 0, f"{before} to {after}: the job is always over before")


def case_pairs_of_1():
    all_pairs(1)


def case_pairs_of_7():
    all_pairs(7)


def case_balanced():
    """Ranks that are ready go to the process that has nothing to do. The program says how often."""
    expected = undisturbed(16, 300, 0, 0, -1)
    ended = Job(16, 2, ["--balance"], STEPS, 300, 0, 200, -1).end()
    got, err = result(ended)
    expect(got == expected, f"{got}, not {expected}:\n{err}")
    moved = int(re.search(r"^moved (\d+)$", ended[1], re.M)[1])
    print(f"ranks went to another process {moved} times")
    expect(moved > 0, "no rank has moved")


def case_balanced_without_moving():
    """Where ranks cannot move, here since a library is not where the command looks for it, they stay."""
    expected = undisturbed(16, 200, 0, 0, -1)
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/bin")
        command = shutil.copy(ARMATURE, f"{folder}/bin/armature")
        job = Job(16, 2, ["--balance"], STEPS, 200, 0, 500, -1, command=command)
        wait_until("a refusal", lambda: "ranks cannot move" in job.resize(1).stderr)
        ended = job.end()
    got, err = result(ended)
    expect(got == expected and "moved 0\n" in ended[1], f"{got}, not {expected}:\n{ended[1]}{err}")


def case_same_factors():
    """LU's factors are the same bits, however they are spread, whoever computes them, and where."""
    size = 1024
    expected = undisturbed(1, size)
    processes = subprocess.run([ARMATURE, "run", "-n", "4", STEPS, str(size)], capture_output=True, text=True,
                               timeout=SECONDS, stdin=subprocess.DEVNULL)
    expect(result((processes.returncode, processes.stdout, processes.stderr))[0] == expected, "of processes: others")
    for ranks, processes, distribution in (4, 1, "cyclic"), (16, 2, "rectangles"), (7, 3, "cyclic"):
        for options in [], ["--balance"]:
            got, _ = result(Job(ranks, processes, options, STEPS, size, 24, distribution).end())
            expect(got == undisturbed(1, size, 24), f"{ranks} in {processes} processes, {options}: {got}")
    expected = undisturbed(2, 3072)
    moved = 0
    job = Job(16, 2, [], STEPS, 3072)
    while (done := job.resize(1 + moved % 3)).returncode == 0:
        moved += 1
    got, err = result(job.end())
    expect(got == expected and "ranks are in" in err, f"{got}, not {expected}, after {moved} resizes:\n{done.stderr}{err}")


def case_many_in_a_row():
    expected = undisturbed(16, 2000, 0, 0, -1)
    # With pauses, so that it lasts for ten of them on a busy machine, too.
    job = Job(16, 2, [], STEPS, 2000, 0, 200, -1)
    chance = random.Random(5)
    count = 0
    while job.resize(chance.randint(1, 4)).returncode == 0:
        count += 1
    got, err = result(job.end())
    expect(got == expected, f"{got}, not {expected}:\n{err}")
    expect(count >= 10, f"only {count} were done:\n{err}")
    print(f"{count} resizes")


def case_asked_to_end():
    """SIGTERM: the ranks of that process go to the others; twice at once, in the middle of it all."""
    expected = undisturbed(7, 300, 0, 0, -1)
    for processes, leave in ((2, 1), (4, 1), (4, 3)):
        job = Job(7, processes, [], STEPS, 300, 0, 1000, -1)
        job.resize_to(processes)  # all have joined
        for pid in job.children()[:leave]:
            os.kill(pid, signal.SIGTERM)
        job.await_children(processes - leave)
        expect(job.job.poll() is None, "the job has ended")
        got, err = result(job.end())
        expect(got == expected, f"{got}, not {expected}:\n{err}")


def case_last_asked_to_end():
    job = Job(4, 1, [], STEPS, 100000, 0, 1000, -1)
    job.resize_to(1)
    os.kill(job.children()[0], signal.SIGTERM)
    status, out, err = job.end()
    expect(status == 143 and "killed by signal 15" in err, f"{status}: {out}{err}")
    # All at once: nobody is left to take their ranks.
    job = Job(4, 3, [], STEPS, 100000, 0, 1000, -1)
    job.resize_to(3)
    for pid in job.children():
        os.kill(pid, signal.SIGTERM)
    status, out, err = job.end()
    expect(status == 143, f"{status}: {out}{err}")


def case_from_inside():
    status, out, err = Job(7, 2, [], RESIZING, "inside").end()
    expect(status == 0, f"{status}: {out}{err}")


def case_measured():
    status, out, err = Job(9, 1, [], RESIZING, "measured").end()
    expect(status == 0, f"{status}: {out}{err}")


def case_storm():
    """Resizes at random moments, under everything that ranks do with each other."""
    for number, options in enumerate(([], ["--balance"])):
        job = Job(16, 2, options, RESIZING, "storm", 5)
        chance = random.Random(number)
        count = 0
        while job.job.poll() is None:
            if job.resize(chance.randint(1, 4)).returncode == 0:
                count += 1
            time.sleep(chance.uniform(0, 0.1))
            children = job.children()
            if chance.random() < 0.2 and len(children) > 1:
                try:
                    os.kill(chance.choice(children), signal.SIGTERM)
                except ProcessLookupError:
                    pass
        status, out, err = job.end()
        expect(status == 0 and "all is well" in out, f"{status}: {out}{err}")
        expect(count >= 5, f"only {count} were done:\n{err}")
        print(f"{count} resizes; {out}")


def case_status():
    """A rank's status is the job's, whichever process it began in."""
    job = Job(4, 3, [], RESIZING, "status", 7)
    status, out, err = job.end()
    expect(status == 7, f"{status}: {out}{err}")


def case_with_deaths():
    """A process is killed now and then, too, and the job goes back to its last copy."""
    expected = undisturbed(7, 500, 0, 0, -1)
    chance = random.Random(3)
    recovered = 0
    for _ in range(4):
        job = Job(7, 3, ["--on-death", "recover", "--copy-every", 0.05], STEPS, 500, 0, 1000, -1)
        wait_until("a copy", lambda: job.resize(3).returncode == 0)
        time.sleep(0.3)
        while job.job.poll() is None:
            job.resize(chance.randint(2, 4))
            children = job.children()
            if len(children) > 1 and chance.random() < 0.3:
                try:
                    os.kill(chance.choice(children), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(chance.uniform(0, 0.1))
        status, out, err = job.end()
        if status == 137 and re.search(r"^result ", out, re.M):
            status = 0  # one was killed when all ranks had ended: there was nothing to go back for
        got, err = result((status, out, err))
        expect(got == expected, f"{got}, not {expected}:\n{err}")
        recovered += err.count("all ranks go back")
    expect(recovered > 0, "nobody was killed")


def case_killed_without_ranks():
    """A process that all ranks have left is not needed: the job goes on, and may have another."""
    for options in [], ["--on-death", "recover", "--copy-every", 0.05]:
        job = Job(4, 2, options, RESIZING, "together", 2)
        expect(job.job.stdout.readline() == "together\n", "they are not together")
        os.kill(job.children()[1], signal.SIGKILL)
        job.await_children(1)
        job.resize_to(1)
        job.resize_to(2)
        status, out, err = job.end()
        expect(status == 0 and "the job goes on without it" in err, f"{status}: {out}{err}")


def case_killed_while_writing():
    """So is one that all ranks have left, when the job is written: that begins again, at the same place."""
    with tempfile.TemporaryDirectory() as folder:
        directory = pathlib.Path(folder, "saved")
        job = Job(4, 2, ["--checkpoint", directory], RESIZING, "together", 4)
        expect(job.job.stdout.readline() == "together\n", "they are not together")
        leader, other = job.children()
        os.kill(job.pid, signal.SIGUSR2)
        while not (directory / "000001").exists() and job.job.poll() is None:
            pass  # it is written in some milliseconds
        os.kill(leader, signal.SIGSTOP)
        os.kill(other, signal.SIGKILL)
        job.await_children(1)
        os.kill(leader, signal.SIGCONT)
        wait_until("a checkpoint", (directory / "latest").exists)
        status, out, err = job.end()
        expect(status == 0, f"{status}: {out}{err}")
        last = (directory / "latest").read_text().strip()
        expect(sorted(os.listdir(directory)) == [".armature-lock", last, "latest"], os.listdir(directory))
        expect(sorted(os.listdir(directory / last))[:2] == ["control", "manifest"], os.listdir(directory / last))


def case_with_checkpoints():
    """Both at once; a restart after it goes on with the same result."""
    expected = undisturbed(7, 400, 0, 0, -1)
    with tempfile.TemporaryDirectory() as folder:
        job = Job(7, 2, ["--checkpoint", folder, "--checkpoint-every", 0.05], STEPS, 400, 0, 1000, -1)
        chance = random.Random(1)
        for _ in range(6):
            job.resize_to(chance.randint(1, 4))
            time.sleep(0.06)
        os.kill(job.pid, signal.SIGKILL)
        job.end()
        done = subprocess.run([ARMATURE, "restart", folder, "--processes", "2"], capture_output=True, text=True,
                              timeout=SECONDS, stdin=subprocess.DEVNULL)
        got, err = result((done.returncode, done.stdout, done.stderr))
        expect(got == expected, f"{got}, not {expected}:\n{err}")


def refused(done, why):
    expect(done.returncode == 1 and why in done.stderr, f"{done.returncode}: {done.stdout}{done.stderr}")


def case_refusals():
    job = Job(4, 2, [], STEPS, 100000, 0, 1000, -1)
    job.resize_to(2)
    refused(job.resize(5), "5 processes are not possible: 1 to 4, as many as there are ranks, are")
    job.resize_to(3)
    # Of two at once each gets what it wants, or hears that it has not.
    asking = {wanted: subprocess.Popen([ARMATURE, "resize", str(job.pid), "--processes", str(wanted)], text=True,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
              for wanted in (4, 1)}
    for wanted, one in asking.items():
        out, err = one.communicate(timeout=SECONDS)
        got = one.returncode == 0 and out == f"{wanted} processes\n"
        expect(got or (one.returncode == 1 and f"processes, not {wanted}: somebody else" in err), f"{wanted}: {out}{err}")
    refused(resize(1, 2), "process 1 is neither the launcher nor a rank of a job")
    refused(resize(os.getpid(), 2), "is neither the launcher nor a rank of a job")
    for wrong in ("0", "-1", "x", ""):
        done = job.resize(wrong)
        expect(done.returncode in (1, 2) and "--processes" in done.stderr, f"{done.returncode}: {done.stderr}")
    os.kill(job.pid, signal.SIGTERM)
    status, out, err = job.end()
    expect(status == 143, f"{status}: {err}")
    # Not of virtual ranks.
    words = list(map(str, [ARMATURE, "run", "-n", 2, "--timeout", SECONDS, STEPS, 100000, 0, 1000, -1]))
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as job:
        refused(resize(job.pid, 2), "only virtual ranks can move (armature run --virtual)")
        job.terminate()
        job.communicate()
    # One that goes on without its dead.
    job = Job(4, 2, ["--on-death", "continue"], STEPS, 100000, 0, 1000, -1)
    refused(job.resize(3), "--on-death continue")
    job.job.terminate()
    job.end()


def case_other_build():
    """A process of another program cannot take ranks over: that is said in a sentence, and the job goes on."""
    with tempfile.TemporaryDirectory() as folder:
        program = shutil.copy(STEPS, f"{folder}/program")
        os.environ["LD_LIBRARY_PATH"] = str(pathlib.Path(ARMATURE).parent.parent / "lib")  # where the tests find it
        job = Job(4, 2, [], program, 100000, 0, 1000, -1)
        job.resize_to(1)
        os.remove(program)
        shutil.copy(RESIZING, program)
        done = job.resize(2)
        expect(done.returncode == 1 and "status 1" in done.stderr, f"{done.returncode}: {done.stderr}")
        os.kill(job.pid, signal.SIGTERM)
        status, out, err = job.end()
        expect(status == 143 and "the program is another build" in err, f"{status}: {err}")
        expect(not re.search(r"\[0x|#\d ", err), f"no stack: {err}")


def case_ended_since():
    """Whoever asked was not looking while it was done and the job came to its end."""
    job = Job(4, 2, [], STEPS, 3000, 0, 1000, -1)
    job.resize_to(2)
    os.kill(job.pid, signal.SIGSTOP)  # the launcher, which answers
    with subprocess.Popen(list(map(str, [ARMATURE, "resize", job.pid, "--processes", 3])), text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as asking:
        wait_until("a request", lambda: is_napping(asking.pid))
        os.kill(asking.pid, signal.SIGSTOP)
        os.kill(job.pid, signal.SIGCONT)
        job.await_children(3)
        status, _, err = job.end()
        expect(status == 0, f"{status}: {err}")
        os.kill(asking.pid, signal.SIGCONT)
        out, err = asking.communicate(timeout=SECONDS)
        expect(asking.returncode == 0 and out == "3 processes\n", f"{asking.returncode}: {out}{err}")


def case_stays():
    """A rank that holds something of its process stays, and so does the process."""
    status, out, err = Job(4, 2, [], RESIZING, "stays").end()
    expect(status == 0 and "holds something of its process (Pinned), which cannot move" in out, f"{status}: {out}{err}")


def case_stays_and_is_killed():
    """It is asked to end, would have to stay for one of its ranks, and is killed before that is found."""
    for options, expected in ([], 137), (["--on-death", "recover"], 0):
        with tempfile.TemporaryDirectory() as folder:
            go_on = f"{folder}/go on"
            job = Job(4, 2, options, RESIZING, "held", go_on)
            pid = int(job.job.stdout.readline())
            os.kill(pid, signal.SIGTERM)
            time.sleep(0.5)  # until it has stopped taking turns; else it is killed as any other
            os.kill(pid, signal.SIGKILL)
            job.await_children(1)
            pathlib.Path(go_on).touch()
            status, out, err = job.end()
        expect(status == expected and "killed by signal 9" in err, f"{status}: {out}{err}")
        expect(expected != 0 or "all ranks go back" in err, f"{status}: {out}{err}")


def case_stays_as_others_are_killed():
    """It is to leave, and whoever was to take its ranks is killed before: it goes on with all of them."""
    expected = undisturbed(7, 30000, 0, 0, -1)
    job = Job(7, 2, ["--on-death", "recover", "--copy-every", 1000], STEPS, 30000, 0, 0, -1)
    said = read_until(job.job.stderr, "was written to memory")
    first, second = job.children()
    os.kill(first, signal.SIGSTOP)
    # Ranks never pause, so the other one naps only when it is to leave and waits to be rid of its own.
    asking = subprocess.Popen([ARMATURE, "resize", str(job.pid), "--processes", "1"])
    wait_until("it is to leave", lambda: is_napping(second))
    os.kill(first, signal.SIGKILL)
    expect(asking.wait(SECONDS) == 0, "resize has failed")
    status, out, err = job.end()
    got, err = result((status, out, said + err))
    expect(got == expected and "stays: the others were killed" in err, f"{got}, not {expected}:\n{err}")


def whole_case():
    globals()[f"case_{CASE}"]()
    left = [pid for pid in processes_with(MARK) if pid != os.getpid()]
    expect(not left, f"left over: {left}")


perform_case(CASE, whole_case)
