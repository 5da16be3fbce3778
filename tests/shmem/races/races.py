"""Five faulty programs are found, and both lines are named; their mended twins are not.

  races.py ARMATURE PROGRAM checked|simulated
"""

import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).with_name("races.c").read_text().splitlines()

# The fault, its PEs, and what its message says: two lines of the source by what stands there, unless one is enough.
FAULTS = {
    "missing_quiet": (3, ("shmem_long_put(data", "shmem_long_g(data, 1)"), "has not completed it"),
    "missing_barrier": (2, ("shmem_long_p(&word, 5", "shmem_long_g(&word, 1)"), "unordered accesses"),
    "read_before_signal": (2, ("shmem_long_put_signal(data", "shmem_long_get(&first"), "unordered accesses"),
    "buffer_reused": (2, ("shmem_long_put_nbi(data",), "its source of 512 bytes has changed before it was waited for"),
    "atomics_and_puts": (2, ("shmem_long_p(&word, 10", "shmem_long_atomic_inc"), "unordered accesses"),
}


def line_of(text):
    found = [number for number, line in enumerate(SOURCE, 1) if text in line]
    assert found, text
    return found[0]


def run(armature, program, way, ranks, words):
    kind = ["--check"] if way == "checked" else ["--simulate", "1-6"]
    return subprocess.run([armature, "run", "-n", str(ranks), *kind, "--timeout", "60", program, *words],
                          capture_output=True, text=True, timeout=100)


def main():
    armature, program, way = sys.argv[1:]
    wrong = []
    for name, (ranks, calls, why) in FAULTS.items():
        faulty = run(armature, program, way, ranks, [name])
        places = {f"races.c:{line_of(call)}" for call in calls}
        named = set(re.findall(r"races\.c:\d+", faulty.stderr.split("\n  #")[0]))
        if faulty.returncode == 0 or why not in faulty.stderr or not places <= named:
            wrong.append(f"{name}: status {faulty.returncode}, wants {places}\n{faulty.stderr}")
        mended = run(armature, program, way, ranks, [name, "mended"])
        if mended.returncode != 0:
            wrong.append(f"{name}, mended: {mended.stderr}")
    good = run(armature, program, way, 4, ["all_ways"])
    if good.returncode != 0:
        wrong.append(f"all_ways: {good.stderr}")
    print("\n".join(wrong) or "all found, and nothing else")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
