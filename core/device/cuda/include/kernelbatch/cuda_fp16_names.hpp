// The toolkit's half precision for texts that use its names without its header.
// Asked for by: half half2 __half __half2 __half_raw __half2_raw nv_half nv_half2 make_half2
// __float2half* __half2* __hfma* __hadd2* __hmul2* __hsub2*.
#pragma once

#include <cuda_fp16.h>
