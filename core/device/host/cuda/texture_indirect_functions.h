// What this header of CUDA declares, kernels have without it.
#pragma once
