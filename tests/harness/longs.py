"""longs.py FOLDER: the lists of long and of slow tests fit the tests of that folder; it is seen where they do not."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from long import entries, fast_ones, labels_of_tests, long_tests, pattern_of, problems

LISTED = [{"tests": [r"storm\.n\d+", r"flood\.large"], "still": [r"storm\.small", r"flood\.small"]}]
NAMES = ["storm.n8", "storm.n16", "storm.small", "storm.n8.again", "flood.large", "flood.small"]
PARAMETER = "unit.Flood/far  # GetParam() = a+b*c?"  # a test's name as GoogleTest has it


class Long(unittest.TestCase):
    def test_whole_names_are_meant(self):
        self.assertEqual(long_tests(LISTED, NAMES), ["storm.n8", "storm.n16", "flood.large"])
        self.assertEqual(list(problems(LISTED, NAMES)), [])

    def test_what_matches_nothing_is_found(self):
        without = [name for name in NAMES if name != "flood.large"]
        self.assertEqual(list(problems(LISTED, without)), [r"no test is flood\.large"])

    def test_a_kind_that_nothing_covers_is_found(self):
        without = [name for name in NAMES if name != "flood.small"]
        self.assertEqual(list(problems(LISTED, without)), [r"what covers storm\.n\d+ is not run: flood\.small"])
        self.assertEqual(list(problems(LISTED, NAMES, [{"tests": [r"flood\.small"], "still": []}])),
                         [r"what covers storm\.n\d+ is not run: flood\.small"])

    def test_ctest_leaves_out_these_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CTestTestfile.cmake").write_text("".join(f"add_test({name} true)\n" for name in NAMES))
            self.assertEqual(list(labels_of_tests(folder)), NAMES)
            pattern = pattern_of(long_tests(LISTED, NAMES), "again")
            shown = subprocess.run(["ctest", "--test-dir", folder, "-N", "-E", pattern], capture_output=True, text=True)
        self.assertEqual([line.split()[-1] for line in shown.stdout.splitlines() if "Test #" in line],
                         ["storm.small", "flood.small"])

    def test_names_of_any_letters_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CTestTestfile.cmake").write_text(
                f"add_test([=[{PARAMETER}]=] true)\nadd_test(storm true)\n"
                f"set_tests_properties([=[{PARAMETER}]=] storm PROPERTIES LABELS [=[fast;sanitized]=])\n"
                "add_test(flood true)\nset_tests_properties(flood PROPERTIES LABELS [=[check;slow]=])\n")
            self.assertEqual(fast_ones(labels_of_tests(folder)), [PARAMETER, "storm"])
            shown = subprocess.run(["ctest", "--test-dir", folder, "-N", "-E", pattern_of([PARAMETER])],
                                   capture_output=True, text=True)
        left = [line.split()[-1] for line in shown.stdout.splitlines() if "Test #" in line]
        self.assertEqual(left, ["storm", "flood"])

    def test_the_list_fits_the_tests_that_are_there(self):
        self.assertEqual(list(problems(entries(), labels_of_tests(FOLDER))), [])

    def test_the_fast_run_has_every_kind(self):
        self.assertEqual(list(problems(entries("slow"), fast_ones(labels_of_tests(FOLDER)), entries())), [])


if __name__ == "__main__":
    FOLDER = sys.argv.pop(1)
    unittest.main()
