#!/usr/bin/env python3
"""strangers.py ARMATURE PROGRAM ENGINE SECONDS [DESCRIPTORS]: a job of two pretended nodes works on, while strangers connect to
all ports on which its processes listen. They send random bytes, the beginnings of real connections with random bytes changed,
or nothing at all, and half of these connections stay open. With DESCRIPTORS, so many are all that a process of the job may
have, and strangers only connect, and stay, until it has no more. Nothing the job does may be lost, and it must end well."""
import os
import pathlib
import random
import re
import resource
import socket
import subprocess
import sys
import threading
import time

ARMATURE, PROGRAM, ENGINE, SECONDS = sys.argv[1:5]
DESCRIPTORS = int(sys.argv[5]) if len(sys.argv) > 5 else 0
SEED = 34


def children(pid):
    """Returns the process and all below it."""
    found = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in task.read_text().split():
                found += children(int(child))
        except OSError:
            pass
    return found


def ports_of(pid):
    """Returns the TCP ports on which a process listens."""
    sockets = set()
    try:
        for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
            match = re.match(r"socket:\[(\d+)\]", os.readlink(link))
            if match:
                sockets.add(match[1])
    except OSError:
        return set()
    ports = set()
    for table in ("tcp", "tcp6"):
        file = pathlib.Path(f"/proc/net/{table}")
        for line in file.read_text().splitlines()[1:] if file.exists() else []:  # a kernel may be without IPv6
            fields = line.split()
            if fields[3] == "0A" and fields[9] in sockets:
                ports.add(int(fields[1].split(":")[1], 16))
    return ports


def heard_from(port):
    """Returns what a listener says by itself within a moment."""
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as one:
            one.settimeout(0.05)
            return one.recv(4096)
    except OSError:
        return b""


def annoy(port, rng, kept, samples):
    """Makes one connection and sends something, or nothing."""
    try:
        one = socket.create_connection(("127.0.0.1", port), 1)
    except OSError:
        return False
    kind = rng.randrange(4)
    try:
        one.setblocking(False)
        if kind == 0:
            one.send(rng.randbytes(rng.choice((1, 7, 8, 24, 64, 200, 4096))))
        elif kind == 1:
            message = bytearray(rng.choice(samples))
            for _ in range(rng.randrange(1, 4)):
                message[rng.randrange(len(message))] = rng.randrange(256)
            one.send(message + rng.randbytes(rng.randrange(64)))
        elif kind == 2:  # lengths that are much too long, or nothing
            one.send(rng.choice((b"\xff" * 16, b"\0" * 64, b"\x01" + b"\xff" * 31)))
    except OSError:
        pass
    if rng.random() < 0.5 and len(kept) < 200:
        kept.append(one)  # half open
    else:
        one.close()
    return True


def descriptors_of(pid):
    """Returns how many a process has open."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def confine():
    """Of the job, before it starts."""
    if DESCRIPTORS:
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))


def connect_and_stay(port, kept):
    """Opens one connection more than a process can have, and says nothing."""
    if len(kept) > 5 * DESCRIPTORS:
        return 0
    one = socket.socket()
    one.setblocking(False)  # nobody may take it
    one.connect_ex(("127.0.0.1", port))
    kept.append(one)
    return 1


def meet_strangers(seconds):
    """Runs the job for so long. Ends the test unless it ends well, and returns how many strangers have come."""
    rng = random.Random(SEED)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("UCX_", "FI_", "ARMATURE_NET_"))}
    job = subprocess.Popen([ARMATURE, "run", "-n", "4", "--nodes", "2", "--net-engine", ENGINE, "--timeout", "60", PROGRAM, str(seconds)],
                           env=inherited, preexec_fn=confine, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = []
    reader = threading.Thread(target=lambda: output.extend(job.stdout))
    reader.start()
    kept, made, most = [], 0, 0
    try:
        deadline = time.monotonic() + 60
        while not any("begins" in line for line in output) and time.monotonic() < deadline and job.poll() is None:
            time.sleep(0.02)
        # The launcher's own sockets are none of the network's.
        ports = sorted(set().union(*(ports_of(pid) for pid in children(job.pid)[1:])))
        samples = [sample for port in ports if (sample := heard_from(port))] or [bytes(range(64))]
        while job.poll() is None and not any("ends" in line for line in output):
            made += sum(connect_and_stay(port, kept) if DESCRIPTORS else annoy(port, rng, kept, samples) for port in ports)
            if DESCRIPTORS:
                most = max([most, *(descriptors_of(pid) for pid in children(job.pid)[1:])])
            time.sleep(0.002)
    finally:
        for one in kept:
            one.close()
        try:
            job.wait(timeout=70)
        except subprocess.TimeoutExpired:
            job.kill()
        reader.join()
    text = "".join(output)
    print(f"{made} connections to {len(ports)} ports, {len(kept)} of them kept open, {most} descriptors of a process\n{text}")
    if job.returncode != 0 or len(re.findall(r"rank \d works on: all well", text)) != 4:
        sys.exit(f"the job ended with {job.returncode}")
    # An engine that takes connections goes to the limit; one that leaves them with the kernel need not.
    return made if made > 4 * DESCRIPTORS else 0


def main():
    # On a busy machine the job may be over before its ports are found.
    for seconds in (float(SECONDS), 4 * float(SECONDS), 16 * float(SECONDS)):
        made = meet_strangers(seconds)
        if made >= 20:
            return
    sys.exit(f"only {made} strangers came")


main()
