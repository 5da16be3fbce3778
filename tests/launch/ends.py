"""How jobs end: exit statuses, messages, and within what time."""

import os
import pathlib
import re
import resource
import signal
import stat
import subprocess
import tempfile
import time
import uuid

import harness
from harness import Job, expect, run, wait_until


def test_a_job_that_ends_in_order_has_status_0():
    expect(run(["end"], 0) == "", "a job that ends in order says nothing")


def test_a_returned_status_is_the_jobs():
    run(["return", 2, 9], 9, r"rank 2 .* exited with status 9")


def test_programs_that_never_join_may_just_run():
    text = run([], 0, program="hostname")
    expect(len(text.splitlines()) == 3, text)
    run(["-c", "exit 4"], 4, program="sh")


def test_run_inside_run_is_an_error():
    for kind in [], ["--threads", 3], ["--virtual"]:
        run(["run_again"], 134, r"run: called inside run", options=["-n", 3, *kind])


def test_one_program_joins_for_a_rank():
    for script in "{0} end & {0} end; wait", "{0} end; {0} end":
        for more in [], ["--nodes", 2], ["--virtual"]:
            run(["-c", script.format(harness.PROGRAM)], 134, r"has joined the job already: where a script",
                program="sh", options=["-n", 2, *more])


def test_some_joining_and_some_not_is_an_error():
    for first_of_second, options in ((1, ["-n", 3]), (2, ["-n", 4, "--nodes", 2]), (2, ["-n", 4, "--threads", 2]),
                                     (3, ["-n", 6, "--virtual", "--no-globals-note", "--processes", 2]),
                                     (3, ["-n", 6, "--virtual", "--no-globals-note", "--processes", 2, "--nodes", 2])):
        for who in 0, first_of_second:
            text = run(["never_join", who], 1, rf"rank.* {who}[- ].* exited without ever joining the job, which rank",
                       options=options)
            expect(text.count("\n") == 1, f"that is all: {text}")


def test_ending_while_the_others_are_awaited_is_an_error():
    job = Job(["hold", "start", 2], ["-n", 3, "--nodes", 3])
    job.wait_for(1, "is connecting to the job's other processes")
    job.kill_rank(1, signal.SIGUSR1)
    job.expect_end(1, r"rank 1 .* left out of order: it called exit\(0\)")


def test_a_rank_killed_ends_the_job():
    text = run(["kill", 1], 137, r"rank 1 \(pid \d+, .*\) was killed by signal 9 \(SIGKILL\)")
    expect(text.startswith("armature: rank 1"), text)


def test_a_segfault_shows_address_and_stack_first():
    text = run(["segfault", 1], 139, r"signal 11 \(SIGSEGV: address 0x10\)", r"#0 .*touch.* at .*program\.cpp:\d+")
    expect(text.startswith("armature: rank 1"), text)
    expect("crash_report" not in text and "_start" not in text, text)


def test_a_segfault_shows_the_body_and_not_who_calls_it():
    for options in [], ["--virtual", "--no-globals-note"], ["--simulate", 1]:
        text = run(["segfault", 1], 139, r"#\d+ +main::.*operator\(\).* at .*program\.cpp:\d+",
                   options=["-n", 3, *options])
        for name in "std::function", "run.hpp", "fcontext", "RankScheduler", "Simulator":
            expect(name not in text, text)


def test_a_stack_overflow_is_told_too():
    run(["overflow", 0], 139, r"SIGSEGV", r"recurse\(int\) .*times\)")


def test_a_call_that_throws_ends_the_job_where_it_ran():
    run(["call_throws", 1], 134, r"rank 0 .* uncaught exception .*: a call from rank 1 failed: the method has no soup "
        r"\(std::runtime_error, thrown by .*\)", r"#0 .*operator\(\).* at .*program\.cpp:\d+")


def test_an_exception_shows_what_and_where():
    text = run(["throw", 2], 134, r"rank 2 .* uncaught exception std::runtime_error: the soup is cold",
               r"#0 .*throw_something.* at .*program\.cpp:\d+")
    expect(text.startswith("armature: rank 2"), text)
    run(["throw_int", 0], 134, r"rank 0 .* uncaught exception of type int")
    text = run(["misuse", 0], 134, r"rank 0 .* there is no rank 10")
    expect(text.count("rank 0") == 1, text)
    run(["misuse_null", 0], 134, r"rank 0 .* there is no rank -1, which an empty pointer or reference has")


def test_a_collective_that_others_leave_out_says_that_they_have_returned():
    text = run(["one_more"], 134, r"disagree: .*rank 0 is in an allreduce of 4 bytes")
    expect("has returned already" in text, text)


def test_a_barrier_is_not_made_complete_by_those_who_have_returned():
    run(["one_more_barrier"], 134, r"disagree: .*rank 0 has returned already", r"rank \d is in a barrier")
    run(["one_more_barrier"], 134, r"disagree: .*rank 0 has returned already", options=["-n", 3, "--virtual"])


def test_abort_is_told_with_its_stack():
    run(["abort", 1], 134, r"signal 6 \(SIGABRT\)", r"#\d+ .*main")
    run(["armature_abort", 1], 5, r"rank 1 .* ended the job: no point in going on")
    run(["armature_abort_256", 1], 1, r"rank 1 .* ended the job: nor in ending so")
    run(["abort_early"], 5, r"armature: .*: there is nothing to join for")
    run(["abort_beside_a_reader"], 5, r"rank 1 .* ended the job: no point in reading on", options=["-n", 2, "--threads", 2])


def test_leaving_early_is_a_failure_even_with_status_0():
    run(["exit0", 1], 1, r"rank 1 .* left out of order: it called exit\(0\)")
    run(["exit7", 1], 7, r"rank 1 .* exit\(7\)")
    run(["exit7", 1], 7, r"rank 1 .* exit\(7\)", options=["-n", 2, "--nodes", 2])
    run(["exit_slowly"], 7, r"rank 1 .* exit\(7\)", options=["-n", 2, "--nodes", 2])
    run(["exit_in_a_method"], 7, r"rank 0 .* exit\(7\)", options=["-n", 2, "--service-threads"])
    run(["quick_exit", 1], 1, r"rank 1 .* left out of order")


def test_a_death_ends_the_job_within_a_second():
    job = Job(["hold", "barrier"], ["-n", 4])
    job.wait_for(3, "waits in a barrier")
    started = time.monotonic()
    job.kill_rank(2)
    job.expect_end(137, r"rank 2 .*\(SIGKILL\)")
    took = time.monotonic() - started
    print(f"{took:.3f} s")
    expect(took < 1.0 * harness.SLOW, f"{took} s")


def test_orphans_of_ranks_are_killed_at_the_end():
    run(["orphan"], 0)
    run(["-c", "sleep 1000 & :"], 1, "still ran when what had started them ended", program="sh")


def test_forked_children_do_not_end_for_their_rank():
    text = run(["forked_children"], 0, r"(?m)^6 6 0 2304 are well$", options=["-n", 1])
    expect("killed by" not in text, text)


def test_what_the_launcher_did_not_start_goes_on_when_the_job_ends():
    """As gzip does in a shell's `armature run ... > >(gzip > log.gz)`: it is a child of what becomes the launcher."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "copy")
        script = 'exec 3<&0; (cat; :) <&3 >"$0" & exec 3<&-; exec "$@" </dev/null'
        launcher = subprocess.Popen(["sh", "-c", script, copy, harness.ARMATURE, "run", "-n", "2", harness.PROGRAM, "orphan"],
                                    stdin=subprocess.PIPE)
        expect(launcher.wait(timeout=10 * harness.SLOW) == 0, "the job ends in order")
        launcher.communicate(b"late")
        wait_until("the copy", lambda: copy.read_text() == "late")


def test_survivors_go_on_when_the_job_says_so():
    text = run(["survive"], 137, r"rank 0 goes on: .*rank 1", r"rank 2 goes on: .*rank 1",
               options=["-n", 3, "--on-death", "continue"])
    expect(len(re.findall("^armature: rank", text, re.M)) == 1, text)


def test_a_mutex_of_a_dead_rank_is_an_error_for_survivors():
    run(["survive_mutex"], 137, r"rank 1 goes on: .*rank 0", r"rank 2 goes on: .*rank 0",
        options=["-n", 3, "--on-death", "continue"])


def test_what_cannot_be_run_is_said_once():
    text = run([], 127, r"there is no file .*/nothing", program="/tmp/nothing")
    expect(text.count("nothing") == 1, text)
    run([], 127, "there is no program armature-nothing in any folder of PATH", program="armature-nothing")
    run([], 126, "is a folder", program="/tmp")
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "script"
        script.write_text("echo no first line\n")
        run([], 126, "may not be executed", program=str(script))
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        text = run([], 126, "must name the interpreter", program=str(script))
        expect(text.count("interpreter") == 1, text)


def test_timeout_ends_the_job_and_says_why():
    run(["hold", "barrier"], 124, r"\(--timeout\)", r"ranks 1 and 2  waits? .* in a barrier .*: rank 0 has not entered",
        options=["-n", 3, "--timeout", 1])


def test_options_that_make_no_sense_are_explained():
    for options, words in ((["-np", "4"], "-np is -n here"),
                           (["-n", "many"], "'many' is not possible here: a whole number from 1 to"),
                           (["-n", "0"], "'0' is not possible"), (["--bind", "sock"], "neither 'auto'"),
                           (["--segment-size", "12X"], "a number of bytes"), (["--stall", "-3"], "a time in seconds"),
                           (["--lable"], "--lable"), (["--base", "xyz"], "hexadecimal"),
                           (["--stack-size", 2**64 - 1], "up to 4194304T"), (["--channel", 3], "no power of two from 32K to 1M"),
                           (["--channel", "48K"], "no power of two"), (["--trace", ""], "a name"),
                           (["--checkpoint", ""], "a name")):
        run(["end"], 2, words, options=options)
    run(["end"], 1, "must be a power of two", options=["--segment-size", "3G"])


def test_arguments_of_the_program_are_its_own():
    text = run(["%s;", "-n", "9", "--label", "--", "-x"], 0, options=["-n", 1], program="printf")
    expect(text == "-n;9;--label;--;-x;", text)
    for options in (["-n1", "--"], ["-n", 1], ["--ranks=1"]):
        text = run(["a"], 0, options=options, program="echo")
        expect(text == "a\n", text)
    for options in (["-vn", 1], ["-vn1"], ["-v", "-n", 1, "--"]):
        run(["a"], 0, "1 ranks of echo", "(?m)^a$", options=options, program="echo")


def test_killing_the_launcher_leaves_nothing():
    job = Job(["hold", "computing"], ["-n", 4])
    job.wait_for(3, "has run")
    os.kill(job.pid, signal.SIGKILL)
    expect(job.end() == -signal.SIGKILL, "killed")


def test_a_folder_that_is_not_needed_may_be_missing():
    for kind, status in ((["--nodes", "2"], 0), (["--nodes", "2", "--virtual", "--no-globals-note"], 1)):
        done = subprocess.run([harness.ARMATURE, "run", "-n", "2", *kind, "true"], capture_output=True, text=True,
                              env={**os.environ, "TMPDIR": "/nonexistent"})
        expect(done.returncode == status, f"{kind}: {done.returncode}: {done.stderr}")
    expect("TMPDIR=/nonexistent is no folder" in done.stderr, done.stderr)
    done = subprocess.run([harness.ARMATURE, "run", "-n", "2", "--nodes", "2", "--virtual", "true"], capture_output=True,
                          text=True, env={**os.environ, "TMPDIR": ""})
    expect(done.returncode == 0, f"one without a name is none: {done.stderr}")


def test_variables_that_make_no_sense_are_refused_however_a_program_is_started():
    for name in "THREADS", "CHECK", "BALANCE", "SEGMENT_SIZE", "STACK_SIZE", "AGGREGATION", "SERVICE_THREADS", "ON_DEATH", \
            "START_TIMEOUT", "CHECKPOINT_EVERY", "REBALANCE_BY", "NET_HEARTBEAT", "NET_ONE_SIDED", "NET_COPY_MAX", "NET_WORDS", \
            "NET_PROTOCOL", "NET_SERVER", "COPY", "COLLECTIVES":
        for command in [harness.PROGRAM], [harness.ARMATURE, "run", "-n", "2", harness.PROGRAM]:
            done = subprocess.run([*command, "end"], capture_output=True, text=True, env={**os.environ, f"ARMATURE_{name}": "abc"})
            expect(done.returncode != 0 and "abc" in done.stderr, f"{name}, {command}: {done.returncode}: {done.stderr}")
            if "run" in command:  # by the launcher, before a process starts
                expect("terminate" not in done.stderr, f"{name}: {done.stderr}")


def test_old_names_of_an_option_and_a_variable_work_with_a_note():
    run(["end"], 0, "--band-size is deprecated: use --segment-size", options=["-n", 1, "--band-size", "1G"])
    for size, status in ("1073741824", 0), ("3221225472", 1):
        old = {**os.environ, "ARMATURE_BAND_SIZE": size}  # deprecated
        done = subprocess.run([harness.PROGRAM, "end"], capture_output=True, text=True, env=old)
        expect(done.returncode == 0 if status == 0 else done.returncode != 0, f"{size}: {done.returncode}: {done.stderr}")
        expect("ARMATURE_BAND_SIZE is deprecated: use ARMATURE_SEGMENT_SIZE" in done.stderr, done.stderr)


def test_open_files_that_are_not_allowed_are_told_for_the_job_asked_for():
    for options, what in ((["-n", 40], "a job of 40 ranks needs"), (["-n", 20, "--nodes", 2], "a job of 20 ranks on 2 nodes needs"),
                          (["-n", 90, "--virtual", "--processes", 40], "a job of 90 ranks needs")):
        run(["end"], 1, what, options=options, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))


def test_a_bench_that_is_asked_to_end_leaves_nothing():
    mark = f"ARMATURE_TEST_MARK={uuid.uuid4()}"
    with tempfile.TemporaryDirectory() as folder:
        rows = pathlib.Path(folder, "rows.json")
        rows.write_text("of the last time")
        with subprocess.Popen([harness.ARMATURE, "bench", "virtual", "--only", "checkpoint", "--json", rows], cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, **dict([mark.split("=")])}) as bench:
            wait_until("a checkpoint", lambda: list(pathlib.Path(folder).glob("armature-bench-*/*/*")))
            bench.terminate()
            out, err = bench.communicate(timeout=10 * harness.SLOW)
        expect(bench.returncode == 143, f"{bench.returncode}: {out}{err}")
        expect(not harness.processes_with(mark), "the job goes on")
        expect(os.listdir(folder) == ["rows.json"] and rows.read_text() == "of the last time", f"{os.listdir(folder)}")
