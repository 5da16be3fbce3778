"""What a check remembers does not hide what is wrong: that text, style or law has changed is seen."""

import unittest

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


if __name__ == "__main__":
    unittest.main()
