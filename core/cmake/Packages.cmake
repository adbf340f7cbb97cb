# Packages of an installed tree: `cmake --build build --target bundle`, `deb` or `wheel`.
set(packaging_scripts "${PROJECT_SOURCE_DIR}/core/packaging")

# A tarball with every library that is needed, for machines that have none of them.
add_custom_target(bundle COMMAND "${packaging_scripts}/make_bundle" "${PROJECT_BINARY_DIR}" VERBATIM USES_TERMINAL)

# The same for Python: a wheel with a module that runs the command and opens results.
add_custom_target(wheel
  COMMAND "${packaging_scripts}/make_bundle" "${PROJECT_BINARY_DIR}" -1
  COMMAND python3 "${packaging_scripts}/make_wheel"
    "${PROJECT_BINARY_DIR}/kernelbatch-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}.tar.gz"
    "${PROJECT_BINARY_DIR}" VERBATIM USES_TERMINAL)

# For Debian and its derivatives, with the libraries of the distribution on which it is built.
add_custom_target(deb COMMAND "${CMAKE_CPACK_COMMAND}" -G DEB
  WORKING_DIRECTORY "${PROJECT_BINARY_DIR}" VERBATIM USES_TERMINAL)
foreach(package bundle wheel deb)
  add_dependencies(${package} kernelbatch installed_plugins kernelbatch_shell_files)
endforeach()

# `cpack -G DEB`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "the kernelbatch authors")
set(CPACK_PACKAGE_CONTACT "the kernelbatch authors <kernelbatch@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "batch runs of GPU kernels in every style, verified and timed")
set(CPACK_PACKAGE_DESCRIPTION "kernelbatch runs one computation in every style of GPU kernel
(elementwise, reduction, JIT-style, raw CUDA, fused) and says which of
them are right and how fast each is on the GPU, MIG slice or CPU at
hand. A job is a YAML file, a workload is a plugin; every result is
verified against a CPU reference and stored with its samples in HDF5.
The GPU's driver and NVRTC are opened where they are there; kernels on
the CPU need a C++ compiler.")
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${packaging_scripts}/debian/finish_tree.cmake")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
  GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The compiler compiles kernels for the host device; with fmt's headers it also builds plugins.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++, libfmt-dev, python3")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, make, python3-xarray, python3-h5netcdf, nvidia-driver, nvidia-cuda-toolkit")
include(CPack)
