"""container.py BUILD: jobs of every kind run as in a container: user namespaces, a root that cannot be written to, 64 MiB
of /dev/shm, processes and network of its own, and no user of a name."""

import pathlib
import re
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(sys.argv[1]).resolve()
SHM = 64 << 20


def container(folder, *command):
    words = ["bwrap", "--unshare-all", "--uid", "12345", "--gid", "12345", "--cap-drop", "ALL", "--die-with-parent",
             "--new-session", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--size", SHM, "--tmpfs", "/dev/shm",
             "--bind", folder, "/tmp", "--chdir", "/tmp", "--setenv", "HOME", "/nowhere", "--unsetenv", "XDG_RUNTIME_DIR",
             *command]
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL)


def expect(done, status, *patterns):
    text = done.stdout + done.stderr
    if done.returncode != status or not all(re.search(pattern, text) for pattern in patterns):
        sys.exit(f"FAILED, status {done.returncode}, not {status} with {patterns}: {done.args}\n{text}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder).chmod(0o777)
        tried = container(folder, "true")
        if tried.returncode != 0:
            print(f"no container can be made here: {tried.stderr.strip()}")
            sys.exit(77)
        # It is one: else this would show nothing.
        expect(container(folder, "sh", "-c", f"! touch {BUILD}/touched && df -B1 --output=size /dev/shm && id -u"), 0,
               rf"\b{SHM}\b", "12345")
        run = [BUILD / "bin/armature", "run", "--timeout", 60]
        for options in (["-n", 4], ["-n", 4, "--threads", 2], ["-n", 16, "--virtual", "--processes", 2],
                        ["-n", 4, "--nodes", 2], ["-n", 3, "--simulate", 7]):
            expect(container(folder, *run, *options, BUILD / "bin/examples/heat", 200), 0,
                   f"^{options[1]} ranks: .*hottest end")
        # A checkpoint, where it may write.
        expect(container(folder, *run, "-n", 8, "--virtual", "--processes", 2, "--checkpoint", "/tmp/saved",
                         "--checkpoint-every", 0.01, BUILD / "bin/examples/heat", 500000), 0)
        if not list(pathlib.Path(folder, "saved").iterdir()):
            sys.exit("FAILED: nothing was written to the checkpoint's folder")
        # Reports of those that die.
        expect(container(folder, *run, "-n", 2, "sh", "-c", "kill -9 $$"), 137, "SIGKILL")
        expect(container(folder, BUILD / "bin/armature", "doctor"), 0)
        expect(container(folder, BUILD / "bin/armature", "inspect"), 0, "no job is running")
    print("passed")


if __name__ == "__main__":
    main()
