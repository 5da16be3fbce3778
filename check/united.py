"""Constants of unnamed namespaces have names of their own in a room.

The sources of a room are compiled as one, and so are those of the small rooms that CMakeLists.txt puts together
(docs/decisions/united-sources.md). Where two namespaces have a constant of the same name, and one namespace encloses
the other, a function of the inner one takes the inner constant. The compiler says nothing of it, though the function
stands beside the outer constant.
"""

import collections
import re

import house

NAMESPACE = re.compile(r"^(?:inline )?namespace\s*([\w:]*)\s*\{")
CONSTANT = re.compile(r"^(?:(?:inline|static|constinit) )*(?:constexpr|const|thread_local)\b[^(=;{]*?"
                      r"[\s*&](\w+)(?:\[[^\]]*\])*\s*[={;]")


def constants(text):
    """(name, the namespace that encloses the unnamed one) of each."""
    open_ones = []
    for line in text.splitlines():
        if found := NAMESPACE.match(line):
            open_ones.append(found[1])
        elif line.startswith("}") and "// namespace" in line and open_ones:
            open_ones.pop()
        elif "" in open_ones and (found := CONSTANT.match(line)):
            yield found[1], "::".join(name for name in open_ones if name)


def groups(cmake):
    """The rooms that are one source, {room: group}, by armature_unite(... TOGETHER a+b c+d)."""
    return {room: group for call in re.findall(r"armature_unite\([^)]*TOGETHER ([^)]*)\)", cmake)
            for group in call.split() for room in group.split("+")}


def encloses(outer, inner):
    return inner.startswith(outer + "::") or (outer == "" and inner != "")


def main():
    options = house.arguments(__doc__).parse_args()
    where = collections.defaultdict(list)
    group_of = groups(house.text_of(options.root, "CMakeLists.txt"))
    for name in house.tracked(options.root, (".cpp",)):
        if name.startswith("src/") and not name.endswith("_test.cpp"):
            for constant, namespace in constants(house.text_of(options.root, name)):
                room = name.split("/")[1]
                where[group_of.get(room, room), constant].append((namespace, name))
    problems = [
        f"{inner}: {constant} is also a constant of {outer}, whose namespace encloses that one: give it another name"
        for (_, constant), all_of_it in sorted(where.items())
        for outer_namespace, outer in all_of_it for inner_namespace, inner in all_of_it
        if encloses(outer_namespace, inner_namespace)]
    house.finish("united", problems, f"{len(where)} constants of unnamed namespaces")


if __name__ == "__main__":
    main()
