"""Compiles refused_indices.cpp, and wants one error for each index type, with the reason in words.

usage: refused_indices.py SOURCE COMPILER ARGUMENT...
"""

import re
import subprocess
import sys

REASONS = [
    "does not travel: give it define_type",
    "has no operator==",
    "cannot be copied, or made without arguments",
    "its bytes do not tell whether two are equal",
    "its bytes do not tell whether two are equal",
    "its bytes do not tell whether two are equal",
]


def main(source, *command):
    done = subprocess.run([*command, "-fsyntax-only", source], capture_output=True, text=True, timeout=100)
    errors = re.findall(r"error: (.*)", done.stderr)
    wrong = [f"{len(errors)} errors, where {len(REASONS)} types are refused"] if len(errors) != len(REASONS) else []
    for error, reason in zip(errors, REASONS):
        if "this type cannot be an index" not in error or reason not in error:
            wrong.append(f"'{reason}' is not in '{error}'")
    print("\n".join(wrong + [done.stderr] if wrong else ["each is refused for its reason"]))
    return 1 if wrong or done.returncode == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
