# Only headers and nvcc are taken from the toolkit: its libraries are opened at run time.
set(KERNELBATCH_HAS_CUDA OFF)
if(KERNELBATCH_CUDA)
  find_program(KERNELBATCH_NVCC nvcc
    HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
  if(KERNELBATCH_NVCC)
    get_filename_component(KERNELBATCH_CUDA_HOME "${KERNELBATCH_NVCC}" REALPATH)
    get_filename_component(KERNELBATCH_CUDA_HOME "${KERNELBATCH_CUDA_HOME}/../.." ABSOLUTE)
    find_path(KERNELBATCH_CUDA_INCLUDE cuda.h
      HINTS "${KERNELBATCH_CUDA_HOME}/include" "${KERNELBATCH_CUDA_HOME}/targets/x86_64-linux/include")
    if(KERNELBATCH_CUDA_INCLUDE)
      set(KERNELBATCH_HAS_CUDA ON)
    endif()
  endif()
  if(NOT KERNELBATCH_HAS_CUDA)
    message(STATUS "kernelbatch: no CUDA Toolkit found (nvcc and cuda.h); building the host device only")
  endif()
endif()
