"""papers.py BUILD [--full] [--only FIGURE...] [--output DIR] [--keep]: measures the tables and figures of the papers, and
writes a report with plots, index.html, in DIR; results.json beside it is what was measured. With --only the report keeps
what an earlier run has measured of the others. --keep also writes docs/papers.json and docs/papers.md."""

import argparse
import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import armci_1999
import armci_on_charm
import armci_rma
import armi_rmi
import costs
import figures
import page
import running
import smp_clusters

REPEATING_S = 1110  # of a run: nothing is measured again that would end later
WHOLE_S = 1180      # of a run: then no command goes on
FULL = 3            # times as long with --full


def all_figures():
    found = [one for module in (armi_rmi, armci_rma, armci_on_charm, smp_clusters, armci_1999) for one in module.FIGURES]
    for one in found:
        one.cost_s, one.again_s = costs.SECONDS[one.name], costs.AGAIN.get(one.name, costs.AGAIN_OTHERS)
    return found


def wanted(only):
    """The figures whose names, or papers, are in `only`; all without any. Exits where a name is none."""
    known = all_figures()
    for name in only:
        if not any(name in (one.name, one.paper) for one in known):
            sys.exit(f"papers: no figure '{name}'; there are: {', '.join(one.name for one in known)}")
    return [one for one in known if not only or one.name in only or one.paper in only]


def machine():
    model = "unknown processor"
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    libraries = "".join(f"; {version}" for version in map(version_of, running.LIBRARIES) if version)
    return (f"{len(os.sched_getaffinity(0))} usable cores ({model}), {memory:.0f} GiB{libraries}; "
            f"load {os.getloadavg()[0]:.1f} at the start")


def version_of(library):
    """An MPI library with its version, as its launcher names it; nothing where it is not there."""
    try:
        said = subprocess.run([f"mpirun.{library}", "--version"], capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(r"(?:\(Open(?:RTE| MPI)\)|Version:)\s*(\S+)", said)
    return f"{running.LIBRARIES[library]} {found[1]}" if found else ""


def described(figure):
    """The part of a result that no run changes."""
    return {"name": figure.name, "paper": figure.paper, "heading": figure.heading, "title": figure.title,
            "claim": figure.claim, "changed": figure.changed, "printed": [list(one) for one in figure.printed]}


def measure_all(asked, run, say=print, after_each=lambda results: None):
    """The results of these figures, as they are stored; what there is of them is handed on after each figure."""
    results = {"machine": machine(), "figures": []}
    start, times = time.monotonic(), FULL if run.full else 1
    for number, figure in enumerate(asked, 1):
        begin = time.monotonic()
        say(f"{number}/{len(asked)} {figure.name}: {figure.title}; some {figure.cost_s * times} s, after {begin - start:.0f} s")
        run.begin(min(figure.timeout_s, WHOLE_S - (begin - start) / times) * times)
        found = described(figure) | figures.measure(figure, run)
        found |= {"commands": list(dict.fromkeys(run.commands)), "seconds": round(time.monotonic() - begin),
                  "when": datetime.date.today().isoformat(), "full": run.full}
        results["figures"].append(rounded(found))
        after_each(results)
        say(f"  {page.verdict_of(found)} ({found['seconds']} s)"
            + (f": {found['reason']}" if found["status"] != "measured" else ""))
        for one in found.get("verdicts", ()):
            say(f"    {page.comparison(one)}: {page.said_of(one)}")
    return results


def merged(results, earlier):
    """These results, with what an earlier run has of other figures, in the order of the papers."""
    by_name = {one["name"]: one for one in [*earlier.get("figures", []), *results["figures"]]}
    return results | {"figures": [by_name[one.name] for one in all_figures() if one.name in by_name]}


def complete(results):
    """These results, with each figure that none of the runs has measured."""
    reason = {"status": "not measured", "reason": "no run of this report has measured it", "commands": [], "seconds": 0,
              "when": datetime.date.today().isoformat(), "full": False}
    return merged(results, {"figures": [described(one) | reason for one in all_figures()]})


def stored(path):
    """What an earlier run has left there, which is nothing where there was none."""
    try:
        found = json.loads(path.read_text())
        return found if all("name" in one for one in found["figures"]) else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def write(results, output):
    """The report, and what it is made of."""
    output.mkdir(parents=True, exist_ok=True)
    (output / "results.json").write_text(as_text(results))
    (output / "index.html").write_text(page.page(results))


def as_text(results):
    """A line for each figure."""
    return json.dumps(results, ensure_ascii=False).replace('{"name": "', '\n{"name": "') + "\n"


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(one) for one in value]
    return value


def existing(name):
    if not pathlib.Path(name).is_file():
        raise argparse.ArgumentTypeError(f"there is no file {name}")
    return pathlib.Path(name).resolve()


def parsed():
    parser = argparse.ArgumentParser(prog="./dev papers", description="Measures what the five papers measured.")
    parser.add_argument("build", help=argparse.SUPPRESS)
    parser.add_argument("--full", action="store_true", help="the papers' sizes, too, where they take minutes")
    parser.add_argument("--only", nargs="+", default=[], metavar="FIGURE", help="these figures, or those of these papers")
    parser.add_argument("--output", default=None, metavar="DIR", help="where the report goes (default: build/papers)")
    parser.add_argument("--keep", action="store_true",
                        help="also write docs/papers.json, of which the site's page is made, and docs/papers.md")
    parser.add_argument("--matrix", default=None, metavar="FILE", type=existing,
                        help="figures 23 and 24 of armci-rma-2006 take this sparse matrix, in the Matrix Market's format or "
                        "that of Harwell and Boeing")
    parser.add_argument("--once", action="store_true", help="measure nothing a second time, as on a busy machine")
    parser.add_argument("--list", action="store_true", help="name the figures, and measure nothing")
    return parser.parse_args()


def main():
    options = parsed()
    for number in (signal.SIGTERM, signal.SIGHUP):  # then what was started is ended, too
        signal.signal(number, lambda number, _frame: sys.exit(128 + number))
    asked = wanted(options.only)
    if options.list:
        print("\n".join(f"{one.name:34} {one.title}" for one in asked))
        return
    output = pathlib.Path(options.output or pathlib.Path(options.build) / "papers")
    output.mkdir(parents=True, exist_ok=True)
    run = running.Run(pathlib.Path(options.build).resolve(), options.full,
                      0 if options.once else REPEATING_S * (FULL if options.full else 1))
    run.matrix = options.matrix
    begin = time.monotonic()
    earlier = stored(output / "results.json") if options.only else {}
    results = merged(measure_all(asked, run, lambda line: print(line, flush=True),
                                 lambda results: write(merged(results, earlier), output)), earlier)
    if options.keep:
        documents, results = running.ROOT / "docs", complete(results)
        (documents / "papers.json").write_text(as_text(results))
        (documents / "papers.md").write_text(page.in_words(results))
    print(f"{len(asked)} figures in {time.monotonic() - begin:.0f} s; the report: {output / 'index.html'}")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
