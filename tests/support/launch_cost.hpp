// The host time of a launch, compared with that of the driver's own call.
#pragma once

#include "core/kernel/program/program.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch::test {

/// Seconds of the driver's own call for an empty kernel without parameters.
inline double driver_launch_seconds() {
  Program program(KernelSource{.name = "nothing",
                               .text = "extern \"C\" __global__ void nothing() {}",
                               .entries = {"nothing"},
                               .options = {},
                               .prebuilt = {}});
  Kernel& bare = program.kernel(device(), "nothing");
  return host_seconds([&] { bare.launch({}, {}, stream()); });
}

/// Prints the host time of a launch, and the driver's part of it on this machine.
inline void report_launch_cost(double seconds, const char* what) {
  WARN(what << ": " << seconds * 1e6 << " us, of which the driver's own call takes "
            << driver_launch_seconds() * 1e6 << " us");
}

}  // namespace kernelbatch::test
