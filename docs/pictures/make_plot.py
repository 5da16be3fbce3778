"""Draws docs/pictures/put-beside-others.svg from the table in docs/figures.md.

    make_plot.py [--check]     with --check, only says whether the picture is that of the table
"""

import math
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
FIGURES, PICTURE = HERE.parent / "figures.md", HERE / "put-beside-others.svg"
HEADING = "### Puts and gets beside other systems"
COLOURS = {"Armature": "#2060b0", "fastest other": "#c08000"}
LEFT, TOP, WIDTH, HEIGHT, GROUP, BAR = 70, 50, 760, 340, 64, 22
LOW, HIGH = 1, 1e6  # ns


def rows():
    """(operation, bytes, ns of Armature, ns of the other, its name)"""
    text = FIGURES.read_text().split(HEADING, 1)[1].split("\n#", 1)[0]
    for op, size, ours, theirs, name in re.findall(r"^ {4}(put|get) +(\d+) +([\d.]+) +([\d.]+) +(\w+(?: \w+)*) +[\d.]+$", text, re.M):
        yield op, int(size), float(ours), float(theirs), name


def height_of(ns):
    return HEIGHT * (math.log10(ns) - math.log10(LOW)) / (math.log10(HIGH) - math.log10(LOW))


def readable(size):
    for unit, bytes_of in ("MiB", 1 << 20), ("KiB", 1 << 10):
        if size >= bytes_of:
            return f"{size // bytes_of} {unit}"
    return f"{size} B"


def bar(x, ns, system, title):
    tall = height_of(ns)
    return (f'<rect x="{x}" y="{TOP + HEIGHT - tall:.1f}" width="{BAR}" height="{tall:.1f}" fill="{COLOURS[system]}">'
            f"<title>{title}: {ns:g} ns</title></rect>\n")


def axis():
    lines = ""
    for decade in range(7):
        y = TOP + HEIGHT - height_of(10 ** decade)
        lines += (f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - 10}" y2="{y:.1f}" stroke="#ddd"/>\n'
                  f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{("1", "10", "100", "1 000", "10 000", "100 000", "1 000 000")[decade]}</text>\n')
    return lines


def picture():
    inside = axis()
    for number, (op, size, ours, theirs, name) in enumerate(rows()):
        x = LEFT + 16 + GROUP * number
        inside += bar(x, ours, "Armature", f"{op} of {readable(size)}") + bar(x + BAR, theirs, "fastest other", name)
        inside += (f'<text x="{x + BAR}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{op}</text>\n'
                   f'<text x="{x + BAR}" y="{TOP + HEIGHT + 30}" text-anchor="middle">{readable(size)}</text>\n')
    for number, (system, colour) in enumerate(COLOURS.items()):
        inside += (f'<rect x="{LEFT + 160 * number}" y="18" width="12" height="12" fill="{colour}"/>\n'
                   f'<text x="{LEFT + 160 * number + 18}" y="28">{system}, ns</text>\n')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {TOP + HEIGHT + 44}" font-family="sans-serif" '
            f'font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n{inside}</svg>\n')


def main():
    if len(list(rows())) < 10:
        sys.exit(f"{FIGURES}: the table below '{HEADING}' has other columns than before")
    if "--check" not in sys.argv:
        PICTURE.write_text(picture())
    elif PICTURE.read_text() != picture():
        sys.exit(f"{PICTURE} is not that of the table in {FIGURES}: run {pathlib.Path(__file__)}")


main()
