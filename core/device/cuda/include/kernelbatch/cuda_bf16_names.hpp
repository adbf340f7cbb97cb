// The toolkit's bfloat16 for texts that use its names without its header.
// Asked for by: __nv_bfloat16 __nv_bfloat162 nv_bfloat16 nv_bfloat162 __nv_bfloat16_raw
// __nv_bfloat162_raw make_bfloat162 __float2bfloat16* __bfloat162*.
#pragma once

#include <cuda_bf16.h>
