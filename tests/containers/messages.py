"""A nested sort sends no message, counted by the simulator of networks: messages.py ARMATURE PROGRAM"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ARMATURE, PROGRAM = sys.argv[1:3]


def messages(ranks, repeat):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "prediction"
        done = subprocess.run([ARMATURE, "run", "--simulate", "1", "--network", "latency=1us", "-n", str(ranks),
                               PROGRAM, str(repeat)], capture_output=True, text=True, timeout=50, check=False,
                              env=os.environ | {"ARMATURE_PREDICTION_FILE": str(file)})
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(file.read_text())["messages"]


for ranks in 1, 4, 9:
    without = messages(ranks, 0)
    assert (without > 0) == (ranks > 1), "nothing was counted"
    for repeat in 1, 20:
        sent = messages(ranks, repeat)
        assert sent == without, f"{repeat} nested sorts on {ranks} ranks send {sent - without} messages"
print("ok")
