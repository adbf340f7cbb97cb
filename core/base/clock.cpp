#include "core/base/clock.hpp"

#include <chrono>

namespace kernelbatch {

std::int64_t unix_time_ns() noexcept {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace kernelbatch
