"""The tables of algorithms in docs/guide/algorithms.md, made from their headers and tests: of those on vectors, views,
graphs and a rank's own elements. One that no test of its kind in tests/containers calls fails. --update writes them."""

import pathlib
import re

import house

TESTS = "tests/containers/"
GUIDE = "docs/guide/algorithms.md"
BEGIN = "<!-- check/algorithms.py writes this table -->\n"
END = "\n<!-- end of the table -->"


class Kind:
    """What algorithms are on: where their headers are, how their first parameter reads, and which tests call them."""

    def __init__(self, title, headers, first, tests):
        self.title = title
        self.headers = headers
        # The name of a function that is no member, before its first parameter.
        self.function = re.compile(rf"^(?! ).*\b(?!requires)([a-z]\w+)\((?:\n\s*)?(?:{first})[,)]", re.MULTILINE)
        self.tests = tests


ALGORITHMS = "include/armature/algorithm/"
VIEWS = "include/armature/view/"
VECTORS = Kind("Vectors, sections of them, and containers", ALGORITHMS + "*.hpp",
               "R&& range|In&& in|A&& a|C&& container|Keys&& keys|const Team& team", r"(?!view|nested|graph_).*")
ON_VIEWS = Kind("Views", VIEWS + "*.hpp", "const V& of|const In& in|A&& a|const A& a|Keys&& keys|const Keys& keys",
                r"view.*")
KINDS = [
    VECTORS,
    ON_VIEWS,
    Kind("Graphs", ALGORITHMS + "*.hpp", "const distributed_graph<V, E>& graph", r"graph_.*"),
    Kind("Elements of the calling rank", ALGORITHMS + "serial.hpp", "L&& own", r"nested.*"),
]

COSTS = re.compile(r"^// Messages: (.*?)(?=\n(?!//)|\n//\n)", re.MULTILINE | re.DOTALL)
STANDARD = set("""adjacent_difference adjacent_find all_of any_of copy copy_if copy_n count count_if equal exclusive_scan
fill fill_n find find_end find_first_of find_if find_if_not for_each for_each_n generate generate_n includes inclusive_scan
inplace_merge is_heap is_heap_until is_partitioned is_sorted is_sorted_until lexicographical_compare max_element merge
min_element minmax_element mismatch none_of nth_element partial_sort partial_sort_copy partition partition_copy reduce
remove remove_copy remove_copy_if remove_if replace replace_copy replace_copy_if replace_if reverse reverse_copy rotate
rotate_copy search search_n set_difference set_intersection set_symmetric_difference set_union shift_left shift_right sort
stable_partition stable_sort swap_ranges transform transform_exclusive_scan transform_inclusive_scan transform_reduce
unique unique_copy inner_product""".split())


def algorithms_of(text, kind):
    """Returns the names of the algorithms of a kind that a header has, in its order. What makes views is none."""
    text = re.sub(r"\nnamespace (?:armature::)?(detail|views) \{.*?\n\}  // namespace (?:armature::)?\1\n", "\n", text,
                  flags=re.DOTALL)
    return list(dict.fromkeys(re.findall(kind.function, text)))


def tests_of(root, kind):
    """Returns {algorithm: the first test that calls it}."""
    called = {}
    for path in sorted((root / TESTS).glob("*_test.cpp")):
        if not re.fullmatch(kind.tests, path.name):
            continue
        test = None
        for line in path.read_text().splitlines():
            begun = re.match(r"TEST\((\w+), (\w+)", line)
            if begun or line == "}":
                test = f"{begun[1]}.{begun[2]}" if begun else None
            for name in re.findall(r"armature::(\w+)\(", line) if test else ():
                called.setdefault(name, test)
    return called


def rows_of(root, kind, wrong):
    """Returns what each header of a kind costs, a row for each algorithm, and their names."""
    called = tests_of(root, kind)
    costs, rows, seen = [], [], set()
    for path in sorted(root.glob(kind.headers)):
        names = algorithms_of(path.read_text(), kind)
        if not names:
            continue
        header = path.name
        cost = COSTS.search(path.read_text())
        if cost is None:
            wrong.append(f"{path.relative_to(root)}: no line '// Messages: ...' tells what its algorithms cost")
        else:
            text = " ".join(line.removeprefix("// ") for line in cost[1].splitlines())
            costs.append(f"| `{header}` | {text} |")
        for name in names:
            seen.add(name)
            if name not in called:
                wrong.append(f"{path.relative_to(root)}: no test in {TESTS} calls armature::{name} "
                             f"({kind.title.lower()})")
            rows.append(f"| `{name}` | `{header}` | `{called.get(name, '')}` |")
    return costs, rows, seen


def table(root):
    """Returns the tables, how many algorithms they have, and what is wrong."""
    wrong, text, count = [], [], 0
    for kind in KINDS:
        costs, rows, seen = rows_of(root, kind, wrong)
        count += len(seen)
        if kind in (VECTORS, ON_VIEWS):
            wrong += [f"the standard's {name} is in no header {kind.headers}" for name in sorted(STANDARD - seen)]
        text += [f"## {kind.title}", "", "| Header | Messages |", "| --- | --- |", *costs, "",
                 "| Algorithm | Header | Test |", "| --- | --- | --- |", *rows, ""]
    return "\n".join(text).rstrip(), count, wrong


def main():
    parser = house.arguments(__doc__)
    parser.add_argument("--update", action="store_true", help="write the tables")
    arguments = parser.parse_args()
    made, count, wrong = table(arguments.root)
    path = pathlib.Path(arguments.root) / GUIDE
    text = path.read_text()
    before, _, rest = text.partition(BEGIN)
    old, _, behind = rest.partition(END)
    if arguments.update:
        path.write_text(before + BEGIN + made + END + behind)
    elif old != made:
        wrong.append(f"{GUIDE}: the tables are out of date: python3 check/algorithms.py --update")
    house.finish("algorithms", wrong, f"{count} algorithms have tests, and say what they cost")


if __name__ == "__main__":
    main()
