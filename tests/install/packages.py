"""packages.py SOURCE: makes the Debian packages and installs them, by dpkg itself, into a tree whose data base of
packages is this machine's: so dpkg says whether a file is another package's, and whether something that they need is
missing. Then programs are built and run with what lies in the tree."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])
BESIDE = ["libarmci-mpi-dev", "libopenmpi-dev", "libmpich-dev"]


def run(*command, status=0, **more):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=600, **more)
    if done.returncode != status:
        sys.exit(f"FAILED, status {done.returncode}: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def step(text):
    print(f"-- {text}", flush=True)


def expect(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def contents(package):
    lines = run("dpkg-deb", "-c", package).splitlines()
    return [re.split(r"\s+", line, maxsplit=5)[5].split(" -> ")[0][1:] for line in lines if not line.startswith("d")]


def expect_names_of_our_own(packages):
    """Each file's name, or its folder's, is one that nobody else uses; and it is in one package alone."""
    owners = {}
    for package in packages:
        for file in contents(package):
            expect(re.search(r"/(lib|_)?armature|/pkgconfig/armci[a-z-]*\.pc$|\.armature$", file), f"{package.name}: {file}")
            expect(file not in owners, f"{file} is in {package.name} and in {owners.get(file)}")
            owners[file] = package.name


def copied_data_base(tree):
    """What this machine has installed, without its files."""
    there, here = pathlib.Path("/var/lib/dpkg"), tree / "var/lib/dpkg"
    (here / "updates").mkdir(parents=True)
    (here / "info").mkdir()
    shutil.copy(there / "status", here / "status")
    for file in (there / "info").iterdir():
        if file.suffix == ".list" or file.name == "format":
            shutil.copy(file, here / "info")
    shutil.copy(there / "arch", here) if (there / "arch").exists() else None


def dpkg(tree, *words, **more):
    as_root = [] if os.getuid() == 0 else ["unshare", "--map-root-user"]
    (tree / "etc/alternatives").mkdir(parents=True, exist_ok=True)
    for folder in "var/lib/dpkg/alternatives", "var/log":
        (tree / folder).mkdir(parents=True, exist_ok=True)
    # The packages' scripts find this machine's shell, and change the tree.
    return run(*as_root, "dpkg", f"--root={tree}", "--force-script-chrootless", "--no-triggers", "--force-unsafe-io", *words, **more)


def expect_conflict_is_seen(tree, work):
    """A package with a file of Debian's is refused: else this test would show nothing."""
    content = work / "wrong"
    (content / "DEBIAN").mkdir(parents=True)
    (content / "usr/include").mkdir(parents=True)
    (content / "usr/include/armci.h").touch()
    (content / "DEBIAN/control").write_text("Package: armature-wrong\nVersion: 1\nArchitecture: all\n"
                                            "Maintainer: Nobody <nobody@localhost>\nDescription: a wrong package\n")
    run("dpkg-deb", "--build", content, work / "wrong.deb")
    said = dpkg(tree, "-i", work / "wrong.deb", status=1)
    expect("trying to overwrite '/usr/include/armci.h', which is also in package libarmci-mpi-dev" in said, said)


COMMANDS = {"armature-shmem": ("oshcc", "oshc++", "oshfort", "oshrun"), "armature-caf": ("caf", "cafrun")}


def leads_to(tree, link):
    """Where a link of the tree leads, through the tree's alternatives."""
    place = tree / "usr/bin" / link
    while place.is_symlink():
        target = os.readlink(place)
        place = tree / target[1:] if target.startswith("/") else place.parent / target
    expect(os.access(place, os.X_OK), f"{link} leads to {place}, which is no command")
    return os.path.normpath(place)


def expect_alternatives(tree, packages):
    """Commands are alternatives where the names are free, and leave another package's file as it is."""
    def dpkg_of(package, *words):
        files = [one for one in packages if one.name.split("_")[0] == package] if "-i" in words else [package]
        return dpkg(tree, *words, *files)
    for package, names in COMMANDS.items():
        for name in names:
            for link in name, f"{name}.armature":
                expect(leads_to(tree, link).endswith(f"/{package}/bin/{name}"), f"{link}: {leads_to(tree, link)}")
        other = tree / "usr/bin" / names[-1]
        other.unlink()
        other.symlink_to(f"{names[0]}.armature")  # as a package that is unpacked later does
        dpkg_of(package, "-r")
        left = sorted(one.name for one in (tree / "usr/bin").iterdir() if one.name.split(".")[0] in names)
        expect(left == [names[-1]], left)
        said = dpkg_of(package, "-i")
        expect(f"{package}: /usr/bin/{names[-1]} is another package's and stays" in said, said)
        expect(os.readlink(other) == f"{names[0]}.armature", os.readlink(other))
        expect(not (tree / "usr/bin" / names[0]).is_symlink(), f"{names[0]} and {names[-1]} are of two packages")
        other.unlink()
        dpkg_of(package, "-r")
        expect_groups_of_others_stay(tree, package, names, dpkg_of)
        dpkg_of(package, "-i")
        expect(leads_to(tree, names[-1]).endswith(f"/{package}/bin/{names[-1]}"), names[-1])


def expect_groups_of_others_stay(tree, package, names, dpkg_of):
    """A name that follows another package's group is left there, and the package is installed."""
    compilers = tree / "usr/bin/compilers.other"
    compilers.write_text("#!/bin/sh\n")
    compilers.chmod(0o755)
    def alternatives(*words):
        run("update-alternatives", "--quiet", "--root", tree, *words)
    alternatives("--install", "/usr/bin/compilers", "compilers", "/usr/bin/compilers.other", "40",
                 "--slave", f"/usr/bin/{names[0]}", names[0], "/usr/bin/compilers.other")
    said = dpkg_of(package, "-i")
    note = f"{package}: {names[0]} belongs to the alternatives of compilers and stays there; ours is {names[0]}.armature"
    expect(note in said, said)
    expect(os.readlink(tree / "etc/alternatives" / names[0]) == "/usr/bin/compilers.other", "it has another owner")
    expect((tree / "usr/bin" / f"{names[0]}.armature").exists() and not (tree / "usr/bin" / names[-1]).is_symlink(),
           "the other names are taken without the first")
    dpkg_of(package, "-r")
    alternatives("--remove", "compilers", "/usr/bin/compilers.other")
    compilers.unlink()


class Programs:
    """Programs that are built and run with the tree."""

    def __init__(self, tree, work):
        self.tree, self.work = tree, work
        self.lib = next((tree / "usr/lib").glob("*/libarmature.so")).parent
        self.environment = {**os.environ, "PKG_CONFIG_PATH": str(self.lib / "pkgconfig"),
                            "PATH": f"{tree}/usr/bin:{os.environ['PATH']}", "LD_LIBRARY_PATH": str(self.lib)}

    def run(self, *command):
        return run(*command, env=self.environment, cwd=self.work)

    def flags(self, package):
        return self.run("pkg-config", "--cflags", "--libs", package).split()

    def first_program(self):
        """As docs/guide/first-program.md has it."""
        self.run("armature-c++", "-O2", SOURCE / "examples/heat.cpp", "-o", "heat")
        for options in ("-n", 4), ("-n", 16, "--virtual", "--processes", 2), ("-n", 2, "--nodes", 2):
            said = self.run("armature", "run", "--timeout", 60, *options, "./heat", 100)
            expect(re.search(r"\d", said), said)

    def two_ranks(self, program):
        said = self.run("armature", "run", "-n", 2, "--timeout", 60, program)
        expect(said.count("agrees") == 2, said)

    def armci(self):
        consumer = SOURCE / "tests/install/consumer/consumer.c"
        for package in "armci", "armci-openmpi", "armci-mpich", "armci-virtual":
            self.run("gcc", "-std=c11", consumer, "-o", package, *self.flags(package))
            needed = run("ldd", self.work / package, env=self.environment)
            expect(f"=> {self.lib}/armature-armci/lib/../../libarmature.so.0" in needed
                   or f"=> {self.lib}/libarmature.so.0" in needed, needed)
            self.two_ranks(f"./{package}")

    def shmem(self):
        self.run("oshcc.armature", SOURCE / "examples/shmem_ring.c", "-o", "by_oshcc")
        said = self.run("oshrun.armature", "-n", 2, "--timeout", 60, "./by_oshcc")
        expect("went round 2 PEs" in said, said)

    def coarrays(self):
        self.run("caf.armature", SOURCE / "examples/caf_heat.f90", "-o", "by_caf")
        said = self.run("cafrun.armature", "-n", 2, "--timeout", 60, "./by_caf")
        expect("heat 12000.000" in said, said)

    def cmake(self, has_armci):
        project = self.work / f"cmake{int(has_armci)}"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(f"""
            cmake_minimum_required(VERSION 3.25)
            project(consumer LANGUAGES C CXX)
            find_package(armature REQUIRED)
            add_executable(consumer {SOURCE}/tests/install/consumer/consumer.cpp)
            target_link_libraries(consumer PRIVATE armature::armature)
            if({int(has_armci)})
              add_executable(consumer_armci {SOURCE}/tests/install/consumer/consumer.c)
              target_link_libraries(consumer_armci PRIVATE armature::armci armature::shmem armature::caf)
            elseif(TARGET armature::armci)
              message(FATAL_ERROR "which is not installed")
            endif()
            """)
        self.run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.tree}/usr")
        self.run("cmake", "--build", project / "build")
        self.two_ranks(project / "build/consumer")
        if has_armci:
            self.two_ranks(project / "build/consumer_armci")


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        step("make them")
        run(SOURCE / "dev", "package", "--output", work / "packages")
        packages = sorted((work / "packages").glob("*.deb"))
        names = [package.name.split("_")[0] for package in packages]
        expect({"armature", "libarmature0", "libarmature-dev"} <= set(names) and len(names) == 9, names)
        expect_names_of_our_own(packages)

        step("install library, headers and command")
        tree = work / "few"
        copied_data_base(tree)
        dpkg(tree, "-i", *[one for one in packages if one.name.split("_")[0] in
                           ("armature", "libarmature0", "libarmature-dev")])
        (work / "programs").mkdir()
        programs = Programs(tree, work / "programs")
        programs.first_program()
        programs.cmake(has_armci=False)
        shutil.rmtree(tree)

        step("install all")
        tree = work / "all"
        copied_data_base(tree)
        dpkg(tree, "-i", *packages)
        admin = f"--admindir={tree}/var/lib/dpkg"
        for name in [*names, *BESIDE]:
            state = run("dpkg-query", admin, "-W", "-f", "${db:Status-Status}", name)
            expect(state == "installed", f"{name} is {state}")
        expect_conflict_is_seen(tree, work)
        expect_alternatives(tree, packages)
        programs = Programs(tree, work / "programs")
        for what in (programs.armci, programs.shmem, programs.coarrays):
            what()
        programs.cmake(has_armci=True)
        expect(".TH ARMATURE" in run("gzip", "-dc", tree / "usr/share/man/man1/armature-run.1.gz"), "armature-run.1.gz")

        step("remove all")
        dpkg(tree, "-r", *reversed(names))
        left = list((tree / "usr").rglob("*armature*")) + list((tree / "etc/alternatives").iterdir())
        expect(not left and not (tree / "usr/bin/oshcc").is_symlink(), left)


if __name__ == "__main__":
    main()
