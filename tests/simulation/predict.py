"""`armature predict`: its table, what limits a program, its drawing, its errors: predict.py ARMATURE PROGRAM"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

ARMATURE, PROGRAM = sys.argv[1:3]


def run(*words, cwd=None):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([ARMATURE, "predict", *map(str, words)], capture_output=True, text=True, timeout=100,
                              check=False, cwd=cwd or folder)


def table(*words):
    """A dictionary for each row."""
    done = run(*words)
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    names = head.replace("limited by", "limit").split()
    return [dict(zip(names, row.split(None, len(names) - 1))) for row in rows]


def limits():
    for limit, kernel, words in (("a rank's work", "halo", (20, 8, 0.001)), ("latency", "gets", (200, 8, 0)),
                                 ("bandwidth", "halo", (20, 1 << 20, 0)), ("imbalance", "uneven", (1, 8, 0.001))):
        for row in table("--ranks", "16,32", PROGRAM, kernel, *words, "unaligned"):
            assert row["limit"] == limit, (kernel, row)
            assert float(row["time_s"]) >= float(row["work_s"]) + float(row["imbalance_s"]) - 1e-9, row


def more_ranks_take_longer():
    rows = table("--ranks=64,4,16,4", PROGRAM, "round_barrier", 20, 8, 0, "unaligned")
    assert [row["ranks"] for row in rows] == ["4", "16", "64"], rows
    times = [float(row["time_s"]) for row in rows]
    assert times == sorted(times) and times[0] < times[2], times
    dear = table("--ranks", 4, "--network", "latency=1ms", PROGRAM, "round_barrier", 20, 8, 0, "unaligned")
    assert float(dear[0]["time_s"]) > 20e-3, dear


def drawing():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "growth.svg"
        table("--ranks", "2,8", "--output", file, PROGRAM, "halo", 5, 8, 0.0001, "unaligned")
        root = xml.etree.ElementTree.parse(file).getroot()
        texts = {"".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text")}
        assert {"time", "latency", "ranks", "2", "8", "a rank's work"} <= texts, texts
        assert len(list(root.iter("{http://www.w3.org/2000/svg}polyline"))) == 5
        done = run("--ranks", 2, "--output", f"{folder}/no/growth.svg", PROGRAM, "halo", 1)
        assert done.returncode != 0 and "growth.svg cannot be written" in done.stderr, done.stderr


def options_behind_the_program():
    with tempfile.TemporaryDirectory() as folder:
        done = run(PROGRAM, "--ranks", "2,4", "--network=latency=1ms", "halo", 5, 8, 0.0001, "unaligned", cwd=folder)
        assert done.returncode == 0, done.stderr
        rows = [line.split() for line in done.stdout.splitlines()[1:]]
        assert [row[0] for row in rows] == ["2", "4"] and float(rows[0][1]) > 5e-3, done.stdout
        [drawn] = pathlib.Path(folder).iterdir()
        assert drawn.name == f"{pathlib.Path(PROGRAM).name}-growth.svg" and drawn.name in done.stderr, done.stderr
        # The curves' names, and what limits each of the two.
        texts = ["".join(one.itertext()) for one in xml.etree.ElementTree.parse(drawn).getroot()]
        assert texts.count("latency") == 3, texts
    # Its own words are left to the program.
    for words in (("halo", "--ranks", "x"), ("--ranks", "2", "--", "--ranks")):
        done = run(PROGRAM, *words)
        assert "is not possible here" not in done.stderr, (words, done.stderr)
    assert "there is no kernel '--ranks'" in done.stderr, done.stderr
    done = run("--ranks", 2, PROGRAM, "--ranks")
    assert "there is no kernel '--ranks'" in done.stderr, done.stderr


def errors():
    for words, says in (((PROGRAM, "nonsense"), "there is no kernel 'nonsense'"),
                        (("--ranks", "2", "/bin/true"), "has not run as a program of Armature"),
                        (("--ranks", "2,x", PROGRAM), "'x' is not possible here"),
                        (("--ranks", "0", PROGRAM), "'0' is not possible here"),
                        (("--network", "latency", PROGRAM), "has no '='"),
                        ((), "what shall be predicted?")):
        done = run(*words)
        assert done.returncode != 0 and says in done.stderr, (words, done.stderr)


def processes_of(parent):
    """Pids of a process's children and of theirs."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "stat").read_text().rpartition(")")[2].split()
        except (OSError, NotADirectoryError):
            continue
        if entry.name.isdigit() and words[0] != "Z" and int(words[1]) == parent:
            found += [int(entry.name), *processes_of(int(entry.name))]
    return found


def wait_until(holds, what):
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def asked_to_end():
    """What it has started ends, and its files are gone."""
    with tempfile.TemporaryDirectory() as folder:
        words = [ARMATURE, "predict", "--ranks", "4", PROGRAM, "round_barrier", "1000000000", "8", "0", "unaligned"]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "TMPDIR": folder}) as command:
            wait_until(lambda: len(processes_of(command.pid)) >= 2 or command.poll() is not None, "it does not start")
            started = processes_of(command.pid)
            assert started and os.listdir(folder), command.stderr.read()
            command.send_signal(signal.SIGTERM)
            assert command.wait(60) == 128 + signal.SIGTERM, command.returncode
        assert not os.listdir(folder), os.listdir(folder)
        wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in started), "the simulation goes on")


limits()
more_ranks_take_longer()
drawing()
options_behind_the_program()
errors()
asked_to_end()
