# Spack: copy this folder as `packages/kernelbatch` into a repository of your own
# (`spack repo create`), set `url` or `git` to where your kernelbatch is, `spack install kernelbatch`.
# Its Python is compiled by a test; no Spack has installed from it yet.
from spack.package import *


class Kernelbatch(CMakePackage, CudaPackage):
    """Batch runs of GPU kernels in every style, verified and timed."""

    git = "file:///path/to/kernelbatch"

    license("MIT")
    version("main", branch="main")

    variant("tests", default=False, description="Build the tests")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("fmt@9:")
    depends_on("spdlog@1.10:+shared")
    depends_on("yaml-cpp@0.7:+shared")
    depends_on("hdf5@1.10.8:+hl~mpi")
    depends_on("elfutils")
    depends_on("xxhash")
    depends_on("zlib-api")
    depends_on("isa-l")
    depends_on("sqlite@3:")
    depends_on("libseccomp@2.5:")
    depends_on("boost@1.70:", type="build")  # headers only
    depends_on("catch2@2.13:", type="build", when="+tests")
    # Headers only; libraries of the toolkit are loaded at run time.
    depends_on("cuda@12.8:", when="+cuda")

    generator("ninja")
    conflicts("%gcc@:11", msg="C++20 as g++ 12 knows it")

    def cmake_args(self):
        return [
            self.define_from_variant("KERNELBATCH_BUILD_TESTS", "tests"),
            self.define("KERNELBATCH_CUDA", "+cuda" in self.spec),
        ]
