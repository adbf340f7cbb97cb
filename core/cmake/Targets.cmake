# Warnings, sanitizers, and core_layer(): one object library per layer of core/.

add_library(kernelbatch_settings INTERFACE)
target_compile_features(kernelbatch_settings INTERFACE cxx_std_20)
# Only for this build: plugins built elsewhere use another target name and choose their own.
set(settings_options -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  # g++ 12 warns of overlapping copies inside its own std::string (its bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<BOOL:${KERNELBATCH_WERROR}>:-Werror>)
target_compile_options(kernelbatch_settings INTERFACE
  "$<BUILD_INTERFACE:$<$<TARGET_EXISTS:kernelbatch_settings>:${settings_options}>>")
target_include_directories(kernelbatch_settings INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<INSTALL_INTERFACE:include/kernelbatch>")
if(KERNELBATCH_SANITIZE)
  list(JOIN KERNELBATCH_SANITIZE "," sanitize_list)
  target_compile_options(kernelbatch_settings INTERFACE
    -fsanitize=${sanitize_list} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # g++ 12 reports uninitialised members in std::regex if a sanitizer has changed the code.
    $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>>
    # Functions of libraries opened at run time have C's types, not ours with the same layout.
    $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>
    $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:Clang>:-fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/sanitizer_ignore.txt>>)
  # Compilers indicate their sanitizers in different ways.
  if("address" IN_LIST KERNELBATCH_SANITIZE)
    target_compile_definitions(kernelbatch_settings INTERFACE $<BUILD_INTERFACE:KERNELBATCH_ASAN>)
  endif()
  if("thread" IN_LIST KERNELBATCH_SANITIZE)
    target_compile_definitions(kernelbatch_settings INTERFACE $<BUILD_INTERFACE:KERNELBATCH_TSAN>)
  endif()
  target_link_options(kernelbatch_settings INTERFACE -fsanitize=${sanitize_list})
  # Code instrumented by clang has many sections and symbols: lld links it in a third of the time.
  find_program(LLD_PROGRAM ld.lld)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND LLD_PROGRAM)
    target_link_options(kernelbatch_settings INTERFACE $<BUILD_INTERFACE:-fuse-ld=lld>)
  endif()
endif()

# balance_batches(TARGET SOURCES …): batches of about the same size, of at most CMAKE_UNITY_BUILD_BATCH_SIZE sources.
function(balance_batches target)
  list(LENGTH ARGN count)
  math(EXPR batches "(${count} + ${CMAKE_UNITY_BUILD_BATCH_SIZE} - 1) / ${CMAKE_UNITY_BUILD_BATCH_SIZE}")
  math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# core_layer(NAME [GLUE] HEADERS … SOURCES … [GLUE_SOURCES …] [LINK …]): the object library kernelbatch_NAME, part of
# libkernelbatch. GLUE: nothing in the layer runs often enough to justify more than -O1, which takes a quarter to a half
# less time to compile. GLUE_SOURCES: the same for these sources; they become kernelbatch_NAME_glue. Every header is
# compiled on its own in the target `all_verify_interface_header_sets`.
function(core_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "GLUE" "" "HEADERS;SOURCES;GLUE_SOURCES;LINK")
  if(layer_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "core_layer(${name}): unknown words: ${layer_UNPARSED_ARGUMENTS}")
  endif()
  set(target kernelbatch_${name})
  add_layer_library(${target} ${layer_GLUE} ${layer_SOURCES})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}"
    FILES ${layer_HEADERS})
  target_link_libraries(${target} PUBLIC ${layer_LINK})
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  if(layer_GLUE_SOURCES)
    add_layer_library(${target}_glue ON ${layer_GLUE_SOURCES})
    target_link_libraries(${target}_glue PUBLIC ${layer_LINK})
    target_include_directories(${target}_glue PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  endif()
endfunction()

# add_layer_library(TARGET GLUE SOURCES …): an object library of libkernelbatch.
function(add_layer_library target glue)
  add_library(${target} OBJECT ${ARGN})
  balance_batches(${target} ${ARGN})
  target_link_libraries(${target} PUBLIC kernelbatch_settings fmt::fmt)
  reuse_headers(${target} layer)
  if(glue)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  target_compile_definitions(${target} PRIVATE
    $<$<BOOL:${KERNELBATCH_FAILPOINTS}>:KERNELBATCH_FAILPOINTS>)
  set_property(GLOBAL APPEND PROPERTY KERNELBATCH_LAYERS ${target})
endfunction()
