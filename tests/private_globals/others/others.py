"""Programs of other people, as Debian has them: their sources are compiled as they are, and run as 16 ranks that move
between two processes after every 10 ms that they have run. Each rank's output must be that of a run alone.

    others.py ARMATURE LIBRARIES INCLUDE FOLDER lua | gsl
"""

import os
import pathlib
import shutil
import subprocess
import sys

ARMATURE, LIBRARIES, INCLUDE, FOLDER, WHICH = sys.argv[1:]
HERE = pathlib.Path(__file__).resolve().parent
WORK = pathlib.Path(FOLDER) / WHICH
FLAGS = ["-O2", "-fPIE", "-finstrument-functions"]
SKIPPED = 77
RANKS = 16


def skip(why):
    print(f"no sources of Debian's packages here: {why}")
    sys.exit(SKIPPED)


def perform(words, folder=WORK, seconds=800, **options):
    done = subprocess.run(list(map(str, words)), cwd=folder, capture_output=True, timeout=seconds,
                          stdin=subprocess.DEVNULL, **options)
    if done.returncode != 0:
        sys.exit(f"{words}: status {done.returncode}\n{done.stdout.decode()[-3000:]}\n{done.stderr.decode()[-3000:]}")
    return done.stdout


def source_lists():
    """The system's own archives of Debian, with their sources."""
    form = "$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)"
    try:
        lines = set(perform(["apt-get", "indextargets", "--format", form, "Created-By: Packages"]).decode().split())
    except OSError:
        skip("no apt-get")
    rows = [line.split("|") for line in sorted(lines)]
    keys = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")
    signed = f"[signed-by={keys}] " if keys.exists() else ""
    return [f"deb-src {signed}{row[1]} {row[2]} {row[3]}\n" for row in rows if len(row) == 4 and row[0] == "Debian"]


def source(package):
    """The folder with the package's sources; nothing of the system is changed."""
    found = [path for path in WORK.glob(f"{package}-*") if path.is_dir()]
    if found:
        return found[0]
    archives = source_lists()
    if not archives:
        skip("apt-get knows no archive of Debian (apt-get update)")
    for folder in ("lists/partial", "cache/archives/partial"):
        (WORK / "apt" / folder).mkdir(parents=True, exist_ok=True)
    (WORK / "apt/sources.list").write_text("".join(archives))
    apt = ["apt-get", "-o", f"Dir::Etc::sourcelist={WORK}/apt/sources.list", "-o", "Dir::Etc::sourceparts=/dev/null",
           "-o", f"Dir::State::lists={WORK}/apt/lists", "-o", f"Dir::Cache={WORK}/apt/cache",
           "-o", "APT::Sandbox::User=root"]
    for words in (["update"], ["source", package]):
        try:
            done = subprocess.run([*apt, *words], cwd=WORK, capture_output=True, text=True, timeout=200,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            skip(f"apt-get {words[0]} takes too long")
        if done.returncode != 0:
            skip((done.stderr.strip().splitlines() or ["apt-get failed"])[-1])
    return next(path for path in WORK.glob(f"{package}-*") if path.is_dir())


def lua():
    """The interpreter's object files."""
    sources = source("lua5.4") / "src"
    # The package's own build makes that header.
    machine = perform(["gcc", "-print-multiarch"]).decode().strip()
    (WORK / "lua5.4-deb-multiarch.h").write_text(f'#define DEB_HOST_MULTIARCH "{machine}"\n')
    files = [path for path in sorted(sources.glob("*.c")) if path.name != "luac.c"]
    perform(["gcc", *FLAGS, "-DLUA_USE_LINUX", f"-I{WORK}", "-c", *files])
    return [WORK / f"{path.stem}.o" for path in files], [HERE / "work.lua"]


def gsl():
    """The test driver of the random numbers, and the libraries that it takes."""
    sources = source("gsl")
    folder = WORK / "made"
    folder.mkdir(exist_ok=True)
    if not (folder / "config.status").exists():
        perform([sources / "configure", "--disable-shared", "--without-pic", "CFLAGS=" + " ".join(FLAGS)], folder)
    parts = ("err", "test", "sys", "utils", "ieee-utils", "rng")
    for part in ("gsl", *parts):
        perform(["make", "-s", "-C", part], folder)
    perform(["make", "-s", "-C", "rng", "test"], folder)
    archives = [path for part in reversed(parts) for path in sorted((folder / part / ".libs").glob("*.a"))]
    return [folder / "rng/test.o", "-Wl,--start-group", *archives, "-Wl,--end-group"], []


def link(objects):
    """The program alone, and the one whose ranks move."""
    alone, ranks = WORK / "alone", WORK / "ranks"
    perform(["gcc", *objects, HERE / "alone.c", "-lm", "-o", alone])
    perform(["g++", "-std=c++20", "-O2", "-fPIE", f"-I{INCLUDE}", "-c", HERE / "mover.cpp", "-o", WORK / "mover.o"])
    wrapped = [f"-Wl,--wrap={name}" for name in ("main", "exit", "printf", "vprintf", "puts", "putchar")]
    libraries = [f"{LIBRARIES}/{name}" for name in ("libarmci-virtual.a", "libarmci.so", "libarmature.so")]
    perform(["g++", "-pie", *objects, WORK / "mover.o", *wrapped, *libraries, f"-Wl,-rpath,{LIBRARIES}", "-lm",
             "-o", ranks])
    return alone, ranks


def compare(alone, ranks, arguments):
    environment = os.environ | {"GSL_TEST_VERBOSE": "1", "OUTPUTS": str(WORK / "outputs")}
    expected = perform([alone, *arguments], env=environment)
    shutil.rmtree(WORK / "outputs", ignore_errors=True)
    (WORK / "outputs").mkdir()
    perform([ARMATURE, "run", "-n", RANKS, "--virtual", "--processes", 2, "--timeout", 750, ranks, *arguments],
            env=environment)
    moves = []
    for rank in range(RANKS):
        output = (WORK / f"outputs/out.{rank}").read_bytes()
        if output != expected:
            sys.exit(f"rank {rank} has written {len(output)} bytes, not the {len(expected)} of a run alone")
        moves.append(int((WORK / f"outputs/moves.{rank}").read_text()))
    if min(moves) == 0 or len(expected) < 1000:
        sys.exit(f"ranks have moved {moves} times, and written {len(expected)} bytes")
    print(f"{RANKS} ranks, {len(expected)} bytes each; moved {min(moves)} to {max(moves)} times")


WORK.mkdir(parents=True, exist_ok=True)
objects, arguments = {"lua": lua, "gsl": gsl}[WHICH]()
compare(*link(objects), arguments)
