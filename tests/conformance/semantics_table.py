#!/usr/bin/env python3
"""Every cell of the table in the guide's semantics.md names tests, and these tests exist.

semantics_table.py SEMANTICS.md FOLDER: the tests are the sentences of TEST(Suite, sentence) in the
folder's sources. Tests of the suite Semantics that no cell names are reported too.
"""

import pathlib
import re
import sys

COLUMNS = 6  # the kind of operation, and five questions


def tests_in(folder):
    found = {}
    for source in sorted(folder.glob("*_test.cpp")):
        for suite, name in re.findall(r"^(?:RANKS_TYPED_|RMI_)?TEST\(\s*(\w+),\s*(\w+)\s*\)", source.read_text(), re.M):
            found[name] = suite
    return found


def rows_of(guide):
    """(line number, cells) of the body of every table with the right number of columns."""
    for number, line in enumerate(guide.read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == COLUMNS and not set(line) <= set("|- :"):
            yield number, cells


def main():
    guide, folder = (pathlib.Path(argument) for argument in sys.argv[1:3])
    tests = tests_in(folder)
    problems, named = [], set()
    text = guide.read_text()
    rows = list(rows_of(guide))[1:]  # without the heading
    for number, cells in rows:
        for cell in cells[1:]:
            sentences = [word for word in re.findall(r"`(\w+)`", cell) if word.count("_") >= 2]
            named.update(sentences)
            if not sentences:
                problems.append(f"{guide.name}:{number}: a cell names no test: '{cell}'")
            problems += [f"{guide.name}:{number}: there is no test {s}" for s in sentences if s not in tests]
    problems += [f"{guide.name} does not mention {name} of the suite Semantics"
                 for name, suite in tests.items() if suite == "Semantics" and f"`{name}`" not in text]
    if len(rows) < 5:
        problems.append(f"{guide.name}: the table of semantics has only {len(rows)} rows")
    print("\n".join(problems) or f"{len(rows)} rows name {len(named)} tests, all of which exist")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
