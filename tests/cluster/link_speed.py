"""run.py's case of the links themselves: how long a message takes, and how much goes through in a second."""

import pathlib
import subprocess
import sys

from cluster import SUBNET, Failed, die_with_me

ROUNDS = 100
SECONDS = 0.4
TIMES_MAX = 3  # on a machine that is busy
LATE_US_MAX = 1500  # how much more the fastest of all rounds may take

# Answers each byte of ROUNDS, then counts what comes. None of it is on its way before the last answer, so the clock runs from there:
# started later, by one who had to wait for a core, it would take what has come meanwhile for fast.
ANSWERING = """
import socket, sys, time
listening = socket.create_server(("0.0.0.0", 5000))
print("ready", flush=True)
other, _ = listening.accept()
other.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for _ in range(int(sys.argv[1])):
    question, begun = other.recv(1), time.perf_counter()
    other.sendall(question)
count = 0
while got := other.recv(1 << 18):
    count += len(got)
print(count * 8e-6 / (time.perf_counter() - begun))
"""

ASKING = """
import socket, sys, time
other = socket.create_connection((sys.argv[1], 5000))
other.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
rounds = []
for _ in range(int(sys.argv[2])):
    begun = time.perf_counter()
    other.sendall(b"?")
    other.recv(1)
    rounds.append(time.perf_counter() - begun)
print(min(rounds) * 1e6)
block, end = bytes(1 << 16), time.perf_counter() + float(sys.argv[3])
while time.perf_counter() < end:
    other.sendall(block)
"""


def in_python(node, script, *words):
    return subprocess.Popen(["nsenter", "-t", str(node.pid), "-n", "-u", "-i", "-m", sys.executable, "-c", script, *map(str, words)],
                            stdout=subprocess.PIPE, text=True, preexec_fn=die_with_me)


def measure(cluster, asking, answering):
    """The fastest of some round trips in microseconds, and the megabits in a second of a stream."""
    server = in_python(cluster.nodes[cluster.names[answering]], ANSWERING, ROUNDS)
    server.stdout.readline()
    client = in_python(cluster.nodes[cluster.names[asking]], ASKING, f"{SUBNET}.{answering + 1}", ROUNDS, SECONDS)
    return float(client.communicate(timeout=60)[0]), float(server.communicate(timeout=60)[0])


def expect_speed(shape, cluster, asking, answering):
    for _ in range(TIMES_MAX):
        round_us, megabits = measure(cluster, asking, answering)
        print(f"{cluster.names[asking]} to {cluster.names[answering]}: there and back in {round_us:.0f} us, {megabits:.0f} Mbit/s", flush=True)
        if round_us < 2 * shape.delay_us or shape.megabits and megabits > 1.05 * shape.megabits:
            raise Failed("that is more than the link allows")
        if round_us <= 2 * shape.delay_us + LATE_US_MAX and megabits >= 0.7 * shape.megabits:
            return
    raise Failed("that is less than the link allows")


def links(shape, _launcher):
    """Both ways: no message arrives before its time, nor much later; a stream has the bandwidth there is, and no more. Relays die with the
    cluster."""
    with shape.cluster() as cluster:
        relays = [link.relay.pid for link in cluster.links if link.relay]
        if len(relays) != (shape.nodes if shape.delay_us else 0):
            raise Failed(f"{len(relays)} relays")
        expect_speed(shape, cluster, 0, 1)
        expect_speed(shape, cluster, 1, 0)
    if left := [pid for pid in relays if pathlib.Path(f"/proc/{pid}").exists()]:
        raise Failed(f"relays are left over: {left}")
