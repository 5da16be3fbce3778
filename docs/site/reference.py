"""The reference of public headers, from Doxygen's XML: for each header an HTML fragment with what it declares, in the
order of its lines."""

import html
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as xml

SETTINGS = """
INPUT = {inputs}
FILE_PATTERNS = *.hpp *.h
RECURSIVE = YES
EXCLUDE_PATTERNS = */detail/*
EXCLUDE_SYMBOLS = armature::detail armature::detail::* std
OUTPUT_DIRECTORY = {output}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = ARMATURE_API=
QUIET = YES
WARNINGS = NO
STRIP_FROM_PATH = {root}
"""

TAGS = {"para": "p", "computeroutput": "code", "bold": "b", "emphasis": "em", "itemizedlist": "ul",
        "orderedlist": "ol", "listitem": "li", "verbatim": "pre", "table": "table", "row": "tr", "entry": "td",
        "preformatted": "pre", "programlisting": "pre", "codeline": "span", "parblock": "div"}
KINDS = {"class": "class", "struct": "struct", "union": "union", "concept": "concept"}


def run_doxygen(root, inputs, output):
    settings = SETTINGS.format(inputs=" ".join(str(root / one) for one in inputs), output=output, root=root)
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def described(element):
    """An element of a description, as HTML."""
    if element is None:
        return ""
    inside = html.escape(element.text or "", quote=False)
    for child in element:
        inside += described(child) + html.escape(child.tail or "", quote=False)
    if element.tag == "sp":
        return " "
    if element.tag == "codeline":
        return inside + "\n"
    tag = TAGS.get(element.tag)
    return f"<{tag}>{inside}</{tag}>" if tag and inside.strip() else inside


def text_of(element):
    return "" if element is None else re.sub(r"\s+", " ", "".join(element.itertext())).strip()


def description(member):
    return "".join(described(member.find(kind)) for kind in ("briefdescription", "detaileddescription"))


def template_of(member):
    parameters = member.find("templateparamlist")
    if parameters is None:
        return ""
    words = [" ".join(filter(None, (text_of(one.find("type")), text_of(one.find("declname"))))) +
             (f" = {text_of(one.find('defval'))}" if one.find("defval") is not None else "")
             for one in parameters.findall("param")]
    constraint = text_of(member.find("requiresclause"))
    return f"template <{', '.join(words)}>\n" + (f"requires {constraint}\n" if constraint else "")


def as_written(code):
    """Doxygen spreads template arguments, and puts & and * to the name."""
    before = None
    while before != code:
        before, code = code, re.sub(r"(?<=\w)< ([^<>]*(?:<[^<>]*>[^<>]*)*) >", r"<\1>", code)
    return re.sub(r" (\.\.\.)", r"\1", re.sub(r" ([&*]+)(?=\w|\.\.\.)", r"\1 ", code))


def signature(member):
    return as_written(declaration_of(member))


def declaration_of(member):
    kind, name = member.get("kind"), text_of(member.find("name"))
    of_type = text_of(member.find("type"))
    if kind == "enum":
        values = ", ".join(text_of(one.find("name")) + (" " + text_of(one.find("initializer"))
                                                          if one.find("initializer") is not None else "")
                           for one in member.findall("enumvalue"))
        strong = "enum class" if member.get("strong") == "yes" else "enum"
        return f"{strong} {name}{' : ' + of_type if of_type else ''} {{ {values} }}"
    if kind == "typedef":
        definition = text_of(member.find("definition"))
        return template_of(member) + re.sub(r"armature::", "", definition)
    start = template_of(member) + " ".join(filter(None, (of_type, name)))
    if kind == "function":
        if member.get("static") == "yes":
            start = start.replace(of_type, f"static {of_type}", 1) if of_type else f"static {start}"
        return start + text_of(member.find("argsstring"))
    if kind == "define":
        parameters = [text_of(one.find("defname")) for one in member.findall("param")]
        return f"#define {name}" + (f"({', '.join(parameters)})" if parameters else "")
    value = text_of(member.find("initializer"))
    return start + text_of(member.find("argsstring")) + (f" {value}" if value else "")


class Entry:
    """What a header declares in one place."""

    def __init__(self, line, name, declaration, text, members=()):
        self.line, self.name, self.declaration, self.text, self.members = line, name, declaration, text, list(members)

    def as_html(self, names):
        anchor = re.sub(r"[^A-Za-z0-9_]+", "-", self.name).strip("-") or "operator"
        identity, number = anchor, 1
        while identity in names:
            number += 1
            identity = f"{anchor}-{number}"
        names.add(identity)
        inside = "".join(member.as_html(names) for member in self.members)
        return (f'<dt id="{identity}"><code>{html.escape(self.declaration, quote=False)}</code></dt>'
                f"<dd>{self.text}{f'<dl>{inside}</dl>' if inside else ''}</dd>\n")


def members_of(compound):
    """Public members; those without a description are shown too, since their names are the interface."""
    for section in compound.findall("sectiondef"):
        for member in section.findall("memberdef"):
            if member.get("prot") in (None, "public") and member.get("kind") != "friend":
                yield member


def entry_of(member, prefix=""):
    name = text_of(member.find("name"))
    location = member.find("location")
    return Entry(int(location.get("line", 0)), prefix + name, signature(member), description(member))


def compounds(folder):
    for file in sorted(pathlib.Path(folder, "xml").glob("*.xml")):
        if file.name == "index.xml":
            continue
        for compound in xml.parse(file).getroot().findall("compounddef"):
            yield compound


def entries_by_header(folder):
    """Header -> its entries, in the order of lines."""
    found = {}
    for compound in compounds(folder):
        kind = compound.get("kind")
        name = text_of(compound.find("compoundname")).removeprefix("armature::")
        if kind in KINDS and "detail::" not in name and compound.get("prot") in (None, "public"):
            location = compound.find("location")
            members = sorted((entry_of(one, f"{name}::") for one in members_of(compound)), key=lambda one: one.line)
            declaration = as_written(template_of(compound) + f"{KINDS[kind]} {name}")
            if kind == "concept":
                declaration = text_of(compound.find("initializer")) or declaration
            header = location.get("file")
            found.setdefault(header, []).append(
                Entry(int(location.get("line", 0)), name, declaration, description(compound), members))
        elif kind in ("namespace", "file"):
            for member in members_of(compound):
                location = member.find("location")
                # A function of a namespace stands in its file's list, too.
                if kind == "namespace" or not any(True for _ in compound.findall("innernamespace")):
                    found.setdefault(location.get("file"), []).append(entry_of(member))
    for entries in found.values():
        entries.sort(key=lambda one: one.line)
    return found


def opening_comment(text):
    """The paragraphs of a header's first comment that belongs to nothing below it."""
    blocks = re.findall(r"(?:^//(?!/).*\n)+", text, re.M)
    return re.sub(r"^// ?", "", blocks[0], flags=re.M).strip() if blocks else ""


def reference(root, headers):
    """Header, as a path below the root -> HTML of what it declares."""
    with tempfile.TemporaryDirectory() as folder:
        run_doxygen(root, sorted({str(pathlib.PurePosixPath(one)) for one in headers}), folder)
        entries = entries_by_header(folder)
    pages = {}
    for header in headers:
        names = set()
        declared = "".join(entry.as_html(names) for entry in entries.get(header, []))
        pages[header] = f"<dl>\n{declared}</dl>\n" if declared else "<p>It declares nothing by itself.</p>\n"
    return pages
