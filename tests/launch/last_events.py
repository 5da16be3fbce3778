"""What is kept of a job that nobody has asked to trace: shown by inspect, and written when it crashes."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree

import harness
from harness import Job, expect, wait_until

KINDS = {"processes": ["-n", 3], "threads": ["-n", 4, "--threads", 2], "nodes": ["-n", 2, "--nodes", 2]}
VIRTUAL = ["-n", 3, "--virtual", "--processes", 1, "--no-globals-note"]
ROUNDS = 5  # in each of which rank 0 takes 20 ms


def program():
    return str(pathlib.Path(harness.PROGRAM).with_name("launch_last_events"))


def events_in(path):
    return json.loads(pathlib.Path(path).read_text())["traceEvents"]


def check_events(events, ranks, waits=True):
    for rank in range(ranks):
        of_rank = [event for event in events if event.get("tid") == rank]
        begun = [event["name"] for event in of_rank if event["ph"] == "b"]
        expect(begun == ["round <&>"] * ROUNDS, f"rank {rank}: phases {begun}")
        expect(sorted(e["args"]["value"] for e in of_rank if e["ph"] == "C") == list(range(ROUNDS)), f"rank {rank}: counters")
        long = [event for event in of_rank if event["name"] == "waits: barrier" and event["dur"] > 2_000]
        expect(not waits or rank == 0 or long, f"rank {rank}: no long wait in {ROUNDS} rounds")


def inspect(job, *options):
    return subprocess.run([harness.ARMATURE, "inspect", str(job.pid), *map(str, options)], capture_output=True, text=True)


def working_job(options, how="sleep"):
    job = Job([how], [*options, "--stall", 0], program=program())
    # Then all have counted their last round.
    expect(job.process.stdout.readline() == "worked\n", "it has not worked")
    return job


def end(job):
    os.kill(job.pid, harness.signal.SIGINT)
    job.expect_end(130)


def test_last_events_are_shown_by_inspect():
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "last.json")
        for options, waits in [*((kind, True) for kind in KINDS.values()), (VIRTUAL, False)]:
            job = working_job(options)
            done = inspect(job, "--trace", trace)
            expect(done.returncode == 0, done.stderr)
            check_events(events_in(trace), options[1], waits)
            end(job)


def test_last_events_as_a_page():
    with tempfile.TemporaryDirectory() as folder:
        page, other = pathlib.Path(folder, "job.html"), pathlib.Path(folder, "other")
        other.write_text("somebody's")
        pathlib.Path(folder, "job.html.new").symlink_to(other)  # a name that one could have guessed
        job = working_job(["-n", 3])
        done = inspect(job, "--html", page)
        expect(done.returncode == 0, done.stderr)
        with page.with_name("shown").open("w") as shown:  # of which /dev/fd/1 is a link
            subprocess.run([harness.ARMATURE, "inspect", str(job.pid), "--html", "/dev/fd/1"], stdout=shown, check=True)
        shown = page.with_name("shown").read_text()
        expect(shown.startswith("job ") and shown.count("<h1>Job") == 1 and shown.rstrip().endswith("</html>"), shown)
        page.with_name("shown").unlink()
        expect(other.read_text() == "somebody's" and len(list(pathlib.Path(folder).iterdir())) == 3, "other files changed")
        mask = os.umask(0)
        os.umask(mask)
        expect(page.stat().st_mode & 0o777 == 0o666 & ~mask, f"the page's mode is {page.stat().st_mode:o}")
        text = page.read_text()
        for picture in re.findall(r"<svg .*?</svg>", text, re.S):
            xml.etree.ElementTree.fromstring(picture)
        for what in ("<h1>Job", "<pre>job ", "rank 2", "<h2>Load over time</h2>", "<td>round &lt;&amp;&gt;</td>",
                     "<title>rank 1: "):
            expect(what in text, f"no {what} in {text}")
        expect('http-equiv="refresh"' not in text, "nobody watches")
        watching = subprocess.Popen([harness.ARMATURE, "inspect", str(job.pid), "--html", page, "--watch", "0.1"],
                                    stdout=subprocess.DEVNULL)
        wait_until("the page to show itself anew", lambda: 'http-equiv="refresh"' in page.read_text())
        end(job)
        expect(watching.wait(timeout=60) == 0, "the watch ends with the job")
        text = page.read_text()
        expect("The job has ended" in text and 'http-equiv="refresh"' not in text and "<h2>Load over time</h2>" in text,
               f"the last page: {text}")


def test_last_events_need_a_job_and_a_place():
    done = subprocess.run([harness.ARMATURE, "inspect", "--trace", "/dev/null"], capture_output=True, text=True)
    expect(done.returncode != 0 and "--trace: of which job?" in done.stderr, done.stderr)
    job = working_job(["-n", 2])
    for option in "--trace", "--html":
        done = inspect(job, option, "/nowhere/file")
        expect(done.returncode != 0 and "/nowhere/file cannot be written: No such file" in done.stderr, done.stderr)
        expect("terminate" not in done.stderr, done.stderr)
    end(job)


def crash(how, options):
    status = {"crash": 139, "throw": 134}[how]
    job = Job([how], options, program=program())
    return job.expect_end(status)


def test_last_events_are_written_at_a_crash():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder
        trace = pathlib.Path(folder, f"armature-crash-{os.getuid()}.json")
        for how, options in ("crash", KINDS["processes"]), ("throw", KINDS["threads"]), ("throw", VIRTUAL):
            text = crash(how, options)
            expect(f"{trace} has what ranks did last" in text, text)
            events = events_in(trace)
            phases = [event for event in events if event["ph"] == "b" and event["tid"] == 1]
            expect(len(phases) == ROUNDS, f"{how}: {phases}")
            expect(list(pathlib.Path(folder).iterdir()) == [trace], "one file for all crashes")
        other = pathlib.Path(folder, "other.html")
        os.environ["ARMATURE_CRASH_TRACE"] = str(other)
        crash("throw", KINDS["processes"])
        expect("<td>round &lt;&amp;&gt;</td>" in other.read_text(), "a page")
        for nowhere in "", "/nowhere/file":
            os.environ["ARMATURE_CRASH_TRACE"] = nowhere
            expect("did last" not in crash("throw", KINDS["processes"]), "nothing is written")
