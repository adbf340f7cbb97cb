// What a launch costs the host, held against what the driver alone takes for one.
#pragma once

#include "core/kernel/program/program.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch::test {

/// Seconds of the driver's own call for a kernel that has no parameters and does nothing.
inline double driver_launch_seconds() {
  Program program(KernelSource{.name = "nothing",
                               .text = "extern \"C\" __global__ void nothing() {}",
                               .entries = {"nothing"},
                               .options = {},
                               .prebuilt = {}});
  Kernel& bare = program.kernel(device(), "nothing");
  return host_seconds([&] { bare.launch({}, {}, stream()); });
}

/// Says what a launch costs the host, beside the driver's own part on this machine.
inline void report_launch_cost(double seconds, const char* what) {
  WARN(what << ": " << seconds * 1e6 << " us, of which the driver's own call takes "
            << driver_launch_seconds() * 1e6 << " us");
}

}  // namespace kernelbatch::test
