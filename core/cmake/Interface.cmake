# The plugins' interface: the headers that a plugin can include, and everything that these include, but nothing else.
# They are installed, and the build tag covers them.
set(KERNELBATCH_PLUGIN_HEADERS
  core/array/compare.hpp core/array/input.hpp core/array/matrix_market.hpp core/array/npz.hpp core/array/random.hpp
  core/array/view.hpp
  core/base/error.hpp core/base/parallel.hpp core/base/quantity.hpp core/base/text.hpp
  core/kernel/elementwise/kernel.hpp core/kernel/fuse/fuse.hpp core/kernel/jit/kernel.hpp core/kernel/raw/kernel.hpp core/kernel/reduction/kernel.hpp
  core/kernel/texture/texture.hpp
  core/workload/cusparse.hpp core/workload/declared_workload.hpp core/workload/host_input.hpp core/workload/launch.hpp core/workload/sparse_product.hpp
  core/workload/vendor_library.hpp core/workload/workload.hpp)

# interface_headers(VARIABLE): those headers and all headers of this tree that they include, sorted, relative to its
# root; also the headers for device code.
function(interface_headers variable)
  file(GLOB_RECURSE device_headers RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/core/device/include/*" "${PROJECT_SOURCE_DIR}/core/device/cuda/include/*")
  set(found ${KERNELBATCH_PLUGIN_HEADERS})
  set(waiting ${found})
  while(waiting)
    list(POP_FRONT waiting header)
    file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" lines REGEX "^#include \"core/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
      if(NOT included IN_LIST found)
        list(APPEND found "${included}")
        list(APPEND waiting "${included}")
      endif()
    endforeach()
  endwhile()
  list(APPEND found ${device_headers})
  list(SORT found)
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()
