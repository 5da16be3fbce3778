"""Code in the documentation is code that is compiled: a block behind <!-- examples/x.cpp --> stands there.

Lines are compared without their indentation, and blank ones not at all, so that a block may be the
inside of a function.
"""

import re

import house

BLOCK = re.compile(r"^<!-- ((?:examples|tests)/\S+) -->\n```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def contains(lines, part):
    return any(lines[i:i + len(part)] == part for i in range(len(lines) - len(part) + 1))


def problems_of(root, name):
    text = house.text_of(root, name)
    for match in BLOCK.finditer(text):
        where = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
        source = match[1]
        if not (root / source).is_file():
            yield f"{where}: there is no file {source}"
        elif not contains(lines_of(house.text_of(root, source)), lines_of(match[2])):
            yield f"{where}: this is not in {source}, line for line"


def main():
    root = house.arguments(__doc__).parse_args().root
    names = house.tracked(root, (".md",))
    blocks = sum(len(BLOCK.findall(house.text_of(root, name))) for name in names)
    house.finish("snippets", [p for name in names for p in problems_of(root, name)],
                 f"{blocks} blocks of code are compiled elsewhere")


if __name__ == "__main__":
    main()
