"""repeat_failed.py FOLDER: repeats, one by one, the tests that have failed in ctest's last run in that binary folder.

A test that failed beside hundreds of others, and passes three times alone, is FLAKY: a fault to be mended, but not one
that the change under test has made. The closing lines name each with the log of its failure, and the last line is
ctest's summary with the results after the repetitions. A test that fails once more has failed. The exit status is 0
where no test has failed after all.

Many failures are no accident, and repeating them takes time: above MOST_FAILURES nothing is repeated, and after
MOST_SECONDS nothing more.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import time

TIMES = 3
MOST_FAILURES = 12
MOST_SECONDS = 1800
TIMEOUT = 900  # of a test that has none of its own, in seconds, as in ./dev test


def failed_tests(logs):
    """Returns the names in ctest's list of failures, where each line is number:name."""
    listed = logs / "LastTestsFailed.log"
    lines = listed.read_text().splitlines() if listed.exists() else []
    return [line.split(":", 1)[1] for line in lines if ":" in line]


def tests_run(log):
    """Returns how many tests the last run had, skipped ones included."""
    return len(re.findall(r"^\d+/\d+ Testing: ", log, re.MULTILINE))


def passes_alone(folder, name, deadline):
    """Returns whether the test passes each time; False also where the time is up."""
    for _ in range(TIMES):
        if time.monotonic() > deadline:
            print(f"no time is left to repeat {name}", flush=True)
            return False
        done = subprocess.run(["ctest", "--test-dir", folder, "-R", f"^{re.escape(name)}$", "--output-on-failure",
                               "--timeout", str(TIMEOUT), "--no-tests=error"], capture_output=True, text=True)
        # A skipped test is not a passed one.
        if done.returncode != 0 or "(Skipped)" in done.stdout:
            print(done.stdout, flush=True)
            return False
    return True


def summary(failed, total):
    """Returns ctest's line for such results."""
    percent = 100 * (total - failed) // total if total else 0
    return f"{percent}% tests passed, {failed} tests failed out of {total}"


def main():
    folder = pathlib.Path(sys.argv[1])
    logs = folder / "Testing" / "Temporary"
    names = failed_tests(logs)
    if not names:
        sys.exit("there is no failed test to repeat: what went wrong is said above")
    kept = logs / "FirstRun.log"  # repetitions overwrite ctest's own
    shutil.copy(logs / "LastTest.log", kept)
    total = tests_run(kept.read_text(errors="replace"))

    failed, flaky = names, []
    if len(names) > MOST_FAILURES:
        print(f"{len(names)} tests have failed: none is repeated")
    else:
        deadline = time.monotonic() + MOST_SECONDS
        print(f"==> repeat: {len(names)} failed, each {TIMES} times more, alone", flush=True)
        flaky = [name for name in names if passes_alone(folder, name, deadline)]
        failed = [name for name in names if name not in flaky]
    for name in flaky:
        print(f"FLAKY {name}: failed beside others, passed {TIMES} times alone; its log is in {kept}")
    for name in failed:
        print(f"FAILED {name}")
    print(summary(len(failed), total))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
