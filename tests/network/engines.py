#!/usr/bin/env python3
"""engines.py ARMATURE RING FOLDER: which engine a job loads. On one node none; else UCX, or libfabric where that is named or
UCX is not there. FOLDER has the libraries. Processes of one job that use different engines say so."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ARMATURE, RING, FOLDER = sys.argv[1:]


def run(options, program, **settings):
    """Returns the status, what the job wrote, and the modules that its processes have loaded."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("UCX_", "FI_", "ARMATURE_NET_"))}
    with tempfile.TemporaryDirectory(prefix="armature-test-") as folder:
        environment = {**inherited, **settings, "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": f"{folder}/loaded"}
        done = subprocess.run([ARMATURE, "run", "--timeout", "40", *options, *program], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        loaded = set()
        for file in pathlib.Path(folder).iterdir():
            loaded |= set(re.findall(r"calling init: \S*/libarmature-(ucx|ofi)\.so", file.read_text(errors="replace")))
    return done.returncode, done.stdout, loaded


def expect(job, status, modules, pattern=""):
    """Ends the test unless the job ended so, loaded these and wrote that."""
    if (status == 0) != (job[0] == 0) or job[2] != modules or not re.search(pattern, job[1]):
        sys.exit(f"status {job[0]} for {status}, modules {job[2]} for {modules}, and for '{pattern}':\n{job[1]}")


NODES = ["-n", "2", "--nodes", "2"]
expect(run(["-n", "2"], [RING]), 0, set(), "2 ranks")
expect(run(["-n", "2"], [RING], ARMATURE_NET_ENGINE="ofi"), 0, set(), "2 ranks")
expect(run(NODES, [RING]), 0, {"ucx"}, "2 ranks")
expect(run([*NODES, "--net-engine", "ucx"], [RING]), 0, {"ucx"}, "2 ranks")
expect(run([*NODES, "--net-engine", "ofi"], [RING]), 0, {"ofi"}, "2 ranks")
expect(run(NODES, [RING], ARMATURE_NET_ENGINE="ofi"), 0, {"ofi"}, "2 ranks")

# Names that are none.
expect(run([*NODES, "--net-engine", "tcp"], [RING]), 1, set(), "ARMATURE_NET_ENGINE=tcp: it may be ucx or ofi")
expect(run(NODES, [RING], ARMATURE_NET_ENGINE="tcp"), 1, set(), "ARMATURE_NET_ENGINE=tcp: it may be ucx or ofi")

# A provider that libfabric has not, and an interface that is not there.
expect(run([*NODES, "--net-engine", "ofi"], [RING], ARMATURE_NET_TRANSPORTS="pigeons"), 1, {"ofi"}, "provider pigeons")
expect(run([*NODES, "--net-engine", "ofi", "--net-device", "nosuch0"], [RING]), 1, {"ofi"}, "interface nosuch0")

# UCX does not open with a transport of libfabric's: libfabric does, unless the user has named UCX or confined it.
PROVIDER = {"ARMATURE_NET_TRANSPORTS": "tcp;ofi_rxm"}
expect(run(NODES, [RING], **PROVIDER), 0, {"ucx", "ofi"}, "2 ranks")
expect(run([*NODES, "--net-engine", "ucx"], [RING], **PROVIDER), 1, {"ucx"}, "ofi_rxm")
expect(run(NODES, [RING], UCX_TLS="pigeons"), 1, {"ucx"}, "UCX_TLS=pigeons")
expect(run([*NODES, "--net-device", "nosuch0"], [RING]), 1, {"ucx", "ofi"}, r"ucx\.so: .*nosuch0.*ofi\.so: .*nosuch0")

# One process uses another engine than the other.
with tempfile.TemporaryDirectory(prefix="armature-test-") as folder:
    script = f'mkdir {folder}/first 2>/dev/null && export ARMATURE_NET_ENGINE=ofi; exec "$0"'
    expect(run(NODES, ["sh", "-c", script, RING]), 1, {"ucx", "ofi"}, "it uses another engine: ARMATURE_NET_ENGINE must be")

# The library lies where there is no module of UCX's, then where there is none at all.
with tempfile.TemporaryDirectory(prefix="armature-test-") as folder:
    for file in pathlib.Path(FOLDER).glob("libarmature.so*"):
        shutil.copy2(file, folder, follow_symlinks=False)
    if not list(pathlib.Path(folder).iterdir()):
        sys.exit(f"no libarmature.so in {FOLDER}")
    expect(run(NODES, [RING], LD_LIBRARY_PATH=folder), 1, set(), r"needs UCX \(package libucx0\).*needs libfabric \(package libfabric1\)")
    shutil.copy(f"{FOLDER}/libarmature-ofi.so", folder)
    expect(run(NODES, [RING], LD_LIBRARY_PATH=folder), 0, {"ofi"}, "2 ranks")
    expect(run([*NODES, "--net-engine", "ucx"], [RING], LD_LIBRARY_PATH=folder), 1, set(), r"needs UCX \(package libucx0\)")
