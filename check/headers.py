"""Every public header compiles alone and twice, in the standard it is written for; those for ARMCI's programs, which
are of every age, in the oldest and the newest of C and C++. The C++ headers also compile together, which is all that
--together asks of another compiler. --c: those of C alone, of a compiler that cannot compile libstdc++'s ranges."""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import house

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
ARMCI = "compat/armci/include/"


def jobs_of(root):
    """(headers as users write them, language standard) for every public header, and for those of C++ together."""
    together = [name.removeprefix("include/") for name in house.tracked(root)
                if name.startswith("include/") and name.endswith(".hpp")]
    yield together, "c++20"
    for headers, standard in jobs_of_each(root):
        yield [headers], standard


def jobs_of_each(root):
    """(header as users write it, language standard) for every public header."""
    for name in house.tracked(root):
        if name.startswith("include/") and name.endswith(".hpp"):
            yield name.removeprefix("include/"), "c++20"
        elif name.startswith("include/") and name.endswith(".h"):
            yield name.removeprefix("include/"), "c++20"
            yield name.removeprefix("include/"), "c11"
        elif name.startswith(ARMCI) and name.endswith(".h"):
            for standard in ("c++98", "c++20", "c89", "c99", "c11"):
                yield name.removeprefix(ARMCI), standard


def compile_twice(root, folder, headers, standard):
    """In a folder, by names that are the same each time: ccache knows then what has not changed."""
    is_cpp = standard.startswith("c++")
    compiler = os.environ.get("CXX", "g++") if is_cpp else os.environ.get("CC", "gcc")
    header = headers[0] if len(headers) == 1 else "all"
    unit = f"{header.replace('/', '.')}.{standard}" + (".cpp" if is_cpp else ".c")
    includes = "".join(f"#include <{name}>\n" for name in headers * 2)
    (folder / unit).write_text(includes + "int main(void) { return 0; }\n")
    cached = ["ccache"] if shutil.which("ccache") else []
    done = subprocess.run([*cached, compiler, f"-std={standard}", *WARNINGS, f"-I{root}/include",
                           f"-I{root}/{ARMCI}", "-c", unit, "-o", f"{unit}.o"],
                          cwd=folder, capture_output=True, text=True)
    if done.returncode == 0:
        return None
    first = next((l for l in done.stderr.splitlines() if "error" in l), "does not compile")
    return f"{header} as {standard}: {first.replace(str(root) + '/', '')}"


def main():
    options = house.arguments(__doc__, ("--together", "only the C++ headers, together"),
                              ("--c", "only the headers of C")).parse_args()
    root, jobs = options.root, list(jobs_of(options.root))
    if options.together or options.c:
        jobs = [job for job in jobs if not job[0][0].endswith(".hpp")] if options.c else jobs[:1]
        if shutil.which(os.environ.get("CXX", "g++")) is None:
            print(f"SKIPPED: no {os.environ['CXX']} here")
            sys.exit(77)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, tempfile.TemporaryDirectory() as folder:
        results = list(pool.map(lambda job: compile_twice(root, pathlib.Path(folder), *job), jobs))
    house.finish("headers", [r for r in results if r], f"{len(jobs)} compilations pass")


if __name__ == "__main__":
    main()
