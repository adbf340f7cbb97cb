#include "core/kernel/launch/argument_signature.hpp"

namespace kernelbatch {
namespace {

std::uint64_t code_of(const Argument& argument, const Device& device) noexcept {
  std::uint64_t code = static_cast<std::uint64_t>(argument.kind()) |
                       static_cast<std::uint64_t>(argument.dtype()) << 8;
  if (argument.is_array()) {
    const Array& array = argument.array();
    code |= static_cast<std::uint64_t>(array.axes()) << 16;
    code |= (array.is_contiguous() ? std::uint64_t{1} : 0) << 24;
    code |= (array.device() == &device ? std::uint64_t{1} : 0) << 25;
  } else if (argument.kind() == Argument::Kind::kBytes) {
    code |= static_cast<std::uint64_t>(argument.value_bytes()) << 16;
  }
  return code;
}

}  // namespace

ArgumentSignature::ArgumentSignature(std::span<const Argument> arguments, const Device& device)
    : device_(&device) {
  for (const Argument& argument : arguments) codes_.push_back(code_of(argument, device));
}

bool ArgumentSignature::matches(std::span<const Argument> arguments,
                                const Device& device) const noexcept {
  if (&device != device_ || arguments.size() != codes_.size()) return false;
  for (std::size_t k = 0; k < codes_.size(); ++k)
    if (codes_[k] != code_of(arguments[k], device)) return false;
  return true;
}

}  // namespace kernelbatch
