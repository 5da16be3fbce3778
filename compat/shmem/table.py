"""The table of OpenSHMEM's routines. From a row come its declarations, generics, twins and bodies.

A row is Row(name, returns, parameters, body). In its texts TYPE is the type, NAME the type's name,
BITS a size and BYTES an element's size in bytes; rows with none of these are one routine. CALL in a
body is the routine's name. CTX is the context: rows with `context` have a form that takes one, too.
`chooses` is the parameter whose type chooses among the typed routines in C11 and C++; `None` where there is no such form.
`direct` is the type of a place, what finds it `here`, and the whole call, if it is found (direct.hpp).
`inlined` is that call in C, for programs to have without calling (include/shmem_direct.h). Without `direct` it is
statements that return, or do nothing and leave all to the call behind them.
"""

import dataclasses

import types_of as types


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    returns: str
    parameters: str
    body: str
    types: dict = None
    bits: tuple = ()
    context: bool = False
    chooses: int = None
    is_old: bool = False
    direct: tuple = None
    inlined: str = None


FILES = {}


def rows(file, *these):
    FILES.setdefault(file, []).extend(these)


# -- memory of other PEs ---------------------------------------------------------------------------

def moves(file, verb, parameters, body, memory=True, direct=None, inlined=None):
    """A routine for each type, for each size, and for bytes."""
    suffix = "_nbi" if verb.endswith("_nbi") else ""
    stem = verb.removesuffix("_nbi")
    untyped = parameters.replace("TYPE", "void")
    rows(file,
         Row(f"shmem_NAME_{verb}", "void", parameters, body, types.RMA, context=True, chooses=0,
             direct=direct, inlined=inlined),
         Row(f"shmem_{stem}BITS{suffix}", "void", untyped, body, bits=types.BITS, context=True, direct=direct,
             inlined=inlined))
    if memory:
        rows(file, Row(f"shmem_{stem}mem{suffix}", "void", untyped, body.replace("BYTES", "1"),
                       context=True, direct=direct and tuple(part.replace("BYTES", "1") for part in direct),
                       inlined=inlined and inlined.replace("BYTES", "1")))


TO_OTHER = "TYPE *dest, const TYPE *source, "
DIRECT = {"put": ("AnyWord", "find_direct_bytes(CTX, dest, nelems * BYTES, pe, here)",
                  "store(here, *reinterpret_cast<const AnyWord*>(source))"),
          "get": ("AnyWord", "find_direct_bytes(CTX, source, nelems * BYTES, pe, here)",
                  "static_cast<void>(*reinterpret_cast<AnyWord*>(dest) = load(here))")}
for kind in ("put", "get"):
    moves("rma", kind, TO_OTHER + "size_t nelems, int pe",
          f"{kind}(CTX, dest, source, nelems * BYTES, pe)", direct=DIRECT[kind])
    moves("rma", f"{kind}_nbi", TO_OTHER + "size_t nelems, int pe",
          f"{kind}_nbi(CTX, dest, source, nelems * BYTES, pe)", direct=DIRECT[kind])
    moves("rma", f"i{kind}", TO_OTHER + "ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe",
          f"{kind}_blocks(CTX, dest, source, {{dst, sst, 1, nelems, BYTES}}, pe)", False)
    moves("rma", f"ib{kind}",
          TO_OTHER + "ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe",
          f"{kind}_blocks(CTX, dest, source, {{dst, sst, bsize, nblocks, BYTES}}, pe)", False)

rows("rma",
     Row("shmem_NAME_p", "void", "TYPE *dest, TYPE value, int pe", "put_value(CTX, dest, value, pe)",
         types.RMA, context=True, chooses=0, direct=("TYPE", "find_direct(CTX, dest, pe, here)", "store(here, value)")),
     Row("shmem_NAME_g", "TYPE", "const TYPE *source, int pe", "get_value(CTX, source, pe)",
         types.RMA, context=True, chooses=0, direct=("const TYPE", "find_direct(CTX, source, pe, here)", "load(here)")))

LOOKS = """int looks = shmem_looks_at(WORD, sizeof *WORD);
TYPE seen;
for (; looks > 0; --looks) {
  seen = __atomic_load_n(WORD, __ATOMIC_ACQUIRE);
  if (SHMEM_COMPARES(seen, cmp, cmp_value)) returnRESULT;
}"""
SIGNAL = "uint64_t *sig_addr, uint64_t signal, int sig_op, int pe"
for suffix in ("", "_nbi"):
    moves("signals", f"put_signal{suffix}", TO_OTHER + "size_t nelems, " + SIGNAL,
          "put_signal(CTX, dest, source, nelems * BYTES, sig_addr, signal, sig_op, pe)",
          inlined="if (shmem_has_put_word(dest, source, nelems * BYTES, sig_addr, signal, sig_op, pe)) return;")
# The sized and untyped names have the size before `_signal`.
FILES["signals"] = [dataclasses.replace(row, name=row.name.replace("put_signalBITS", "putBITS_signal")
                                        .replace("put_signalmem", "putmem_signal"))
                    for row in FILES["signals"]]
rows("signals",
     Row("shmem_signal_fetch", "uint64_t", "const uint64_t *sig_addr", "signal_fetch(sig_addr)"),
     Row("shmem_signal_add", "void", "uint64_t *sig_addr, uint64_t signal, int pe",
         "send_signal(CTX, sig_addr, signal, SHMEM_SIGNAL_ADD, pe)", context=True),
     Row("shmem_signal_set", "void", "uint64_t *sig_addr, uint64_t signal, int pe",
         "send_signal(CTX, sig_addr, signal, SHMEM_SIGNAL_SET, pe)", context=True),
     Row("shmem_signal_wait_until", "uint64_t", "uint64_t *sig_addr, int cmp, uint64_t cmp_value",
         "signal_wait_until(sig_addr, cmp, cmp_value)",
         inlined=LOOKS.replace("WORD", "sig_addr").replace("TYPE", "uint64_t").replace("RESULT", " seen")))

# -- atomics ---------------------------------------------------------------------------------------

def atomic(verb, old, returns, value, types_of, old_types, body, here, inlined=None):
    dest = "const TYPE *source" if verb == "fetch" else "TYPE *dest"
    parameters = f"{dest}{value}, int pe"
    found = dest.split(" *")[0], f"find_direct_word(CTX, {dest.split('*')[-1]}, pe, here)"
    rows("atomics", Row(f"shmem_NAME_atomic_{verb}", returns, parameters, body, types_of,
                        context=True, chooses=0, direct=(*found, here), inlined=inlined))
    if old_types:
        rows("atomics", Row(f"shmem_NAME_{old}", returns, parameters, body, old_types, chooses=0,
                            is_old=True, direct=(*found, here)))
    if returns == "TYPE":
        rows("atomics", Row(f"shmem_NAME_atomic_{verb}_nbi", "void", f"TYPE *fetch, {parameters}",
                            f"static_cast<void>(*fetch = {body})", types_of, context=True,
                            chooses=0, direct=(*found, f"static_cast<void>(*fetch = {here})")))


VALUE = ", TYPE value"
atomic("fetch", "fetch", "TYPE", "", types.EXTENDED_AMO, types.OLD_EXTENDED_AMO,
       "atomic_fetch(CTX, source, pe)", "load(here)")
atomic("set", "set", "void", VALUE, types.EXTENDED_AMO, types.OLD_EXTENDED_AMO,
       "atomic_set(CTX, dest, value, pe)", "store(here, value)")
atomic("swap", "swap", "TYPE", VALUE, types.EXTENDED_AMO, types.OLD_EXTENDED_AMO,
       "atomic_swap(CTX, dest, value, pe)", "swap_at(here, value)")
atomic("compare_swap", "cswap", "TYPE", ", TYPE cond, TYPE value", types.AMO, types.OLD_AMO,
       "atomic_compare_swap(CTX, dest, cond, value, pe)", "compare_swap_at(here, cond, value)")
for amount, verb, old in (("value", "add", "add"), ("static_cast<TYPE>(1)", "inc", "inc")):
    given = VALUE if verb == "add" else ""
    call = f"atomic_fetch_add(CTX, dest, {amount}, pe)"
    here = f"__atomic_fetch_add(here, {amount}, __ATOMIC_SEQ_CST)"
    inlined = here.replace("static_cast<TYPE>(1)", "1")
    atomic(f"fetch_{verb}", f"f{old}", "TYPE", given, types.AMO, types.OLD_AMO, call, here, inlined)
    atomic(verb, old, "void", given, types.AMO, types.OLD_AMO, f"static_cast<void>({call})",
           f"static_cast<void>({here})", f"(void){inlined}")
for verb in ("and", "or", "xor"):
    call = f"atomic_fetch_{verb}(CTX, dest, value, pe)"
    here = f"__atomic_fetch_{verb}(here, value, __ATOMIC_SEQ_CST)"
    atomic(f"fetch_{verb}", None, "TYPE", VALUE, types.BITWISE_AMO, None, call, here, here)
    atomic(verb, None, "void", VALUE, types.BITWISE_AMO, None, f"static_cast<void>({call})",
           f"static_cast<void>({here})", f"(void){here}")
rows("atomics", Row("shmem_swap", "long", "long *dest, long value, int pe",
                    "atomic_swap(CTX, dest, value, pe)", is_old=True))

# -- waiting for words -----------------------------------------------------------------------------
# They are volatile, as locks are, for programs of old.

def waits(stem, returns, before, body):
    """Waits for one value for all words, and for one of each."""
    for suffix, value in (("", "TYPE cmp_value"), ("_vector", "const TYPE *cmp_values")):
        given = value.split("*")[-1].split()[-1]
        rows("waiting", Row(f"shmem_NAME_{stem}{suffix}", returns,
                            f"volatile TYPE *ivars, size_t nelems, {before}const int *status, int cmp, {value}",
                            body.replace("WORDS", f"words(const_cast<TYPE *>(ivars), nelems, status, cmp, {given})"),
                            types.SYNC, chooses=0))


rows("waiting",
     Row("shmem_NAME_wait_until", "void", "volatile TYPE *ivar, int cmp, TYPE cmp_value",
         "wait_until(CALL, const_cast<TYPE *>(ivar), cmp, cmp_value)", types.TEST, chooses=0,
         inlined=LOOKS.replace("WORD", "ivar").replace("RESULT", "")),
     Row("shmem_NAME_test", "int", "volatile TYPE *ivar, int cmp, TYPE cmp_value",
         "test(const_cast<TYPE *>(ivar), cmp, cmp_value)", types.TEST, chooses=0),
     Row("shmem_NAME_wait", "void", "volatile TYPE *ivar, TYPE cmp_value",
         "wait_until(CALL, const_cast<TYPE *>(ivar), SHMEM_CMP_NE, cmp_value)", types.WAIT, is_old=True),
     Row("shmem_wait", "void", "volatile long *ivar, long cmp_value",
         "wait_until(CALL, const_cast<long *>(ivar), SHMEM_CMP_NE, cmp_value)", is_old=True),
     Row("shmem_wait_until", "void", "volatile long *ivar, int cmp, long cmp_value",
         "wait_until(CALL, const_cast<long *>(ivar), cmp, cmp_value)", is_old=True))
waits("wait_until_all", "void", "", "WORDS.wait_all()")
waits("wait_until_any", "size_t", "", "WORDS.wait_any()")
waits("wait_until_some", "size_t", "size_t *indices, ", "WORDS.wait_some(indices)")
waits("test_all", "int", "", "WORDS.test_all()")
waits("test_any", "size_t", "", "WORDS.test_any()")
waits("test_some", "size_t", "size_t *indices, ", "WORDS.test_some(indices)")

# -- collectives -----------------------------------------------------------------------------------

ACTIVE = "int PE_start, int logPE_stride, int PE_size, "
OF_ACTIVE = "{PE_start, logPE_stride, PE_size}"


def collective(verb, middle, body):
    """The typed routine, that of bytes, and the old ones of active sets."""
    parameters = f"TYPE *dest, const TYPE *source, {middle}"
    rows("collectives",
         Row(f"shmem_NAME_{verb}", "int", f"shmem_team_t team, {parameters}",
             f"in_team(team, [&](const armature::Team& of) {{ {body.replace('IS_OLD', 'false')}; }})",
             types.RMA, chooses=1),
         Row(f"shmem_{verb}mem", "int", f"shmem_team_t team, {parameters.replace('TYPE', 'void')}",
             "in_team(team, [&](const armature::Team& of) { "
             f"{body.replace('IS_OLD', 'false').replace('BYTES', '1')}; }})"),
         Row(f"shmem_{verb}BITS", "void",
             f"{parameters.replace('TYPE', 'void')}, {ACTIVE}long *pSync",
             f"in_active({OF_ACTIVE}, pSync, [&](const armature::Team& of) {{ "
             f"{body.replace('IS_OLD', 'true')}; }})", bits=types.OLD_BITS, is_old=True))


collective("broadcast", "size_t nelems, int PE_root",
           "broadcast(of, dest, source, nelems * BYTES, {PE_root, IS_OLD})")
collective("collect", "size_t nelems", "collect(of, dest, source, nelems * BYTES)")
collective("fcollect", "size_t nelems", "fcollect(of, dest, source, nelems * BYTES)")
collective("alltoall", "size_t nelems", "alltoall(of, dest, source, nelems * BYTES)")
collective("alltoalls", "ptrdiff_t dst, ptrdiff_t sst, size_t nelems",
           "alltoalls(of, dest, source, {dst, sst, 1, nelems, BYTES})")

for operation, operator, team_types, old_types in (
        ("and", "std::bit_and<>", types.REDUCE_BITWISE, types.TO_ALL_BITWISE),
        ("or", "std::bit_or<>", types.REDUCE_BITWISE, types.TO_ALL_BITWISE),
        ("xor", "std::bit_xor<>", types.REDUCE_BITWISE, types.TO_ALL_BITWISE),
        ("max", "armature::Maximum", types.REDUCE_ORDERED, types.TO_ALL_ORDERED),
        ("min", "armature::Minimum", types.REDUCE_ORDERED, types.TO_ALL_ORDERED),
        ("sum", "std::plus<>", types.REDUCE_NUMBERS, types.TO_ALL_NUMBERS),
        ("prod", "std::multiplies<>", types.REDUCE_NUMBERS, types.TO_ALL_NUMBERS)):
    reduced = f"reduce(of, dest, source, nreduce, {operator}())"
    rows("reductions",
         Row(f"shmem_NAME_{operation}_reduce", "int",
             "shmem_team_t team, TYPE *dest, const TYPE *source, size_t nreduce",
             f"in_team(team, [&](const armature::Team& of) {{ {reduced}; }})", team_types,
             chooses=1),
         Row(f"shmem_NAME_{operation}_to_all", "void",
             f"TYPE *dest, const TYPE *source, int nreduce, {ACTIVE}TYPE *pWrk, long *pSync",
             f"static_cast<void>(pWrk), in_active({OF_ACTIVE}, pSync, [&](const armature::Team& of) "
             f"{{ {reduced}; }})", old_types, is_old=True))
for kind in ("in", "ex"):
    rows("reductions",
         Row(f"shmem_NAME_sum_{kind}scan", "int",
             "shmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems",
             "in_team(team, [&](const armature::Team& of) { "
             f"{kind}scan(of, dest, source, nelems); }})", types.REDUCE_NUMBERS, chooses=1))

# -- the job, its memory, teams, contexts, order ---------------------------------------------------

def one(returns, name, parameters, body=None, context=False, is_old=False):
    """A routine whose body, unless said, is the function of that name in namespace shmem."""
    arguments = ", ".join(p.split("*")[-1].split()[-1] for p in parameters.split(", ") if p)
    rows("job", Row(name, returns, parameters,
                    body or f"{name.removeprefix('shmem_')}({arguments})", context=context,
                    is_old=is_old))


one("void", "shmem_init", "", "init()")
one("int", "shmem_init_thread", "int requested, int *provided")
one("void", "shmem_query_thread", "int *provided")
one("void", "shmem_query_initialized", "int *initialized")
one("void", "shmem_finalize", "", "finalize()")
one("void", "shmem_global_exit", "int status")
one("void", "shmem_pcontrol", "int level, ...", "static_cast<void>(level)")
one("int", "shmem_my_pe", "")
one("int", "shmem_n_pes", "")
one("int", "shmem_pe_accessible", "int pe")
one("int", "shmem_addr_accessible", "const void *addr, int pe")
one("void *", "shmem_ptr", "const void *dest, int pe", "ptr(dest, pe)")
one("void *", "shmem_team_ptr", "shmem_team_t team, const void *dest, int pe")
one("void", "shmem_info_get_version", "int *major, int *minor")
one("void", "shmem_info_get_name", "char *name")

one("void *", "shmem_malloc", "size_t size", "allocate(size)")
one("void *", "shmem_malloc_with_hints", "size_t size, long hints",
    "static_cast<void>(hints), allocate(size)")
one("void *", "shmem_calloc", "size_t count, size_t size", "allocate_zeroed(count, size)")
one("void *", "shmem_align", "size_t alignment, size_t size", "allocate(size, alignment)")
one("void *", "shmem_realloc", "void *ptr, size_t size", "reallocate(ptr, size)")
one("void", "shmem_free", "void *ptr", "release(ptr)")

one("int", "shmem_team_my_pe", "shmem_team_t team")
one("int", "shmem_team_n_pes", "shmem_team_t team")
one("int", "shmem_team_get_config", "shmem_team_t team, long config_mask, shmem_team_config_t *config")
one("int", "shmem_team_translate_pe", "shmem_team_t src_team, int src_pe, shmem_team_t dest_team")
one("int", "shmem_team_split_strided",
    "shmem_team_t parent_team, int start, int stride, int size, const shmem_team_config_t *config, "
    "long config_mask, shmem_team_t *new_team")
one("int", "shmem_team_split_2d",
    "shmem_team_t parent_team, int xrange, const shmem_team_config_t *xaxis_config, "
    "long xaxis_mask, shmem_team_t *xaxis_team, const shmem_team_config_t *yaxis_config, "
    "long yaxis_mask, shmem_team_t *yaxis_team")
one("void", "shmem_team_destroy", "shmem_team_t team")
one("int", "shmem_team_sync", "shmem_team_t team",
    "in_team(team, [](const armature::Team& of) { sync(of); })")

one("int", "shmem_ctx_create", "long options, shmem_ctx_t *ctx")
one("int", "shmem_team_create_ctx", "shmem_team_t team, long options, shmem_ctx_t *ctx")
one("void", "shmem_ctx_destroy", "shmem_ctx_t ctx")
one("int", "shmem_ctx_get_team", "shmem_ctx_t ctx, shmem_team_t *team")
one("void", "shmem_ctx_session_start",
    "shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t *config, long config_mask")
one("void", "shmem_ctx_session_stop", "shmem_ctx_t ctx")

one("void", "shmem_fence", "", "fence(CTX)", context=True)
one("void", "shmem_quiet", "", "quiet(CTX)", context=True)
one("void", "shmem_pe_quiet", "int target_pe", "pe_quiet(CTX, target_pe)", context=True)
one("void", "shmem_barrier_all", "")
one("void", "shmem_sync_all", "", "sync(world_of(\"shmem_sync_all\"))")
one("void", "shmem_barrier", ACTIVE + "long *pSync",
    f"in_active({OF_ACTIVE}, pSync, [](const armature::Team& of) {{ complete_all(); of.barrier(); }})",
    is_old=True)
one("void", "shmem_sync", ACTIVE + "long *pSync",
    f"in_active({OF_ACTIVE}, pSync, [](const armature::Team& of) {{ sync(of); }})", is_old=True)
one("void", "shmem_set_lock", "volatile long *lock", "set_lock(const_cast<long *>(lock))")
one("void", "shmem_clear_lock", "volatile long *lock", "clear_lock(const_cast<long *>(lock))")
one("int", "shmem_test_lock", "volatile long *lock", "test_lock(const_cast<long *>(lock))")

one("void", "start_pes", "int npes", "shmem::start_pes(npes)", is_old=True)
one("int", "_my_pe", "", "my_pe()", is_old=True)
one("int", "_num_pes", "", "n_pes()", is_old=True)
one("void *", "shmalloc", "size_t size", "allocate(size)", is_old=True)
one("void", "shfree", "void *ptr", "release(ptr)", is_old=True)
one("void *", "shrealloc", "void *ptr, size_t size", "reallocate(ptr, size)", is_old=True)
one("void *", "shmemalign", "size_t alignment, size_t size", "allocate(size, alignment)",
    is_old=True)
for name in ("shmem_clear_cache_inv", "shmem_set_cache_inv", "shmem_udcflush"):
    one("void", name, "", "static_cast<void>(0)", is_old=True)
for name in ("shmem_set_cache_line_inv", "shmem_clear_cache_line_inv", "shmem_udcflush_line"):
    one("void", name, "void *dest", "static_cast<void>(dest)", is_old=True)
