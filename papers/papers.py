"""papers.py BUILD [--full] [--only FIGURE...] [--output DIR] [--words FILE] [--results FILE]: measures the tables and
figures of the papers, and writes a report with plots, index.html, in DIR; results.json beside it is what was measured."""

import argparse
import datetime
import json
import os
import pathlib
import sys
import time

import armci_1999
import armci_on_charm
import armci_rma
import armi_rmi
import figures
import page
import running
import smp_clusters

BUDGET_S = 1140  # of a run; from then on nothing is measured a second time


def all_figures():
    return [one for module in (armi_rmi, armci_rma, armci_on_charm, smp_clusters, armci_1999) for one in module.FIGURES]


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
    return f"{len(os.sched_getaffinity(0))} usable cores ({model}), load {os.getloadavg()[0]:.1f} at the start"


def measure_all(asked, run, say=print):
    """The results of these figures, as they are stored."""
    start = time.monotonic()
    results = {"machine": machine(), "when": datetime.date.today().isoformat(), "full": run.full, "figures": []}
    for number, figure in enumerate(asked, 1):
        begin = time.monotonic()
        run.begin()
        found = {"name": figure.name, "paper": figure.paper, "heading": figure.heading, "title": figure.title,
                 "claim": figure.claim, "changed": figure.changed, "printed": [list(one) for one in figure.printed]}
        found |= figures.measure(figure, run)
        found["commands"] = list(dict.fromkeys(run.commands))
        results["figures"].append(rounded(found))
        say(f"{number}/{len(asked)} {figure.name}: {page.verdict_of(found)} ({time.monotonic() - begin:.0f} s)"
            + (f": {found['reason']}" if found["status"] != "measured" else ""))
        for one in found.get("verdicts", ()):
            say(f"    {page.comparison(one)}: {page.word_of(one)}")
    results["seconds"] = round(time.monotonic() - start)
    return results


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(one) for one in value]
    return value


def parsed():
    parser = argparse.ArgumentParser(prog="./dev papers", description="Measures what the five papers measured.")
    parser.add_argument("build", help=argparse.SUPPRESS)
    parser.add_argument("--full", action="store_true", help="the papers' sizes, too, where they take minutes")
    parser.add_argument("--only", nargs="+", default=[], metavar="FIGURE", help="these figures, or those of these papers")
    parser.add_argument("--output", default=None, metavar="DIR", help="where the report goes (default: build/papers)")
    parser.add_argument("--words", metavar="FILE", help="also write the report in words to this document")
    parser.add_argument("--results", metavar="FILE", help="also write what was measured to this file")
    parser.add_argument("--list", action="store_true", help="name the figures, and measure nothing")
    return parser.parse_args()


def main():
    options = parsed()
    asked = wanted(options.only)
    if options.list:
        print("\n".join(f"{one.name:34} {one.title}" for one in asked))
        return
    output = pathlib.Path(options.output or pathlib.Path(options.build) / "papers")
    output.mkdir(parents=True, exist_ok=True)
    run = running.Run(pathlib.Path(options.build).resolve(), options.full, BUDGET_S * (3 if options.full else 1))
    results = measure_all(asked, run, lambda line: print(line, flush=True))
    stored = json.dumps(results, indent=None, ensure_ascii=False).replace('{"name"', '\n{"name"') + "\n"
    for path in [output / "results.json"] + ([pathlib.Path(options.results)] if options.results else []):
        path.write_text(stored)
    (output / "index.html").write_text(page.page(results))
    if options.words:
        pathlib.Path(options.words).write_text(page.in_words(results))
    print(f"{len(asked)} figures in {results['seconds']} s; the report: {output / 'index.html'}")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
