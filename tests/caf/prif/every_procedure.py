"""Compares the module `prif` with the list of the specification's procedures, and the list with what programs call.

    every_procedure.py FOLDER_OF_THE_MODULE
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent


def joined(path):
    """The text of a Fortran source without comments, each statement in one line."""
    text = re.sub(r"^\s*!.*$", "", path.read_text(), flags=re.MULTILINE)
    return re.sub(r"&\s*\n\s*", "", text)


def declared(folder):
    abstract = re.compile(r"abstract interface.*?end interface", re.DOTALL)
    texts = [abstract.sub("", joined(path)) for path in sorted(folder.iterdir())]
    found = re.findall(r"^\s*subroutine (\w+)\s*\(([^)]*)\)", "\n".join(texts), re.MULTILINE)
    return {name: arguments.replace(",", " ").split() for name, arguments in found}


def main():
    lines = [line.split() for line in (HERE / "specification.txt").read_text().splitlines() if not line.startswith("#")]
    wanted = {name: arguments for name, *arguments in lines}
    offered = declared(pathlib.Path(sys.argv[1]))
    called = {name for path in HERE.glob("*.f90") for name in re.findall(r"\bcall (prif_\w+)", joined(path))}
    wrong = [f"the module has no {name}" for name in wanted if name not in offered]
    wrong += [f"the list has no {name}" for name in offered if name not in wanted]
    wrong += [f"{name} takes {offered[name]}, and should take {arguments}"
              for name, arguments in wanted.items() if offered.get(name, arguments) != arguments]
    wrong += [f"no program calls {name}" for name in wanted if name not in called]
    print("\n".join(wrong) or f"{len(wanted)} procedures, all called")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
