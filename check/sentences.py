"""Markdown as sentences: what a reader reads as one, with the line where it begins.

Code, tables, headings and comments are none. A code span counts as one word, a link as its text. A sentence ends at
a full stop, a question mark or an exclamation mark before a space; a colon or a semicolon ends none.
"""

import re

FENCE = re.compile(r"^\s*(```|~~~)")
ITEM = re.compile(r"^\s*(?:[*+-]|\d+[.)])\s+")
HEADING = re.compile(r"^#{1,6}\s")
TABLE = re.compile(r"^\s*\|")
INDENTED = re.compile(r"^(?: {4}|\t)")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
SPAN = re.compile(r"(`+).+?\1", re.DOTALL)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)", re.DOTALL)
END = re.compile(r"[.?!][\"')*_]*(?=\s|$)")
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|Fig|Sec|No|ca)\.$")
WORD = re.compile(r"\S*\w\S*")


def is_table_row(line):
    return bool(TABLE.match(line))


def paragraphs(text):
    """Yields (number of the first line, text) of paragraphs and list items."""
    text = COMMENT.sub(lambda m: re.sub(r"[^\n]", "", m[0]), text)
    first, block, fenced, in_list = 0, [], False, False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
            line = ""
        elif HEADING.match(line):
            line, in_list = "", False
        elif fenced or is_table_row(line):
            line = ""
        item = ITEM.match(line)
        if not block and not item and not in_list and INDENTED.match(line):
            line = ""
        if block and (item or not line.strip()):
            yield first, "\n".join(block)
            block = []
        if item:
            in_list = True
            line = line[item.end():]
        elif line and not line[0].isspace() and not block:
            in_list = False
        if line.strip():
            first = first if block else number
            block.append(line)
    if block:
        yield first, "\n".join(block)


def sentences(text):
    """Yields (line, sentence) of a Markdown text."""
    for first, block in paragraphs(text):
        block = SPAN.sub(lambda m: "code" + "\n" * m[0].count("\n"), block)
        block = LINK.sub(lambda m: m[1] + "\n" * (m[0].count("\n") - m[1].count("\n")), block)
        start = 0
        for end in [m.end() for m in END.finditer(block)] + [len(block)]:
            if ABBREVIATION.search(block[start:end]):
                continue
            sentence = block[start:end]
            if sentence.strip():
                lead = len(sentence) - len(sentence.lstrip())
                yield first + block.count("\n", 0, start + lead), " ".join(sentence.split())
            start = end


def words_of(sentence):
    return len(WORD.findall(sentence))
