"""What is said of tests that were skipped in a run: of those that may be, and of one that nobody has listed."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
LISTED = """[[skip]]
tests = 'launcher\\..*'
reason = 'no launcher here'
where = "systems without it"
"""


class Skips(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def said(self, **tests):
        """Runs the tests (name: shell command); returns the status and the lines of what is said of skipped ones."""
        (self.folder / "CTestTestfile.cmake").write_text("".join(
            f'add_test([=[{name}]=] "sh" "-c" [=[{command}]=])\n'
            f"set_tests_properties([=[{name}]=] PROPERTIES SKIP_RETURN_CODE 77)\n" for name, command in tests.items()))
        (self.folder / "skips.toml").write_text(LISTED)
        results = self.folder / "results.xml"
        subprocess.run(["ctest", "--test-dir", self.folder, "--output-junit", results], capture_output=True)
        done = subprocess.run([sys.executable, "-B", HERE / "say_skipped.py", results, self.folder / "skips.toml"],
                              capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def test_listed_ones_are_counted_by_their_reason(self):
        skipped = "echo 'SKIPPED: no launcher here'; exit 77"
        status, lines = self.said(**{"launcher.a": skipped, "launcher.b": skipped, "launcher.c": "true"})
        self.assertEqual((status, lines), (0, ["skipped: 2 tests: no launcher here (systems without it)"]))

    def test_one_that_is_not_listed_fails_the_run(self):
        status, lines = self.said(other="echo 'SKIPPED: no launcher here'; exit 77")
        self.assertEqual((status, lines), (1, ["skipped, and not in check/skips.toml: other: no launcher here"]))

    def test_one_that_gives_no_reason_fails_the_run(self):
        status, lines = self.said(**{"launcher.a": "exit 77"})
        self.assertEqual((status, lines), (1, ["skipped, and not in check/skips.toml: launcher.a: it does not say why"]))

    def test_a_run_without_any_says_nothing(self):
        self.assertEqual(self.said(steady="true"), (0, []))


if __name__ == "__main__":
    unittest.main()
