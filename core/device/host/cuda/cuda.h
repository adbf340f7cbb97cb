// What kernels use of the driver's header.
#pragma once

typedef struct __align__(64) CUtensorMap_st {
  unsigned long long opaque[16];
}
CUtensorMap;
