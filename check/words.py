"""Words: none that the repository must not have, none that only we know, and sentences that one reads once.

What is forbidden stands in check/words.toml. Sentences over 30 words and lines over 120 characters in documents,
comments that open without their subject, and coined names in documents outside the glossary are counted by file. The
record check/words.json has those that are not mended yet. A file may exceed its record only by what other files have
lost since (text that moved), and never where check/words.toml says that all is mended. A coined name that is gone from
the code does not come back.
"""

import fnmatch
import json
import pathlib
import re
import tomllib

import house
import remembered
import sentences

LAW = "check/words.toml"
RECORD = "check/words.json"
GLOSSARY = "docs/internals/glossary.md"
SENTENCE_WORDS_MAX = 30
LINE_CHARACTERS_MAX = 120
KINDS = ("coined", "lines", "openings", "sentences")  # counted by file
NAMES = "names in code"  # by name

# A comment, with the code before it: `x;  ///< What...`. A colon before it is an address, as in http://.
COMMENT = re.compile(r"^(.*?)(?<!:)(///?<?!?|/\*\*?)\s*(.*)$")
# An old name that goes on, in the source or as a symbol of the library.
KEPT = re.compile(r"deprecated|_ZN")
NO_SUBJECT = re.compile(r"(?:What|Where|Of|Whoever|Who|Whose|Whatever|Whichever|Which|The same)\b")


def openings(text):
    """Yields (line, words) of comments that open without their subject."""
    inside = False  # a comment that goes on is no opening
    for number, line in enumerate(text.splitlines(), 1):
        found = COMMENT.match(line)
        alone = bool(found) and not found[1].strip()
        if found and not (alone and inside) and NO_SUBJECT.match(found[3]):
            yield number, "'" + " ".join(found[3].split()[:3]) + "...' does not say of what it speaks"
        inside = bool(found)


def long_lines(text):
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LINE_CHARACTERS_MAX and not sentences.is_table_row(line):
            yield number, f"{len(line)} characters: the limit is {LINE_CHARACTERS_MAX}"


def long_sentences(text):
    for number, sentence in sentences.sentences(text):
        count = sentences.words_of(sentence)
        if count > SENTENCE_WORDS_MAX:
            start = " ".join(sentence.split()[:5])
            yield number, f"'{start}...' has {count} words: the limit is {SENTENCE_WORDS_MAX}"


def coined_names(text, law):
    for number, line in enumerate(text.splitlines(), 1):
        for name, pattern, term in law if not KEPT.search(line) else ():
            for found in pattern.finditer(line):
                yield number, name, f"'{found[0]}' is a name of our own: write {term}"


def in_glossary(root):
    """The words that the glossary explains: those in bold at the beginning of a row of its table."""
    if not (root / GLOSSARY).is_file():
        return set()
    return set(re.findall(r"^\| \*\*([^*]+)\*\*", house.text_of(root, GLOSSARY), re.MULTILINE))


def coined_law(root, words):
    """The coined names that the glossary does not have, as (name, pattern, term); case and underscores do not matter."""
    known = in_glossary(root)
    return [(name, re.compile(rf"(?<![A-Za-z])(?i:{name})(?![a-z])"), term)
            for name, term in words.items()
            if not any(re.fullmatch(name, word, re.IGNORECASE) for word in known)]


def text_files(root):
    """Yields (name, text) of tracked text files. Patterns of the law and its record, which quote, are left out."""
    for name in house.tracked(root, None):
        data = (root / name).read_bytes()
        if name not in (LAW, RECORD) and b"\0" not in data[:4096]:
            yield name, data.decode("utf-8", "replace")


def counted(name, text, coined):
    """Yields (kind, line, words) of what the record may have."""
    found = []
    if name.endswith(house.SOURCES):
        found += [("openings", *each) for each in openings(text)]
    if name.endswith(".md"):
        found += [("lines", *each) for each in long_lines(text)]
        found += [("sentences", *each) for each in long_sentences(text)]
        if name != GLOSSARY:
            found += [("coined", number, words) for number, _, words in coined_names(text, coined)]
    return found


def found_in(name, text, forbidden, coined):
    """What is wrong in a text: ([words], [(kind or NAMES, the coined name, line, words)])."""
    problems, counts = [], []
    for number, line in enumerate(text.splitlines(), 1):
        problems += [f"{name}:{number}: '{found[0]}': {why}"
                     for pattern, why in forbidden if (found := pattern.search(line))]
    counts += [(kind, "", number, words) for kind, number, words in counted(name, text, coined)]
    # An example has its own subject: a band of a matrix is one.
    if name.endswith(house.SOURCES) and not name.startswith("examples/"):
        counts += [(NAMES, coin, number, f"{name}:{number}: {words}")
                   for number, coin, words in coined_names(text, coined)]
    return problems, counts


def memory_of(root):
    """What this check has found to be well, by what it goes by."""
    here = pathlib.Path(__file__).parent
    law = [here / "sentences.py", root / LAW, root / GLOSSARY]
    return remembered.Remembered(root, "words", b"\0".join(path.read_bytes() for path in law if path.is_file()))


def look(root, law):
    """(problems that no record allows, {kind: {name: [(line, words)]}}, number of files)."""
    forbidden = [(re.compile(pattern), why) for pattern, why in law["words"].items()]
    coined = coined_law(root, law.get("coined", {}))
    problems, now, files = [], {kind: {} for kind in (*KINDS, NAMES)}, 0
    memory = memory_of(root)
    for name, text in text_files(root):
        files += 1
        data = text.encode()
        if memory.knows(name, data):
            continue
        wrong, counts = found_in(name, text, forbidden, coined)
        problems += wrong
        for kind, coin, number, words in counts:
            now[kind].setdefault(coin or name, []).append((number, words))
        if not wrong and not counts:
            memory.is_well(name, data)
    memory.write()
    return problems, now, files


def is_mended(kind, name, law):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in law.get("mended", {}).get(kind, []))


def over(kind, now, limit, law):
    """Problems of a kind: all of mended files, and those of files that are over their record."""
    mended = {name for name in now if is_mended(kind, name, law)}
    left = sum(limit.values()) - sum(len(each) for name, each in now.items() if name not in mended)
    for name, each in sorted(now.items()):
        if name in mended:
            yield from (f"{name}:{number}: {words}" for number, words in each)
        elif left < 0 and len(each) > limit.get(name, 0):
            yield f"{name}: {len(each)} {kind}, its record is {limit.get(name, 0)}; these are:"
            yield from (f"{name}:{number}: {words}" for number, words in each)


def main():
    options = house.arguments(__doc__, ("--update", "record lower figures, and text that moved"),
                              ("--list", "show what is on the record")).parse_args()
    root = options.root
    law = tomllib.loads((root / LAW).read_text())
    path = root / RECORD
    limit = {kind: {} for kind in (*KINDS, NAMES)}
    limit |= json.loads(path.read_text()) if path.is_file() else {}
    problems, now, files = look(root, law)
    for kind in KINDS:
        worse = list(over(kind, now[kind], limit[kind], law))
        problems += worse
        if options.update and not worse:
            limit[kind] = {name: len(each) for name, each in now[kind].items()}
    back = {name: each for name, each in now[NAMES].items() if name not in limit[NAMES]}
    problems += [words for each in back.values() for _, words in each]
    if options.update and not back:
        limit[NAMES] = {name: True for name in now[NAMES]}
    if options.update:
        path.write_text(json.dumps(limit, indent=2, sort_keys=True) + "\n")
    if options.list:
        print("\n".join(f"{name}:{number}: {words}" for kind in KINDS
                        for name, each in now[kind].items() for number, words in each))
    left = ", ".join(f"{sum(map(len, now[kind].values()))} {kind} of {sum(limit[kind].values())}" for kind in KINDS)
    left += f", {len(now[NAMES])} {NAMES} of {len(limit[NAMES])}"
    house.finish("words", problems, f"{files} files; on the record: {left}")


if __name__ == "__main__":
    main()
