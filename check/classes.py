"""The method names and the fields of each class, found by braces and brackets as in sizes.py, without a compiler.

An overloaded method counts once, a private one as any other. Constructors, the destructor, what is defaulted, deleted
or deprecated, and what is inherited do not count. Fields are those of each object: static ones do not count.
"""

import re

HEAD = re.compile(
    r"\b(?<!enum )(?:class|struct|union)\s+"
    r"(?:\[\[[^\]]*\]\]\s*|alignas\s*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*|[A-Z_]{4,}\s+)*"
    r"(?P<name>\w+(?:::\w+)*)\s*(?:<[^;{}]*>\s*)?(?:final\s*)?(?::[^:;{}][^;{}]*)?$")
LABEL = re.compile(r"^\s*(?:public|protected|private)\s*:(?!:)")
# A declaration with a parenthesis that holds no parameters: those of an attribute, a type or a constraint.
BESIDE = re.compile(r"\b(?:alignas|decltype|noexcept|explicit|requires|__attribute__|sizeof)\s*(?=\()")
NO_MEMBER = re.compile(r"\s*(?:using|typedef|friend|static_assert|enum)\b")
OPERATOR = re.compile(r"\boperator\s*(\(\s*\)|\[\s*\]|\"\"\s*\w+|[^\s\w(]+|[\w:]+[\w:\s*&]*?)\s*\(")


def closing(text, start):
    """Returns where the bracket at start is closed, or the end of the text."""
    pairs = {"(": ")", "{": "}"}
    depth = 0
    for position in range(start, len(text)):
        if text[position] == text[start]:
            depth += 1
        elif text[position] == pairs[text[start]]:
            depth -= 1
            if depth == 0:
                return position
    return len(text)


def without_templates(text):
    """Returns the declaration without what stands in angle brackets."""
    text = re.sub(r"operator\s*(<=>|<<=?|>>=?|<=?|>=?|->\*?)", lambda m: "operator_" + "abcdefghij"[len(m[1])], text)
    text = re.sub(r"->|<<|<=|>=", "~", text)
    before = None
    while before != text:
        before, text = text, re.sub(r"<[^<>]*>", " ", text)
    return text


def without_parentheses_beside(text):
    while found := BESIDE.search(text):
        text = text[:found.start()] + " " + text[closing(text, found.end()) + 1:]
    return text


def member(text):
    """Returns ("method", names), ("field", names) or ("", []) for a declaration, whose bodies are {}."""
    while LABEL.match(text):
        text = LABEL.sub("", text, count=1)
    if not text.strip() or NO_MEMBER.match(text) or "[[deprecated" in text:
        return "", []
    text = re.sub(r"\[\[.*?\]\]", " ", text)
    named = OPERATOR.search(text)
    plain = without_parentheses_beside(without_templates(text))
    if NO_MEMBER.match(re.sub(r"^\s*template\b", "", plain)):
        return "", []
    opens = plain.find("(")
    starts_value = re.search(r"=|\{|(?<!:):(?!:)", plain)
    if named or (opens >= 0 and not (starts_value and starts_value.start() < opens)
                 and not re.match(r"\(\s*[*&]", plain[opens:])):
        if re.search(r"=\s*(?:default|delete)\s*$", text):
            return "", []
        name = "operator" + re.sub(r"\s", "", named[1]) if named else re.findall(r"~?\s*\w+", plain[:opens] or "?")[-1]
        return "method", [re.sub(r"\s", "", name)]
    declared = re.fullmatch(r"\s*(?:class|struct|union)\s+\w+\s*", plain)
    if declared or re.search(r"\b(?:static|constexpr|extern)\b", plain):
        return "", []
    plain = re.sub(r"\([^()]*\)|\{\}|\[[^\]]*\]", "", plain)
    return "field", [f for f in re.split(",", plain) if re.search(r"\w", f)]


def members(body):
    """Yields each declaration of a class's body, with {} for what stands in braces, and for a nested class nothing."""
    text, position = "", 0
    while position < len(body):
        char = body[position]
        if char == "(":
            end = closing(body, position)
            text += re.sub(r"[{};]", " ", body[position:end + 1])
            position = end + 1
        elif char == "{":
            end = closing(body, position)
            following = body[end + 1:end + 200].lstrip()[:1]
            if HEAD.search(text) or re.search(r"\b(?:class|struct|union)\s*$", text):
                text = "class X"  # a declarator may follow
            elif re.search(r"\brequires\s*(?:\(.*\)\s*)?$", text):
                text += " "
            elif following not in (",", "{", ";", ")") and member(text)[0] == "method":
                yield text
                text = ""
            else:
                text += "{}"
            position = end + 1
        elif char == ";":
            yield text
            text, position = "", position + 1
        else:
            text += char
            position += 1


def classes(code):
    """Yields (name, method names, number of fields) of every class; the code is without comments and literals."""
    found = []  # (name, where its body begins and ends)
    for opening in re.finditer(r"\{", code):
        before = code[max(0, opening.start() - 600):opening.start()]
        before = re.sub(r"\n\s*$", "", re.split(r"[;{}]", before)[-1])
        head = HEAD.search(before)
        if head:
            found.append((head["name"], opening.end(), closing(code, opening.start())))
    for name, begin, end in found:
        outer = [other for other, first, last in found if first < begin and end < last]
        methods, fields = set(), 0
        for text in members(code[begin:end]):
            kind, names = member(text)
            if kind == "method":
                methods.update(names)
            elif kind == "field":
                fields += len(names)
        own = name.split("::")[-1]
        yield "::".join(outer + [name]), methods - {own, "~" + own}, fields
