#!/usr/bin/env python3
"""compile_time.py COMPILER INCLUDE SOURCE TIMES: SOURCE compiles, optimised, in at most TIMES the processor time that
a program takes whose only statement is a std::regex (about 2.4 s on a fast machine of 2026). In turns, the
fastest of each: both are slower on a slow or busy machine. There one of them may be slower than the other for a
while, so it is tried until it is so, nine times at most."""
import os
import resource
import subprocess
import sys
import tempfile

YARDSTICK = """#include <iostream>
#include <regex>
int main(int, char** argv) { return std::regex_match(argv[0], std::regex("a*b")); }
"""


def compile_once(compiler, include, source):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([compiler, "-std=c++20", "-O2", "-c", "-I", include, source, "-o", "/dev/null"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


compiler, include, source, times = sys.argv[1:5]
with tempfile.TemporaryDirectory() as folder:
    yardstick = os.path.join(folder, "yardstick.cpp")
    with open(yardstick, "w") as file:
        file.write(YARDSTICK)
    limit = used = float("inf")
    tries = 0
    while tries < 3 or (used > limit * float(times) and tries < 9):
        limit = min(limit, compile_once(compiler, include, yardstick))
        used = min(used, compile_once(compiler, include, source))
        tries += 1
print(f"{os.path.basename(source)}: {used:.2f} s, {used / limit:.2f} times a std::regex's {limit:.2f} s (at most {times})")
sys.exit(0 if used <= limit * float(times) else 1)
