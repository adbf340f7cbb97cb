# Script mode, -DROOT= -DFOLDER=: check_layers.cmake must fail on forbidden includes and name each, and
# must accept a tree without them.
cmake_minimum_required(VERSION 3.25)

# Writes a tree of one-line files (FILE, INCLUDE, FILE, INCLUDE, …) and runs the check on it.
function(check name)
  set(tree "${FOLDER}/${name}")
  file(REMOVE_RECURSE "${tree}")
  while(ARGN)
    list(POP_FRONT ARGN path include)
    file(APPEND "${tree}/${path}" "#include ${include}\n")
  endwhile()
  execute_process(COMMAND "${CMAKE_COMMAND}" "-DROOT=${tree}" -P "${ROOT}/tests/style/check_layers.cmake"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \t\r\n]+" " " output "${output}")  # CMake wraps its messages
  set(status "${status}" PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_offence name file include)
  check(${name} "${file}" "${include}" core/base/fine.cpp "<string>")
  string(REGEX REPLACE "[<>\"]" "" bare "${include}")
  string(FIND "${output}" "${file} includes ${bare}:" at)
  if(status EQUAL 0 OR at EQUAL -1)
    message(FATAL_ERROR "${name}: not found in: ${output}")
  endif()
  string(FIND "${output}" "fine.cpp" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${name}: blames a file that is right: ${output}")
  endif()
endfunction()

expect_offence(upwards core/array/array.cpp "\"core/kernel/raw/kernel.hpp\"")
expect_offence(sideways core/job/spec.hpp "\"core/array/dtype.hpp\"")
expect_offence(workload plugins/saxpy/raw.cpp "\"core/device/device_list.hpp\"")
expect_offence(backend core/kernel/program/program.cpp "\"core/device/cuda/driver.hpp\"")
expect_offence(any_backend core/measure/timer.cpp "\"core/device/backend.hpp\"")
expect_offence(backend_in_list core/device/device_list.cpp "\"core/device/host/host_device.hpp\"")
expect_offence(other_backend core/device/host/simt.cpp "\"core/device/cuda/driver.hpp\"")
expect_offence(cuda core/device/device_list.cpp "<cuda.h>")
expect_offence(nvrtc core/kernel/program/program.cpp "<nvrtc.h>")
expect_offence(yaml core/job/sweep.cpp "<yaml-cpp/yaml.h>")
expect_offence(hdf5 core/result/record.cpp "<hdf5.h>")
expect_offence(hdf5_parts core/result/table.cpp "\"core/result/h5/detail.hpp\"")
expect_offence(cli core/run/plan.cpp "<CLI/CLI.hpp>")
expect_offence(cli_in_app core/app/command/run.cpp "<CLI/CLI.hpp>")
expect_offence(dlfcn core/workload/loader.cpp "<dlfcn.h>")

check(right core/kernel/raw/kernel.cpp "\"core/array/array.hpp\"" core/device/cuda/driver.hpp "<cuda.h>"
  core/device/backend.cpp "\"core/device/host/host_backend.hpp\"" core/device/device_list.cpp "\"core/device/backend.hpp\"" core/app/command_line.cpp "<CLI/CLI.hpp>"
  core/base/shared_library.cpp "<dlfcn.h>" plugins/saxpy/raw.cpp "\"core/kernel/raw/kernel.hpp\""
  core/job/yaml.cpp "<yaml-cpp/yaml.h>" core/result/h5/file.cpp "<hdf5.h>"
  core/result/h5/group.cpp "\"core/result/h5/detail.hpp\"")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "a tree that keeps to its layers is refused: ${output}")
endif()

check(empty)
if(status EQUAL 0)
  message(FATAL_ERROR "a tree without sources passes: ${output}")
endif()
