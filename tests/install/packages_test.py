#!/usr/bin/env python3
"""The lists of needed packages are equal: CMake's, bootstrap's and the Spack recipe's: packages_test.py SOURCE"""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
# By CMake's name: Debian's package, Spack's package, which is also the usual name of a module.
PACKAGES = {
    "Catch2": ("catch2", "catch2"),
    "fmt": ("libfmt-dev", "fmt"),
    "spdlog": ("libspdlog-dev", "spdlog"),
    "yaml-cpp": ("libyaml-cpp-dev", "yaml-cpp"),
    "CLI11": ("libcli11-dev", "cli11"),
    "nlohmann_json": ("nlohmann-json3-dev", "nlohmann-json"),
    "ZLIB": ("zlib1g-dev", "zlib-api"),
    "PkgConfig": ("pkg-config", "pkgconfig"),
    "libxxhash": ("libxxhash-dev", "xxhash"),
    "libdw": ("libdw-dev", "elfutils"),
    "libelf": ("libdw-dev", "elfutils"),
    "libseccomp": ("libseccomp-dev", "libseccomp"),
    "sqlite3": ("libsqlite3-dev", "sqlite"),
    "Boost": ("libboost-dev", "boost"),
    "HDF5": ("libhdf5-dev", "hdf5"),
    "libisal": ("libisal-dev", "isa-l"),
}
# Parts of the compiler, and programs that a build does without.
NO_PACKAGES = {"Threads", "OpenMP", "Git"}

files = [source / "CMakeLists.txt", *sorted((source / "core").rglob("CMakeLists.txt")), *sorted((source / "core/cmake").glob("*.cmake"))]
text = "\n".join(file.read_text() for file in files)
needed = set(re.findall(r"^ *find_package\((\S+?)[ )]", text, flags=re.M)) - NO_PACKAGES
for words in re.findall(r"^ *pkg_check_modules\(\S+ (.*?)\)", text, flags=re.M):
    needed |= set(words.split()) - {"REQUIRED", "IMPORTED_TARGET"}
assert needed == set(PACKAGES), f"CMake needs {sorted(needed ^ set(PACKAGES))}, or PACKAGES of this test has too many"

bootstrap = (source / "bootstrap").read_text()
debian = set(re.search(r"^build_packages=\((.*?)\)", bootstrap, flags=re.M | re.S)[1].split())
modules = set(re.search(r"module load ([\w -]+)", bootstrap)[1].split())
spack = set(re.findall(r'^    depends_on\("([\w-]+)', (source / "core/packaging/spack/package.py").read_text(), flags=re.M))
for name, (package, recipe) in PACKAGES.items():
    assert package in debian, f"{name}: bootstrap does not install {package}"
    assert recipe in spack, f"{name}: the Spack recipe does not depend on {recipe}"
    module = {"zlib-api": "zlib", "pkgconfig": "pkgconf"}.get(recipe, recipe)
    assert module in modules or name == "Catch2", f"{name}: bootstrap's list of modules lacks {module}"
tools = {"g++", "cmake", "make", "ninja-build", "ccache"}
unknown = debian - tools - {package for package, _ in PACKAGES.values()}
assert not unknown, f"bootstrap installs {sorted(unknown)}, which CMake does not find"
unknown = spack - {"c", "cxx", "cmake", "ninja", "cuda"} - {recipe for _, recipe in PACKAGES.values()}
assert not unknown, f"the Spack recipe depends on {sorted(unknown)}, which CMake does not find"
