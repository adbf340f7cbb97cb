#include "core/device/address_hint.hpp"

#include <utility>

namespace kernelbatch {
namespace {

thread_local std::uint64_t hinted_address = 0;
thread_local std::vector<AddressRange> reserved_ranges;

}  // namespace

AddressError::~AddressError() = default;

AddressHint::AddressHint(std::uint64_t address) noexcept { hinted_address = address; }

AddressHint::~AddressHint() { hinted_address = 0; }

std::uint64_t AddressHint::current() noexcept { return hinted_address; }

AddressReservation::AddressReservation(std::vector<AddressRange> ranges) noexcept {
  reserved_ranges = std::move(ranges);
}

AddressReservation::~AddressReservation() { reserved_ranges.clear(); }

std::span<const AddressRange> AddressReservation::current() noexcept { return reserved_ranges; }

std::uint64_t AddressHint::take() noexcept { return std::exchange(hinted_address, 0); }

}  // namespace kernelbatch
