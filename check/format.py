"""Tracked sources are formatted as .clang-format says; `./dev fmt` mends them."""

import re
import shutil
import subprocess
import sys

import house
import remembered


def badly_formatted(root, names):
    wrong = set()
    for start in range(0, len(names), 64):
        done = subprocess.run(["clang-format", "--dry-run", *names[start:start + 64]],
                              cwd=root, capture_output=True, text=True)
        if done.returncode != 0:  # it has not looked at all of them, so nothing is remembered of any
            house.finish("format", ["clang-format: " + (done.stderr.strip() or f"ended with {done.returncode}")], "")
        wrong |= set(re.findall(r"^(\S+?):\d+:\d+: warning: code should be", done.stderr, re.M))
    return wrong


def main():
    root = house.arguments(__doc__).parse_args().root
    if not shutil.which("clang-format"):
        house.finish("format", ["clang-format is not installed (packages.txt)"], "")
    version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True).stdout
    if "version 14." not in version:
        print(f"SKIPPED: the house's format is that of clang-format 14, here is {version}")
        sys.exit(77)
    names = house.tracked(root)
    style = b"\0".join((root / name).read_bytes() for name in house.tracked(root, (".clang-format",)))
    memory = remembered.Remembered(root, "format", version.encode() + style)
    texts = {name: (root / name).read_bytes() for name in names}
    wrong = badly_formatted(root, [name for name in names if not memory.knows(name, texts[name])])
    for name in names:
        if name not in wrong:
            memory.is_well(name, texts[name])
    memory.write()
    house.finish("format", [f"{name}: run ./dev fmt" for name in sorted(wrong)],
                 f"{len(names)} files")


if __name__ == "__main__":
    main()
