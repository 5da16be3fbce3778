"""The page for programs of Global Arrays names each call of its C interface, and none that there is not:
global_arrays.py HEADER PAGE."""

import fnmatch
import pathlib
import re
import sys


def main():
    header, page = (pathlib.Path(name).read_text() for name in sys.argv[1:])
    calls = {re.sub("64$", "", name) for name in re.findall(r"\bN?GA_(\w+)\s*\(", header)}
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([\w*]+)`", row)}
    missing = sorted(call for call in calls if not any(fnmatch.fnmatchcase(call, name) for name in named))
    unknown = sorted(name for name in named if not any(fnmatch.fnmatchcase(call, name) for call in calls))
    for what, names in ("not on the page", missing), ("no call of ga.h", unknown):
        if names:
            print(f"{what}: {', '.join(names)}")
    print(f"{len(calls)} calls, {len(named)} names")
    if len(calls) < 200 or missing or unknown:
        sys.exit(1)


if __name__ == "__main__":
    main()
