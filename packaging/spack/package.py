"""Spack's recipe. UNTRIED: no Spack was there to try it with. It follows the build's options in
cmake/ArmatureOptions.cmake, and packages.txt. Copy it to a repository of Spack's as packages/armature/package.py."""

from spack.package import *


class Armature(CMakePackage):
    """One-sided memory, remote methods and migratable virtual ranks over one global address space, for C++20."""

    version("main", branch="main")

    variant("tools", default=True, description="The command armature: launcher, inspect, doctor, bench")
    variant("ucx", default=True, description="The engine between nodes, by UCX")
    variant("ofi", default=False, description="The other engine between nodes, by libfabric")

    depends_on("cxx", type="build")
    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.11:", type="build")
    depends_on("boost@1.74:+context")
    depends_on("fmt@9:")
    depends_on("pmix")
    depends_on("scotch@7:")
    depends_on("xxhash")
    depends_on("zstd")
    depends_on("ucx@1.13:", when="+ucx")
    depends_on("libfabric@1.14:", when="+ofi")
    depends_on("cli11", when="+tools", type="build")
    depends_on("elfutils", when="+tools")
    depends_on("hwloc@2:", when="+tools")
    depends_on("nlohmann-json", when="+tools", type="build")

    conflicts("%gcc@:11", msg="C++20 as of GCC 12 is needed")

    def cmake_args(self):
        return [
            self.define("ARMATURE_TESTS", False),
            self.define_from_variant("ARMATURE_TOOLS", "tools"),
            self.define_from_variant("ARMATURE_UCX", "ucx"),
            self.define_from_variant("ARMATURE_OFI", "ofi"),
        ]
