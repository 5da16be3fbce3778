"""Output, input, signals, binding, and how long starting takes."""

import json
import os
import re
import select
import signal
import subprocess
import time
import uuid

import harness
from harness import Job, expect, run, send, wait_until


def test_labels_stand_before_whole_lines():
    text = run(["lines"], 0, options=["-n", 4, "--label"])
    lines = text.splitlines()
    for line in lines:
        match = re.fullmatch(r"\[(\d)\] line \d+ of rank (\d)", line)
        expect((match and match[1] == match[2]) or re.fullmatch(r"\[\d\] no line end", line), line)
    expect(len(lines) == 4 * 201, f"{len(lines)} lines")


def test_a_labelled_rank_speaks_before_its_death_is_told():
    text = run(["-c", "echo last; kill -9 $$"], 137, options=["-n", 1, "--label"], program="sh")
    expect(text.startswith("[0] last\narmature: rank 0"), text)


def labelled_and_not_read(*options):
    """A job that has filled the pipe which its output goes to."""
    job = Job([], ["-n", 2, "--label", "--stall", 0, *options], program="yes")

    def is_full():
        with open(f"/proc/{job.pid}/fd/1", "wb", buffering=0) as pipe:
            return not select.select([], [pipe], [], 0)[1]
    wait_until("the pipe to be full", is_full)
    return job


def test_a_labelled_job_whose_output_nobody_reads_ends_when_asked_or_late():
    for options, status in (((), 143), (("--timeout", 0.5), 124)):
        job = labelled_and_not_read(*options)
        if not options:
            os.kill(job.pid, signal.SIGTERM)
        wait_until("its end", lambda: job.process.poll() is not None)  # reading would let it end, too
        job.expect_end(status)


def test_labelled_ranks_hear_that_nobody_reads_any_longer():
    job = labelled_and_not_read()
    job.process.stdout.close()
    job.expect_end(141, "SIGPIPE")


def test_labelled_output_that_is_lost_is_a_failure():
    with open("/dev/full", "w") as full:
        done = subprocess.run([harness.ARMATURE, "run", "-n", "2", "--label", "echo", "lost"], stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=10 * harness.SLOW)
    expect(done.returncode == 1 and "No space left on device" in done.stderr, f"{done.returncode}: {done.stderr}")


def test_only_rank_0_reads_the_input():
    job = subprocess.run([harness.ARMATURE, "run", "-n", "3", harness.PROGRAM, "stdin"], input="A", text=True,
                         capture_output=True)
    expect(sorted(job.stdout.splitlines()) == ["rank 0 reads 65", "rank 1 reads -1", "rank 2 reads -1"], job.stdout)


def test_ranks_that_share_the_process_of_rank_0_share_its_input():
    """As the guide says: what one has taken no other gets, and what other processes read ends at once."""
    for options in ["--threads", "2"], ["--virtual", "--no-globals-note", "--processes", "2"]:
        job = subprocess.run([harness.ARMATURE, "run", "-n", "4", *options, harness.PROGRAM, "stdin"], input="A", text=True,
                             capture_output=True)
        read = dict(re.findall(r"rank (\d) reads (-?\d+)", job.stdout))
        expect(sorted((read["0"], read["1"])) == ["-1", "65"] and read["2"] == read["3"] == "-1", job.stdout + job.stderr)


def test_signals_are_passed_on():
    script = ["-c", f"(:; {harness.PROGRAM} signals); exit $?"]
    for job in Job(["signals"], ["-n", 2]), Job(script, ["-n", 2], program="sh"):
        expect(job.process.stdout.readline() == "ready\n", "ready")
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM):
            job.wait_for(0, "asleep")
            job.wait_for(1, "asleep")
            os.kill(job.pid, number)
            lines = sorted(job.process.stdout.readline() for _ in range(2))
            expect(lines == [f"rank {rank} got {int(number)}\n" for rank in range(2)], str(lines))
        job.expect_end(0)


def test_signals_that_are_ignored_stay_so():
    """As for what nohup starts, or a script in its background."""
    ignored = (signal.SIGHUP, signal.SIGINT, signal.SIGCHLD)
    job = Job(["signals"], ["-n", 2], preexec_fn=lambda: [signal.signal(number, signal.SIG_IGN) for number in ignored])
    expect(job.process.stdout.readline() == "ready\n", "ready")
    job.wait_for(0, "asleep")
    job.wait_for(1, "asleep")
    send(job.pid, signal.SIGHUP, signal.SIGINT, signal.SIGINT, signal.SIGTERM)
    job.expect_end(0, "rank 0 got 15", "rank 1 got 15")


def test_interrupt_ends_the_job():
    job = Job(["hold", "computing"], ["-n", 3])
    job.wait_for(2, "has run")
    os.kill(job.pid, signal.SIGINT)
    text = job.expect_end(130, "ended by SIGINT")
    expect(len(text.splitlines()) == 1, text)


def test_a_rank_of_a_script_that_is_ended_so_is_told_alike():
    job = Job(["-c", f"{harness.PROGRAM} hold computing; exit $?"], ["-n", 1], program="sh")
    job.wait_for(0, "has run")
    os.kill(job.pid, signal.SIGTERM)
    job.expect_end(143, "ended by SIGTERM, which was passed on")


def on_a_terminal(words, keys, status):
    """Runs a job whose terminal we hold; returns what it shows there."""
    pid, terminal = os.forkpty()
    if pid == 0:
        os.execv(harness.ARMATURE, [harness.ARMATURE, "run", "-n", "2", harness.PROGRAM, *words])
    if keys:
        wait_until("the job to run", lambda: '"has run"' in subprocess.run(
            [harness.ARMATURE, "inspect", str(pid), "--json"], capture_output=True, text=True).stdout)
        os.write(terminal, keys)
    shown = b""
    try:
        while piece := os.read(terminal, 4096):
            shown += piece
    except OSError:
        pass  # the last who had it open is gone
    ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    expect(ended == status, f"status {ended}: {shown}")
    return shown.decode()


def test_ctrl_c_at_a_terminal_ends_the_job():
    shown = on_a_terminal(["hold", "computing"], b"\x03", 130)
    expect("ended by SIGINT" in shown and "rank" not in shown.replace("the ranks", ""), shown)


def test_a_terminal_that_goes_away_ends_the_job_that_leads_its_session():
    """As the shell of an ssh connection may become the launcher, or xterm start it."""
    mark = f"ARMATURE_TEST_MARK={uuid.uuid4()}"
    pid, terminal = os.forkpty()
    if pid == 0:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        words = [harness.ARMATURE, "run", "-n", "2", harness.PROGRAM, "hold", "computing"]
        os.execve(words[0], words, {**os.environ, mark.split("=")[0]: mark.split("=")[1]})
    wait_until("the job to run", lambda: subprocess.run(
        [harness.ARMATURE, "inspect", str(pid), "--json"], capture_output=True, text=True).stdout.count('"has run"') == 2)
    os.close(terminal)
    try:
        wait_until("the job to end", lambda: harness.processes_with(mark) == [])
    finally:
        if harness.processes_with(mark):
            os.kill(pid, signal.SIGTERM)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    expect(status == 129, f"status {status}")


def test_headlines_stand_out_on_terminals_only():
    expect("\033[1;31marmature: rank 1" in on_a_terminal(["kill", "1"], b"", 137), "colour")
    expect("\033" not in run(["kill", 1], 137), "no colour")


def test_a_second_interrupt_kills():
    job = Job(["-c", "trap '' INT; echo ready; while :; do sleep 0.05; done"], ["-n", 2], program="sh")
    for _ in range(2):
        expect(job.process.stdout.readline() == "ready\n", "ready")
    send(job.pid, signal.SIGINT, signal.SIGINT)
    job.expect_end(137, "interrupted twice")


def test_asked_to_end_twice_ranks_are_killed():
    job = Job(["-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done"], ["-n", 2], program="sh")
    for _ in range(2):
        expect(job.process.stdout.readline() == "ready\n", "ready")
    send(job.pid, signal.SIGTERM, signal.SIGTERM)
    job.expect_end(137, "asked to end twice", "ended by SIGKILL")


def test_a_stopped_job_goes_on():
    job = Job(["hold", "computing"], ["-n", 2])
    job.wait_for(1, "has run")
    os.kill(job.pid, signal.SIGTSTP)

    def state():
        with open(f"/proc/{job.pid}/stat", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0]
    wait_until("the launcher to stop", lambda: state() == "T")
    job.wait_for(1, "is stopped")
    os.kill(job.pid, signal.SIGCONT)
    job.wait_for(1, "has run")
    os.kill(job.pid, signal.SIGTERM)
    job.expect_end(143, "ended by SIGTERM")


def test_ranks_are_bound_where_cores_suffice():
    cores = len(os.sched_getaffinity(0))
    if cores >= 2:
        run(["bound"], 0, "rank 1 may use", options=["-n", 2, "--verbose"])
        free = run(["bound"], 0, options=["-n", 2, "--bind", "none"])
        expect(f"rank 1 may use {cores}" in free, free)
        # Threads that run a rank's methods would take turns on its core.
        free = run(["bound"], 0, options=["-n", 2, "--service-threads", 2])
        expect(f"rank 1 may use {cores}" in free, free)
    many = run(["bound"], 0, options=["-n", cores + 1])
    expect(f"rank 1 may use {cores}" in many, many)


def test_64_ranks_start_quickly():
    started = time.monotonic()
    text = run(["end"], 0, r"all 64 ranks have joined after \d+ ms", options=["-n", 64, "--verbose"])
    print(re.search("all 64 .*", text)[0], f"- whole job {time.monotonic() - started:.3f} s")
    expect(time.monotonic() - started < 5, "64 ranks took over 5 s")


def test_doctor_judges_this_machine():
    started = time.monotonic()
    done = subprocess.run([harness.ARMATURE, "doctor", "--json"], capture_output=True, text=True)
    took = time.monotonic() - started
    findings = {finding["what"]: finding for finding in json.loads(done.stdout)}
    expect(done.returncode == 0, done.stdout)
    expect({"cores", "memory", "memory files", "address space", "open files"} <= findings.keys(), done.stdout)
    expect(took < 2 * harness.SLOW, f"{took} s")


def test_doctor_says_how_long_transfers_are_copied():
    for wanted, said in ((None, r"which is known: |tried now: "), ("trial", r"tried now: \S+ to 16\.0 KiB, .* what the first of them"),
                         ("memcpy", "as ARMATURE_COPY says: memcpy to 16.0 KiB, memcpy to 256.0 KiB, memcpy to .*, memcpy above;")):
        done = subprocess.run([harness.ARMATURE, "doctor"], capture_output=True, text=True,
                              env={**os.environ, **({"ARMATURE_COPY": wanted} if wanted else {})})
        expect(re.search(rf"copies: .*({said})", done.stdout), f"{wanted}: {done.stdout}")


def test_doctor_says_where_the_ways_between_nodes_change():
    for setting, said in (({}, r"packets up to 8\.0 KiB, streams above: "),
                          ({"COPY_MAX": "1024"}, r"packets up to 1\.0 KiB, streams above: ARMATURE_NET_COPY_MAX says so"),
                          ({"PROTOCOL": "packet"}, "packets for all sizes: ARMATURE_NET_PROTOCOL says so"),
                          ({"PROTOCOL": "stream"}, "streams for all that can be lent: ARMATURE_NET_PROTOCOL"),
                          ({"PROTOCOL": "engine"}, "the engine's operations wherever it has them: ARMATURE_NET_PROTOCOL")):
        done = subprocess.run([harness.ARMATURE, "doctor", "--network"], capture_output=True, text=True,
                              env={**os.environ, **{f"ARMATURE_NET_{name}": value for name, value in setting.items()}})
        expect(re.search(f"changes of protocol: {said}", done.stdout), f"{setting}: {done.stdout}{done.stderr}")


def test_doctor_sees_red_where_the_address_space_is_limited():
    done = subprocess.run(["sh", "-c", f"ulimit -v 4000000; exec {harness.ARMATURE} doctor"], capture_output=True,
                          text=True)
    expect(done.returncode == 1, done.stdout)
    expect(re.search(r"BAD +address space.*\n +ulimit -v unlimited", done.stdout), done.stdout)


def test_doctor_judges_where_files_are_limited():
    for limit, remedies in ((1000, ("ulimit -f unlimited\n",)), (1 << 20, ("or armature run --segment-size",))):
        done = subprocess.run(["bash", "-c", f"ulimit -f {limit}; exec {harness.ARMATURE} doctor"], capture_output=True,
                              text=True)
        expect(done.returncode == 1, f"{done.returncode}: {done.stdout}")
        for remedy in (r"BAD +size of a file \(RLIMIT_FSIZE\)", *remedies):
            expect(re.search(remedy, done.stdout), f"{remedy}: {done.stdout}")
    expect("memory files: work" in done.stdout, done.stdout)
    done = subprocess.run(["sh", "-c", f"ulimit -n 12; exec {harness.ARMATURE} doctor --network"], capture_output=True, text=True)
    expect(done.returncode == 1 and "ulimit -n" in done.stdout and "install" not in done.stdout, done.stdout)


def test_output_that_cannot_be_written_is_a_failure():
    for words in (["doctor"], ["doctor", "--json"], ["inspect"], ["--help"], ["help", "run"], ["--version"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([harness.ARMATURE, *words], stdout=full, stderr=subprocess.PIPE, text=True)
        expect(done.returncode == 1, f"{words}: {done.returncode}")
        expect(re.fullmatch("armature: the output could not be written.*\n", done.stderr), f"{words}: {done.stderr}")


def test_help_explains_every_command():
    for command in ("run", "inspect", "doctor"):
        for words in ([command, "--help"], ["help", command]):
            done = subprocess.run([harness.ARMATURE, *words], capture_output=True, text=True)
            expect(done.returncode == 0 and "Examples:" in done.stdout and "{false}" not in done.stdout, done.stdout)
    for words in ([], ["help"], ["--help"]):
        done = subprocess.run([harness.ARMATURE, *words], capture_output=True, text=True)
        expect(done.returncode == 0 and "armature inspect" in done.stdout, done.stdout)
    done = subprocess.run([harness.ARMATURE, "--version"], capture_output=True, text=True)
    expect(re.fullmatch(r"armature \d+\.\d+\.\d+\n", done.stdout), done.stdout)
    done = subprocess.run([harness.ARMATURE, "dance"], capture_output=True, text=True)
    expect(done.returncode == 2 and "dance" in done.stderr, done.stderr)
    for words, said in ((["help", "dance"], "armature help: there is no command 'dance'\nTry: armature help --help\n"),
                        (["bench", "net", "--nodes", "x"], "Try: armature bench net --help\n")):
        done = subprocess.run([harness.ARMATURE, *words], capture_output=True, text=True)
        expect(done.returncode == 2 and done.stderr.endswith(said), done.stderr)
