"""The table of algorithms in docs/guide/algorithms.md, made from their headers and tests. An algorithm that no test of
tests/containers calls fails. --update writes the table."""

import pathlib
import re

import house

HEADERS = "include/armature/algorithm/"
TESTS = "tests/containers/"
GUIDE = "docs/guide/algorithms.md"
BEGIN = "<!-- check/algorithms.py writes this table -->\n"
END = "\n<!-- end of the table -->"

# Each algorithm has one of these as its first parameter.
FUNCTION = re.compile(r"\b([a-z]\w+)\((?:R&& range|In&& in|A&& a|C&& container|const Team& team)[,)]")
COSTS = re.compile(r"^// Messages: (.*?)(?=\n(?!//)|\n//\n)", re.MULTILINE | re.DOTALL)
STANDARD = set("""adjacent_difference adjacent_find all_of any_of copy copy_if copy_n count count_if equal exclusive_scan
fill fill_n find find_end find_first_of find_if find_if_not for_each for_each_n generate generate_n includes inclusive_scan
inplace_merge is_heap is_heap_until is_partitioned is_sorted is_sorted_until lexicographical_compare max_element merge
min_element minmax_element mismatch none_of nth_element partial_sort partial_sort_copy partition partition_copy reduce
remove remove_copy remove_copy_if remove_if replace replace_copy replace_copy_if replace_if reverse reverse_copy rotate
rotate_copy search search_n set_difference set_intersection set_symmetric_difference set_union shift_left shift_right sort
stable_partition stable_sort swap_ranges transform transform_exclusive_scan transform_inclusive_scan transform_reduce
unique unique_copy inner_product""".split())


def algorithms_of(text):
    """Returns the names of the algorithms that a header has outside its namespaces detail, in its order."""
    text = re.sub(r"\nnamespace (armature::)?detail \{.*?\n\}  // namespace (armature::)?detail\n", "\n", text,
                  flags=re.DOTALL)
    return list(dict.fromkeys(re.findall(FUNCTION, text)))


def tests_of(root):
    """Returns {algorithm: the first test that calls it}."""
    called = {}
    for path in sorted((root / TESTS).glob("*_test.cpp")):
        test = None
        for line in path.read_text().splitlines():
            begun = re.match(r"TEST\((\w+), (\w+)", line)
            if begun or line == "}":
                test = f"{begun[1]}.{begun[2]}" if begun else None
            for name in re.findall(r"armature::(\w+)\(", line) if test else ():
                called.setdefault(name, test)
    return called


def table(root):
    """Returns the table, how many algorithms it has, and what is wrong."""
    wrong = []
    called = tests_of(root)
    rows = ["| Algorithm | Header | Test |", "| --- | --- | --- |"]
    costs = ["| Header | Messages |", "| --- | --- |"]
    seen = set()
    for path in sorted((root / HEADERS).glob("*.hpp")):
        names = algorithms_of(path.read_text())
        if not names:
            continue
        cost = COSTS.search(path.read_text())
        if cost is None:
            wrong.append(f"{HEADERS}{path.name}: no line '// Messages: ...' tells what its algorithms cost")
        else:
            text = " ".join(line.removeprefix("// ") for line in cost[1].splitlines())
            costs.append(f"| `{path.name}` | {text} |")
        for name in names:
            seen.add(name)
            if name not in called:
                wrong.append(f"{HEADERS}{path.name}: no test in {TESTS} calls armature::{name}")
            rows.append(f"| `{name}` | `{path.name}` | `{called.get(name, '')}` |")
    wrong += [f"the standard's {name} is in no header of {HEADERS}" for name in sorted(STANDARD - seen)]
    return "\n".join([*costs, "", *rows]), len(seen), wrong


def main():
    parser = house.arguments(__doc__)
    parser.add_argument("--update", action="store_true", help="write the table")
    arguments = parser.parse_args()
    made, count, wrong = table(arguments.root)
    path = pathlib.Path(arguments.root) / GUIDE
    text = path.read_text()
    before, _, rest = text.partition(BEGIN)
    old, _, behind = rest.partition(END)
    if arguments.update:
        path.write_text(before + BEGIN + made + END + behind)
    elif old != made:
        wrong.append(f"{GUIDE}: the table is out of date: python3 check/algorithms.py --update")
    house.finish("algorithms", wrong, f"{count} algorithms have tests, and say what they cost")


if __name__ == "__main__":
    main()
