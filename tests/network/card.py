#!/usr/bin/env python3
"""card.py ARMATURE PROGRAM ARGUMENTS... [-- RUN_OPTIONS...]: a program's job, on the engine for tests in which a thread plays the
network's card (ARMATURE_NET_HOOK=card). It must end well, and the card must have done something for it. CARD_HOOK says otherwise
how the hook is set, and CARD_WORDS how words travel."""
import os
import re
import subprocess
import sys

command = sys.argv[1:]
options = []
if "--" in command:
    at = command.index("--")
    command, options = command[:at], command[at + 1:]
inherited = {name: value for name, value in os.environ.items() if not name.startswith(("UCX_", "FI_", "ARMATURE_NET_"))}
hook = os.environ.get("CARD_HOOK", "card=11")
setting = {"ARMATURE_NET_HOOK": f"{hook},count", "ARMATURE_NET_ONE_SIDED": "on",
           "ARMATURE_NET_WORDS": os.environ.get("CARD_WORDS", "engine")}
done = subprocess.run([command[0], "run", *options, *command[1:]], env={**inherited, **setting}, stdout=subprocess.PIPE,
                      stderr=subprocess.STDOUT, text=True, check=False)
used = sum(int(number) for number in re.findall(r"the card of process \d+ has done (\d+) operations", done.stdout))
print(done.stdout[-4000:])
print(f"the card has done {used} operations; the job has ended with {done.returncode}")
if done.returncode != 0 or used == 0:
    sys.exit(1)
