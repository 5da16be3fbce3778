"""longs.py FOLDER: the list of long tests fits the tests of that binary folder, and would not if it did not."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from long import entries, long_tests, names_of_tests, pattern_of, problems

LISTED = [{"tests": [r"storm\.n\d+", r"flood\.large"], "still": [r"storm\.small", r"flood\.small"]}]
NAMES = ["storm.n8", "storm.n16", "storm.small", "storm.n8.again", "flood.large", "flood.small"]


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

    def test_ctest_leaves_out_these_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CTestTestfile.cmake").write_text("".join(f"add_test({name} true)\n" for name in NAMES))
            self.assertEqual(names_of_tests(folder), NAMES)
            pattern = pattern_of(long_tests(LISTED, NAMES), "again")
            shown = subprocess.run(["ctest", "--test-dir", folder, "-N", "-E", pattern], capture_output=True, text=True)
        self.assertEqual([line.split()[-1] for line in shown.stdout.splitlines() if "Test #" in line],
                         ["storm.small", "flood.small"])

    def test_the_list_fits_the_tests_that_are_there(self):
        self.assertEqual(list(problems(entries(), names_of_tests(FOLDER))), [])


if __name__ == "__main__":
    FOLDER = sys.argv.pop(1)
    unittest.main()
