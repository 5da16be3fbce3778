"""Every public header compiles alone and twice; C headers as C11 and as C++20."""

import concurrent.futures
import os
import subprocess
import tempfile

import house

WARNINGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
ARMCI = "compat/armci/include/"


def jobs_of(root):
    """(header as users write it, language) for every public header."""
    for name in house.tracked(root):
        if name.startswith("include/") and name.endswith(".hpp"):
            yield name.removeprefix("include/"), "c++"
        elif name.startswith("include/") and name.endswith(".h"):
            yield name.removeprefix("include/"), "c++"
            yield name.removeprefix("include/"), "c"
        elif name.startswith(ARMCI) and name.endswith(".h"):
            yield name.removeprefix(ARMCI), "c++"
            yield name.removeprefix(ARMCI), "c"


def compile_twice(root, header, language):
    compiler, standard = {
        "c++": (os.environ.get("CXX", "g++"), "-std=c++20"),
        "c": (os.environ.get("CC", "gcc"), "-std=c11"),
    }[language]
    with tempfile.NamedTemporaryFile("w", suffix=".cpp" if language == "c++" else ".c") as unit:
        unit.write(f"#include <{header}>\n#include <{header}>\nint main(void) {{ return 0; }}\n")
        unit.flush()
        done = subprocess.run(
            [compiler, standard, *WARNINGS, f"-I{root}/include", f"-I{root}/{ARMCI}", unit.name],
            capture_output=True, text=True)
    if done.returncode == 0:
        return None
    first = next((l for l in done.stderr.splitlines() if "error" in l), "does not compile")
    return f"{header} as {language}: {first.replace(str(root) + '/', '')}"


def main():
    root = house.arguments(__doc__).parse_args().root
    jobs = list(jobs_of(root))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda job: compile_twice(root, *job), jobs))
    house.finish("headers", [r for r in results if r], f"{len(jobs)} compilations pass")


if __name__ == "__main__":
    main()
