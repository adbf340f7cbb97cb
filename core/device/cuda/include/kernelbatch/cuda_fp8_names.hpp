// The toolkit's 8-bit floats for texts that use their names without their header.
// Asked for by: __nv_fp8* __nv_cvt_* __NV_E4M3 __NV_E5M2 __NV_SATFINITE __NV_NOSAT.
#pragma once

#include <cuda_fp8.h>
