// thrust::complex on the host device.
#pragma once

#include "kernelbatch/number.hpp"

namespace thrust {
#include "kernelbatch/complex_class.hpp"
}  // namespace thrust
