// DriverCalls: what the recorder asks the driver. Tests replace it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace kernelbatch::capture {

/// Addresses from `address` on.
struct Range {
  std::uint64_t address = 0, bytes = 0;

  std::uint64_t end() const noexcept { return address + bytes; }
  bool contains(std::uint64_t place) const noexcept { return place >= address && place < end(); }
  bool operator==(const Range&) const = default;
};

class DriverCalls {
 public:
  virtual ~DriverCalls();

  /// Waits for all work of the current context. False if the driver refuses.
  virtual bool synchronize() = 0;
  /// The allocation on a device that has this address.
  virtual std::optional<Range> allocation_at(std::uint64_t address) = 0;
  /// Copies device memory to the host. False if it cannot be read.
  virtual bool read(void* to, std::uint64_t from, std::size_t bytes) = 0;
};

}  // namespace kernelbatch::capture
