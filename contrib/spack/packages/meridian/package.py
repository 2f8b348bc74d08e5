# SPDX-License-Identifier: Apache-2.0
"""Recipe for Spack: `spack repo add contrib/spack; cd SOURCE; spack dev-build meridian@main` builds the sources of SOURCE."""

from spack.package import *


class Meridian(CMakePackage):
    """Traces unmodified MPI programs, merges all ranks into one timeline, and summarizes where the time went."""

    license("Apache-2.0")
    version("main")

    variant("otf2", default=True, description="meridian export --format otf2 and meridian import")
    variant("libdw", default=True, description="Functions and lines of call sites")
    variant("python", default=True, description="Merged traces as pandas tables")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("hdf5~mpi")
    depends_on("libdeflate")
    depends_on("zlib-api")
    depends_on("cli11", type="build")
    depends_on("fmt")
    depends_on("nlohmann-json", type="build")
    depends_on("elfutils", when="+libdw")
    depends_on("otf2@3:", when="+otf2")
    depends_on("papi", type="run")
    with when("+python"):
        depends_on("python@3.9:", type="run")
        depends_on("py-h5py", type="run")
        depends_on("py-numpy", type="run")
        depends_on("py-pandas", type="run")

    conflicts("%gcc@:11", msg="C++20")
    conflicts("%clang@:13", msg="C++20")

    def cmake_args(self):
        return [self.define("MERIDIAN_TESTS", False), self.define("MERIDIAN_BENCH", False)]

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.prepend_path("PYTHONPATH", self.prefix.lib.python3.join("dist-packages"))

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_version(self):
        Executable(self.prefix.bin.meridian)("--version")
