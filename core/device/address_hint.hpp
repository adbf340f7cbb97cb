// AddressHint: the address that the next allocation should have, for kernels that were captured
// with pointers in their memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/error.hpp"

namespace kernelbatch {

/// While it lives, the thread's next allocation on a device begins at this address, if the device
/// can do that and the address is free. Address 0 has no effect.
class AddressHint {
 public:
  explicit AddressHint(std::uint64_t address) noexcept;
  AddressHint(const AddressHint&) = delete;
  AddressHint& operator=(const AddressHint&) = delete;
  ~AddressHint();

  /// The address, if the next allocation has one; 0 otherwise.
  static std::uint64_t current() noexcept;
  /// The same, for the allocation that follows it.
  static std::uint64_t take() noexcept;
};

struct AddressRange {
  std::uint64_t address = 0, bytes = 0;
};

/// While it lives, a device that the thread opens reserves these addresses before it allocates
/// anything, if it can do that and they are free.
class AddressReservation {
 public:
  explicit AddressReservation(std::vector<AddressRange> ranges) noexcept;
  AddressReservation(const AddressReservation&) = delete;
  AddressReservation& operator=(const AddressReservation&) = delete;
  ~AddressReservation();

  static std::span<const AddressRange> current() noexcept;
};

/// An address that work needs is occupied in this process. Another process may have it free.
class AddressError : public UnsupportedError {
 public:
  using UnsupportedError::UnsupportedError;
  ~AddressError() override;
};

}  // namespace kernelbatch
