#!/usr/bin/env python3
"""refused.py COMPILER INCLUDE SOURCE: what must not compile does not, and the errors name the rule.

What the compiler says must name the concept that is not satisfied, within 60 lines. The first error must be in the
program, or a static assertion's: one inside the library means that the mistake got past its constraints.
"""

import concurrent.futures
import re
import subprocess
import sys

CASES = {
    0: None,
    1: "ParametersAreMarshallable",
    2: "ParametersAreMarshallable",
    3: "TakesArguments",
    4: "TakesArguments",
    5: "TakesArguments",
    6: "NoParameterIsWritableReference",
    7: "MethodOf",
    8: "MethodOf",
    9: "ResultIsMarshallable",
    10: "ResultIsNoView",
    11: "ResultIsMarshallable",
    12: "ParametersAreMarshallable",
    13: "CapturesNoReference",
    14: "RemoteFunction",
    15: "TakesArguments|request for member",  # a generic lambda's own body
    16: "ParametersAreMarshallable",
    17: "this member cannot travel: see armature::Marshallable",
    18: "Marshallable|constructible_from",
    19: "TakesArguments|NoParameterIsWritableReference",
}
LINES_MAX = 60


def compile_case(command, number):
    return subprocess.run([*command, f"-DCASE={number}"], capture_output=True, text=True, check=False)


def problem(number, rule, done):
    if rule is None:
        return None if done.returncode == 0 else f"does not compile:\n{done.stderr}"
    if done.returncode == 0:
        return "compiles"
    lines = done.stderr.splitlines()
    if not any(re.search(rule, line) for line in lines):
        return f"{rule} is not named:\n" + "\n".join(lines[:30])
    first = next(line for line in lines if "error:" in line)
    if "refused.cpp" not in first and "static assertion" not in first:
        return f"the first error is not where the mistake is:\n{first}"
    if len(lines) > LINES_MAX:
        return f"{len(lines)} lines of errors:\n" + "\n".join(lines[:LINES_MAX])
    return None


def main():
    compiler, include, source = sys.argv[1:4]
    command = [compiler, "-std=c++20", "-fsyntax-only", "-I", include, source]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda number: compile_case(command, number), CASES)
        for (number, rule), done in zip(CASES.items(), results):
            what = problem(number, rule, done)
            failures += what is not None
            print(f"case {number}: {what or 'ok'}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
