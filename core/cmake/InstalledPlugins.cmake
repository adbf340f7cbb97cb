# installed_plugins(VARIABLE): the plugins that are installed. Their kernels are compiled for
# KERNELBATCH_INSTALL_ARCHITECTURES, those in the build folder for KERNELBATCH_CUDA_ARCHITECTURES. If these differ, each
# plugin is linked a second time, from the same objects and other images, into build/installed_plugins/. Only the target
# `installed_plugins` builds these: an installation and a package build it.
function(installed_plugins variable)
  get_property(plugins GLOBAL PROPERTY KERNELBATCH_PLUGINS)
  set(installed "")
  foreach(plugin IN LISTS plugins)
    get_target_property(kernels ${plugin} KERNELBATCH_KERNELS)
    get_target_property(name ${plugin} OUTPUT_NAME)
    if(NOT KERNELBATCH_HAS_CUDA OR NOT kernels
       OR KERNELBATCH_CUDA_ARCHITECTURES STREQUAL KERNELBATCH_INSTALL_ARCHITECTURES)
      list(APPEND installed ${plugin})
      file(REMOVE "${PROJECT_BINARY_DIR}/installed_plugins/${name}.so")  # of an earlier configuration
      continue()
    endif()
    get_target_property(embed ${plugin} KERNELBATCH_EMBED)
    get_target_property(link ${plugin} KERNELBATCH_LINK)
    set(target kernelbatch_installed_${name})
    # All objects except that of the embedded files.
    add_library(${target} MODULE EXCLUDE_FROM_ALL $<FILTER:$<TARGET_OBJECTS:${plugin}>,EXCLUDE,/embedded/>)
    set_plugin_properties(${target} ${name} installed_plugins)
    target_link_libraries(${target} PRIVATE ${link})
    embed_in_plugin(${target} ${KERNELBATCH_INSTALL_ARCHITECTURES} EMBED ${embed} KERNELS ${kernels})
    list(APPEND installed ${target})
  endforeach()
  add_custom_target(installed_plugins DEPENDS ${installed})
  set(${variable} "${installed}" PARENT_SCOPE)
endfunction()
