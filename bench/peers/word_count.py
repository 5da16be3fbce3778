#!/usr/bin/env python3
"""Counts the words of a made-up text: examples/word_count on two ranks, `sort | uniq -c`, and Dask where it is installed.

    bench/peers/word_count.py BUILD [MEGABYTES]

Prints seconds. All must find the same five most frequent words. The default is 1,000 megabytes.
"""

import importlib.util
import itertools
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

DASK = """
import sys, dask, dask.bag
if __name__ == "__main__":
    dask.config.set(scheduler="processes", num_workers=2)
    lines = dask.bag.read_text(sys.argv[1], blocksize=2**25)
    for word, count in lines.str.lower().str.split().flatten().frequencies().topk(5, key=lambda one: one[1]).compute():
        print(count, word)
"""


def write_text(path, size):
    """Words of 2 to 9 letters, of which the n-th is 1/n as frequent as the first."""
    chance = random.Random(7)
    words = ["".join(chance.choices("etaoinshrdlcumwfgypbvk", k=chance.randint(2, 9))) for _ in range(50_000)]
    words = list(dict.fromkeys(words))
    weights = list(itertools.accumulate(1 / n for n in range(1, len(words) + 1)))
    lines = [" ".join(chance.choices(words, cum_weights=weights, k=12)) for _ in range(60_000)]
    with open(path, "w", encoding="ascii") as file:
        while file.tell() < size:
            chance.shuffle(lines)
            file.write("\n".join(lines) + "\n")


def five_most(name, command, environment=None):
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL, env=environment)
    print(f"{name:<14}{time.monotonic() - begin:8.1f} s", flush=True)
    return [tuple(line.split()) for line in done.stdout.splitlines()][-5:]


def main(build, megabytes=1000):
    build = pathlib.Path(build)
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "text")
        write_text(text, int(megabytes) * 10**6)
        ours = five_most("word_count", [build / "bin/armature", "run", "-n", "2", build / "bin/examples/word_count", text])
        others = {}
        if importlib.util.find_spec("dask"):
            script = pathlib.Path(folder, "by_dask.py")
            script.write_text(DASK, encoding="ascii")
            others["dask"] = five_most("dask", [sys.executable, script, text])
        pipe = f"tr -s ' ' '\\n' <'{text}' | sort --parallel=2 -S 3G -T '{folder}' | uniq -c | sort -rn | head -5"
        others["sort"] = five_most("sort | uniq -c", ["sh", "-c", pipe], dict(os.environ, LC_ALL="C"))
    for name, found in others.items():
        if found != ours:
            sys.exit(f"word_count.py: {name} has found {found}, and not {ours}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
