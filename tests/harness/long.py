"""long.py FOLDER [REGEX]: prints for `ctest -E` the names of the long tests in that binary folder, and REGEX besides.

tests/long.toml lists them. They are expanded to names, since ctest's regular expressions are poorer than these.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

LIST = pathlib.Path(__file__).resolve().parents[1] / "long.toml"


def entries(path=LIST):
    return tomllib.loads(path.read_text())["long"]


def names_of_tests(folder):
    """Returns the names of all tests. ctest is asked in a folder of its own: it may run in this one, and keeps a log there."""
    with tempfile.TemporaryDirectory() as scratch:
        pathlib.Path(scratch, "CTestTestfile.cmake").write_text(f'subdirs("{pathlib.Path(folder).resolve()}")\n')
        shown = subprocess.run(["ctest", "--test-dir", scratch, "--show-only=json-v1"], capture_output=True, text=True,
                               check=True)
    return [test["name"] for test in json.loads(shown.stdout)["tests"]]


def long_tests(listed, names):
    return [name for name in names for entry in listed if any(re.fullmatch(each, name) for each in entry["tests"])]


def problems(listed, names):
    """Yields what is wrong with the list: what matches no test, and a kind that nothing covers in every run."""
    usual = set(names) - set(long_tests(listed, names))
    for entry in listed:
        for pattern in entry["tests"]:
            if not any(re.fullmatch(pattern, name) for name in names):
                yield f"no test is {pattern}"
        for pattern in entry["still"]:
            if not any(re.fullmatch(pattern, name) for name in usual):
                yield f"what covers {entry['tests'][0]} is not run: {pattern}"


def pattern_of(names, more=""):
    """Returns a regular expression of ctest's for these whole names, or where `more` matches."""
    whole = "^(" + "|".join(name.replace(".", "[.]") for name in names) + ")$" if names else ""
    return "|".join(filter(None, (more, whole)))


if __name__ == "__main__":
    print(pattern_of(long_tests(entries(), names_of_tests(sys.argv[1])), *sys.argv[2:3]))
