// thrust::complex: the same on every device. What NVRTC is given for the header of this name reads
// streams and the host's complex numbers.
#pragma once

#include "kernelbatch/number.hpp"

namespace thrust {
#define KERNELBATCH_PLAIN_COMPLEX
#include "kernelbatch/complex_class.hpp"
#undef KERNELBATCH_PLAIN_COMPLEX
}  // namespace thrust
