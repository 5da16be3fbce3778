"""Programs may have macros and variables of any name that is not OpenSHMEM's: the headers define and use no other
names than those and reserved ones. A program whose macros have the names of parameters compiles and runs.

    names.py WRAPPERS GENERATOR
"""

import pathlib
import re
import subprocess
import sys
import tempfile

wrappers, generator = (pathlib.Path(argument) for argument in sys.argv[1:])
include = wrappers.parent / "include"

LANGUAGE = set("""
    alignof asm auto bool break case char class const const_cast continue default do double else enum extern false float
    for goto if inline int long namespace nullptr operator reinterpret_cast return short signed sizeof static
    static_cast struct switch template this true typedef typename union unsigned using void volatile while
    size_t ptrdiff_t std complex""".split())
TYPES = re.compile(r"u?int(8|16|32|64|ptr)_t$")
# Members and routines that the specification names so.
SPECIFIED = {"num_contexts", "total_ops"}
OURS = re.compile(r"(p?shmem_|shmemx_|SHMEMX?_|_SHMEM_|ARMATURE_COMPAT_SHMEM|__|_[A-Z])")

HOSTILE = "#define {0} ] {0} is a macro of the program\n"
# The library's headers of C++ have members of such names, and come first.
BEFORE = "#ifdef __cplusplus\n#include <complex>\n#endif\n#include <stdint.h>\n#include <stdio.h>\n"
PROGRAM = """
#include <shmem.h>
int main(void) {
  static long its_word, from_here = 7;
  static uint64_t its_signal;
  long seen_word = 0;
  shmem_init();
  shmem_long_put_signal(&its_word, &from_here, 1, &its_signal, 2, SHMEM_SIGNAL_ADD, shmem_my_pe());
  if (shmem_signal_wait_until(&its_signal, SHMEM_CMP_GE, 2) != 2) return 1;
  shmem_long_wait_until(&its_word, SHMEM_CMP_EQ, 7);
  shmem_long_atomic_add(&its_word, 1, shmem_my_pe());
  shmem_get(&seen_word, &its_word, 1, shmem_my_pe());
  if (seen_word != 8) return 2;
  shmem_finalize();
  puts("no name clashes");
  return 0;
}
"""


def output(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


def lines_of_headers(preprocessed):
    """What stands in our headers, without what they include."""
    is_ours = False
    for line in preprocessed.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            is_ours = pathlib.Path(marker[1]).parent.resolve() == include.resolve()
        elif is_ours:
            yield line


def is_known(name, routines):
    return name in LANGUAGE or name in SPECIFIED or name in routines or TYPES.match(name) or OURS.match(name)


def names_in(text):
    return set(re.findall(r"[A-Za-z_]\w*", re.sub(r'"[^"]*"', "", text)))


routines = set(output(sys.executable, "-B", generator, "--routines").split())
routines |= {f"p{name}" for name in routines}
problems = []
parameters = set()
with tempfile.TemporaryDirectory() as made:
    folder = pathlib.Path(made)
    for wrapper, suffix in (("oshcc", "c"), ("oshc++", "cpp")):
        source = folder / f"empty.{suffix}"
        source.write_text("#include <shmem.h>\n")
        for option in ("-O0", "-O2"):
            text = "\n".join(lines_of_headers(output(wrappers / wrapper, "-E", option, source)))
            if "shmem_init" not in text:
                problems.append(f"{wrapper} {option}: the headers' lines were not found")
            unknown = sorted(name for name in names_in(text) if not is_known(name, routines))
            problems += [f"{wrapper} {option}: the headers use the name {name}" for name in unknown]
            parameters |= {name[2:] for name in names_in(text) if re.match("__[a-zA-Z]", name)}
    for header in include.glob("shmem*.h"):
        defined = re.findall(r"^#\s*define (\w+)", header.read_text(), re.M)
        problems += [f"{header.name} defines {name}" for name in defined if not is_known(name, routines)]
    # The program's own words, those of the language, and attributes of the compiler are left.
    hostile = sorted(name for name in parameters if name not in LANGUAGE | {"asm", "inline", "attribute"} and
                     not re.search(r"__$|^atomic|^builtin|^ATOMIC|^cplusplus|^restrict", name))
    if len(hostile) < 30:
        problems.append(f"only these names of parameters were found: {hostile}")
    for wrapper, suffix in (("oshcc", "c"), ("oshc++", "cpp")):
        source, program = folder / f"hostile.{suffix}", folder / f"hostile_{suffix}"
        source.write_text(BEFORE + "".join(HOSTILE.format(name) for name in hostile) + PROGRAM)
        made = subprocess.run([wrappers / wrapper, "-O2", source, "-o", program], capture_output=True, text=True)
        if made.returncode != 0:
            problems.append(f"{wrapper}: {made.stderr[:2000]}")
        elif "no name clashes" not in output(wrappers / "oshrun", "-n", "1", program):
            problems.append(f"{wrapper}: the program printed something else")
print("\n".join(problems) or f"{len(hostile)} names of parameters are the program's")
sys.exit(bool(problems))
