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
  set_plugin_properties(${target} ${name} plugins)
  target_link_libraries(${target} PRIVATE ${plugin_LINK})
  if(COMMAND reuse_headers)  # in kernelbatch's own tree
    reuse_headers(${target} plugin)
  else()  # what it needs is in the process that loads it, and those are to be the same ones
    set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON)
  endif()
  # References must be fast even if no build type was chosen.
  target_compile_options(${target} PRIVATE $<$<CONFIG:>:-O3>)
  foreach(list plugin_EMBED plugin_KERNELS)
    set(paths "")
    foreach(path IN LISTS ${list})
      get_filename_component(path "${path}" ABSOLUTE)
      list(APPEND paths "${path}")
    endforeach()
    set(${list} "${paths}")
  endforeach()
  set_target_properties(${target} PROPERTIES
    KERNELBATCH_EMBED "${plugin_EMBED}" KERNELBATCH_KERNELS "${plugin_KERNELS}" KERNELBATCH_LINK "${plugin_LINK}")
  embed_in_plugin(${target} ${KERNELBATCH_CUDA_ARCHITECTURES} EMBED ${plugin_EMBED} KERNELS ${plugin_KERNELS})
endfunction()

# set_plugin_properties(TARGET NAME FOLDER): a module FOLDER/NAME.so of the build folder with one exported symbol.
function(set_plugin_properties target name folder)
  target_link_libraries(${target} PRIVATE ${KERNELBATCH_PLUGIN_LIBRARIES} OpenMP::OpenMP_CXX)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} PREFIX "" LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}"
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  # With hidden visibility, a plugin would still export the standard library's inline variables and type names.
  target_link_options(${target} PRIVATE
    "-Wl,--version-script=${KERNELBATCH_PLUGIN_EXPORTS}"
    $<$<NOT:$<BOOL:${KERNELBATCH_SANITIZE}>>:-Wl,--no-undefined>)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${KERNELBATCH_PLUGIN_EXPORTS}")
endfunction()

# embed_in_plugin(TARGET ARCHITECTURES EMBED text files KERNELS raw.cu …): "embedded.hpp" of TARGET, with the images that
# nvcc compiles for -arch=ARCHITECTURES.
function(embed_in_plugin target architectures)
  cmake_parse_arguments(PARSE_ARGV 2 plugin "" "" "EMBED;KERNELS")
  set(files "")
  foreach(text IN LISTS plugin_EMBED plugin_KERNELS)
    get_filename_component(file_name "${text}" NAME)
    string(MAKE_C_IDENTIFIER "${file_name}" identifier)
    list(APPEND files "${identifier}=${text}")
  endforeach()
  foreach(kernel IN LISTS plugin_KERNELS)
    get_filename_component(file_name "${kernel}" NAME)
    string(MAKE_C_IDENTIFIER "${file_name}" identifier)
    set(fatbin "${CMAKE_CURRENT_BINARY_DIR}/embedded/${target}/${file_name}.fatbin")
    if(KERNELBATCH_HAS_CUDA)
      add_custom_command(OUTPUT "${fatbin}"
        COMMAND "${KERNELBATCH_NVCC}" -fatbin -arch=${architectures} -std=c++20 -O3
                --threads 2 "-I${KERNELBATCH_HEADERS}/core/device/cuda/include"
                "-I${KERNELBATCH_HEADERS}/core/device/include"
                -MD -MF "${fatbin}.d" -MT "${fatbin}" -o "${fatbin}" "${kernel}"
        DEPENDS "${kernel}" DEPFILE "${fatbin}.d"
        COMMENT "Compiling ${file_name} of ${target} for ${architectures}" VERBATIM)
    else()
      add_custom_command(OUTPUT "${fatbin}" COMMAND "${CMAKE_COMMAND}" -E touch "${fatbin}"
        COMMENT "No CUDA Toolkit: ${file_name} of ${target} is compiled at run time" VERBATIM)
    endif()
    list(APPEND files "${identifier}_fatbin=${fatbin}")
  endforeach()
  if(files)
    embed_files(${target} NAMESPACE embedded HEADER embedded.hpp FILES ${files})
  endif()
endfunction()

# kernelbatch_add_plugin_test(NAME JOB), after enable_testing(): CTest runs the job, which verifies every variant, on
# the GPU if there is one. NAME.sanitize runs it again with checks on the host device: races, accesses outside arrays,
# reads of uninitialized memory, barriers that not all threads reach.
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
