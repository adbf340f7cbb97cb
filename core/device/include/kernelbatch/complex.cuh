// complex<T> and its functions, by the name under which raw kernels include them.
#pragma once

#include "kernelbatch/device.hpp"
