// C's mathematics; the functions themselves have no header on any device.
#pragma once
#ifdef KERNELBATCH_ON_HOST
#include "kernelbatch/host_functions.hpp"
#endif
#include "kernelbatch/math_names.hpp"
