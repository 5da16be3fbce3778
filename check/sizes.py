"""Files over 400 lines, functions over 60, and classes over 25 method names or 20 fields are listed in check/sizes.json
and may only shrink.

Functions are found by their braces, without a compiler: fast, and right for code as clang-format
leaves it. Their lines run from the signature to the closing brace. classes.py says what counts of a class. Classes are
listed by their names, without the file: one that moves keeps its limit.
"""

import json
import re

import classes
import house

RECORD = "check/sizes.json"
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
LIMITS = {"files": (FILE_LINES_MAX, "lines"), "functions": (FUNCTION_LINES_MAX, "lines"),
          "methods": (25, "method names"), "fields": (20, "fields")}
# What may be counted again only after --update. A class that shrank is noted, and that is all: its parts land in steps.
EXACT = ("files", "functions")

# Comments, literals and preprocessor lines, replaced by blanks of as many lines.
NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
    r'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', re.DOTALL | re.MULTILINE)
NOT_A_FUNCTION = re.compile(
    r"\b(namespace|class|struct|union|enum|extern|concept)\b(?![^;{}]*\)\s*"
    r"(?:const|noexcept|override|final|->|$))")
CONTROL = {"if", "for", "while", "switch", "catch", "return", "requires", "decltype", "noexcept",
           "alignas", "sizeof", "__attribute__"}
NAME = re.compile(r"([~\w:]+|operator\s*[^\s\w(]+|operator\s*\(\))\s*(\([^()]*\))?\s*\(")


def name_of(signature):
    """The function's name in 'static int f(int a) const'; '' where it is no function."""
    if NOT_A_FUNCTION.search(signature) or "(" not in signature:
        return ""
    test = re.match(r"\s*(TEST\w*|TYPED_TEST\w*|BENCHMARK\w*)\s*\(([^)]*)\)", signature)
    if test:
        return f"{test[1]}({' '.join(test[2].split())})"
    for found in NAME.finditer(signature):
        if found[1].split("::")[-1] not in CONTROL:
            return found[1]
    return ""


def code_of(text):
    """Returns the text with blanks for comments, literals and preprocessor lines."""
    return NOISE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def functions(code):
    """Yields (name, first line, lines) of every outermost function."""
    start = 0          # where the text that may be a signature begins
    inside = None      # (name, position, depth) of the function we are in
    depth = parens = 0
    for position, char in enumerate(code):
        if char in "()":
            parens += 1 if char == "(" else -1
        elif char == "{":
            if inside is None and parens == 0:
                name = name_of(code[start:position])
                if name:
                    signature = code[start:position]
                    inside = (name, start + len(signature) - len(signature.lstrip()), depth)
                else:
                    start = position + 1
            depth += 1
        elif char == "}":
            depth -= 1
            if inside is not None and depth == inside[2]:
                # `: a_{1}, b_{2} {` : what ended was an initialiser, the body is still to come.
                if re.match(r"\s*[,{]", code[position + 1:position + 200]):
                    inside = None
                    continue
                first = code.count("\n", 0, inside[1]) + 1
                yield inside[0], first, code.count("\n", 0, position) + 2 - first
                inside = None
            if inside is None:
                start = position + 1
        elif char == ";" and inside is None and parens == 0:
            start = position + 1


def measure(root):
    """Returns what is over the limits, as {kind: {name: figure}}, and how many methods each class has.

    The second list leaves out classes without any, and those of tests."""
    found = {kind: {} for kind in LIMITS}
    methods_of_classes = []

    def note(kind, name, figure):
        if figure > max(LIMITS[kind][0], found[kind].get(name, 0)):
            found[kind][name] = figure

    for name in house.tracked(root, house.SOURCES + (".py",)):
        text = house.text_of(root, name)
        note("files", name, text.count("\n"))
        if name.endswith(".py"):
            continue
        code = code_of(text)
        for function, _, length in functions(code):
            note("functions", f"{name}:{function}", length)
        for kind, methods, fields in classes.classes(code):
            note("methods", kind, len(methods))
            note("fields", kind, fields)
            if methods and not name.startswith(("tests/", "examples/")) and not name.endswith("_test.cpp"):
                methods_of_classes.append(len(methods))
    return found, sorted(methods_of_classes)


def recorded(root, now, grow):
    """Writes the figures of today where they are lower, or with grow all of them."""
    path = root / RECORD
    limit = json.loads(path.read_text()) if path.is_file() else {}
    limit = {kind: {key: value if grow else min(value, limit[kind][key])
                    for key, value in now[kind].items() if grow or key in limit.get(kind, {})}
             for kind in now}
    path.write_text(json.dumps(limit, indent=2, sort_keys=True) + "\n")


def main():
    options = house.arguments(__doc__, ("--update", "record lower figures"),
                              ("--grow", "record higher and new figures too")).parse_args()
    now, methods = measure(options.root)
    if options.update or options.grow:
        recorded(options.root, now, options.grow)
    path = options.root / RECORD
    limit = json.loads(path.read_text()) if path.is_file() else {}

    problems = []
    for kind, (allowed, unit) in LIMITS.items():
        known = limit.get(kind, {})
        for key, value in now[kind].items():
            if value > known.get(key, allowed):
                problems.append(f"{key} has {value} {unit}, its limit is {known.get(key, allowed)}: split it")
        for key, value in known.items():
            if now[kind].get(key, 0) < value:
                shrank = f"{key} shrank below {value} {unit}: keep it so with check/sizes.py --update"
                if kind in EXACT:
                    problems.append(shrank)
                else:
                    print(f"sizes: {shrank}")
    of_classes = ""
    if methods:
        of_classes = f"; methods of a class: 95 % have {methods[len(methods) * 95 // 100]} or fewer, most {methods[-1]}"
    house.finish("sizes", problems, ", ".join(f"{len(limit.get(kind, {}))} over the limit of {most} {unit}"
                                              for kind, (most, unit) in LIMITS.items())
                 + ", none grew" + of_classes)


if __name__ == "__main__":
    main()
