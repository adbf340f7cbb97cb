#include "core/device/address_hint.hpp"

#include <utility>

namespace kernelbatch {
namespace {

thread_local std::uint64_t hinted_address = 0;

}  // namespace

AddressError::~AddressError() = default;

AddressHint::AddressHint(std::uint64_t address) noexcept { hinted_address = address; }

AddressHint::~AddressHint() { hinted_address = 0; }

std::uint64_t AddressHint::current() noexcept { return hinted_address; }

std::uint64_t AddressHint::take() noexcept { return std::exchange(hinted_address, 0); }

}  // namespace kernelbatch
