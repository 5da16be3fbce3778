"""figure.py SOURCE BUILD: ./dev papers measures one table, from its programs to the page, and names what it lacks."""

import json
import pathlib
import subprocess
import sys
import tempfile

SOURCE, BUILD = map(pathlib.Path, sys.argv[1:])


def report(build, folder, *only):
    done = subprocess.run([sys.executable, "-B", SOURCE / "papers/papers.py", build, "--output", folder, "--only", *only],
                          capture_output=True, text=True, timeout=200)
    if done.returncode != 0:
        sys.exit(f"papers.py ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    page = (folder / "index.html").read_text()
    return json.loads((folder / "results.json").read_text())["figures"], page


def need(condition, words, found):
    if not condition:
        sys.exit(f"{words}: {json.dumps(found, indent=1)[:3000]}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        figures, page = report(BUILD, folder / "a", "armi-rmi-2003.table-1", "armci-smp-clusters-2000.4")
        need([one["name"] for one in figures] == ["armi-rmi-2003.table-1", "armci-smp-clusters-2000.4"], "other figures", figures)
        need(all(one["status"] == "measured" for one in figures), "not measured", figures)
        need(len(figures[0]["verdicts"]) == 3 and figures[0]["table"], "no table", figures[0])
        need({"memory of the node, acc", "UCX, acc.section"} <= set(figures[1]["series"]), "series are missing", figures[1])
        need(any("bench rmi" in one for one in figures[0]["commands"]), "no command", figures[0])
        need("<svg" in page and 'id="armi-rmi-2003.table-1"' in page, "no plot or section", figures)

        figures, page = report(folder / "nothing", folder / "b", "armci-1999.4")
        need(figures[0]["status"] == "not measured" and "papers/transfers is not built" in figures[0]["reason"],
             "a program that is missing is not named", figures)
        need(figures[0]["reason"] in page, "the page does not say so", figures)


main()
