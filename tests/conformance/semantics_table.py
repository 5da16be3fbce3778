#!/usr/bin/env python3
"""Every cell of the table in the guide's semantics.md has its tests below the table, and these tests exist.

semantics_table.py SEMANTICS.md FOLDER: the tests are the sentences of TEST(Suite, sentence) in the
folder's sources. Tests of the suite Semantics that the page does not name are reported too.
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


def table_of(text):
    """(headings of the questions, kinds of operations) of the table with the right number of columns."""
    rows = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == COLUMNS and not set(line) <= set("|- :"):
            rows.append(cells)
    return (rows[0][1:], [cells[0] for cells in rows[1:]]) if rows else ([], [])


def lists_of(text):
    """{kind of operation: {question: [tests]}} of the lists below the table."""
    found = {}
    for block in re.split(r"^\* \*\*", text, flags=re.M)[1:]:
        kind, _, rest = block.partition("**")
        for question, tests in re.findall(r"^  \* ([^:`]+): ((?:[^\n]|\n {4})*)", rest, re.M):
            found.setdefault(kind, {})[question] = re.findall(r"`(\w+)`", tests)
    return found


def main():
    guide, folder = (pathlib.Path(argument) for argument in sys.argv[1:3])
    tests, text = tests_in(folder), guide.read_text()
    (questions, kinds), lists = table_of(text), lists_of(text)
    problems = []
    for kind in kinds:
        for question in questions:
            if not lists.get(kind, {}).get(question):
                problems.append(f"{guide.name}: no test is named for '{question}' of '{kind}'")
    named = {word for word in re.findall(r"`(\w+)`", text.partition("\n## The tests of the table")[2])}
    problems += [f"{guide.name}: there is no test {name}" for name in sorted(named) if name not in tests]
    problems += [f"{guide.name} does not mention {name} of the suite Semantics"
                 for name, suite in tests.items() if suite == "Semantics" and f"`{name}`" not in text]
    if len(kinds) < 5:
        problems.append(f"{guide.name}: the table of semantics has only {len(kinds)} rows")
    print("\n".join(problems) or f"{len(kinds)} rows name {len(named)} tests, all of which exist")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
