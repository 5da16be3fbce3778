"""The page for programs of Global Arrays names each call of its C interface, and of that of disk-resident arrays, and none
that there is not: global_arrays.py FOLDER_OF_HEADERS PAGE."""

import fnmatch
import pathlib
import re
import sys


def main():
    folder, page = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
    header, disk_header = ((folder / name).read_text() for name in ("ga.h", "dra.h"))
    calls = {re.sub("64$", "", name) for name in re.findall(r"\bN?GA_(\w+)\s*\(", header)}
    disk_calls = set(re.findall(r"\bN?(DRA_\w+)\s*\(", disk_header))
    calls |= disk_calls
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([\w*]+)`", row)}
    missing = sorted(call for call in calls if not any(fnmatch.fnmatchcase(call, name) for name in named))
    unknown = sorted(name for name in named if not any(fnmatch.fnmatchcase(call, name) for call in calls))
    for what, names in ("not on the page", missing), ("no call of ga.h", unknown):
        if names:
            print(f"{what}: {', '.join(names)}")
    print(f"{len(calls)} calls, {len(named)} names")
    if len(calls) < 200 or len(disk_calls) < 10 or missing or unknown:
        sys.exit(1)


if __name__ == "__main__":
    main()
