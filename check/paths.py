"""A file that the documentation names is there: paths in text and in code spans, and files and headings of links.

A link is relative to its document. A path in text that begins with a folder of the root stands as it is; in a code
span it may lack its beginning (`rma/fence.cpp`), or be the name of a source alone. A program of examples/ or tests/ may
lack its suffix. Code blocks are the reader's own files.
"""

import fnmatch
import posixpath
import re

import house

ROOMS = r"(?:src|include|docs|tests|check|examples|compat|tools|bench|cmake|command|bindings)"
SUFFIX = r"\.(?:hpp|cpp|h|c|md|py|toml|json|txt|cmake|supp)"
FENCED = re.compile(r"^\s*(?:```|~~~).*?^\s*(?:```|~~~)", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"^ {4,}(?![*|-] ).*$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
SPAN = re.compile(r"`([^`\s]+)`")
IN_TEXT = re.compile(rf"(?<![\w/.<-])({ROOMS}/[\w./*-]*[\w*/])")
WITH_FOLDER = re.compile(rf"^[\w.-]+(?:/[\w.*-]+)*/[\w.*-]*(?:{SUFFIX})$|^{ROOMS}(?:/[\w.*-]+)*/?$")
SOURCE = re.compile(r"^[\w*-]+\.(?:hpp|cpp)$")
GLOB = re.compile(r"[*?\[]")
HEADING = re.compile(r"^#{1,6} +(.*?) *$", re.MULTILINE)


def blank(match):
    return re.sub(r"[^\n]", "", match[0])


class Tree:
    """The tracked files, with their folders."""

    def __init__(self, names):
        self.paths = {"/".join(parts[:i]) for parts in (n.split("/") for n in names)
                      for i in range(1, len(parts) + 1)} | {"."}

    def has(self, path):
        """A path from the root."""
        path = posixpath.normpath(path)
        if GLOB.search(path):
            return any(fnmatch.fnmatchcase(each, path) for each in self.paths)
        return path in self.paths or any(path + suffix in self.paths for suffix in (".cpp", ".c"))

    def has_end(self, path):
        """A path whose beginning is left out."""
        path = posixpath.normpath(path)
        return any(each == path or each.endswith("/" + path) or
                   (GLOB.search(path) and fnmatch.fnmatchcase(each, "*/" + path)) for each in self.paths)


def anchors(text):
    """What links may name behind a #: headings in small letters, without punctuation, with hyphens for spaces."""
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}


def named(line):
    """(path, kind) of all that a line names."""
    found = [(m[1], "link") for m in LINK.finditer(line) if "://" not in m[1]]
    rest = LINK.sub("]", line)
    for match in SPAN.finditer(rest):
        text = match[1].split(":")[0]
        if WITH_FOLDER.match(text) or SOURCE.match(text):
            found.append((text, "span"))
    return found + [(m[1].rstrip("."), "text") for m in IN_TEXT.finditer(SPAN.sub("", rest))]


def link_leads_somewhere(root, name, link, tree):
    path, _, anchor = link.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
    return tree.has(target) and (not anchor or not target.endswith(".md") or
                                 anchor in anchors(FENCED.sub(blank, house.text_of(root, target))))


def problems_of(root, name, tree):
    text = INDENTED.sub(blank, FENCED.sub(blank, house.text_of(root, name)))
    for number, line in enumerate(text.splitlines(), 1):
        for path, kind in named(line):
            if kind == "link":
                there = link_leads_somewhere(root, name, path, tree)
            else:
                there = tree.has(path) or (kind == "span" and tree.has_end(path))
            if not there:
                yield f"{name}:{number}: there is no {path}"


def main():
    root = house.arguments(__doc__).parse_args().root
    tree = Tree(house.tracked(root, None))
    documents = house.tracked(root, (".md",))
    house.finish("paths", [p for name in documents for p in problems_of(root, name, tree)],
                 f"all that {len(documents)} documents name is there")


if __name__ == "__main__":
    main()
