"""The programs that hold variables of every kind, compiled in each way and linked in each way, and each of these
programs in each situation: one rank to a process, sixteen, two nodes, restarted, recovered. Ranks move in all of them.

    matrix.py ARMATURE LIBRARIES SOURCES FOLDER LANGUAGE COMPILER CXX PACKED [WAY...]

LANGUAGE is c, cpp or f90. COMPILER compiles the program, CXX its calls to the job. PACKED is 1 where the linker packs
relocations. With WAYs, such as O2.full.packed, only these are built.
"""

import itertools
import pathlib
import subprocess
import sys

ARMATURE, LIBRARIES, SOURCES, FOLDER, LANGUAGE, COMPILER, CXX, PACKED, *CHOSEN = sys.argv[1:]
HERE = pathlib.Path(__file__).resolve().parent
WORK = pathlib.Path(FOLDER)
LEVELS = {"O0": ["-O0"], "O2": ["-O2"], "lto": ["-O2", "-flto"]}
RELRO = {"none": "-Wl,-z,norelro,-z,lazy", "partial": "-Wl,-z,relro,-z,lazy", "full": "-Wl,-z,relro,-z,now"}
STANDARDS = {"c": ["-std=gnu11", "-D_GNU_SOURCE"], "cpp": ["-std=c++20"], "f90": ["-cpp", f"-J{WORK}"]}
ARGUMENTS = {"c": ["-a", "-b", "3", "rest"]}.get(LANGUAGE, [])


def perform(words, seconds=300):
    """What the command has printed. It must end well."""
    words = list(map(str, words))
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as late:
        sys.exit(f"{' '.join(words)}: not done in {seconds} s\n{late.stdout}")
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stdout[-5000:]}")
    return done.stdout


def include_paths():
    return [f"-I{SOURCES}/include", f"-I{SOURCES}/compat/armci/include", f"-I{HERE}"]


def compiled(level):
    """The object file of the program at that level, and what it is linked with."""
    program, job = WORK / f"{level}.o", WORK / "job.o"
    if not job.exists():
        perform([CXX, "-std=c++20", "-O2", "-fPIE", *include_paths(), "-c", HERE / "job.cpp", "-o", job])
    perform([COMPILER, *STANDARDS[LANGUAGE], *LEVELS[level], "-fPIE", *include_paths(), "-c",
             HERE / f"variables.{LANGUAGE}", "-o", program])
    return [program, job]


def linked(level, objects, relro, packed):
    """The program. Its name tells restarts.sh and recovers.sh which language it is of."""
    program = WORK / f"globals_{LANGUAGE}_{level}_{relro}{'_packed' if packed else ''}"
    wrapped, doors, runtime = [], [f"{LIBRARIES}/libarmature.so"], ["-lstdc++", "-lm"]
    if LANGUAGE != "cpp":
        wrapped = ["-Wl,--wrap=main", "-Wl,--wrap=exit"]
        doors = [f"{LIBRARIES}/libarmci-virtual.a", f"{LIBRARIES}/libarmci.so", *doors]
    if LANGUAGE == "f90":
        runtime = ["-lgfortran", "-lquadmath", *runtime]
    with_packed = ["-Wl,-z,pack-relative-relocs"] if packed else []
    # Link-time optimisation is done by the compiler that has begun it.
    linker = COMPILER if LANGUAGE != "f90" else CXX
    perform([linker, *LEVELS[level], "-pie", RELRO[relro], *with_packed, *wrapped, *objects, *doors, *runtime,
             f"-Wl,-rpath,{LIBRARIES}", "-o", program])
    return program


def runs(program, ranks, processes, nodes):
    output = perform([ARMATURE, "run", "-n", ranks, "--virtual", "--processes", processes, "--nodes", nodes,
                      "--private-globals=on", "--timeout", 100, program, *ARGUMENTS])
    ended = sum(line.startswith("rank ") and line.endswith(" ended") for line in output.splitlines())
    if "all well" not in output or ended != (0 if LANGUAGE == "f90" else ranks):
        sys.exit(f"{program.name}, {ranks} ranks, {processes} processes, {nodes} nodes: {ended} ranks have "
                 f"ended\n{output[-5000:]}")


def require_linked_so(program, relro, packed):
    """The linker must have done what it was asked for: else two ways would be one."""
    table = perform(["readelf", "-ldW", program])
    found = {"GNU_RELRO": relro != "none", "BIND_NOW": relro == "full", "(RELR)": packed}
    for word, wanted in found.items():
        if (word in table) != wanted:
            sys.exit(f"{program.name}: {word} is {'not ' if wanted else ''}there\n{table}")


def try_all(program):
    for ranks, processes, nodes in ((2, 2, 1), (32, 2, 1), (6, 4, 2)):
        runs(program, ranks, processes, nodes)
    perform([HERE / "restarts.sh", ARMATURE, program, 2, *ARGUMENTS])
    perform([HERE / "recovers.sh", ARMATURE, program])


WORK.mkdir(parents=True, exist_ok=True)
for old in WORK.glob("*.o"):
    old.unlink()
count = 0
for level in LEVELS:
    ways = [(relro, packed) for relro, packed in itertools.product(RELRO, (False, True))
            if (PACKED == "1" or not packed)
            and (not CHOSEN or f"{level}.{relro}{'.packed' if packed else ''}" in CHOSEN)]
    objects = compiled(level) if ways else []
    for relro, packed in ways:
        program = linked(level, objects, relro, packed)
        require_linked_so(program, relro, packed)
        try_all(program)
        program.unlink()
        count += 1
        print(f"{program.name}: all well", flush=True)
if count == 0:
    sys.exit("no program: which ways are these?")
