"""say_skipped.py RESULTS [SKIPS]: counts the tests that were skipped, by reason. RESULTS is what ctest --output-junit wrote.

A skipped test looks green. So what may be skipped is listed in check/skips.toml, with where that is so: a test skipped
for another reason is one that somebody believes to run, and the exit status says so.
"""

import collections
import pathlib
import re
import sys
import tomllib
import xml.etree.ElementTree

SKIPS = pathlib.Path(__file__).resolve().parents[2] / "check" / "skips.toml"
# The line with which our scripts end, and what tells it of a program.
REASON = re.compile(r"^SKIPPED: (.*)$|^.*(bound to no core of its own).*$", re.MULTILINE)


def skipped_tests(results):
    """Returns (name, reason) of each skipped test."""
    for case in xml.etree.ElementTree.parse(results).iter("testcase"):
        if case.find("skipped") is not None:
            reason = REASON.search(case.findtext("system-out", ""))
            yield case.get("name"), (reason[1] or reason[2]) if reason else "it does not say why"


def main():
    listed = tomllib.loads(pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else SKIPS).read_text())["skip"]
    counts, strange = collections.Counter(), []
    for name, reason in skipped_tests(sys.argv[1]):
        may = next((entry for entry in listed
                    if re.fullmatch(entry["tests"], name) and re.fullmatch(entry["reason"], reason)), None)
        if may is None:
            strange.append((name, reason))
        else:
            counts[reason, may["where"]] += 1
    for (reason, where), count in sorted(counts.items()):
        print(f"skipped: {count} tests: {reason} ({where})")
    for name, reason in strange:
        print(f"skipped, and not in check/skips.toml: {name}: {reason}")
    sys.exit(1 if strange else 0)


if __name__ == "__main__":
    main()
