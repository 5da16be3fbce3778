"""The link from a node to the bridge: a veth pair, or, where frames shall take their time, two TAP devices and a relay
between them (relay.cpp). Its ends are eth0 in the node and a port of the bridge that is called like the node."""

import os
import shutil
import subprocess

QUEUE_S = 0.05  # what a limited link holds before it drops frames, about what switches do
QUEUE_BYTES_MIN = 1 << 18
BURST_BYTES = 1 << 16  # a large segment


def missing_for(delay_us, megabits, relay):
    """Why such links cannot be had here, or nothing."""
    def failure_of(script):
        done = subprocess.run(["unshare", "--net", "sh", "-ec", script], capture_output=True, text=True, check=False)
        return (done.stderr.strip() or f"exit status {done.returncode}") if done.returncode else ""
    if delay_us and not os.access(relay or "", os.X_OK):
        return f"no delay without the relay, which was not built: {relay}"
    if delay_us and (why := failure_of("test -e /dev/net/tun || { echo there is no /dev/net/tun >&2; exit 1; }\nip tuntap add dev tap0 mode tap")):
        return f"no delay without TAP devices: {why}"
    if megabits and shutil.which("tc") is None:
        return "there is no tc here (Debian: iproute2)"
    if megabits and (why := failure_of("tc qdisc add dev lo root handle 1: htb default 1")):
        return f"no limit of bandwidth without htb in the kernel: {why}"
    return ""


class Link:
    """Of that node, until close(). A frame takes half of the delay on it, since there are two links from node to node."""

    def __init__(self, bridge, node, port, delay_us, megabits, relay, **popen):
        self.relay = None
        if delay_us:
            self.relay = subprocess.Popen([relay, str(node.pid), str(bridge.pid), port, str(delay_us // 2)],
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **popen)
            if (said := self.relay.stdout.readline()) != "ready\n":
                raise OSError(said + self.relay.stdout.read())
        else:
            bridge.enter("ip", "link", "add", "name", port, "type", "veth", "peer", "name", "eth0", "netns", str(node.pid))
        if megabits:  # each end limits what it sends
            limit(bridge, port, megabits)
            limit(node, "eth0", megabits)
        bridge.enter("ip", "link", "set", port, "master", "bridge0", "up")
        node.enter("ip", "link", "set", "eth0", "up")

    def close(self):
        if self.relay:
            self.relay.kill()
            self.relay.wait()
            self.relay.stdout.close()


def limit(space, device, megabits):
    queue = max(int(megabits * 125_000 * QUEUE_S), QUEUE_BYTES_MIN)
    space.enter("sh", "-ec",
                f"tc qdisc add dev {device} root handle 1: htb default 1\n"
                f"tc class add dev {device} parent 1: classid 1:1 htb rate {megabits}mbit burst {BURST_BYTES} quantum {BURST_BYTES}\n"
                f"tc qdisc add dev {device} parent 1:1 bfifo limit {queue}")
