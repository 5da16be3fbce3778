"""The binary interface of the libraries is that of the stored descriptions, or more: programs that were linked with the
recorded version need not be compiled again. `./dev abi` builds what this reads and runs it; --update records."""

import json
import lzma
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

import house

# Library -> its public headers, below the root or below the build folder. Types of other files are private.
LIBRARIES = {"libarmature.so": "include/armature", "libarmci.so": "compat/armci/include",
             "libarmature-shmem.so": "shmem/include", "libarmature-caf.so": "compat/caf",
             "libarmature-arrays.so": "compat/arrays/include"}
NOT_THE_SAME, USAGE = 4, 3  # bits of abidiff's status


def version(root):
    text = house.text_of(root, "include/armature/version.hpp")
    return [int(re.search(rf"#define ARMATURE_VERSION_{part} (\d+)", text)[1]) for part in ("MAJOR", "MINOR", "PATCH")]


def tools():
    compiler = subprocess.run(["c++", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    return {"compiler": compiler, "machine": platform.machine()}


def describe(library, headers, output):
    subprocess.run(["abidw", "--exported-interfaces-only", "--headers-dir", headers, "--drop-private-types",
                    "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", "--out-file", output,
                    library], check=True)


def difference(stored, made):
    """What of the stored description is no more, or changed; what is new counts as the same."""
    done = subprocess.run(["abidiff", "--no-added-syms", "--no-show-locs", stored, made], capture_output=True, text=True)
    if done.returncode & USAGE or done.returncode < 0:
        sys.exit(f"abi: abidiff failed: {done.stdout}{done.stderr}")
    return done.stdout if done.returncode & NOT_THE_SAME else ""


def may_differ(now, recorded):
    """Before 1.0 a minor version may change the interface, then a major one."""
    kept = 1 if now[0] > 0 else 2
    return now[:kept] != recorded[:kept]


def main():
    parser = house.arguments(__doc__, ("--update", "record the descriptions of these libraries"))
    parser.add_argument("--libraries", type=pathlib.Path, required=True, help="the folder lib/ of the build `abi`")
    parser.add_argument("--stored", type=pathlib.Path, help="the folder of the descriptions (default: check/abi)")
    options = parser.parse_args()
    stored = options.stored or options.root / "check/abi"
    about = stored / "about.json"
    if not options.update:
        recorded = json.loads(about.read_text())
        here = tools()
        if any(recorded[name] != value for name, value in here.items()):
            print(f"SKIPPED: the stored descriptions are of {recorded['compiler']} on {recorded['machine']}, here is "
                  f"{here['compiler']} on {here['machine']}")
            sys.exit(77)
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for library, headers in LIBRARIES.items():
            made, before = pathlib.Path(folder, library), pathlib.Path(folder, f"{library}.before")
            place = options.root / headers
            describe(options.libraries / library, place if place.is_dir() else options.libraries.parent / headers, made)
            if options.update:
                stored.mkdir(exist_ok=True)
                (stored / f"{library}.abi.xz").write_bytes(lzma.compress(made.read_bytes(), preset=9))
                continue
            if not (stored / f"{library}.abi.xz").exists():
                problems.append(f"{library}: no description is stored: --update records one")
                continue
            before.write_bytes(lzma.decompress((stored / f"{library}.abi.xz").read_bytes()))
            text = difference(before, made)
            if text:
                problems.append(f"{library}: {text.strip()}")
    if options.update:
        about.write_text(json.dumps({"version": version(options.root), **tools()}) + "\n")
    elif problems and may_differ(version(options.root), recorded["version"]):
        print("\n".join(problems))
        house.finish("abi", [], "the version may change the interface: record it with --update when it is released")
    house.finish("abi", problems, f"{len(LIBRARIES)} libraries")


if __name__ == "__main__":
    main()
