"""Files over 400 lines and functions over 60 are listed in check/sizes.json and may only shrink.

Functions are found by their braces, without a compiler: fast, and right for code as clang-format
leaves it. Their lines run from the signature to the closing brace.
"""

import json
import re

import house

RECORD = "check/sizes.json"
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60

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


def functions(text):
    """Yields (name, first line, lines) of every outermost function."""
    code = NOISE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
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
    """What is over the limits: {files: {name: lines}, functions: {file:function: lines}}."""
    big = {"files": {}, "functions": {}}
    for name in house.tracked(root, house.SOURCES + (".py",)):
        text = house.text_of(root, name)
        lines = text.count("\n")
        if lines > FILE_LINES_MAX:
            big["files"][name] = lines
        if name.endswith(".py"):
            continue
        for function, _, length in functions(text):
            key = f"{name}:{function}"
            if length > max(FUNCTION_LINES_MAX, big["functions"].get(key, 0)):
                big["functions"][key] = length
    return big


def main():
    options = house.arguments(__doc__, ("--update", "record lower figures"),
                              ("--grow", "record higher and new figures too")).parse_args()
    path = options.root / RECORD
    limit = json.loads(path.read_text()) if path.is_file() else {"files": {}, "functions": {}}
    now = measure(options.root)
    if options.update or options.grow:
        limit = {kind: {key: value if options.grow else min(value, limit[kind][key])
                        for key, value in now[kind].items() if options.grow or key in limit[kind]}
                 for kind in now}
        path.write_text(json.dumps(limit, indent=2, sort_keys=True) + "\n")

    problems = []
    for kind, allowed in (("files", FILE_LINES_MAX), ("functions", FUNCTION_LINES_MAX)):
        for key, value in now[kind].items():
            most = limit[kind].get(key, allowed)
            if value > most:
                problems.append(f"{key} has {value} lines, its limit is {most}: split it")
        for key, value in limit[kind].items():
            if now[kind].get(key, 0) < value:
                problems.append(f"{key} shrank below {value} lines: keep it so with "
                                "check/sizes.py --update")
    house.finish("sizes", problems, f"{len(limit['files'])} files and {len(limit['functions'])} "
                 "functions over the limits, none grew")


if __name__ == "__main__":
    main()
