#!/usr/bin/env python3
"""evicted.py ARMATURE PROGRAM: a process may register two chunks of 16 MiB at a time (ARMATURE_NET_REGISTERED_MAX), and others
transfer to six of them, by the engine for tests in which a thread plays the network's card. Chunks make room for each other, all
that is transferred is right, and `armature inspect --json` tells how many were registered, evicted, and refused."""
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

ARMATURE, PROGRAM = sys.argv[1:]
MAX_CHUNKS, CHUNKS = 2, 6


def networks(pid):
    """Returns what inspect says of the network of each rank's process."""
    done = subprocess.run([ARMATURE, "inspect", str(pid), "--json"], capture_output=True, text=True, check=False)
    jobs = json.loads(done.stdout) if done.returncode == 0 else []
    return [rank["network"] for rank in jobs[0]["ranks"]] if jobs else []


def run(limit, folder):
    """Returns the counts of rank 2's process while the job runs, and all that the job wrote."""
    file = os.path.join(folder, f"end-{limit}")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("UCX_", "FI_", "ARMATURE_NET_"))}
    setting = {"ARMATURE_NET_HOOK": "card=17", "ARMATURE_NET_ONE_SIDED": "on", "ARMATURE_NET_WORDS": "records"}
    if limit:
        setting["ARMATURE_NET_REGISTERED_MAX"] = str(limit)
    command = [ARMATURE, "run", "-n", "4", "--nodes", "2", "--stall", "0", "--timeout", "100", PROGRAM, file]
    job = subprocess.Popen(command, env={**inherited, **setting}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(job.stdout))
    reader.start()
    try:
        end = time.monotonic() + 90
        while not any("has used all chunks" in line for line in lines) and job.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        seen = networks(job.pid)
        with open(file, "w", encoding="utf-8"):
            pass
        rc = job.wait(timeout=100)
    finally:
        job.kill()
        reader.join()
    text = "".join(lines)
    if rc != 0 or len(re.findall(r"rank \d: all well", text)) != 4 or len(seen) != 4:
        sys.exit(f"limit {limit}: the job ended with {rc}, inspect saw {len(seen)} ranks:\n{text}")
    print(f"limit {limit}: {seen[2]}")
    return seen[2], text


def main():
    with tempfile.TemporaryDirectory() as folder:
        limited, text = run(MAX_CHUNKS << 24, folder)
        registered, evicted = limited["memory_registered"], limited["memory_evicted"]
        if registered < CHUNKS or evicted < CHUNKS - MAX_CHUNKS or limited["memory_refused"] == 0 or limited["memory_reused"] == 0:
            sys.exit(f"chunks have not made room for each other: {limited}")
        if registered - evicted > MAX_CHUNKS:
            sys.exit(f"more chunks are registered than may be: {limited}")
        if text.count("ARMATURE_NET_REGISTERED_MAX allows no more") != 1:
            sys.exit(f"the limit is to be told of once:\n{text}")
        free, text = run(0, folder)
        if free["memory_evicted"] or free["memory_refused"] or not CHUNKS <= free["memory_registered"] <= CHUNKS + 1:
            sys.exit(f"nothing was to be evicted without a limit: {free}")
        if free["bytes_copied_in"] >= limited["bytes_copied_in"]:
            sys.exit(f"what finds no room is to travel as records, which are copied: {free}, {limited}")


main()
