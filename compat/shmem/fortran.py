"""The Fortran interface of OpenSHMEM 1.4, from the rows of the C routines: shmem.fh, and functions that get all
arguments by reference. generate.py writes both.

An entry is Entry(row, name, variants): the row of table.py, and how its routine is called in Fortran. A variant has a
name, the type in C, and an element's size. Routines that have no row, or another meaning, are in fortran.cpp.
"""

import dataclasses
import re

import table

RMA = {"character": "char", "complex": "shmem_complexf_t", "double": "double", "integer": "int", "logical": "int",
       "real": "float"}
STRIDED = {name: kind for name, kind in RMA.items() if name != "character"}
SIZES = {"4": 4, "8": 8, "32": 4, "64": 8, "128": 16}
COLLECTIVES = {"4": 4, "8": 8, "32": 4, "64": 8}
ALLTOALLS = {"32": 4, "64": 8}
INT = {"int4": "int", "int8": "long"}
NUMBERS = INT | {"real4": "float", "real8": "double"}
BITS = {"int2": "short"} | INT
ORDERED = BITS | {"real4": "float", "real8": "double", "real16": "Real16"}
XOR = BITS | {"comp4": "unsigned long", "comp8": "Word16"}
SUMS = ORDERED | {"comp4": "shmem_complexf_t", "comp8": "shmem_complexd_t"}

# What functions return, in Fortran.
RETURNS = {"int": "integer", "long": "integer*8", "float": "real*4", "double": "real*8", "void *": "integer*8"}
LOGICAL = ("shmem_pe_accessible", "shmem_addr_accessible")

CONSTANTS = ["SHMEM_MAJOR_VERSION", "SHMEM_MINOR_VERSION", "SHMEM_MAX_NAME_LEN",
             "SHMEM_CMP_EQ", "SHMEM_CMP_NE", "SHMEM_CMP_GT", "SHMEM_CMP_GE", "SHMEM_CMP_LT", "SHMEM_CMP_LE",
             "SHMEM_SYNC_VALUE", "SHMEM_SYNC_SIZE", "SHMEM_BARRIER_SYNC_SIZE", "SHMEM_BCAST_SYNC_SIZE",
             "SHMEM_COLLECT_SYNC_SIZE", "SHMEM_REDUCE_SYNC_SIZE", "SHMEM_ALLTOALL_SYNC_SIZE",
             "SHMEM_ALLTOALLS_SYNC_SIZE", "SHMEM_REDUCE_MIN_WRKDATA_SIZE"]

# By hand, with what they return.
BY_HAND = {"shmem_info_get_name": "void", "shpalloc": "void", "shpdeallc": "void", "shpclmove": "void",
           "shmem_set_lock": "void", "shmem_clear_lock": "void", "shmem_test_lock": "int"}


@dataclasses.dataclass(frozen=True)
class Entry:
    row: str
    name: str = None
    variants: dict = None


def entries():
    for kind in ("put", "get"):
        for suffix in ("", "_nbi"):
            yield Entry(f"shmem_NAME_{kind}{suffix}", variants=RMA)
            yield Entry(f"shmem_{kind}BITS{suffix}", variants=SIZES)
            yield Entry(f"shmem_{kind}mem{suffix}")
        yield Entry(f"shmem_NAME_i{kind}", variants=STRIDED)
        yield Entry(f"shmem_i{kind}BITS", variants=SIZES)
    for verb, types in (("swap", NUMBERS), ("fetch", NUMBERS), ("set", NUMBERS), ("cswap", INT), ("fadd", INT),
                        ("finc", INT), ("add", INT), ("inc", INT), ("wait", INT), ("wait_until", INT)):
        yield Entry(f"shmem_NAME_{verb}", variants=types)
    for verb in ("swap", "wait", "wait_until"):
        yield Entry(f"shmem_NAME_{verb}", f"shmem_{verb}", {"": "int"})
    for verb in ("broadcast", "collect", "fcollect"):
        yield Entry(f"shmem_{verb}BITS", variants=COLLECTIVES)
    for verb in ("alltoall", "alltoalls"):
        yield Entry(f"shmem_{verb}BITS", variants=ALLTOALLS)
    for verb, types in (("and", BITS), ("or", BITS), ("xor", XOR), ("max", ORDERED), ("min", ORDERED), ("sum", SUMS),
                        ("prod", SUMS)):
        yield Entry(f"shmem_NAME_{verb}_to_all", variants=types)
    for name in ("init", "finalize", "global_exit", "my_pe", "n_pes", "pe_accessible", "addr_accessible", "ptr",
                 "info_get_version", "fence", "quiet", "barrier_all", "barrier", "clear_cache_inv", "set_cache_inv",
                 "udcflush", "set_cache_line_inv", "clear_cache_line_inv", "udcflush_line"):
        yield Entry(f"shmem_{name}")
    yield Entry("start_pes")
    yield Entry("_my_pe", "my_pe")
    yield Entry("_num_pes", "num_pes")


@dataclasses.dataclass(frozen=True)
class Function:
    name: str
    returns: str
    parameters: tuple  # (C's declaration, what is by reference or None)
    body: str


def parameter(text):
    """A parameter of C as Fortran passes it, and the line that makes C's of it."""
    if "*" in text:
        return text, None
    kind, name = text.rsplit(" ", 1)
    if kind == "size_t":
        return f"const int *{name}_at", f"const std::size_t {name} = count_of(*{name}_at);"
    passed = "int" if kind == "ptrdiff_t" else kind
    return f"const {passed} *{name}_at", f"const {kind} {name} = *{name}_at;"


def functions():
    rows = {row.name: row for these in table.FILES.values() for row in these}
    for entry in entries():
        row = rows[entry.row]
        for label, kind in (entry.variants or {"": "void"}).items():
            size = str(kind) if isinstance(kind, int) else f"sizeof({kind})"

            def filled(text):
                return text.replace("TYPE", str(kind)).replace("BYTES", size).replace("CTX", "SHMEM_CTX_DEFAULT")

            name = (entry.name or entry.row).replace("NAME", label).replace("BITS", label)
            parameters = tuple(parameter(p) for p in filled(row.parameters).split(", ") if p)
            body = filled(row.body).replace("CALL", f'"{name}"')
            yield Function(name, filled(row.returns), parameters, body)


def names():
    return [f.name for f in functions()] + list(BY_HAND)


def source_lines():
    yield '#include "fortran.hpp"\n\n#include "calls.hpp"\n\nusing namespace shmem;\n\n'
    for f in functions():
        given = ", ".join(text for text, _ in f.parameters)
        made = "".join(f"    {line}\n" for _, line in f.parameters if line)
        yield (f'extern "C" {f.returns} p{f.name}_({given}) {{\n'
               f'  return insisted("{f.name}", [&]() -> {f.returns} {{\n{made}    return {f.body};\n  }});\n}}\n'
               f'extern "C" __attribute__((weak, alias("p{f.name}_"))) {f.returns} {f.name}_({given});\n')


def header_lines(c_header):
    """Lines that are right in fixed form and in free form."""
    yield "! OpenSHMEM 1.4 in Fortran. Generated by compat/shmem/fortran.py: change that instead.\n"
    values = dict(re.findall(r"#define (SHMEM_\w+) (\S+)", c_header))
    for name in CONSTANTS:
        value = values[name]
        while value in values:
            value = values[value]
        yield f"      integer {name}\n      parameter ({name} = {value.rstrip('L')})\n"
    vendor = values["SHMEM_VENDOR_STRING"].strip('"')
    yield f"      character*{len(vendor)} SHMEM_VENDOR_STRING\n      parameter (SHMEM_VENDOR_STRING = '{vendor}')\n"
    for name, returns in [(f.name, f.returns) for f in functions()] + list(BY_HAND.items()):
        if returns != "void":
            kind = "logical" if name in LOGICAL else RETURNS[returns]
            for twin in (name, f"p{name}"):
                yield f"      {kind} {twin}\n      external {twin}\n"
