"""What .ci/run and the repetition of failed tests make of tests that pass, that fail at first, and that fail always."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
REPEAT = HERE / "repeat_failed.py"
UNLISTED = "skipped, and not in check/skips.toml: other: no reason"
# What stands for ./dev: the tests, and what is said of skipped ones.
DEV = """#!/bin/sh
ctest --test-dir build
status=$?
! cat said 2>/dev/null || status=1
exit $status
"""
ONCE = "test -e seen-{0} || {{ touch seen-{0}; exit 1; }}"  # fails the first time


def plant(folder, tests):
    """Makes it a binary folder with such tests (name: shell command)."""
    (folder / "CTestTestfile.cmake").write_text("".join(
        f'add_test([=[{name}]=] "sh" "-c" [=[{command}]=])\n' for name, command in tests.items()))


class InAFolder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)


class Repeats(InAFolder):

    def closing_lines(self, **tests):
        """Runs the tests, repeats what failed; returns the status and the lines it ends with."""
        plant(self.folder, tests)
        subprocess.run(["ctest", "--test-dir", self.folder], capture_output=True)
        done = subprocess.run([sys.executable, "-B", REPEAT, self.folder], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def test_a_test_that_passes_alone_is_named_flaky_and_does_not_fail_the_run(self):
        status, lines = self.closing_lines(steady="true", unsteady=ONCE.format(1))
        self.assertEqual(status, 0)
        self.assertTrue(lines[-2].startswith("FLAKY unsteady: "), lines)
        self.assertEqual(lines[-1], "100% tests passed, 0 tests failed out of 2")

    def test_a_test_that_fails_again_fails_the_run(self):
        status, lines = self.closing_lines(steady="true", broken="false", unsteady=ONCE.format(1))
        self.assertEqual(status, 1)
        self.assertEqual(lines[-2:], ["FAILED broken", "66% tests passed, 1 tests failed out of 3"])

    def test_a_test_that_fails_once_in_the_repetitions_has_failed(self):
        twice = "touch a; test -e b && { test -e c || { touch c; exit 1; }; exit 0; }; touch b; exit 1"
        status, lines = self.closing_lines(**{"unsteady.c++": twice})
        self.assertEqual(status, 1)
        self.assertIn("FAILED unsteady.c++", lines)

    def test_many_failures_are_not_repeated(self):
        status, lines = self.closing_lines(**{f"unsteady{n}": ONCE.format(n) for n in range(20)})
        self.assertEqual(status, 1)
        self.assertEqual(lines[-1], "0% tests passed, 20 tests failed out of 20")

    def test_a_run_that_failed_without_a_failed_test_stays_failed(self):
        done = subprocess.run([sys.executable, "-B", REPEAT, self.folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no failed test", done.stderr)


class Integration(InAFolder):
    def setUp(self):
        super().setUp()
        for folder in (".ci", "tests/harness", "build"):
            (self.folder / folder).mkdir(parents=True)
        shutil.copy(HERE.parents[1] / ".ci" / "run", self.folder / ".ci")
        shutil.copy(REPEAT, self.folder / "tests" / "harness")
        (self.folder / "dev").write_text(DEV)
        (self.folder / "dev").chmod(0o755)

    def closing_lines(self, said=None, **tests):
        plant(self.folder / "build", tests)
        if said:
            (self.folder / "said").write_text(f"{said}\n")
        done = subprocess.run([self.folder / ".ci" / "run"], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def test_all_is_well(self):
        status, lines = self.closing_lines(steady="true")
        self.assertEqual((status, lines[-1]), (0, "100% tests passed, 0 tests failed out of 1"))

    def test_a_flaky_test_is_named_and_the_summary_stands_last(self):
        status, lines = self.closing_lines(steady="true", unsteady=ONCE.format(1))
        self.assertEqual((status, lines[-1]), (0, "100% tests passed, 0 tests failed out of 2"))
        self.assertTrue(lines[-2].startswith("FLAKY unsteady: "), lines)
        self.assertIn("50% tests passed, 1 tests failed out of 2", lines)  # the run itself said so

    def test_a_failed_test_fails(self):
        status, lines = self.closing_lines(steady="true", broken="false")
        self.assertEqual((status, lines[-1]), (1, "50% tests passed, 1 tests failed out of 2"))

    def test_an_unlisted_skip_fails_whatever_has_failed_before(self):
        self.closing_lines(unsteady=ONCE.format(1))
        status, lines = self.closing_lines(said=UNLISTED, steady="true")
        self.assertEqual((status, lines[-1]), (1, "100% tests passed, 0 tests failed out of 1"))

    def test_an_unlisted_skip_beside_a_flaky_test_fails(self):
        status, lines = self.closing_lines(said=UNLISTED, unsteady=ONCE.format(1))
        self.assertEqual(status, 1)
        self.assertIn(UNLISTED, lines)


if __name__ == "__main__":
    unittest.main()
