"""Messages of a section's calls, counted by the simulator of networks: section_messages.py ARMATURE PROGRAM"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ARMATURE, PROGRAM = sys.argv[1:3]


def messages(ranks, kind, repeat):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "prediction"
        done = subprocess.run([ARMATURE, "run", "--simulate", "1", "--network", "latency=1us", "-n", str(ranks),
                               PROGRAM, kind, str(repeat)], capture_output=True, text=True, timeout=50, check=False,
                              env=os.environ | {"ARMATURE_PREDICTION_FILE": str(file)})
        calls = 0 if kind == "combine" else 4 * ranks * repeat
        assert done.returncode == 0 and f"calls {calls} " in done.stdout, done.stdout + done.stderr
        return json.loads(file.read_text())["messages"]


for ranks in 2, 9:
    sent = {kind: (messages(ranks, kind, 30) - messages(ranks, kind, 10)) / 20 for kind in ("multicast", "combine")}
    print(ranks, sent)
    assert sent["multicast"] == ranks - 1, f"a multicast to {ranks} ranks sends {sent['multicast']} messages"
    # The question, its answer, and the result with its notice.
    assert ranks - 1 <= sent["combine"] <= 4 * (ranks - 1), f"a combination of {ranks} ranks sends {sent['combine']} messages"
print("ok")
