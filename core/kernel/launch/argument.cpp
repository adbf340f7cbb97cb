#include "core/kernel/launch/argument.hpp"

#include <fmt/format.h>

#include <cstring>

#include "core/array/number.hpp"
#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

/// Exact inverse of widen() for a T. Other types do not occur.
template <class T, class Wide>
T narrow(Wide value) {
  constexpr bool kIsComplex = std::is_same_v<Wide, std::complex<double>>;
  if constexpr (ReducedFloat<T> && std::is_same_v<Wide, double>)
    return from_float<T>(static_cast<float>(value));
  else if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<Wide>)
    return static_cast<T>(value);
  else if constexpr (kIsComplex && std::is_constructible_v<T, Wide> && !std::is_arithmetic_v<T>)
    return T(value);
  else
    return T{};
}

}  // namespace

void Argument::write_value(std::byte* to) const noexcept {
  if (bytes_ != nullptr) {
    std::memcpy(to, bytes_, size_);
    return;
  }
  dispatch(dtype_, [&](auto zero) {
    using T = decltype(zero);
    const T value = std::visit([](auto wide) { return narrow<T>(wide); }, scalar_);
    std::memcpy(to, &value, sizeof value);
  });
}

void Argument::write_scalar(DType dtype, std::byte* to, const std::string& name) const {
  if (kind_ == Kind::kNull || kind_ == Kind::kBytes)
    throw SpecError(
        fmt::format("argument '{}' is {}, which only a raw kernel can take", name, describe()));
  const Number number = std::visit([](auto wide) { return Number(wide); }, scalar_);
  try {
    write_number(number, dtype, to);
  } catch (const SpecError& error) {
    throw SpecError(fmt::format("argument '{}': {}", name, error.what()));
  }
}

std::string Argument::describe() const {
  switch (kind_) {
    case Kind::kScalar:
      return fmt::format("a scalar of {}", name_of(dtype_));
    case Kind::kArray:
      return fmt::format("an array of {}", name_of(dtype()));
    case Kind::kPointer:
      return fmt::format("the address of an array of {}", name_of(dtype()));
    case Kind::kNull:
      return "a null pointer";
    case Kind::kBytes:
      return fmt::format("a struct of {} bytes", size_);
    case Kind::kTexture:
      return "a texture";
    case Kind::kSurface:
      break;
  }
  return "a surface";
}

}  // namespace kernelbatch
