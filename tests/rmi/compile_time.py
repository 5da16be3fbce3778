#!/usr/bin/env python3
"""compile_time.py COMPILER INCLUDE SOURCE SECONDS: SOURCE compiles, optimised, in at most so many seconds of
processor time. (It should be a third of the limit; the machine may be slow.)"""
import resource
import subprocess
import sys

compiler, include, source, seconds = sys.argv[1:5]
subprocess.run([compiler, "-std=c++20", "-O2", "-c", "-I", include, source, "-o", "/dev/null"], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{source}: {used.ru_utime + used.ru_stime:.1f} s, {used.ru_maxrss // 1024} MiB")
sys.exit(0 if used.ru_utime + used.ru_stime < float(seconds) else 1)
