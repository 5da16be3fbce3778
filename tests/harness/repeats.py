"""What the repetition of failed tests makes of a test that passes, one that fails at first, and one that fails always."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ONCE = "test -e seen-{0} || {{ touch seen-{0}; exit 1; }}"  # fails the first time


class Repeats(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def closing_lines(self, **tests):
        """Runs the tests (name: shell command), repeats what failed; returns the status and the lines it ends with."""
        listed = "".join(f'add_test([=[{name}]=] "sh" "-c" [=[{command}]=])\n' for name, command in tests.items())
        (self.folder / "CTestTestfile.cmake").write_text(listed)
        subprocess.run(["ctest", "--test-dir", self.folder], capture_output=True)
        done = subprocess.run([sys.executable, "-B", HERE / "repeat_failed.py", self.folder], capture_output=True, text=True)
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
        done = subprocess.run([sys.executable, "-B", HERE / "repeat_failed.py", self.folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no failed test", done.stderr)


if __name__ == "__main__":
    unittest.main()
