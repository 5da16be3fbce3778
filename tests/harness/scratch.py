"""A folder for what a test and the launchers it starts write, gone when the test is gone.

Open MPI keeps its session and its shared memory below /tmp and /dev/shm, and leaves them there when it is killed, which
tests do. So each test gives all that a folder of its own. It goes at the end of the test; should the test be killed
outright, a process that waits for that removes it.

    with Scratch() as scratch:
        subprocess.Popen(command, env={**os.environ, **scratch.environment})
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

PREFIX = "armature-test-"
# What launchers and their libraries leave, and where when nobody tells them otherwise.
LAUNCHERS_OWN = ("ompi.*", "prte.*", "prtrn.*", "pmix*", "vader_segment.*", "sm_segment.*", "mpich*", "openmpi-sessions-*", "*_mpich_*")
USUAL_PLACES = ("/tmp", "/var/tmp", "/dev/shm")
CARETAKER = "import shutil, sys; sys.stdin.read(); shutil.rmtree(sys.argv[1], ignore_errors=True)"


def launchers_files(places=USUAL_PLACES):
    return {path for place in places for pattern in LAUNCHERS_OWN for path in pathlib.Path(place).glob(pattern)}


def strange_files(folder):
    """What lies there and is not a launcher's."""
    return sorted(str(path) for path in set(pathlib.Path(folder).iterdir()) - launchers_files([folder]))


class LeftOver(Exception):
    pass


class Scratch:
    def __init__(self, parent=None):
        self.before = launchers_files()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        self.caretaker = subprocess.Popen([sys.executable, "-c", CARETAKER, self.folder], stdin=subprocess.PIPE,
                                          start_new_session=True)
        self.environment = {
            "TMPDIR": str(self.folder),
            "ARMATURE_CRASH_TRACE": "",  # no file of jobs that crash
            "OMPI_MCA_btl_vader_backing_directory": str(self.folder),
            "OMPI_MCA_btl_sm_backing_directory": str(self.folder),  # Open MPI 5's name for it
        }

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        strange = strange_files(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.caretaker.stdin.close()
        self.caretaker.wait()
        if kind is None and strange:
            raise LeftOver(f"left over in TMPDIR: {', '.join(strange)}")
        if kind is None:
            self.expect_nothing_new()

    def expect_nothing_new(self, seconds=10):
        """Others may run such programs now, whose files come and go."""
        deadline = time.monotonic() + seconds
        while new := launchers_files() - self.before:
            if time.monotonic() > deadline:
                raise LeftOver(f"left over: {', '.join(sorted(map(str, new)))}")
            time.sleep(0.1)
        if os.path.exists(self.folder):
            raise LeftOver(f"left over: {self.folder}")
