#!/usr/bin/env python3
"""transports.py ARMATURE RING: `doctor --network` tells each transport that UCX finds, and why it is used or not; what the
user sets wins, in the command and in jobs of two pretended nodes."""
import os
import re
import subprocess
import sys

ARMATURE, RING = sys.argv[1:]
CHOSEN = r"chosen by UCX for .*am"
INSIDE = r"left out: it stays within a node"


def run(command, **settings):
    """Returns the status and the output of a command, with these settings and none of the network's besides."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("UCX_", "ARMATURE_NET_"))}
    done = subprocess.run([ARMATURE, *command], env={**inherited, **settings}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
    return done.returncode, done.stdout


def transports(**settings):
    """Returns {transport: why} as the doctor tells, and all that it says."""
    _, output = run(["doctor", "--network"], **settings)
    return dict(re.findall(r"^note +transport (\S+): (.*)$", output, re.MULTILINE)), output


def expect(text, pattern, what):
    """Ends the test unless the text has the pattern."""
    if not re.search(pattern, text):
        sys.exit(f"{what}: '{pattern}' is not in\n{text}")


def expect_found(found, name, pattern, settings):
    """Ends the test unless that was found and told so."""
    if name not in found:
        sys.exit(f"{settings}: no transport {name} among {found}")
    expect(found[name], pattern, f"{name} with {settings}")


# UCX's own choice: of what reaches other nodes, nothing else.
found, said = transports()
for name, why in found.items():
    if name.split("/")[0] in ("self", "sysv", "posix", "cma"):
        expect(why, INSIDE, name)
expect_found(found, "posix/memory", INSIDE, "no settings")
if not any(re.search(CHOSEN, why) for why in found.values()):  # TCP, where there is no card
    sys.exit(f"nothing was chosen: {found}")

# What the user sets for UCX wins.
found, said = transports(UCX_TLS="tcp,self")
expect_found(found, "self/memory0", r"^offered, and not chosen", "UCX_TLS=tcp,self")
expect_found(found, "posix/memory", r"^left out: UCX_TLS=tcp,self says otherwise", "UCX_TLS=tcp,self")
expect(said, r"settings: UCX_TLS=tcp,self", "settings")
found, said = transports(UCX_NET_DEVICES="lo")
expect_found(found, "tcp/lo", CHOSEN, "UCX_NET_DEVICES=lo")
for name, why in found.items():
    if name.startswith("tcp/") and name != "tcp/lo":
        expect(why, r"left out: UCX_NET_DEVICES=lo says otherwise", name)
expect(said, r"engine: UCX \S+ over tcp on lo;", "UCX_NET_DEVICES=lo")

# What is said to Armature is about its jobs alone, and goes before.
found, said = transports(ARMATURE_NET_DEVICE="lo", UCX_NET_DEVICES="nosuch0", ARMATURE_NET_TRANSPORTS="tcp", UCX_TLS="posix")
expect_found(found, "tcp/lo", CHOSEN, "ours before UCX's")
expect_found(found, "posix/memory", r"left out: ARMATURE_NET_TRANSPORTS=tcp says otherwise", "ours before UCX's")

# What cannot work is said with the setting that is to blame.
expect(transports(UCX_NET_DEVICES="nosuch0")[1], r"BAD +engine: .*interface nosuch0", "an interface that is not there")
expect(transports(UCX_TLS="posix")[1], r"BAD +engine: .*posix", "shared memory alone")

# Jobs heed the same.
for settings in ({}, {"UCX_TLS": "tcp"}, {"UCX_TLS": "all"}, {"UCX_NET_DEVICES": "lo"}):
    status, said = run(["run", "-n", "2", "--nodes", "2", RING], **settings)
    if status != 0:
        sys.exit(f"a job with {settings} ended with {status}:\n{said}")
status, said = run(["run", "-n", "2", "--nodes", "2", RING], UCX_NET_DEVICES="nosuch0")
expect(said, r"interface nosuch0", "a job on an interface that is not there")
if status == 0:
    sys.exit("a job used an interface that is not there")
status, said = run(["run", "-n", "2", "--nodes", "2", "--timeout", "40", RING], UCX_TLS="posix")
expect(said, r"cannot be reached|UCX_TLS=posix", "a job on shared memory alone")
if status == 0:
    sys.exit("a job on two nodes used shared memory alone")
