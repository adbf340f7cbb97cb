# Headers that many sources include, compiled once for each set of flags, if the compiler is clang: g++ writes 100 MB
# for them, and reading that, even through ccache, costs as much as it saves. Sources still include what they use:
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON compiles without.
#
# Each kind is a target that compiles its headers. Settings that affect how they are read (position-independent code,
# visibility, OpenMP) are the same in the targets that reuse them.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Makes the file of headers reproducible, so that ccache recognizes it by its content.
  set(reuse_options "SHELL:-Xclang -fno-pch-timestamp")
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/precompiled/main.cpp" CONTENT "int main() {}\n")
  add_library(kernelbatch_layer_headers OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/precompiled/main.cpp")
  add_executable(kernelbatch_program_headers EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/precompiled/main.cpp")
  foreach(kind layer program)
    target_precompile_headers(kernelbatch_${kind}_headers PRIVATE <algorithm> <array> <chrono> <cmath> <cstdint>
      <cstring> <filesystem> <fstream> <functional> <map> <memory> <optional> <set> <span> <string> <string_view>
      <utility> <variant> <vector> <fmt/format.h>)
  endforeach()
  # Plugins: small sources behind the same headers of core/.
  add_library(kernelbatch_plugin_headers OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/precompiled/main.cpp")
  set_target_properties(kernelbatch_plugin_headers PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(kernelbatch_plugin_headers PRIVATE OpenMP::OpenMP_CXX)
  target_include_directories(kernelbatch_plugin_headers PRIVATE "${PROJECT_BINARY_DIR}/include")
  foreach(header kernel/elementwise/kernel.hpp kernel/fuse/fuse.hpp kernel/jit/kernel.hpp kernel/raw/kernel.hpp
      kernel/reduction/kernel.hpp workload/host_input.hpp workload/launch.hpp)
    target_precompile_headers(kernelbatch_plugin_headers PRIVATE "${PROJECT_SOURCE_DIR}/core/${header}")
  endforeach()
  foreach(kind layer program plugin)
    target_link_libraries(kernelbatch_${kind}_headers PRIVATE kernelbatch_settings fmt::fmt)
    target_compile_options(kernelbatch_${kind}_headers PRIVATE ${reuse_options})
  endforeach()
endif()

# reuse_headers(TARGET layer | program | plugin)
function(reuse_headers target kind)
  if(TARGET kernelbatch_${kind}_headers)
    target_precompile_headers(${target} REUSE_FROM kernelbatch_${kind}_headers)
    target_compile_options(${target} PRIVATE ${reuse_options})
  endif()
endfunction()
