# `cmake --install build --prefix DIR`: a tree that can be moved as a whole.
#   bin/kernelbatch   lib/libkernelbatch.so   lib/kernelbatch/plugins/   lib/cmake/kernelbatch/
#   include/kernelbatch/   share/kernelbatch/{jobs,slurm,data}/
include(CMakePackageConfigHelpers)
set_target_properties(kernelbatch PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
set_target_properties(kernelbatch_core PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS kernelbatch RUNTIME DESTINATION bin)
install(TARGETS kernelbatch_core kernelbatch_settings EXPORT kernelbatch LIBRARY DESTINATION lib)
get_property(plugin_targets GLOBAL PROPERTY KERNELBATCH_PLUGINS)
set_target_properties(${plugin_targets} PROPERTIES INSTALL_RPATH "$ORIGIN/../..")
install(TARGETS ${plugin_targets} LIBRARY DESTINATION lib/kernelbatch/plugins)

# What plugins compile against: the layers up to `plugin`, under the names that they include.
install(DIRECTORY core/base core/array core/device core/kernel core/plugin
  DESTINATION include/kernelbatch/core FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.cuh"
  PATTERN core/plugin/inline EXCLUDE)
install(DIRECTORY "${PROJECT_BINARY_DIR}/include/kernelbatch" DESTINATION include/kernelbatch)
set(package lib/cmake/kernelbatch)
install(EXPORT kernelbatch NAMESPACE kernelbatch:: FILE kernelbatchTargets.cmake DESTINATION ${package})
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/kernelbatchConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/kernelbatchConfig.cmake" INSTALL_DESTINATION ${package})
# A plugin fits one build of kernelbatch: any other refuses it by its tag.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/kernelbatchConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/kernelbatchConfig.cmake"
  "${PROJECT_BINARY_DIR}/kernelbatchConfigVersion.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/AddPlugin.cmake" "${CMAKE_CURRENT_LIST_DIR}/Embed.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/EmbedFile.cmake" "${CMAKE_CURRENT_LIST_DIR}/FindToolkit.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/plugin_exports.map" DESTINATION ${package})

install(DIRECTORY jobs slurm data DESTINATION share/kernelbatch)
install(FILES core/job/job.schema.json DESTINATION share/kernelbatch)
install(FILES README.md LICENSE DESTINATION share/doc/kernelbatch)
