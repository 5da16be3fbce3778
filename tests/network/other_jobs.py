#!/usr/bin/env python3
"""other_jobs.py ARMATURE PROGRAM OTHER_JOB ENGINE: a job of two pretended nodes works on. Meanwhile processes of another job, with
the same engine, connect to all of its processes and send packets: those of their own job, and some that make no sense. Some of
them end in order, others at once. Each process of the job refuses all that they send, tells of the first, and at its end how many
there were. Nothing that the job does is lost."""
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

ARMATURE, PROGRAM, OTHER_JOB, ENGINE = sys.argv[1:]
PROCESSES = 4
HOW = ("in-order", "at-once", "at-once", "in-order")


def visit(folder, environment):
    """Returns how many packets the others have sent to each process, in all."""
    others = [subprocess.Popen([OTHER_JOB, ENGINE, folder, str(PROCESSES), how], env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True) for how in HOW]
    packets = 0
    for other in others:
        text = other.communicate(timeout=60)[0]
        told = re.search(r"other_job: (\d+) packets to each", text)
        if other.returncode != 0 or not told:
            sys.exit(f"a process of another job ended with {other.returncode}:\n{text}")
        packets += int(told[1])
    return packets


def run(seconds):
    """Returns how many packets were sent to each process of the job, and what it wrote; None where it was over before."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("UCX_", "FI_", "ARMATURE_NET_"))}
    with tempfile.TemporaryDirectory() as folder:
        command = [ARMATURE, "run", "-n", str(PROCESSES), "--nodes", "2", "--net-engine", ENGINE, "--timeout", "100", PROGRAM,
                   str(seconds), folder]
        job = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = []
        reader = threading.Thread(target=lambda: lines.extend(job.stdout))
        reader.start()
        try:
            end = time.monotonic() + 60
            while not any("begins" in line for line in lines) and job.poll() is None and time.monotonic() < end:
                time.sleep(0.02)
            packets = visit(folder, environment)
            is_over = job.poll() is not None or any("ends" in line for line in lines)
            rc = job.wait(timeout=100)
        finally:
            job.kill()
            reader.join()
    text = "".join(lines)
    if rc != 0 or len(re.findall(r"rank \d works on: all well", text)) != PROCESSES:
        sys.exit(f"the job ended with {rc}:\n{text}")
    return None if is_over else (packets, text)


def main():
    for seconds in (3, 12, 48):  # on a busy machine the others may come too late
        if visited := run(seconds):
            break
    else:
        sys.exit("the job was always over before the others had sent all")
    packets, text = visited
    first = re.findall(r"process (\d) has refused a packet of the network: no process of this job", text)
    if sorted(first) != [str(process) for process in range(PROCESSES)]:
        sys.exit(f"each process must tell of the first packet that it refuses, once:\n{text}")
    counts = re.findall(r"process \d has refused (\d+) packets .*: (\d+) not of this job, or changed, and 0 that had come", text)
    # What is on its way when a process ends at once may be lost with it.
    at_least = packets * HOW.count("in-order") // len(HOW)
    if len(counts) != PROCESSES or not all(at_least <= int(strange) <= packets for _, strange in counts):
        sys.exit(f"each process was sent {packets} packets, and has refused {counts}:\n{text}")
    print(f"each process was sent {packets} packets by another job, and has refused {[int(all_) for all_, _ in counts]}")


main()
