"""Compiles programs, or runs them and compares what they print with what they say themselves.

A program tells in comments how it is run and what comes of it:

    !# images 1 2 4          on so many images, each in its turn; 2 where nothing is said; on two nodes the most of 2 to 4
    !# modes processes       not in all of MODES; programs that end with an error run in ERROR_MODES alone
    !# status 3              the job's exit status; `fails` is any but 0
    !# error text            stderr matches this regular expression; there may be several
    !> ok                    stdout has this line
    !>* {i} of {n}           stdout has it for each image i of n

Images print in any order: lines are compared as sets that count.

With --compiler the programs are those that the compiler refuses or compiles wrongly, and say so:

    !# refused text          its message matches this regular expression
    !# wrong why             it compiles, and the job fails
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys

MODES = {
    "processes": [],
    "nodes2": ["--nodes", "2"],
    "virtual": ["--virtual", "--processes", "2"],
    "virtual1": ["--virtual", "--processes", "1"],
    "virtual_nodes2": ["--virtual", "--processes", "2", "--nodes", "2"],
    "simulated": ["--virtual", "--simulate", "7"],
    "simulated_nodes2": ["--virtual", "--simulate", "11", "--processes", "2", "--nodes", "2"],
}
ERROR_MODES = ["processes", "virtual1"]
SECONDS_MAX = 40


class Program:
    def __init__(self, path):
        self.path = path
        self.images, self.modes = [2], list(MODES)
        self.status, self.errors, self.lines = "0", [], []
        for line in path.read_text().splitlines():
            if line.startswith("!# "):
                word, _, rest = line[3:].partition(" ")
                if word == "images":
                    self.images = [int(number) for number in rest.split()]
                elif word == "modes":
                    self.modes = rest.split()
                elif word == "status":
                    self.status = rest
                elif word == "error":
                    self.errors.append(rest)
                else:
                    sys.exit(f"{path}: `!# {word}` says nothing")
            elif line.startswith("!>"):
                self.lines.append(line[2:])

        if self.status != "0":
            self.modes = ERROR_MODES

    def expected(self, images):
        for line in self.lines:
            if line.startswith("*"):
                for image in range(1, images + 1):
                    yield line[1:].strip().format(i=image, n=images)
            else:
                yield line.strip().format(n=images)


def images_in(mode, program):
    if "nodes2" not in mode:
        return program.images
    return sorted(images for images in program.images if 1 < images <= 4)[-1:]


def compile_one(options, source):
    target = options.binaries / source.stem
    modules = options.binaries / "modules" / source.stem
    modules.mkdir(parents=True, exist_ok=True)
    command = [options.bin / "caf", "-O1", "-g", "-w", *options.caf.split(), "-J", modules, *options.before, source,
               "-o", target]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"{source.name}: does not compile\n{done.stderr}" if done.returncode else None


def run_one(options, program, images):
    command = [options.bin / "cafrun", "-n", str(images), "--timeout", str(SECONDS_MAX), *MODES[options.mode],
               options.binaries / program.path.stem]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wrong = []
    is_status = done.returncode != 0 if program.status == "fails" else str(done.returncode) == program.status
    if not is_status:
        wrong.append(f"status {done.returncode} instead of {program.status}")
    for error in program.errors:
        if not re.search(error, done.stderr):
            wrong.append(f"stderr has nothing like `{error}`")
    said = collections.Counter(line.strip() for line in done.stdout.splitlines() if line.strip())
    expected = collections.Counter(program.expected(images))
    if program.status == "0" and said != expected:
        wrong.append(f"missing: {sorted((expected - said).elements())}, more: {sorted((said - expected).elements())}")
    if not wrong:
        return None
    name = f"{program.path.name} on {images} images, {options.mode}"
    return "\n  ".join([name, *wrong, "stderr: " + done.stderr.strip()[:500]])


def try_compiler(options, source):
    kind, _, text = re.search(r"^!# (.*)$", source.read_text(), re.MULTILINE)[1].partition(" ")
    said = compile_one(options, source)
    if kind == "refused":
        if said is None:
            return f"{source.name} compiles now: it belongs to the programs"
        return None if re.search(text, said) else f"{source.name} is refused in other words: {said[:500]}"
    if said is not None:
        return said
    command = [options.bin / "cafrun", "-n", "2", "--timeout", str(SECONDS_MAX), options.binaries / source.stem]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if done.returncode else f"{source.name} runs well now: it belongs to the programs"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of caf and cafrun")
    parser.add_argument("--binaries", type=pathlib.Path, required=True, help="folder of the compiled programs")
    parser.add_argument("--caf", default="", help="options of caf, in one argument")
    parser.add_argument("--before", type=pathlib.Path, nargs="*", default=[], help="sources compiled before each program")
    parser.add_argument("--mode", choices=MODES, help="run in this way; without, compile")
    parser.add_argument("--compiler", action="store_true", help="try what the compiler cannot do")
    parser.add_argument("programs", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        if options.compiler:
            results = list(pool.map(lambda source: try_compiler(options, source), options.programs))
        elif options.mode is None:
            results = list(pool.map(lambda source: compile_one(options, source), options.programs))
        else:
            runs = [(program, images) for program in map(Program, options.programs)
                    if options.mode in program.modes for images in images_in(options.mode, program)]
            results = list(pool.map(lambda run: run_one(options, *run), runs))
    problems = [problem for problem in results if problem is not None]
    if problems or options.mode or options.compiler:  # who reads a build's log looks for what went wrong
        print("\n".join(problems) or f"{len(results)} well")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
