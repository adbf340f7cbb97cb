// The driver's header, whose functions NVRTC cannot read: kernels use no more than this of it.
#pragma once

#ifdef __CUDACC_RTC__
typedef struct __align__(64) CUtensorMap_st {
  unsigned long long opaque[16];
}
CUtensorMap;
#else
#include_next <cuda.h>
#endif
