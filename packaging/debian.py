"""debian.py BUILD FOLDER: makes the Debian packages of debian.toml in FOLDER, of what the build in BUILD installs. It
was configured with the prefix /usr and the preset `package` (`./dev package` does all of it)."""

import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

import alternatives

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, text=True, stdout=subprocess.PIPE, **more).stdout


def version():
    header = (ROOT / "include/armature/version.hpp").read_text()
    numbers = [re.search(rf"#define ARMATURE_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(numbers) + "-1"


def table():
    text = (HERE / "debian.toml").read_text()
    machine = run("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()
    return tomllib.loads(text.replace("@T@", machine).replace("@V@", version()))


def files_below(tree):
    return [path.relative_to(tree).as_posix() for path in sorted(tree.rglob("*"))
            if path.is_symlink() or not path.is_dir()]


def shared(packages, files):
    """Package -> its files. Every file belongs to one package, and every pattern finds some."""
    found = {name: [] for name in packages}
    problems = []
    for file in files:
        owners = [name for name, package in packages.items()
                  if any(fnmatch.fnmatchcase(file, pattern) for pattern in package["files"])]
        if len(owners) == 1:
            found[owners[0]].append(file)
        else:
            problems.append(f"{file} belongs to {' and '.join(owners) or 'no package'}")
    for name, package in packages.items():
        problems += [f"{name}: no file is like {pattern}" for pattern in package["files"]
                     if not fnmatch.filter(files, pattern)]
    if problems:
        sys.exit("packaging/debian.toml:\n  " + "\n  ".join(problems))
    return found


def is_elf(path):
    if path.is_symlink():
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def needed(binaries, optional, libraries):
    """What Debian's packages must be there, and should be, for these binaries. Our own packages say so themselves."""
    if not binaries and not optional:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "debian").mkdir()
        (pathlib.Path(folder) / "debian/control").write_text("Source: armature\n\nPackage: armature\nArchitecture: any\n")
        kinds = [word for kind, paths in (("-dDepends", binaries), ("-dRecommends", optional)) if paths
                 for word in (kind, *paths)]
        said = run("dpkg-shlibdeps", "-O", "--ignore-missing-info", "--warnings=0", f"-l{libraries}", *kinds,
                   cwd=folder, stderr=subprocess.DEVNULL)
    return dict(re.findall(r"^shlibs:(\w+)=(.*)$", said, re.M))


def control(name, package, needs, bytes_installed):
    def joined(kind):
        return ", ".join([one for one in (needs.get(kind.capitalize(), ""), *package.get(kind, [])) if one])
    lines = [f"Package: {name}", "Source: armature", f"Version: {version()}",
             f"Architecture: {run('dpkg', '--print-architecture').strip()}",
             "Maintainer: The Armature authors <armature@localhost>", f"Installed-Size: {bytes_installed // 1024 + 1}",
             f"Section: {package['section']}", "Priority: optional"]
    lines += [f"{kind.capitalize()}: {joined(kind)}" for kind in ("depends", "recommends") if joined(kind)]
    return "\n".join([*lines, f"Description: {package['title']}",
                      " Armature is a C++20 runtime for programs that spread over many cores and machines.",
                      " Its ranks share one global address space and call each other's objects.", ""])


def make(name, package, files, tree, output):
    with tempfile.TemporaryDirectory() as folder:
        content = pathlib.Path(folder)
        content.chmod(0o755)
        for file in files:
            (content / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(tree / file, content / file, follow_symlinks=False)
        about = content / f"usr/share/doc/{name}"
        about.mkdir(parents=True)
        shutil.copy(ROOT / "LICENSE", about / "copyright")
        elf = [content / file for file in files if is_elf(content / file)]
        optional = [path for path in elf if path.relative_to(content).as_posix() in package.get("optional", [])]
        libraries = tree / "usr/lib" / run("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()
        needs = needed([path for path in elf if path not in optional], optional, libraries)
        for path in content.rglob("*"):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) and not path.suffix == ".so" else 0o644)
        size = sum(path.stat().st_size for path in content.rglob("*") if not path.is_symlink() and path.is_file())
        (content / "DEBIAN").mkdir()
        (content / "DEBIAN/control").write_text(control(name, package, needs, size))
        if any(re.fullmatch(r"usr/lib/[^/]+/lib[^/]+\.so\.\d+", file) for file in files):
            (content / "DEBIAN/triggers").write_text("activate-noawait ldconfig\n")
        if "alternatives" in package:
            for script, text in alternatives.scripts(name, package["alternatives"][1:]).items():
                (content / "DEBIAN" / script).write_text(text)
                (content / "DEBIAN" / script).chmod(0o755)
        run("dpkg-deb", "--root-owner-group", "-Zxz", "-z1", "--build", content, output)


def strip(tree):
    """Line numbers go, names stay: a stack shows them."""
    for file in files_below(tree):
        if is_elf(tree / file) or (file.endswith(".a") and b"!<arch>" == (tree / file).read_bytes()[:7]):
            run("strip", "--strip-debug", tree / file)


def main():
    build, output = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    packages = table()
    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob("*.deb"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        run("cmake", "--install", build, env={**os.environ, "DESTDIR": folder})
        functions = tree / "usr/share/zsh/site-functions"  # where administrators have theirs
        functions.rename(functions.parent / "vendor-completions")
        run("gzip", "-9n", *sorted((tree / "usr/share/man/man1").iterdir()))
        strip(tree)
        alternatives.add_links(tree, packages)
        files = shared(packages, files_below(tree))
        for name, package in packages.items():
            make(name, package, files[name], tree, output)
            print(f"{name}: {len(files[name])} files")


if __name__ == "__main__":
    main()
