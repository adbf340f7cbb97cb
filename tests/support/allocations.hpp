// Counts what the launching thread allocates, in a test binary that links allocations.cpp.
#pragma once

#include <algorithm>
#include <chrono>

#include "tests/support/device.hpp"

namespace kernelbatch::test {

// Only for the launching thread: the device's other threads may still be starting.
inline thread_local bool is_counting = false;
inline thread_local long allocations = 0;

/// Number of allocations in 1000 calls of `work`, after a first call.
template <class Work>
long allocations_of(Work&& work) {
  work();
  stream().synchronize();
  allocations = 0;
  is_counting = true;
  for (int k = 0; k < 1000; ++k) work();
  is_counting = false;
  stream().synchronize();
  return allocations;
}

/// Seconds that `work` takes the host: the best of 50 times 200 calls. The driver's queue holds
/// about 1000 launches, so none of them waits.
template <class Work>
double host_seconds(Work&& work) {
  work();
  double best = 1;
  for (int attempt = 0; attempt < 50; ++attempt) {
    stream().synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < 200; ++k) work();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / 200);
  }
  stream().synchronize();
  return best;
}

}  // namespace kernelbatch::test
