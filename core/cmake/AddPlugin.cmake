# kernelbatch_add_plugin(NAME SOURCES … [EMBED text files] [KERNELS raw.cu …] [LINK …]): one workload
# as a shared library with one exported symbol.
#
# EMBED    texts built into the plugin: `jit.cuh` becomes `embedded::jit_cuh`.
# KERNELS  device-only CUDA sources: `raw.cu` becomes `embedded::raw_cu`, its text, and
#          `embedded::raw_cu_fatbin`, its images (empty without the CUDA Toolkit).
# Both are declared in "embedded.hpp".
function(kernelbatch_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 plugin "" "" "SOURCES;EMBED;KERNELS;LINK")
  if(plugin_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "kernelbatch_add_plugin(${name}): unknown words: ${plugin_UNPARSED_ARGUMENTS}")
  endif()
  set(target kernelbatch_plugin_${name})
  add_library(${target} MODULE ${plugin_SOURCES})
  set_property(GLOBAL APPEND PROPERTY KERNELBATCH_PLUGINS ${target})
  target_link_libraries(${target} PRIVATE ${KERNELBATCH_PLUGIN_LIBRARIES} OpenMP::OpenMP_CXX
    ${plugin_LINK})
  if(COMMAND reuse_headers)  # in kernelbatch's own tree
    reuse_headers(${target} plugin)
  else()  # what it needs is in the process that loads it, and those are to be the same ones
    set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON)
  endif()
  # References are to be fast even where nobody chose a build type.
  target_compile_options(${target} PRIVATE $<$<CONFIG:>:-O3>)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} PREFIX "" LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/plugins"
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  # Hidden visibility alone would still export the standard library's inline variables and type names.
  target_link_options(${target} PRIVATE
    "-Wl,--version-script=${KERNELBATCH_PLUGIN_EXPORTS}"
    $<$<NOT:$<BOOL:${KERNELBATCH_SANITIZE}>>:-Wl,--no-undefined>)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${KERNELBATCH_PLUGIN_EXPORTS}")

  set(files "")
  foreach(text IN LISTS plugin_EMBED plugin_KERNELS)
    get_filename_component(file_name "${text}" NAME)
    string(MAKE_C_IDENTIFIER "${file_name}" identifier)
    get_filename_component(path "${text}" ABSOLUTE)
    list(APPEND files "${identifier}=${path}")
  endforeach()
  foreach(kernel IN LISTS plugin_KERNELS)
    get_filename_component(file_name "${kernel}" NAME)
    string(MAKE_C_IDENTIFIER "${file_name}" identifier)
    get_filename_component(path "${kernel}" ABSOLUTE)
    set(fatbin "${CMAKE_CURRENT_BINARY_DIR}/${file_name}.fatbin")
    if(KERNELBATCH_HAS_CUDA)
      add_custom_command(OUTPUT "${fatbin}"
        COMMAND "${KERNELBATCH_NVCC}" -fatbin -arch=${KERNELBATCH_CUDA_ARCHITECTURES} -std=c++20 -O3
                --threads 2 "-I${KERNELBATCH_HEADERS}/core/device/cuda/include"
                "-I${KERNELBATCH_HEADERS}/core/device/include"
                -MD -MF "${fatbin}.d" -MT "${fatbin}" -o "${fatbin}" "${path}"
        DEPENDS "${path}" DEPFILE "${fatbin}.d"
        COMMENT "Compiling ${name}/${file_name} ahead of time" VERBATIM)
    else()
      add_custom_command(OUTPUT "${fatbin}" COMMAND "${CMAKE_COMMAND}" -E touch "${fatbin}"
        COMMENT "No CUDA Toolkit: ${name}/${file_name} is compiled at run time" VERBATIM)
    endif()
    list(APPEND files "${identifier}_fatbin=${fatbin}")
  endforeach()
  if(files)
    embed_files(${target} NAMESPACE embedded HEADER embedded.hpp FILES ${files})
  endif()
endfunction()

# kernelbatch_add_plugin_test(NAME JOB), after enable_testing(): CTest runs the job, which verifies every variant, on the GPU where there is one;
# and again as NAME.sanitize under checks on the host device: races, accesses outside of arrays, reads of what nobody has
# written, barriers that not all threads reach.
function(kernelbatch_add_plugin_test name job)
  get_filename_component(job "${job}" ABSOLUTE)
  foreach(how "" ".sanitize")
    string(REPLACE "." "--" option "${how}")
    add_test(NAME ${name}${how} COMMAND "${KERNELBATCH_PROGRAM}" run --overwrite ${option} "${job}"
      -o "${PROJECT_BINARY_DIR}/test${how}.h5")
    set_tests_properties(${name}${how} PROPERTIES
      ENVIRONMENT "KERNELBATCH_PLUGIN_PATH=${PROJECT_BINARY_DIR}/plugins")
  endforeach()
endfunction()
set(KERNELBATCH_PLUGIN_EXPORTS "${CMAKE_CURRENT_LIST_DIR}/plugin_exports.map")
