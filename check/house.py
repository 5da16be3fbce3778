"""What every check needs: the root, the tracked files, and one way to report."""

import argparse
import pathlib
import subprocess
import sys

SOURCES = (".hpp", ".cpp", ".h", ".c")


def arguments(description, *flags):
    """The command line of a check: --root (another tree, for the self-test) and plain flags."""
    parser = argparse.ArgumentParser(description=description)
    here = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--root", type=pathlib.Path, default=here)
    for flag, meaning in flags:
        parser.add_argument(flag, action="store_true", help=meaning)
    return parser


def tracked(root, suffixes=SOURCES):
    """Paths relative to the root of the files in git; of all files where there is no git."""
    try:
        listing = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z"],
            capture_output=True, check=True, text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        listing = [str(p.relative_to(root)) for p in root.rglob("*")
                   if not p.relative_to(root).parts[0].startswith("build")]
    names = [n for n in listing if n and (suffixes is None or n.endswith(suffixes))]
    return sorted(n for n in names if (root / n).is_file())


def text_of(root, name):
    return (root / name).read_text(encoding="utf-8", errors="replace")


def finish(check, problems, passed):
    """Prints the problems, one per line, and ends the program."""
    for problem in problems:
        print(f"{check}: {problem}")
    if problems:
        print(f"{check}: {len(problems)} problem(s)")
        sys.exit(1)
    print(f"{check}: {passed}")
    sys.exit(0)
