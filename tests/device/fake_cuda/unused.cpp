// All driver functions that kernelbatch opens: stubs that fail unless cuda.cpp implements them.
#include "core/device/cuda/driver.hpp"

#define QUOTE(text) QUOTE_EXPANDED(text)
#define QUOTE_EXPANDED(text) #text
#define FALL_BACK(name) __asm__(".weak " QUOTE(name) "\n.set " QUOTE(name) ", fake_refuse");

extern "C" {
CUresult fake_refuse();
CUresult fake_refuse() { return CUDA_ERROR_NOT_SUPPORTED; }
}

KERNELBATCH_CUDA_FUNCTIONS(FALL_BACK)
