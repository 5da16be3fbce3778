"""Shapes that rows of several figures take."""

from figures import NotMeasured


def points(rows, of=lambda size, ns: ns):
    """The points of {size: ns}, each as `of` says."""
    return [[size, of(size, ns)] for size, ns in sorted(rows.items())]


def megabytes_per_s(size, ns):
    return size / ns * 1e3


def section_megabytes_per_s(side, ns):
    """Of a square section of doubles."""
    return side * side * 8 / ns * 1e3


def microseconds(_size, ns):
    return ns * 1e-3


def best(found, operation, size):
    """(name, ns) of the library that is the fastest at that row."""
    there = [(rows[operation][size], name) for name, rows in found.items() if size in rows.get(operation, {})]
    if not there:
        raise NotMeasured(f"no MPI library has a row {operation} of {size}")
    ns, name = min(there)
    return name, ns


def number_behind(word, text):
    """The first number behind that word in what a program has printed."""
    _, found, rest = text.partition(word)
    for one in rest.replace(",", " ").replace(":", " ").split() if found else []:
        try:
            return float(one)
        except ValueError:
            continue
    raise NotMeasured(f"the program has not printed '{word}' and a number")
