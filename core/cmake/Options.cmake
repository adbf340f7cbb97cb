# Options of the build, the packages it needs and the settings of all targets.
option(KERNELBATCH_BUILD_TESTS "Build the tests" ON)
option(KERNELBATCH_WERROR "Treat warnings as errors" OFF)
option(KERNELBATCH_CUDA "Use the CUDA Toolkit's headers and nvcc if found" ON)
option(KERNELBATCH_FAILPOINTS "Places at which tests make a run fail or die (tests/torture)" OFF)
option(KERNELBATCH_FUZZ "Build libFuzzer's targets; needs clang (tests/fuzz/README.md)" OFF)
set(KERNELBATCH_SANITIZE "" CACHE STRING "Sanitizers, for example address;undefined")
# all-major is one binary image for each major architecture, which every minor one can run, and PTX of the newest.
set(KERNELBATCH_INSTALL_ARCHITECTURES "all-major" CACHE STRING
  "What nvcc -arch= gets for the kernels of installed and packaged plugins")
# The driver compiles PTX of compute_75 for every GPU at its first use, and caches the result. Such PTX lacks code for
# newer architectures, so a machine with a GPU builds all of them.
set(build_architectures compute_75)
if(EXISTS "/proc/driver/nvidia/version")
  set(build_architectures "${KERNELBATCH_INSTALL_ARCHITECTURES}")
endif()
set(KERNELBATCH_CUDA_ARCHITECTURES "${build_architectures}" CACHE STRING
  "The same for the plugins in the build folder; the default is compute_75 on machines without a GPU")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Most of a source's compile time is spent on its headers: several sources of a layer are compiled together. OFF
# compiles each separately.
option(CMAKE_UNITY_BUILD "Compile the sources of a layer several at a time" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 7 CACHE STRING "Largest number of sources compiled at a time")

# A changed libkernelbatch.so with the same interface needs no new links of the programs and plugins that load it.
set(CMAKE_LINK_DEPENDS_NO_SHARED ON)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Compiled code does not depend on the folder: presets and work trees share common objects. ccache accepts sources
  # with precompiled headers only with this sloppiness.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" "${CCACHE_PROGRAM}")
endif()

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(libdw REQUIRED IMPORTED_TARGET libdw libelf)
pkg_check_modules(libseccomp IMPORTED_TARGET libseccomp)
if(NOT libseccomp_FOUND)
  message(STATUS "libseccomp not found: kernel texts on the host device will be able to start programs (libseccomp-dev)")
endif()
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
find_package(Boost 1.70 REQUIRED)  # headers only
find_package(HDF5 REQUIRED COMPONENTS C)
if(NOT TARGET hdf5::hdf5)
  add_library(hdf5::hdf5 INTERFACE IMPORTED)
  target_include_directories(hdf5::hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
  target_link_libraries(hdf5::hdf5 INTERFACE ${HDF5_C_LIBRARIES})
endif()

include(FindToolkit)
