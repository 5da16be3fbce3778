"""`armature gdb` binds breakpoints in ranks' copies of the program, and finds their variables.

    debugged.py ARMATURE PROGRAM
"""

import re
import shutil
import subprocess
import sys

ARMATURE, PROGRAM = sys.argv[1:]
SKIPPED = 77


def gdb(job, rank):
    words = [ARMATURE, "gdb", str(rank), str(job.pid), "--", "-nx", "-batch"]
    for command in (f"break stops_here if rank == {rank}", "continue", "print number - 0", "print $own(\"number\")", "backtrace 2"):
        words += ["-ex", command]
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=100)
    return done.stdout + done.stderr


def main():
    if shutil.which("gdb") is None:
        print("no gdb here")
        return SKIPPED
    job = subprocess.Popen([ARMATURE, "run", "-n", "3", "--virtual", "--processes", "1", "--private-globals=on", PROGRAM],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        if "ready" not in job.stdout.readline():
            print("the job has not begun")
            return 1
        for rank in (1, 2):
            said = gdb(job, rank)
            if "not permitted" in said:
                print(said)
                return SKIPPED
            # One location for each rank, and the original.
            for words in (r"\(4 locations\)", rf"Breakpoint 1\.\d, stops_here \(rank=(rank@entry=)?{rank}\) at .*debugged\.c",
                          rf"\$2 = {100 + rank}\b", r"#1 .* in main \(.*\) at .*debugged\.c"):
                if not re.search(words, said):
                    print(f"no {words} in:\n{said}")
                    return 1
        if job.poll() is not None:
            print(f"the job has ended with {job.returncode}")
            return 1
        return 0
    finally:
        job.terminate()
        job.wait(60)


sys.exit(main())
