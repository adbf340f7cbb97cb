#include "core/kernel/argument.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

[[noreturn]] void out_of_range(const std::string& name, const std::string& value, DType dtype) {
  throw SpecError(
      fmt::format("argument '{}': {} is out of range for {}", name, value, name_of(dtype)));
}

template <class To, class From>
To to_integer(From value, const std::string& name, DType dtype) {
  if constexpr (std::is_same_v<From, double>) {
    // The upper limit of To need not be a double; one more is a power of two and is.
    const double low = static_cast<double>(std::numeric_limits<To>::min());
    const double high = 2.0 * static_cast<double>(std::numeric_limits<To>::max() / 2 + 1);
    if (!(value >= low && value < high)) out_of_range(name, fmt::format("{}", value), dtype);
  } else if (!std::in_range<To>(value)) {
    out_of_range(name, fmt::format("{}", value), dtype);
  }
  return static_cast<To>(value);
}

/// Rounds to a floating type. Infinities and NaN stay what they are; a finite value that would
/// become infinite is out of range.
template <class To, class From>
To to_floating(From value, const std::string& name, DType dtype) {
  const auto wide = static_cast<double>(value);
  bool fits = true;
  To result{};
  if constexpr (std::is_same_v<To, Float16>) {
    result = to_float16(static_cast<float>(wide));
    fits = std::isfinite(to_float(result));
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    result = to_bfloat16(static_cast<float>(wide));
    fits = std::isfinite(to_float(result));
  } else {
    result = static_cast<To>(value);
    fits = std::isfinite(result);
  }
  if (!fits && std::isfinite(wide)) out_of_range(name, fmt::format("{}", value), dtype);
  return result;
}

template <class To, class From>
To convert(From value, const std::string& name, DType dtype) {
  if constexpr (std::is_same_v<From, std::complex<double>>) {
    if constexpr (std::is_same_v<To, std::complex<float>> ||
                  std::is_same_v<To, std::complex<double>>)
      return To(value);
    else
      throw SpecError(
          fmt::format("argument '{}': a complex value cannot become {}", name, name_of(dtype)));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (std::is_integral_v<To>) {
    return to_integer<To>(value, name, dtype);
  } else if constexpr (std::is_same_v<To, std::complex<float>> ||
                       std::is_same_v<To, std::complex<double>>) {
    return To(to_floating<typename To::value_type>(value, name, dtype));
  } else {
    return to_floating<To>(value, name, dtype);
  }
}

}  // namespace

void Argument::write_scalar(DType dtype, std::byte* to, const std::string& name) const {
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    const T value = std::visit([&](auto from) { return convert<T>(from, name, dtype); }, scalar_);
    std::memcpy(to, &value, sizeof value);
  });
}

void ArgumentBytes::append(const void* bytes, std::size_t size) {
  bytes_.resize((bytes_.size() + 15) / 16 * 16);
  offsets_.push_back(bytes_.size());
  sizes_.push_back(size);
  const auto* from = static_cast<const std::byte*>(bytes);
  bytes_.insert(bytes_.end(), from, from + size);
}

void ArgumentBytes::append_view(const Array& array) {
  const std::vector<std::int64_t> words = view_words(array);
  append(words.data(), words.size() * sizeof words[0]);
}

std::vector<void*> ArgumentBytes::pointers() {
  std::vector<void*> pointers;
  for (const std::size_t offset : offsets_) pointers.push_back(bytes_.data() + offset);
  return pointers;
}

void StructBytes::append(const void* bytes, std::size_t size, std::size_t alignment) {
  alignment_ = std::max(alignment_, alignment);
  bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
  const auto* from = static_cast<const std::byte*>(bytes);
  bytes_.insert(bytes_.end(), from, from + size);
}

std::vector<std::byte> StructBytes::finish() const {
  std::vector<std::byte> bytes = bytes_;
  bytes.resize(std::max<std::size_t>(1, (bytes.size() + alignment_ - 1) / alignment_) * alignment_);
  return bytes;
}

std::string view_type(const Array& array, std::string_view element_type) {
  return fmt::format("kernelbatch::array_view<{}, {}, {}>", element_type, array.axes(),
                     array.is_contiguous());
}

std::vector<std::int64_t> view_words(const Array& array) {
  std::vector<std::int64_t> words{reinterpret_cast<std::int64_t>(array.data()), array.size()};
  words.insert(words.end(), array.shape().begin(), array.shape().end());
  if (array.axes() == 0) words.push_back(1);
  words.insert(words.end(), array.strides().begin(), array.strides().end());
  if (array.axes() == 0) words.push_back(0);
  return words;
}

}  // namespace kernelbatch
