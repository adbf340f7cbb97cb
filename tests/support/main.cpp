// Catch2's main. With KERNELBATCH_TEST_DEVICE=cuda on a machine without a usable GPU the run exits
// 77, which CTest reports as skipped: see tests/support/device.hpp.
#define CATCH_CONFIG_MAIN
#include "tests/support/catch.hpp"
