// One of CUB's iterators, on the host device.
#pragma once

#include "kernelbatch/cub_iterators.hpp"
