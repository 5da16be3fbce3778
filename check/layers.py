"""Includes go down only: check/layers.toml states the floors, this holds them."""

import os
import re
import tomllib

import house

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
STANDARD = re.compile(r"[a-z_0-9]+$|(stddef|stdint|stdbool|complex|stdio)\.h$")


class Law:
    def __init__(self, root):
        self.root = root
        law = tomllib.loads((root / "check/layers.toml").read_text())
        self.floors = law["floors"]
        self.public_only = law["public_only"]
        self.public_alone = law.get("public_alone", [])
        self.composers = law["composers"]
        self.command_parts = ["command/" + part for part in law["command_parts"]]
        self.test_harness = law["test_harness"]
        self.bench_may_include = law["bench_may_include"]
        self.public_floor = law.get("public_floor", {})
        self.third_party = law.get("third_party", {})

    def floor_of_public(self, header):
        """The floor of include/armature/<header>, or None where it has none."""
        name = self.public_floor.get(header)
        if name is None:
            name = header.split("/")[0].removesuffix(".hpp").removesuffix(".h")
        return self.floors.index(name) if name in self.floors else None

    def has_no_floor(self, name):
        """Whether that is a public header of which nothing says who may include it."""
        if not name.startswith("include/armature/"):
            return False
        header = name.removeprefix("include/armature/")
        room = header.split("/")[0].removesuffix(".hpp")
        return self.floor_of_public(header) is None and room not in self.public_only


def room_and_part(folder):
    """'transport/shm' -> ('transport', 'transport/shm'); 'rma' -> ('rma', 'rma')."""
    parts = folder.split("/")
    return parts[0], "/".join(parts[:2])


def third_party_problem(law, name, target):
    for prefix, folders in law.third_party.items():
        if not target.startswith(prefix):
            continue
        if name.endswith("_test.cpp") and prefix in ("gtest/", "gmock/", "nlohmann/", "fmt/"):
            return None
        if name.endswith("_bench.cpp") and prefix == "benchmark/":
            return None
        if any(name.startswith(folder + "/") for folder in folders):
            return None
        return f"<{target}> belongs in {', '.join(folders) or '*_bench.cpp'} only"
    return None


def public_only_problem(law, name, target):
    """The rooms that stand on the public headers alone, in their order, above all floors."""
    def room_of(header):
        room = header.split("/")[0].removesuffix(".hpp")
        return law.public_only.index(room) if room in law.public_only else None

    mine = room_of(name.removeprefix("include/armature/"))
    other = room_of(target.removeprefix("armature/"))
    if other is not None and (mine is None or other > mine):
        return f"<{target}> stands on all other public headers"
    if mine is not None and target.startswith("armature/detail/"):
        return f"{law.public_only[mine]} stands on the public headers alone, not on <{target}>"
    return None


def public_header_problem(law, name, target):
    """include/armature/: the standard library and headers of the same or a lower floor."""
    if target.startswith("armature/"):
        wrong = public_only_problem(law, name, target)
        if wrong:
            return wrong
        mine = law.floor_of_public(name.removeprefix("include/armature/"))
        other = law.floor_of_public(target.removeprefix("armature/"))
        if mine is not None and other is not None and other > mine:
            return f"<{target}> is on a higher floor"
        return None
    if STANDARD.match(target):
        return None
    return f"a public header shows '{target}' to its users"


def room_problem(law, name, target, folder):
    """A file of src/ that includes `target`, which lies in `folder` of src/ (or is public)."""
    mine_room, mine_part = room_and_part(os.path.dirname(name).removeprefix("src/"))
    if target.startswith("armature/"):
        if mine_room not in law.floors or name.endswith("_test.cpp"):
            return None  # a unit test may make itself a job of one rank
        other = law.floor_of_public(target.removeprefix("armature/"))
        if other is not None and other > law.floors.index(mine_room):
            return f"<{target}> is on a higher floor than {mine_room}"
        return None
    if folder is None:
        return None

    room, part = room_and_part(folder)
    if mine_room in law.public_only:
        return None if room == mine_room else f"{mine_room} stands on the public headers alone"
    if mine_room not in law.floors or room not in law.floors:
        return f"'{room if room not in law.floors else mine_room}' has no floor in layers.toml"
    if law.floors.index(room) > law.floors.index(mine_room):
        return f"'{target}' is on a higher floor than {mine_room}"
    if part != room and part != mine_part and mine_room != room and mine_room not in law.composers:
        return f"'{target}' is private to {room}"
    if part != room and mine_part not in (part, room) and mine_room == room \
            and part not in law.command_parts[:max(position_in(law.command_parts, mine_part), 0)]:
        return f"'{target}' is private to {part}, a sibling of {mine_part}"
    return None


def position_in(sequence, one):
    return sequence.index(one) if one in sequence else -1


def outside_problem(law, name, target, folder):
    """A file outside src/ that includes `target`, which lies in `folder` of src/ (or is public)."""
    top = name.split("/")[0]
    alone = next((one for one in law.public_alone if name.startswith(one + "/")), None)
    if alone and target.startswith("armature/detail/"):
        return f"{alone} stands on the public headers alone, not on <{target}>"
    if folder is None or (top == "tests" and not alone):
        return None
    room = room_and_part(folder)[0]
    if top == "bench":
        return None if room in law.bench_may_include else f"bench may not see src/{room}"
    return f"{top} stands on the public headers alone, not on src/{folder}"


def harness_problem(law, name, target, found):
    """A file that includes `target`, which is `found` at that path of the repository."""
    if not found.startswith(law.test_harness + "/"):
        return None
    alone = any(name.startswith(one + "/") for one in law.public_alone)
    if name.endswith("_test.cpp") and name.startswith("src/") or name.startswith("tests/") and not alone:
        return None
    return f"'{target}' is for tests alone"


def problem(law, name, quote, target):
    """What is wrong with `#include target` in file `name`, or None."""
    beside = os.path.normpath(os.path.join(os.path.dirname(name), target))
    if quote == '"' and (law.root / beside).is_file():
        folder = os.path.dirname(beside).removeprefix("src/") if beside.startswith("src/") else None
    elif (law.root / "src" / target).is_file():
        folder = os.path.dirname(target)
    else:
        folder = None
    found = next((path for path in (beside, "tests/" + target) if (law.root / path).is_file()), "")

    if name.startswith("include/armature/"):
        return public_header_problem(law, name, target)
    wrong = harness_problem(law, name, target, found) or third_party_problem(law, name, target)
    if wrong is None and name.startswith("src/"):
        wrong = room_problem(law, name, target, folder)
    elif wrong is None:
        wrong = outside_problem(law, name, target, folder)
    return wrong


def main():
    root = house.arguments(__doc__).parse_args().root
    law = Law(root)
    problems = []
    includes = 0
    for name in house.tracked(root):
        text = house.text_of(root, name)
        if law.has_no_floor(name):
            problems.append(f"{name}: has no floor in layers.toml")
        for match in INCLUDE.finditer(text):
            includes += 1
            wrong = problem(law, name, match[1], match[2])
            if wrong:
                line = text.count("\n", 0, match.start()) + 1
                problems.append(f"{name}:{line}: {wrong}")
    house.finish("layers", problems, f"{includes} includes go down")


if __name__ == "__main__":
    main()
