# core_test(), device_test(): Catch2 tests, one executable per folder.
find_package(Catch2 REQUIRED)

# Kernels do not depend on how kernelbatch itself was built: all presets share compiled kernels.
set(KERNELBATCH_TEST_CACHE "${PROJECT_SOURCE_DIR}/build/kernel-cache" CACHE PATH
  "Kernel cache of the tests")
set(KERNELBATCH_TEST_ENVIRONMENT
  "KERNELBATCH_CACHE_DIR=${KERNELBATCH_TEST_CACHE}")
list(APPEND KERNELBATCH_TEST_ENVIRONMENT "KERNELBATCH_HOST_CXXFLAGS=-O1")
# Times are simulated, so that they do not depend on the machine: tests/README.md.
list(APPEND KERNELBATCH_TEST_ENVIRONMENT "KERNELBATCH_CLOCK=simulated")

# Random tests have a fixed part and a part that depends on this seed, which is printed; set KERNELBATCH_TEST_SEED to
# repeat it.
execute_process(COMMAND git -C "${PROJECT_SOURCE_DIR}" rev-parse --short=7 HEAD OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(commit MATCHES "^[0-9a-f]+$")
  math(EXPR commit_seed "0x${commit}")
else()
  set(commit_seed 1)
endif()
list(APPEND KERNELBATCH_TEST_ENVIRONMENT "KERNELBATCH_COMMIT_SEED=${commit_seed}")

option(KERNELBATCH_NIGHTLY "Run every test in this preset, as tests/README.md describes for `nightly`" OFF)
# Presets other than `release` run only tests that are relevant for them.
set(repeats_tests OFF)
set(tests_core_only OFF)  # core's own code and its tests, for the sanitizers
if("address" IN_LIST KERNELBATCH_SANITIZE AND NOT KERNELBATCH_NIGHTLY AND NOT KERNELBATCH_FUZZ)
  set(tests_core_only ON)
endif()
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR KERNELBATCH_CUDA STREQUAL "OFF")
  set(repeats_tests ON)
endif()

# A limit ends a test that hangs: at least ten times its duration on a busy machine.
set(hang_limit 3600)
if(KERNELBATCH_SANITIZE)
  # Tests start processes that crash on purpose: the sanitizer must not handle SIGSEGV. Also, g++ 12's leak checker
  # mistakes thread-local memory of a loaded library that begins 16 bytes into a page for that of an old glibc, reads
  # its size from the bytes before it and crashes: do not track that memory.
  list(APPEND KERNELBATCH_TEST_ENVIRONMENT "ASAN_OPTIONS=handle_segv=0:intercept_tls_get_addr=0"
    "KERNELBATCH_TEST_SANITIZED=1" "KERNELBATCH_TEST_QUICK=1")
endif()

# test_size(quick | full | nightly NAME …): where a test runs. `./bootstrap test` runs `quick`, `./bootstrap test full`
# (as CI does) also `full`; `nightly` is run by hand. Tests of core_test and device_test are `quick` by default;
# tests/style checks that every test has one size.
function(test_size size)
  if(NOT size MATCHES "^(quick|full|nightly)$")
    message(FATAL_ERROR "test_size(${size}): expected quick, full or nightly")
  endif()
  foreach(name IN LISTS ARGN)
    if(NOT TEST ${name})
      continue()
    endif()
    get_test_property(${name} LABELS labels)
    if(NOT labels)
      set(labels "")
    endif()
    list(REMOVE_ITEM labels quick full nightly)
    set_tests_properties(${name} PROPERTIES LABELS "${labels};${size}")
    get_test_property(${name} TIMEOUT limit)
    if(NOT limit)
      set_tests_properties(${name} PROPERTIES TIMEOUT ${hang_limit})
    endif()
  endforeach()
endfunction()

# Catch2 v2 keeps its main in the header: compiled once, here.
function(kernelbatch_test_main)
  if(NOT TARGET kernelbatch_test_main)
    add_library(kernelbatch_test_main STATIC "${PROJECT_SOURCE_DIR}/tests/support/main.cpp"
      "${PROJECT_SOURCE_DIR}/tests/support/paths.cpp")
    set_target_properties(kernelbatch_test_main PROPERTIES UNITY_BUILD OFF)
    target_link_libraries(kernelbatch_test_main PUBLIC Catch2::Catch2 kernelbatch_settings)
    target_link_libraries(kernelbatch_test_main PRIVATE kernelbatch_core)
    target_compile_options(kernelbatch_test_main PRIVATE -O0)
    # Most of a test's time is spent in the library, the command and kernels, which are optimised. -Og compiles in two
    # thirds of the time of -O1.
    target_compile_options(kernelbatch_test_main INTERFACE $<$<CONFIG:Release>:-Og>)
    target_compile_definitions(kernelbatch_test_main PRIVATE
      KERNELBATCH_SOURCE_DIR="${PROJECT_SOURCE_DIR}" KERNELBATCH_BINARY_DIR="${PROJECT_BINARY_DIR}")
  endif()
endfunction()

# Adds a test's sources to the executable of its folder: SOURCES … [LINK …] [LABELS …] [NEEDS targets …] [GROUP …]. Sets
# `executable`; `filter`, which makes Catch2 run only the cases of these sources; and `labels`.
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
    # An edited test is compiled with its batch: small ones keep that short.
    set_target_properties(${executable} PROPERTIES UNITY_BUILD_BATCH_SIZE 3
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
  set_tests_properties(${name} PROPERTIES LABELS "core;${labels}" ENVIRONMENT "${KERNELBATCH_TEST_ENVIRONMENT}")
  test_size(quick ${name})
endfunction()

# device_test(NAME … [PARTS tag …]): the same, once for each backend. The backend comes from KERNELBATCH_TEST_DEVICE; the
# GPU's run exits with 77 if there is no GPU, which CTest reports as skipped. PARTS: on the host each of Catch2's tags is
# a test of its own, NAME.tag.host, and NAME.rest.host has the cases without these tags.
function(device_test name)
  # Kernels are not built with sanitizers, which make threads ten times as slow.
  if(tests_core_only)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 device "" "" "PARTS")
  add_test_sources(${name} ${device_UNPARSED_ARGUMENTS})
  set(host_tests ${name}.host)
  if(device_PARTS)
    set(host_tests "")
    set(rest "${filter}")
    foreach(part IN LISTS device_PARTS)
      add_test(NAME ${name}.${part}.host COMMAND ${executable} -\# "[${part}]${filter}")
      list(APPEND host_tests ${name}.${part}.host)
      string(APPEND rest "~[${part}]")
    endforeach()
    add_test(NAME ${name}.rest.host COMMAND ${executable} -\# "${rest}")
    list(APPEND host_tests ${name}.rest.host)
  else()
    add_test(NAME ${name}.host COMMAND ${executable} -\# "${filter}")
  endif()
  # COST: tests of kernels take longest, so they start first.
  set_tests_properties(${host_tests} PROPERTIES LABELS "device" COST 100
    ENVIRONMENT "KERNELBATCH_TEST_DEVICE=host;${KERNELBATCH_TEST_ENVIRONMENT}")
  test_size(quick ${host_tests})
  set_property(GLOBAL PROPERTY KERNELBATCH_HOST_TESTS_${name} "${host_tests}")
  if(NOT repeats_tests)
    list(FILTER KERNELBATCH_TEST_ENVIRONMENT EXCLUDE REGEX "^KERNELBATCH_CLOCK=")
    add_test(NAME ${name}.cuda COMMAND ${executable} -\# "${filter}")
    set_tests_properties(${name}.cuda PROPERTIES LABELS "gpu" SKIP_RETURN_CODE 77
      ENVIRONMENT "KERNELBATCH_TEST_DEVICE=cuda;${KERNELBATCH_TEST_ENVIRONMENT}")
    test_size(full ${name}.cuda)
    set_property(GLOBAL APPEND PROPERTY KERNELBATCH_GPU_TESTS "${name} ${executable} ${filter}")
  endif()
endfunction()

# host_tests_of(VARIABLE NAME …): the tests of device_tests on the host.
function(host_tests_of variable)
  set(all "")
  foreach(name IN LISTS ARGN)
    get_property(tests GLOBAL PROPERTY KERNELBATCH_HOST_TESTS_${name})
    list(APPEND all ${tests})
  endforeach()
  set(${variable} "${all}" PARENT_SCOPE)
endfunction()

# program_test(NAME SIZE COMMAND … [ENVIRONMENT …]): a program that exits with 0, or with 77 if something that it needs
# is missing, which CTest reports as skipped.
function(program_test name size)
  cmake_parse_arguments(PARSE_ARGV 2 program "" "" "COMMAND;ENVIRONMENT")
  add_test(NAME ${name} COMMAND ${program_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS core SKIP_RETURN_CODE 77
    ENVIRONMENT "${KERNELBATCH_TEST_ENVIRONMENT};${program_ENVIRONMENT}")
  test_size(${size} ${name})
endfunction()

# python_test(NAME SIZE SCRIPT ARGUMENT …): a script of this folder, only in the preset `release`. Debian's modules belong
# to Debian's Python.
find_program(KERNELBATCH_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
function(python_test name size script)
  if(KERNELBATCH_PYTHON AND NOT repeats_tests)
    program_test(${name} ${size} COMMAND "${KERNELBATCH_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/${script}" ${ARGN})
  endif()
endfunction()

# reverse_test(NAME …): with KERNELBATCH_NIGHTLY the threads of every block run in reverse order and their shared memory
# is filled with a pattern, which a correct kernel does not notice.
function(reverse_test)
  if(NOT KERNELBATCH_NIGHTLY OR NOT repeats_tests)
    return()
  endif()
  host_tests_of(device_tests ${ARGN})
  foreach(name IN LISTS ARGN device_tests)
    if(TEST ${name})
      set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "KERNELBATCH_HOST_THREAD_ORDER=reverse")
    endif()
  endforeach()
endfunction()

# full_kernels_test(NAME …): tests of the compiled code of kernels. The kernels of all other tests are compiled with
# -O1, in half the time.
function(full_kernels_test)
  host_tests_of(device_tests ${ARGN})
  foreach(name IN LISTS ARGN device_tests)
    if(TEST ${name})
      set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "KERNELBATCH_HOST_CXXFLAGS=")
    endif()
  endforeach()
endfunction()
