# core_test(), device_test(): Catch2 tests, one executable per folder.
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
set(core_test_timeout 600)
set(device_test_timeout 1800)
if(KERNELBATCH_SANITIZE)
  # Threads of kernels take ten times as long there, since each change from one to another is told to the sanitizer.
  list(TRANSFORM KERNELBATCH_TEST_ENVIRONMENT REPLACE "^KERNELBATCH_TEST_QUICK=1$" "KERNELBATCH_TEST_QUICK=2")
  set(core_test_timeout 900)
  set(device_test_timeout 2400)
  list(APPEND KERNELBATCH_TEST_ENVIRONMENT "ASAN_OPTIONS=handle_segv=0:intercept_tls_get_addr=0")
endif()

# Catch2 v2 keeps its main in the header: compiled once, here.
function(kernelbatch_test_main)
  if(NOT TARGET kernelbatch_test_main)
    add_library(kernelbatch_test_main STATIC "${PROJECT_SOURCE_DIR}/tests/support/main.cpp"
      "${PROJECT_SOURCE_DIR}/tests/support/paths.cpp")
    set_target_properties(kernelbatch_test_main PROPERTIES UNITY_BUILD OFF)
    target_link_libraries(kernelbatch_test_main PUBLIC Catch2::Catch2 kernelbatch_settings)
    target_link_libraries(kernelbatch_test_main PRIVATE kernelbatch_core)
    target_compile_options(kernelbatch_test_main PRIVATE -O0)
    # What takes time in a test is the library, the command and kernels, which are optimised. -Og compiles in two thirds
    # of the time of -O1.
    target_compile_options(kernelbatch_test_main INTERFACE $<$<CONFIG:Release>:-Og>)
    target_compile_definitions(kernelbatch_test_main PRIVATE
      KERNELBATCH_SOURCE_DIR="${PROJECT_SOURCE_DIR}" KERNELBATCH_BINARY_DIR="${PROJECT_BINARY_DIR}")
  endif()
endfunction()

# Adds a test's sources to the executable of its folder: SOURCES … [LINK …] [LABELS …] [NEEDS targets …] [GROUP …].
# Sets `executable`; `filter`, what makes Catch2 run the cases of these sources alone; and `labels`.
function(add_test_sources name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "GROUP" "SOURCES;LINK;LABELS;NEEDS")
  if(test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "test ${name}: unknown words: ${test_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT test_GROUP)
    get_filename_component(test_GROUP "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
  endif()
  set(executable ${test_GROUP}_tests)
  kernelbatch_test_main()
  if(NOT TARGET ${executable})
    add_executable(${executable})
    target_link_libraries(${executable} PRIVATE kernelbatch_core kernelbatch_test_main)
    reuse_headers(${executable} program)
    set_target_properties(${executable} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  endif()
  set(tags)
  foreach(source IN LISTS test_SOURCES)
    get_target_property(known ${executable} SOURCES)
    if(NOT source IN_LIST known)
      target_sources(${executable} PRIVATE ${source})
    endif()
    get_filename_component(stem ${source} NAME_WE)
    if(stem MATCHES "_test$")
      list(APPEND tags "[#${stem}]~[.]")
    endif()
  endforeach()
  target_link_libraries(${executable} PRIVATE ${test_LINK})
  if(test_NEEDS)
    add_dependencies(${executable} ${test_NEEDS})
  endif()
  list(JOIN tags "," tags)
  set(executable ${executable} PARENT_SCOPE)
  set(filter "${tags}" PARENT_SCOPE)
  set(labels "${test_LABELS}" PARENT_SCOPE)
endfunction()

# core_test(NAME …): a Catch2 test of code that needs no GPU; its words are those of add_test_sources. The tests of a
# folder are one executable, `<folder>_tests`, or `<GROUP>_tests`; each is a process of its own.
function(core_test name)
  add_test_sources(${name} ${ARGN})
  add_test(NAME ${name} COMMAND ${executable} -\# "${filter}")
  set_tests_properties(${name} PROPERTIES LABELS "core;${labels}" TIMEOUT ${core_test_timeout}
    ENVIRONMENT "${KERNELBATCH_TEST_ENVIRONMENT}")
endfunction()

# device_test(NAME …): the same, run once per backend. The backend comes from KERNELBATCH_TEST_DEVICE; the GPU's run
# exits 77 where there is no GPU, and CTest says "skipped".
function(device_test name)
  add_test_sources(${name} ${ARGN})
  foreach(backend host cuda)
    add_test(NAME ${name}.${backend} COMMAND ${executable} -\# "${filter}")
    set_tests_properties(${name}.${backend} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${device_test_timeout}
      ENVIRONMENT "KERNELBATCH_TEST_DEVICE=${backend};${KERNELBATCH_TEST_ENVIRONMENT}")
  endforeach()
  # COST: the tests of kernels are the longest, and start first.
  set_tests_properties(${name}.host PROPERTIES LABELS "device" COST 100)
  set_tests_properties(${name}.cuda PROPERTIES LABELS "gpu")
  set_property(GLOBAL APPEND PROPERTY KERNELBATCH_GPU_TESTS "${name} ${executable} ${filter}")
endfunction()

# reverse_test(NAME …): where a preset repeats these tests, the threads of every block run in reverse order and their
# shared memory is filled with a pattern: a right kernel does not notice.
function(reverse_test)
  if(NOT repeats_tests)
    return()
  endif()
  foreach(name IN LISTS ARGN)
    if(TEST ${name})
      set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "KERNELBATCH_HOST_THREAD_ORDER=reverse")
    endif()
  endforeach()
endfunction()

# quick_kernels_test(NAME …): their kernels are compiled in half the time; those of the other tests, and of the jobs, are
# compiled as users' are.
function(quick_kernels_test)
  foreach(name IN LISTS ARGN)
    if(TEST ${name})
      set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "KERNELBATCH_HOST_CXXFLAGS=-O1")
    endif()
  endforeach()
endfunction()
