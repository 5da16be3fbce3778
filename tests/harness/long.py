"""long.py [--fast] FOLDER [REGEX]: prints the names of the long tests in that binary folder for `ctest -E`; REGEX, too.

tests/long.toml lists them. With --fast, the names are of tests that are labelled fast: the long ones and those that
tests/slow.toml lists. Both are expanded to names, since ctest's regular expressions are poorer than these.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

TESTS = pathlib.Path(__file__).resolve().parents[1]
SPECIAL = re.compile(r"[].*+?|()^$[]")  # in ctest's regular expressions


def entries(kind="long"):
    """What tests/KIND.toml lists: `long` or `slow`."""
    return tomllib.loads((TESTS / f"{kind}.toml").read_text())[kind]


def labels_of_tests(folder):
    """Returns {name: labels} of all tests.

    ctest is asked in a folder of its own: it may run in this one, and keeps a log there.
    """
    with tempfile.TemporaryDirectory() as scratch:
        pathlib.Path(scratch, "CTestTestfile.cmake").write_text(f'subdirs("{pathlib.Path(folder).resolve()}")\n')
        shown = subprocess.run(["ctest", "--test-dir", scratch, "--show-only=json-v1"], capture_output=True, text=True,
                               check=True)
    return {test["name"]: {label for each in test["properties"] if each["name"] == "LABELS" for label in each["value"]}
            for test in json.loads(shown.stdout)["tests"]}


def fast_ones(labels):
    """The names of the tests that `./dev test --fast` runs by their labels."""
    return [name for name, of_it in labels.items() if of_it & {"fast", "check"} and "slow" not in of_it]


def long_tests(listed, names):
    patterns = [re.compile(each) for entry in listed for each in entry["tests"]]
    return [name for name in names if any(pattern.fullmatch(name) for pattern in patterns)]


def problems(listed, names, left_out=()):
    """Yields what is wrong with the list: what matches no test, and a kind that nothing covers in every run. That leaves
    out what `left_out` lists besides."""
    usual = set(names) - set(long_tests([*listed, *left_out], names))
    for entry in listed:
        for pattern in entry["tests"]:
            if not any(re.fullmatch(pattern, name) for name in names):
                yield f"no test is {pattern}"
        for pattern in entry["still"]:
            if not any(re.fullmatch(pattern, name) for name in usual):
                yield f"what covers {entry['tests'][0]} is not run: {pattern}"


def pattern_of(names, more=""):
    """Returns a regular expression of ctest's for these whole names, or where `more` matches."""
    quoted = [SPECIAL.sub(lambda found: "\\" + found[0], name) for name in names]
    whole = "^(" + "|".join(quoted) + ")$" if names else ""
    return "|".join(filter(None, (more, whole)))


def main():
    fast = sys.argv[1] == "--fast"
    folder, *more = sys.argv[2 if fast else 1:]
    labels = labels_of_tests(folder)
    left_out = long_tests(entries() + entries("slow"), fast_ones(labels)) if fast else long_tests(entries(), labels)
    print(pattern_of(left_out, *more))


if __name__ == "__main__":
    main()
