// Memory from the heap, for kernels on every device.
#pragma once

#ifdef KERNELBATCH_ON_HOST
#include "kernelbatch/host_functions.hpp"
extern "C" void* malloc(size_t) noexcept;
extern "C" void free(void*) noexcept;
#endif
#ifndef EXIT_SUCCESS
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#endif
#ifndef RAND_MAX
#define RAND_MAX 2147483647
#endif
