# core_test(), device_test(): one executable per test file, named after what it tests.
find_package(Catch2 REQUIRED)

# Kernels do not depend on how kernelbatch itself was built: all presets share what they compiled.
set(KERNELBATCH_TEST_CACHE "${PROJECT_SOURCE_DIR}/build/kernel-cache" CACHE PATH
  "Kernel cache of the tests")
set(KERNELBATCH_TEST_ENVIRONMENT
  "KERNELBATCH_CACHE_DIR=${KERNELBATCH_TEST_CACHE}")
# One preset tries all random definitions, the others enough to see that they build the same.
set(repeats_tests OFF)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR KERNELBATCH_CUDA STREQUAL "OFF")
  set(repeats_tests ON)
  list(APPEND KERNELBATCH_TEST_ENVIRONMENT "KERNELBATCH_RANDOM_DEFINITIONS=100"
    "KERNELBATCH_TEST_QUICK=1")
endif()
# Tests start processes that crash on purpose: the sanitizer must leave SIGSEGV alone. And g++ 12's
# leak checker takes thread-local memory of a loaded library that lies 16 bytes into a page for an old
# glibc's, reads its size from the bytes before it and crashes: it is not to follow that memory.
set(core_test_timeout 300)
set(device_test_timeout 900)
if(KERNELBATCH_SANITIZE)
  set(core_test_timeout 900)
  set(device_test_timeout 1500)
  list(APPEND KERNELBATCH_TEST_ENVIRONMENT "ASAN_OPTIONS=handle_segv=0:intercept_tls_get_addr=0")
endif()

# Catch2 v2 keeps its main in the header: compiled once, here.
function(kernelbatch_test_main)
  if(NOT TARGET kernelbatch_test_main)
    add_library(kernelbatch_test_main STATIC "${PROJECT_SOURCE_DIR}/tests/support/main.cpp"
      "${PROJECT_SOURCE_DIR}/tests/support/paths.cpp")
    target_link_libraries(kernelbatch_test_main PUBLIC Catch2::Catch2 kernelbatch_settings)
    target_link_libraries(kernelbatch_test_main PRIVATE kernelbatch_core)
    # What takes time in a test is the library, the command and kernels, which are optimised.
    target_compile_options(kernelbatch_test_main INTERFACE $<$<CONFIG:Release>:-O1>)
    target_compile_definitions(kernelbatch_test_main PRIVATE
      KERNELBATCH_SOURCE_DIR="${PROJECT_SOURCE_DIR}" KERNELBATCH_BINARY_DIR="${PROJECT_BINARY_DIR}")
  endif()
endfunction()

# core_test(NAME SOURCES … [LINK …] [LABELS …]): a Catch2 test of code that needs no GPU.
function(core_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "SOURCES;LINK;LABELS")
  if(test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "core_test(${name}): unknown words: ${test_UNPARSED_ARGUMENTS}")
  endif()
  kernelbatch_test_main()
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE kernelbatch_core kernelbatch_test_main ${test_LINK})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "core;${test_LABELS}" TIMEOUT ${core_test_timeout}
    ENVIRONMENT "${KERNELBATCH_TEST_ENVIRONMENT}")
endfunction()

# device_test(NAME SOURCES … [LINK …]): one executable, run once per backend. The backend comes from
# KERNELBATCH_TEST_DEVICE; the GPU's run exits 77 where there is no GPU, and CTest says "skipped".
function(device_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "SOURCES;LINK")
  if(test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "device_test(${name}): unknown words: ${test_UNPARSED_ARGUMENTS}")
  endif()
  kernelbatch_test_main()
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE kernelbatch_core kernelbatch_test_main ${test_LINK})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  foreach(backend host cuda)
    add_test(NAME ${name}.${backend} COMMAND ${name})
    set_tests_properties(${name}.${backend} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${device_test_timeout}
      ENVIRONMENT "KERNELBATCH_TEST_DEVICE=${backend};${KERNELBATCH_TEST_ENVIRONMENT}")
  endforeach()
  # COST: the tests of kernels are the longest, and start first.
  set_tests_properties(${name}.host PROPERTIES LABELS "device" COST 100)
  set_tests_properties(${name}.cuda PROPERTIES LABELS "gpu")
endfunction()

# reverse_test(NAME …): the host's run of each device_test once more, the threads of every block in
# reverse order and their shared memory filled with a pattern: a right kernel does not notice.
function(reverse_test)
  if(repeats_tests)
    return()
  endif()
  foreach(name IN LISTS ARGN)
    add_test(NAME ${name}.host.reverse COMMAND ${name})
    set_tests_properties(${name}.host.reverse PROPERTIES LABELS device TIMEOUT 600 ENVIRONMENT
      "KERNELBATCH_TEST_DEVICE=host;KERNELBATCH_HOST_THREAD_ORDER=reverse;KERNELBATCH_TEST_QUICK=1;${KERNELBATCH_TEST_ENVIRONMENT}")
  endforeach()
endfunction()
