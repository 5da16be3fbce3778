"""The components of a room do not know each other in circles.

A component is a header and the source of the same name; it knows what either of them includes. A unit test is no part
of it. check/cycles.toml lists the circles that there still are: they may only shrink.
"""

import collections
import os
import re
import tomllib

import house

RECORD = "check/cycles.toml"
FOLDERS = ("src/", "compat/", "bench/")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def component_of(name):
    return os.path.splitext(name)[0]


def knowledge(root):
    """Component -> the components of the same room that it includes."""
    names = [n for n in house.tracked(root) if n.startswith(FOLDERS) and not n.endswith("_test.cpp")]
    known = set(names)
    knows = collections.defaultdict(set)
    for name in names:
        mine = component_of(name)
        for target in INCLUDE.findall(house.text_of(root, name)):
            beside = os.path.normpath(os.path.join(os.path.dirname(name), target))
            for found in (beside, f"src/{target}", target):
                if found in known:
                    if component_of(found) != mine and room_of(found) == room_of(name):
                        knows[mine].add(component_of(found))
                    break
    return knows


def room_of(name):
    """'src/quiesce/wire.hpp' -> 'src/quiesce'; 'bench/row.hpp' -> 'bench'."""
    return "/".join(name.split("/")[:1 if name.startswith("bench/") else 2])


def circles(knows):
    """Strongly connected sets of more than one component (Tarjan 1972), without recursion."""
    index, low, stack, found = {}, {}, [], []
    on_stack = set()
    for start in sorted(knows):
        if start in index:
            continue
        work = [(start, iter(sorted(knows[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, others = work[-1]
            for other in others:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(sorted(knows.get(other, ())))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    members = set()
                    while node not in members:
                        members.add(stack.pop())
                    on_stack -= members
                    if len(members) > 1:
                        found.append(members)
    return found


def problems_of(knows, listed):
    in_circles = set()
    for members in circles(knows):
        in_circles |= members
        if any(members <= one for one in listed):
            continue
        arrows = sorted(f"{os.path.basename(a)} -> {os.path.basename(b)}"
                        for a in members for b in knows[a] & members)
        yield f"{sorted(members)[0]} and {len(members) - 1} more know each other in a circle: {', '.join(arrows)}"
    for one in listed:
        for component in sorted(one - in_circles):
            yield f"{component} is in no circle any more: take it out of {RECORD}"


def main():
    root = house.arguments(__doc__).parse_args().root
    record = root / RECORD
    listed = tomllib.loads(record.read_text()).get("circles", []) if record.is_file() else []
    knows = knowledge(root)
    house.finish("cycles", list(problems_of(knows, [set(one) for one in listed])),
                 f"{len(knows)} components know each other without circles"
                 + (f", but for {len(listed)}" if listed else ""))


if __name__ == "__main__":
    main()
