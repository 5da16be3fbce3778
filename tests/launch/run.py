"""run.py NAME ARMATURE PROGRAM EXAMPLES: runs the test of that name. run.py --list: all names."""

import importlib
import pathlib
import sys

import harness

FOLDER = pathlib.Path(__file__).parent


def tests():
    """name -> function, of every test_... in the files beside this one."""
    found = {}
    for file in sorted(FOLDER.glob("*.py")):
        if file.stem not in ("run", "harness"):
            module = importlib.import_module(file.stem)
            found |= {name.removeprefix("test_"): function for name, function in vars(module).items()
                      if name.startswith("test_")}
    return found


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(sorted(tests())))
        return
    name, harness.ARMATURE, harness.PROGRAM, harness.EXAMPLES = sys.argv[1:]
    try:
        tests()[name]()
    except harness.Failed as failure:
        sys.exit(f"FAILED {name}: {failure}")


if __name__ == "__main__":
    main()
