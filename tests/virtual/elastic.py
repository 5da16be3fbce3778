"""Jobs that take in nodes while they run, give back those that are asked to end, and go on without one that is killed.

    elastic.py ARMATURE STEPS RESIZING HOTSPOT LU
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
from harness import Failed, expect, perform_case, processes_with, wait_until  # noqa: E402
from resizable_job import SECONDS, ResizableJob, TooSoon, await_children, require_running  # noqa: E402

ARMATURE, STEPS, RESIZING, HOTSPOT, LU = sys.argv[1:6]
MARK = f"ARMATURE_TEST_MARK={os.getpid()}.{time.time_ns()}"
os.environ.update([MARK.split("=")])
ELASTIC = ["--nodes", 2, "--no-globals-note", "--elastic"]


def join(job, *options):
    return subprocess.run(list(map(str, [ARMATURE, "join", job, "--timeout", SECONDS, *options])), capture_output=True,
                          text=True, timeout=2 * SECONDS, stdin=subprocess.DEVNULL)


def expect_joined(job, processes, nodes, *options):
    done = join(job.pid, *options)
    if done.returncode != 0 or done.stdout != f"{processes} processes on {nodes} nodes\n":
        ends = re.search("ha(s|ve) ended|neither the launcher nor", done.stderr)
        require_running(job, SECONDS if ends else 0)
        raise Failed(f"join: {done.returncode}: {done.stdout}{done.stderr}")
    return await_children(job, processes)


def expect_refused(job, why, *options):
    done = join(job, *options)
    expect(done.returncode == 1 and why in done.stderr, f"{done.returncode}: {done.stdout}{done.stderr}, not: {why}")


def kill(job, pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        require_running(job, SECONDS)
        raise Failed(f"process {pid} is gone") from None


def come_and_go(result, seconds_to_copy, program, *arguments):
    """2 nodes, 4, 3 after a notice, and 2 as one is killed: the same result as on 2 that stay."""
    stays = ResizableJob(ARMATURE, 8, 2, ["--nodes", 2, "--no-globals-note"], program, *arguments, seconds=2 * SECONDS)
    status, out, err = stays.end()
    expected = re.findall(result, out, re.M)
    expect(status == 0 and expected, f"{status}: {out}{err}")
    job = ResizableJob(ARMATURE, 8, 2, [*ELASTIC, "--copy-every", 0.05], program, *arguments, seconds=2 * SECONDS)
    expect_joined(job, 3, 3)
    before = expect_joined(job, 4, 4, "--processes", 1)
    kill(job, before[3], signal.SIGTERM)
    left = await_children(job, 3, before)
    time.sleep(seconds_to_copy)
    kill(job, left[1], signal.SIGKILL)
    status, out, err = job.end()
    is_right = re.findall(result, out, re.M) == expected
    lost = re.findall(r"all ranks go on, ([\d.]+) ms after (they have stopped|the death was noticed)", err)
    goes_back = "all ranks go back to the checkpoint in memory of" in err
    # It was done when the process was killed, or before it could be told that all go on; or there was no copy.
    if (is_right and not (goes_back and len(lost) == 4)) or "there is no checkpoint in memory yet" in err:
        raise TooSoon
    expect(status == 0 and is_right and goes_back, f"{status}, not {expected}: {out}{err}")
    went = re.findall(r"goes on in (\d) processes on (\d) nodes", err)
    expect(went == [("3", "3"), ("4", "4"), ("3", "3")], f"{went}: {err}")
    expect([how for _, how in lost] == ["they have stopped"] * 3 + ["the death was noticed"], err)
    print(f"{pathlib.Path(program).name}: " + ", ".join(f"{ms} ms" for ms, _ in lost))


def come_and_go_in_time(result, program, *of_longer_and_longer_jobs):
    """Where others keep the machine busy, commands take their time, and a job may be over before they have done their part."""
    for number, arguments in enumerate(of_longer_and_longer_jobs):
        try:
            return come_and_go(result, 0.7 * 2**number, program, *arguments)
        except TooSoon:
            print(f"{pathlib.Path(program).name} {arguments}: over too soon")
    raise Failed(f"{pathlib.Path(program).name} is over before all has happened, however long it takes")


def two_at_once_and_refusals():
    """Of two nodes that join at once, neither is forgotten; what cannot be is refused, and the job goes on."""
    job = ResizableJob(ARMATURE, 6, 2, ELASTIC, STEPS, 100000, "when_due", 1000)
    asking = [subprocess.Popen([ARMATURE, "join", str(job.pid)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True) for _ in range(2)]
    said = [one.communicate(timeout=2 * SECONDS)[0] for one in asking]
    expect(all(one.returncode == 0 for one in asking), str(said))
    await_children(job, 4)
    expect("4 processes on 4 nodes\n" in said, str(said))
    expect_refused(job.pid, "7 processes are not possible: 1 to 6, as many as there are ranks", "--processes", 3)
    os.kill(job.pid, signal.SIGTERM)
    expect(job.end()[0] == 143, "it has not ended")
    expect_refused(job.pid, f"process {job.pid} is neither the launcher nor a rank of a job")
    for ranks, options, why in ((4, ["--nodes", 2], "it was not started with armature run --elastic"),
                                (4, [], "it was not started with armature run --elastic")):
        job = ResizableJob(ARMATURE, ranks, 2, [*options, "--no-globals-note"], STEPS, 100000, "when_due", 1000)
        wait_until("its ranks", lambda: len(job.children()) == 2)
        expect_refused(job.pid, why)
        os.kill(job.pid, signal.SIGTERM)
        job.end()


def many_at_once():
    """Nodes that join at any moment, before, while and after the job goes on with others, are all taken in."""
    for pause in (0, 0.004, 0.03):
        job = ResizableJob(ARMATURE, 16, 2, ELASTIC, STEPS, 100000, "when_due", 1000)
        asking = []
        for _ in range(6):
            asking.append(subprocess.Popen([ARMATURE, "join", str(job.pid)], stdin=subprocess.DEVNULL,
                                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
            time.sleep(pause)
        said = [one.communicate(timeout=2 * SECONDS)[0] for one in asking]
        expect(all(one.returncode == 0 for one in asking), str(said))
        expect("8 processes on 8 nodes\n" in said, f"{pause}: {said}")
        await_children(job, 8)
        os.kill(job.pid, signal.SIGTERM)
        expect(job.end()[0] == 143, "it has not ended")


def leave_is_asked_for_again():
    """A node of a host file whose leave is refused, since a rank must stay there, leaves when that rank need not any more."""
    with tempfile.TemporaryDirectory() as folder:
        hosts, free = os.path.join(folder, "hosts"), os.path.join(folder, "free")

        def write(lines):
            with open(hosts + ".new", "w") as file:
                file.write(lines)
            os.replace(hosts + ".new", hosts)

        write("a\nb\nc\n")
        errors = os.path.join(folder, "errors")
        with open(errors, "w") as file:
            job = subprocess.Popen([ARMATURE, "run", "-n", "6", "--virtual", "--processes", "3", "--timeout", str(SECONDS),
                                    "--elastic", "--hostfile", hosts, "--no-globals-note", RESIZING, "stays_until", free,
                                    str(SECONDS)], stdin=subprocess.DEVNULL, stderr=file)

        def said(what, times=1):
            expect(job.poll() is None, "it has ended")
            with open(errors) as file:
                return file.read().count(what) >= times

        children = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children")
        try:
            wait_until("three processes", lambda: len(children.read_text().split()) >= 3, SECONDS)  # so it has read the file
            write("a\nb\n")
            wait_until("a refusal", lambda: said("process 2 stays: "), SECONDS)
            wait_until("another one", lambda: said("c is to leave", 2), SECONDS)
            write("a\nb\nc\n")  # it stays after all
            time.sleep(0.5)
            write("a\nb\n")
            wait_until("one more", lambda: said("c is to leave", 3), SECONDS)
            with open(free, "w"):
                pass
            wait_until("two nodes", lambda: said("the job goes on in 2 processes on 2 nodes"), SECONDS)
        finally:
            job.terminate()
            job.wait()


def takes_signals(pid):
    """Whether the launcher has SIGTERM blocked, and so reads it when it is ready for it."""
    with open(f"/proc/{pid}/status") as file:
        blocked = re.search(r"^SigBlk:\s*(\w+)", file.read(), re.M)[1]
    return int(blocked, 16) >> signal.SIGTERM - 1 & 1 == 1


def ended_between_two_starts():
    """A launcher that is asked to end while it starts its job once more ends it, and leaves nothing."""
    for seconds in 0, 0.001, 0.005, 0.02:
        job = ResizableJob(ARMATURE, 8, 2, ELASTIC, HOTSPOT, 100000, 5)
        before = await_children(job, 2)
        joins = subprocess.Popen([ARMATURE, "join", str(job.pid), "--timeout", str(SECONDS)], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + SECONDS
        looks = 0
        while (looks := looks + 1) % 50 != 0 or not set(job.children()) - set(before):
            expect(takes_signals(job.pid), "between two starts SIGTERM would end the launcher at once")
            expect(time.monotonic() < until, "the job does not go on")
        time.sleep(seconds)
        job.job.terminate()
        status, _, err = job.end()
        joins.wait(2 * SECONDS)
        expect(status == 128 + signal.SIGTERM, f"after {seconds} s: {status}: {err}")
        left = os.listdir(tempfile.gettempdir())
        expect(not left, f"after {seconds} s, left over: {left}")


def job_of_another_version():
    """The memory of a job that another version has made is recognized, and named so."""
    magic = 0x31424354414d5241
    with open(f"/proc/self/fd/{os.memfd_create('armature-control')}", "r+b") as block:
        block.write(magic.to_bytes(8, "little") + (1).to_bytes(4, "little") + bytes(1 << 16))
        block.flush()
        expect_refused(os.getpid(), f"the job of process {os.getpid()} is of another version of Armature")


def whole_case():
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["TMPDIR"] = scratch
        os.environ["ARMATURE_CRASH_TRACE"] = ""
        tempfile.tempdir = None
        come_and_go_in_time(r" sum ([\d.]+)$", HOTSPOT, *((steps, 5) for steps in (10000, 20000, 40000)))
        come_and_go_in_time(r"^(RESIDUAL OK|  \d+ gets.*)$", LU,
                            *(("--n", n, "--block", 16, "--meet", 1, "--no-threads") for n in (2304, 3072, 4096)))
        two_at_once_and_refusals()
        many_at_once()
        leave_is_asked_for_again()
        ended_between_two_starts()
        job_of_another_version()
        wait_until("all processes to be gone", lambda: processes_with(MARK) in ([], [os.getpid()]))
        expect(not os.listdir(scratch), f"left over: {os.listdir(scratch)}")


perform_case("elastic", whole_case)
