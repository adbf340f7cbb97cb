// The time of day, as records hold it.
#pragma once

#include <cstdint>

namespace kernelbatch {

/// Nanoseconds since 1970 (UTC), by the system's clock: it can be set back.
std::int64_t unix_time_ns() noexcept;

}  // namespace kernelbatch
