// parallel_for: distributes a range of numbers over the CPU's cores, for work on host memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace kernelbatch {

/// Calls `body(begin, end)` on disjoint pieces that cover 0…count−1, on up to one thread per core;
/// pieces have at least `grain` numbers. The pieces' boundaries depend on `count` and the number of
/// cores, so `body` must give the same result for any cut. Rethrows the first exception.
template <class Body>
void parallel_for(std::int64_t count, std::int64_t grain, const Body& body) {
  // The system reads a file for each answer.
  static const auto cores =
      static_cast<std::int64_t>(std::max(1u, std::thread::hardware_concurrency()));
  const std::int64_t pieces =
      std::clamp<std::int64_t>(count / std::max<std::int64_t>(grain, 1), 1, cores);
  if (pieces == 1) {
    if (count > 0) body(std::int64_t{0}, count);
    return;
  }
  std::mutex mutex;
  std::exception_ptr failure;
  {
    std::vector<std::jthread> threads;
    for (std::int64_t k = 0; k < pieces; ++k)
      threads.emplace_back([&, k] {
        try {
          body(count * k / pieces, count * (k + 1) / pieces);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!failure) failure = std::current_exception();
        }
      });
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace kernelbatch
