"""What a check remembers does not hide what is wrong: that text, style or law has changed is seen."""

import os
import shutil
import unittest
import unittest.mock

import selftest

GOOD, CROOKED = "int f() { return 1; }\n", "int  f();  // bells\n"


class Remembered(unittest.TestCase):
    setUp = selftest.Checks.setUp
    plant, run_check = selftest.Checks.plant, selftest.Checks.run_check
    passes, fails = selftest.Checks.passes, selftest.Checks.fails

    def test_a_text_that_has_changed_is_looked_at_again(self):
        (self.root / "build").mkdir()
        for check, words in (("format", "src/base/log.cpp"), ("words", "'bells'")):
            for _ in range(2):  # the second time from memory
                self.plant("src/base/log.cpp", GOOD)
                self.passes(check)
            for _ in range(2):
                self.plant("src/base/log.cpp", CROOKED)
                self.fails(check, words)
            self.plant("src/base/log.cpp", GOOD)
            self.passes(check)
            self.assertTrue((self.root / f"build/check-{check}.json").is_file())

    def test_all_is_looked_at_when_the_law_has_changed(self):
        (self.root / "build").mkdir()
        self.plant("src/base/log.cpp", GOOD)
        self.passes("format")
        self.passes("words")
        style = self.root / ".clang-format"
        style.write_text(style.read_text().replace("ColumnLimit: 100", "ColumnLimit: 10"))
        self.fails("format", "src/base/log.cpp")
        self.plant("check/words.toml", '[words]\n"return" = "not this word"\n')
        self.fails("words", "not this word")

    def test_nothing_is_remembered_where_the_formatter_fails(self):
        (self.root / "build").mkdir()
        self.plant("src/base/log.cpp", CROOKED)
        real = shutil.which("clang-format")
        self.plant("bin/clang-format", f'#!/bin/sh\n[ "$1" != --version ] || exec {real} --version\nexit 7\n')
        (self.root / "bin/clang-format").chmod(0o755)
        with unittest.mock.patch.dict(os.environ, PATH=f"{self.root / 'bin'}:{os.environ['PATH']}"):
            self.fails("format", "ended with 7")
        self.fails("format", "src/base/log.cpp")


if __name__ == "__main__":
    unittest.main()
