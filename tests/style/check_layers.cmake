# Script mode, -DROOT=<tree>: enforces which layer may include which, and one place per foreign library.
# Names every offending include and fails if there is one.
cmake_minimum_required(VERSION 3.25)

# What each layer may include of core/ besides itself.
set(may_base "")
set(may_search base)
set(may_device base)
set(may_array device base)
set(may_kernel array device base)
set(may_job search kernel device base)
set(may_workload kernel array device base)
set(may_result array base)
set(may_verify kernel workload result job array device base)
set(may_inline verify workload job kernel array device base)
set(may_measure kernel result job array device base)
set(may_case inline measure verify workload job result kernel array device base)
set(may_run search case inline verify workload job result device array base)
set(may_report result array base)
set(may_app base search device array kernel workload job result verify measure inline case run report)
set(may_plugin workload kernel array base)

# A pattern of includes, then one of the only files that may have them.
set(doors
  "cuda\\.h|cudaTypedefs\\.h|cudaProfiler\\.h|nvrtc\\.h|nvml\\.h|cupti.*\\.h|nvJitLink\\.h|nvtx3/.*" "core/device/cuda/.*"
  "hdf5.*\\.h|H5.*\\.h"                           "core/result/h5/.*"
  "core/result/h5/detail\\.hpp"                    "core/result/h5/[a-z]+\\.cpp"
  "yaml-cpp/.*"                                   "core/job/yaml\\.cpp"
  "CLI/.*|CLI11\\.hpp"                            "core/app/command_line\\.cpp"
  "dlfcn\\.h"                                     "core/(base/shared_library|device/cuda/capture/loaded_cuda)\\.cpp"
  # Only core/device queries a device's backend: other rooms use its properties.
  "core/device/backend\\.hpp"                      "core/device/.*"
  "core/device/cuda/.*"                           "core/device/(backend\\.cpp|cuda/.*)"
  "core/device/host/.*"                           "core/device/(backend\\.cpp|host/.*)")

file(GLOB_RECURSE sources RELATIVE "${ROOT}" "${ROOT}/core/*.[ch]pp" "${ROOT}/core/*.h"
  "${ROOT}/core/*.cu*" "${ROOT}/plugins/*.[ch]pp" "${ROOT}/plugins/*.h" "${ROOT}/plugins/*.cu*")
set(offences "")
foreach(source IN LISTS sources)
  string(REGEX REPLACE "^core/([^/]+)/.*$" "\\1" layer "${source}")
  if(source MATCHES "^plugins/")
    set(layer plugin)
  elseif(NOT DEFINED may_${layer})
    list(APPEND offences "${source}: '${layer}' is no known layer")
    continue()
  endif()
  file(STRINGS "${ROOT}/${source}" lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[^<\"]*[<\"]([^>\"]*).*$" "\\1" include "${line}")
    if(include MATCHES "^core/([^/]+)/" AND NOT CMAKE_MATCH_1 IN_LIST may_${layer}
       AND NOT CMAKE_MATCH_1 STREQUAL layer)
      list(APPEND offences "${source} includes ${include}: ${layer} may not use ${CMAKE_MATCH_1}")
    endif()
    set(rest ${doors})
    while(rest)
      list(POP_FRONT rest pattern allowed)
      if(include MATCHES "^(${pattern})$" AND NOT source MATCHES "^(${allowed})$")
        list(APPEND offences "${source} includes ${include}: only ${allowed} may")
      endif()
    endwhile()
  endforeach()
endforeach()

list(LENGTH sources count)
if(count EQUAL 0)
  message(FATAL_ERROR "no sources under '${ROOT}'")
elseif(offences)
  list(JOIN offences "\n  " text)
  message(FATAL_ERROR "includes against the layers:\n  ${text}")
endif()
message(STATUS "${count} files keep to their layers")
