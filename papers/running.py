"""Runs what the figures need: Armature's own programs and benchmarks, and programs of MPI libraries, which are compiled
when they are first needed. Says which commands were run."""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

import costs
from figures import NotMeasured

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENGINES = {"memory of the node": ([], {}),
           "UCX": (["--nodes", "2", "--net-engine", "ucx"], {}),
           "libfabric": (["--nodes", "2", "--net-engine", "ofi"], {}),
           "one-sided test engine": (["--nodes", "2"], {"ARMATURE_NET_HOOK": "prompt-card=1"})}
# Those that single figures need besides. The test engine here tells of what is done up to 30 us later, and of one of
# sixteen up to 1 ms. Over TCP libfabric's own put and get are used where they are asked for.
LATE = "one-sided test engine that tells late"
ONE_SIDED = "libfabric, one-sided"
FURTHER_ENGINES = {LATE: (["--nodes", "2"], {"ARMATURE_NET_HOOK": "card=1"}),
                   ONE_SIDED: (["--nodes", "2", "--net-engine", "ofi"], {"ARMATURE_NET_ONE_SIDED": "on"})}
# Loopback, and neither a waiting loop that takes the other process's core nor memory that both share.
OVER_TCP = {"openmpi": (["--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "osc", "^sm,ucx"], {}),
            "mpich": ([], {"UCX_TLS": "tcp,self", "MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_SHM_ENABLE": "0"})}
# What messages cost in a simulation; a rank's own computing counts as it was measured.
SIMULATED = "latency=1us,overhead=200ns,gap=200ns,bandwidth=10GB/s,measured=1"
LIBRARIES = {"openmpi": "Open MPI", "mpich": "MPICH"}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Run:
    def __init__(self, build, full=False, budget_s=1140):
        self.build = pathlib.Path(build)
        self.full = full
        self.matrix = None   # a file that figures of the sparse matrix take instead of their own
        self.commands = []   # of the figure that is being measured
        self._kept = {}      # what several figures need of the same measurement
        self._counted = {}   # the same of what another measurement would not change
        self._until = time.monotonic() + budget_s
        self._figure_until = None
        self._again_until = None  # of this figure
        self._again_began = None
        self._longest_again_s = 0
        self._reserve_s = costs.RESERVE * (3 if full else 1)
        self._folder = tempfile.TemporaryDirectory(prefix="papers-")
        self._compiled = {}

    def begin(self, timeout_s=None):
        """A figure begins: its commands are written down anew. None of them goes on when timeout_s are over."""
        self.commands = []
        self._figure_until = None if timeout_s is None else time.monotonic() + timeout_s
        self.begin_again(0)

    def begin_again(self, again_s, once_s=0):
        """The figure is measured: what follows measures its claims again, for so long at most, which takes once_s as far
        as is known."""
        self._again_began = None
        self._again_until = min(self._until, time.monotonic() + again_s)
        self._longest_again_s = once_s

    def forget(self):
        """What was measured for an earlier figure is not taken for the next time of one."""
        if self.commands:
            self._kept = {}

    def has_time_again(self, too_seldom=False):
        """Whether the claims may be measured once more: not where that would take longer than is left, as the longest
        time of before did. Claims that were measured too seldom for a middle have some time of the run, too."""
        now = time.monotonic()
        if self._again_began is not None:
            self._longest_again_s = max(self._longest_again_s, now - self._again_began)
        self._again_began = now
        ends = now + self._longest_again_s
        if self._figure_until is not None and ends >= self._figure_until:
            return False
        if ends < self._again_until:
            return True
        if not too_seldom or ends >= self._until or self._longest_again_s > self._reserve_s:
            return False
        self._reserve_s -= self._longest_again_s
        return True

    # -- commands

    def fastest(self, times, measure):
        """The shortest of several runs of a program that takes a second or less; once more with --full."""
        return min(measure() for _ in range(times + self.full))

    def fastest_in_turn(self, times, ways, missing):
        """{name: the shortest of several runs} of {name: measure}. They take turns, so what slows the machine down for a
        while slows all of them down. One that fails is left out, and named in `missing`."""
        found = {}
        for _ in range(times + self.full):
            for name in list(ways):
                try:
                    found[name] = min(ways[name](), found.get(name, float("inf")))
                except NotMeasured as reason:
                    missing.append(f"{name}: {reason}")
                    ways = {other: measure for other, measure in ways.items() if other != name}
                    found.pop(name, None)
        return found

    def fastest_there_and_back(self, ways):
        """{name: the shorter of two runs} of {name: measure}: all in turn, and then in reverse, as the first may find the
        machine in another state than the last one does."""
        found = {name: measure() for name, measure in ways.items()}
        return {name: min(found[name], ways[name]()) for name in reversed(ways)}

    def command(self, words, timeout_s=60, environment=None, cwd=None):
        """What a command prints. Raises NotMeasured, which says why, where it fails. One that takes too long counts
        with what it has printed by then."""
        environment = environment or {}
        words = [str(word) for word in words]
        shown = " ".join([f"{name}={value}" for name, value in environment.items() if name not in AS_ROOT] +
                         [shlex.quote(self._short(word)) for word in words])
        self.commands.append(shown)
        timeout_s = self._time_left(timeout_s)
        try:
            process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd,
                                       stdin=subprocess.DEVNULL, env=os.environ | environment, start_new_session=True)
        except FileNotFoundError:
            raise NotMeasured(f"there is no {self._short(words[0])}") from None
        try:
            printed, errors = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            printed = ended(process)
            if printed:
                return printed
            raise NotMeasured(f"{shown} took more than {timeout_s:.3g} s") from None
        except BaseException:  # the report itself is ended
            ended(process)
            raise
        if process.returncode != 0:
            said = (errors.strip() or printed.strip() or "nothing").splitlines()[0]
            raise NotMeasured(f"{shown} ended with {process.returncode}: {self._short(said)[:200]}")
        return printed

    def _time_left(self, timeout_s):
        if self._figure_until is None:
            return timeout_s
        left_s = self._figure_until - time.monotonic()
        if left_s <= 0:
            raise NotMeasured("the time that this figure may take is over")
        return min(timeout_s, left_s)

    def _short(self, word):
        folder = rf"{re.escape(tempfile.gettempdir())}/papers-\w+"
        return re.sub(folder, "$FOLDER", word.replace(f"{ROOT}/", ""))

    def kept(self, key, make, is_counted=False):
        """Measured once, also where several figures show it; what is counted, as no time is, is never measured again."""
        kept = self._counted if is_counted else self._kept
        if key not in kept:
            before = len(self.commands)
            value = make()
            kept[key] = (value, self.commands[before:])
        elif not set(kept[key][1]) <= set(self.commands):
            self.commands += kept[key][1]
        return kept[key][0]

    # -- Armature

    def launch(self, ranks, program, *arguments, options=(), environment=None, timeout_s=60):
        path = self.build / "bin" / program
        if not path.exists():
            raise NotMeasured(f"{self._short(str(path))} is not built")
        return self.command([self.build / "bin/armature", "run", "-n", ranks, "--timeout", timeout_s - 2, *options, path,
                             *arguments], timeout_s, environment)

    def simulated(self, ranks, program, *arguments, node=1, options=(), timeout_s=60):
        """What a program prints by the simulated clock, which goes beyond the cores of this machine; with so many ranks on
        each node."""
        network = SIMULATED + (f",node={node}" if node > 1 else "")
        return self.launch(ranks, program, *arguments, options=["--simulate", 1, "--network", network, *options],
                           timeout_s=timeout_s)

    def beyond(self, key, of_ranks, missing):
        """The points of numbers of ranks beyond the machine's cores: of_ranks(ranks) is a number by the simulated clock. A
        run that fails is no reason to lose what was measured: it is named in `missing`. No claim rests on these points, so
        they are measured once, however often their figure is."""
        def measure():
            found, lacking = [], []
            for ranks in (4, 8, 16):
                try:
                    found.append([ranks, of_ranks(ranks)])
                except NotMeasured as reason:
                    how = str(reason)  # the command is named with those of the figure
                    lacking.append(f"{ranks} ranks by the simulated clock: {how[max(how.find('ended with'), 0):]}")
            return found, lacking
        found, lacking = self.kept(("beyond", key), measure, is_counted=True)
        missing += lacking
        return found

    def windows(self, engine):
        """{operation: {size: ns}} of an engine's own calls: bench/engines/windows.cpp."""
        path = self.build / f"bin/bench/windows_{engine}"
        if not path.exists():
            raise NotMeasured(f"{self._short(str(path))} is not built")
        return self.kept(("windows", engine), lambda: rows_of(self.command([path])))

    def file(self, name):
        """A file of that name that lasts as long as this run."""
        return pathlib.Path(self._folder.name) / name

    def bench(self, suite, *only, quick=False):
        """{(operation, bytes): row} of `armature bench`."""
        file = self.file("rows.json")
        words = [self.build / "bin/armature", "bench", suite, "--json", file] + (["--quick"] if quick else [])
        for name in only:
            words += ["--only", name]
        file.unlink(missing_ok=True)  # of an earlier suite
        self.command(words, 180)
        try:
            return {(row["op"], row["bytes"]): row for row in json.loads(file.read_text())}
        except (OSError, ValueError):
            raise NotMeasured(f"armature bench {suite} wrote no rows in 180 s") from None

    def transfers(self, part, engine):
        """{operation: {size: ns}} of papers/transfers.c over one of ENGINES or FURTHER_ENGINES."""
        options, environment = (ENGINES | FURTHER_ENGINES)[engine]
        return self.kept(("transfers", part, engine), lambda: rows_of(self.launch(
            2, "papers/transfers", part, options=options, environment=environment)))

    # -- MPI

    def compiled(self, library, source):
        """A program of bench/peers, compiled by that library's own command."""
        if (library, source) not in self._compiled:
            language = "mpicxx" if source.endswith(".cpp") else "mpicc"
            compiler = shutil.which(f"{language}.{library}")
            if compiler is None:
                raise NotMeasured(f"there is no {language}.{library} (Debian: lib{library}-dev)")
            binary = pathlib.Path(self._folder.name) / f"{pathlib.Path(source).stem}.{library}"
            standard = ["-std=c++20"] if language == "mpicxx" else []
            self.command([compiler, *standard, "-O3", ROOT / "bench/peers" / source, "-o", binary, "-lm"], 120,
                         {"OMPI_CC": "gcc", "MPICH_CC": "gcc"})
            self._compiled[library, source] = binary
        return self._compiled[library, source]

    def mpi(self, library, source, *arguments, **options):
        """What a program of bench/peers prints, compiled here."""
        return self.mpi_launch(library, self.compiled(library, source), *arguments, **options)

    def twin(self, library, name, *arguments, **options):
        """What the message-passing twin of an example prints, which the build has made."""
        path = self.build / "bin/peers" / f"{name}_{library}"
        if not path.exists():
            raise NotMeasured(f"{self._short(str(path))} is not built (Debian: lib{library}-dev)")
        return self.mpi_launch(library, path, *arguments, **options)

    def mpi_launch(self, library, binary, *arguments, ranks=2, over_tcp=False, timeout_s=60):
        launcher = shutil.which(f"mpirun.{library}")
        if launcher is None:
            raise NotMeasured(f"there is no mpirun.{library} (Debian: {library}{'-bin' if library == 'openmpi' else ''})")
        options, environment = OVER_TCP[library] if over_tcp else ([], {})
        if library == "openmpi":
            options = options + ["--oversubscribe"]
        return self.command([launcher, *options, "-n", ranks, binary, *arguments], timeout_s, environment | AS_ROOT)

    def messages(self, part, over_tcp=False):
        """{library: {operation: {size: ns}}} of bench/peers/messages.c, of the libraries that are there. Raises
        NotMeasured where none is."""
        def measure():
            found, reasons = {}, []
            for library, name in LIBRARIES.items():
                try:
                    found[name] = rows_of(self.mpi(library, "messages.c", part, over_tcp=over_tcp))
                except NotMeasured as reason:
                    reasons.append(str(reason))
            if not found:
                raise NotMeasured("; ".join(reasons))
            return found
        return self.kept(("messages", part, over_tcp), measure)


def ended(process):
    """Ends a command and what it has started; returns what it had printed. Launchers pass SIGTERM on."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, signal_number)
        except ProcessLookupError:
            pass
        try:
            return process.communicate(timeout=5)[0]
        except subprocess.TimeoutExpired:
            continue
    return ""


def need(found, *names):
    """Raises NotMeasured where {name: value} lacks one of the names, as a program has failed."""
    for name in names:
        if name not in found:
            raise NotMeasured(f"there is no time of {name}")


def rows_of(printed):
    """{operation: {size: value}} of lines with tabs; an unfinished last line is left out."""
    rows = {}
    for line in printed.splitlines():
        words = line.split("\t")
        try:
            operation, size, value = words[0], int(words[1]), float(words[2])
        except (IndexError, ValueError):
            continue
        rows.setdefault(operation, {})[size] = value
    return rows


def value_at(rows, operation, size):
    """Raises NotMeasured where that row is missing."""
    try:
        return rows[operation][size]
    except KeyError:
        raise NotMeasured(f"there is no row {operation} of {size}") from None
