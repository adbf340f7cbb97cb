# `cmake --install build --prefix DIR`: a tree that can be moved as a whole.
#   bin/kernelbatch   lib/libkernelbatch.so   lib/kernelbatch/plugins/   lib/cmake/kernelbatch/
#   include/kernelbatch/   share/kernelbatch/{jobs,slurm,data,import,modulefiles,apptainer,spack}/
#   share/man/   share/{bash-completion,zsh,fish}/
include(CMakePackageConfigHelpers)
set_target_properties(kernelbatch PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
# RPATH instead of RUNPATH: it holds for the libraries of libraries too, and no LD_LIBRARY_PATH of a
# module puts others in front of those that a bundle carries.
target_link_options(kernelbatch PRIVATE LINKER:--disable-new-dtags)
target_link_options(kernelbatch_core PRIVATE LINKER:--disable-new-dtags)
set_target_properties(kernelbatch_core PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS kernelbatch RUNTIME DESTINATION bin)
install(TARGETS kernelbatch_core kernelbatch_settings EXPORT kernelbatch LIBRARY DESTINATION lib)
installed_plugins(plugin_targets)
set_target_properties(${plugin_targets} PROPERTIES INSTALL_RPATH "$ORIGIN/../..")
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\" --target installed_plugins
  COMMAND_ERROR_IS_FATAL ANY)")
install(TARGETS ${plugin_targets} LIBRARY DESTINATION lib/kernelbatch/plugins)

# What plugins compile against, under the names that they include.
interface_headers(headers)
foreach(header IN LISTS headers)
  get_filename_component(folder "${header}" DIRECTORY)
  install(FILES "${header}" DESTINATION "include/kernelbatch/${folder}")
endforeach()
install(DIRECTORY "${PROJECT_BINARY_DIR}/include/kernelbatch" DESTINATION include/kernelbatch)
set(package lib/cmake/kernelbatch)
install(EXPORT kernelbatch NAMESPACE kernelbatch:: FILE kernelbatchTargets.cmake DESTINATION ${package})
set(package_files "${PROJECT_BINARY_DIR}/packaging/cmake")
set(headers_folder include/kernelbatch)
set(program bin/kernelbatch)
set(modules ${package})
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/kernelbatchConfig.cmake.in"
  "${package_files}/kernelbatchConfig.cmake" INSTALL_DESTINATION ${package}
  PATH_VARS headers_folder program modules)
# A plugin fits one build of kernelbatch: any other refuses it by its tag.
write_basic_package_version_file("${package_files}/kernelbatchConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${package_files}/kernelbatchConfig.cmake"
  "${package_files}/kernelbatchConfigVersion.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/AddPlugin.cmake" "${CMAKE_CURRENT_LIST_DIR}/Embed.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/EmbedFiles.cmake" "${CMAKE_CURRENT_LIST_DIR}/FindToolkit.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/plugin_exports.map" DESTINATION ${package})

# The same package of the build folder, for CMAKE_PREFIX_PATH=build.
set(headers_folder "${PROJECT_SOURCE_DIR}")
set(program "${PROJECT_BINARY_DIR}/kernelbatch")
set(modules "${CMAKE_CURRENT_LIST_DIR}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/kernelbatchConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/kernelbatchConfig.cmake" INSTALL_DESTINATION .
  INSTALL_PREFIX "${PROJECT_BINARY_DIR}" PATH_VARS headers_folder program modules)
configure_file("${package_files}/kernelbatchConfigVersion.cmake"
  "${PROJECT_BINARY_DIR}/kernelbatchConfigVersion.cmake" COPYONLY)
export(EXPORT kernelbatch NAMESPACE kernelbatch:: FILE "${PROJECT_BINARY_DIR}/kernelbatchTargets.cmake")

install(DIRECTORY jobs slurm data core/app/import DESTINATION share/kernelbatch
  PATTERN __pycache__ EXCLUDE)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION share/doc/kernelbatch)
install(FILES plugins/README.md DESTINATION share/doc/kernelbatch/plugins)

# What the command says of itself: completion for shells, the manual page, the schema of jobs.
set(written "${PROJECT_BINARY_DIR}/share")
set(shell_files)
foreach(file "bash/kernelbatch=completion bash" "zsh/_kernelbatch=completion zsh"
    "fish/kernelbatch.fish=completion fish" "man/kernelbatch.1=man"
    "job.schema.json=schema")
  string(REGEX MATCH "^(.*)=(.*)$" ignored "${file}")
  set(output "${written}/${CMAKE_MATCH_1}")
  separate_arguments(words UNIX_COMMAND "${CMAKE_MATCH_2}")
  get_filename_component(folder "${output}" DIRECTORY)
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
    COMMAND "${CMAKE_COMMAND}" -E env ASAN_OPTIONS=detect_leaks=0
            "$<TARGET_FILE:kernelbatch>" ${words} > "${output}"
    DEPENDS kernelbatch kernelbatch_core COMMENT "Writing ${CMAKE_MATCH_1}" VERBATIM)
  list(APPEND shell_files "${output}")
endforeach()
add_custom_target(kernelbatch_shell_files ALL DEPENDS ${shell_files})
install(FILES "${written}/bash/kernelbatch" DESTINATION share/bash-completion/completions)
install(FILES "${written}/zsh/_kernelbatch" DESTINATION share/zsh/site-functions)
install(FILES "${written}/fish/kernelbatch.fish" DESTINATION share/fish/vendor_completions.d)
install(FILES "${written}/man/kernelbatch.1" DESTINATION share/man/man1)
install(FILES "${written}/job.schema.json" DESTINATION share/kernelbatch)

# How sites offer it to their users.
foreach(file modulefiles/kernelbatch.lua.in modulefiles/kernelbatch.tcl.in
    apptainer/kernelbatch.def.in)
  string(REGEX REPLACE "\\.in$" "" name "${file}")
  configure_file("core/packaging/${file}" "${PROJECT_BINARY_DIR}/packaging/${name}" @ONLY)
endforeach()
set(packaging "${PROJECT_BINARY_DIR}/packaging")
set(modulefiles share/kernelbatch/modulefiles/kernelbatch)
install(FILES "${packaging}/modulefiles/kernelbatch.lua" DESTINATION ${modulefiles}
  RENAME ${PROJECT_VERSION}.lua)
install(FILES "${packaging}/modulefiles/kernelbatch.tcl" DESTINATION ${modulefiles}
  RENAME ${PROJECT_VERSION})
install(FILES "${packaging}/apptainer/kernelbatch.def" DESTINATION share/kernelbatch/apptainer)
install(DIRECTORY core/packaging/spack DESTINATION share/kernelbatch)
