#include "core/array/number.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

template <class To, class From>
bool fits_integer(From value) {
  if constexpr (std::is_same_v<From, double>) {
    // The upper limit of To may not be a double; one more is a power of two and is.
    const double low = static_cast<double>(std::numeric_limits<To>::min());
    const double high = 2.0 * static_cast<double>(std::numeric_limits<To>::max() / 2 + 1);
    return value >= low && value < high;
  } else {
    return std::in_range<To>(value);
  }
}

/// Rounds to a floating type; false if a finite value would become infinite.
template <class To, class From>
bool to_floating(From value, To& result) {
  const auto wide = static_cast<double>(value);
  bool is_finite = true;
  if constexpr (ReducedFloat<To>) {
    result = from_float<To>(static_cast<float>(wide));
    is_finite = std::isfinite(to_float(result));
  } else {
    result = static_cast<To>(value);
    is_finite = std::isfinite(result);
  }
  return is_finite || !std::isfinite(wide);
}

template <class T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class To, class From>
bool convert(From value, To& result) {
  if constexpr (std::is_same_v<To, bool>) {
    result = value != From{};
    return true;
  } else if constexpr (std::is_same_v<From, bool>) {
    return convert(static_cast<std::int64_t>(value), result);
  } else if constexpr (kIsComplex<To>) {
    typename To::value_type real{}, imaginary{};
    bool fits = true;
    if constexpr (kIsComplex<From>)
      fits = to_floating(value.real(), real) && to_floating(value.imag(), imaginary);
    else
      fits = to_floating(value, real);
    result = To(real, imaginary);
    return fits;
  } else if constexpr (kIsComplex<From>) {
    return false;  // handled before
  } else if constexpr (std::is_integral_v<To>) {
    if (!fits_integer<To>(value)) return false;
    if constexpr (std::is_same_v<From, double>)
      if (value != std::trunc(value)) return false;
    result = static_cast<To>(value);
    return true;
  } else {
    return to_floating(value, result);
  }
}

}  // namespace

Number parse_number(std::string_view given) {
  const std::string_view text = trim(given);
  if (const auto truth = try_parse_boolean(text)) return *truth;
  if (const auto number = read_written_number(text))
    return std::visit([](auto written) { return Number(written); }, *number);
  if (text.size() > 1 && (text.back() == 'j' || text.back() == 'i')) {
    const std::string_view both = text.substr(0, text.size() - 1);
    // Finds the sign between the parts, not that of an exponent.
    for (std::size_t k = both.size(); k-- > 0;) {
      const bool is_sign = both[k] == '+' || both[k] == '-';
      if (is_sign && k > 0 && (both[k - 1] == 'e' || both[k - 1] == 'E')) continue;
      if (!is_sign && k > 0) continue;
      const std::string_view rest = both.substr(k);
      const auto imaginary = rest == "+" ? 1.0 : rest == "-" ? -1.0 : try_parse_real(rest);
      const auto real = k == 0 ? 0.0 : try_parse_real(both.substr(0, k));
      if (imaginary && real) return std::complex<double>(*real, *imaginary);
      break;
    }
  }
  throw SpecError(fmt::format("'{}' is not a number", given));
}

std::string to_text(const Number& number) {
  return std::visit(
      [](auto value) -> std::string {
        if constexpr (kIsComplex<decltype(value)>)
          return fmt::format("{}{:+}j", value.real(), value.imag());
        else
          return fmt::format("{}", value);
      },
      number);
}

DType dtype_of(const Number& number) noexcept {
  constexpr DType kOf[] = {DType::kBool, DType::kInt64, DType::kUInt64, DType::kFloat64,
                           DType::kComplex128};
  return kOf[number.index()];
}

bool write_if_fits(const Number& number, DType dtype, std::byte* to) {
  if (std::holds_alternative<std::complex<double>>(number) &&
      info(dtype).kind != DTypeKind::kComplex)
    return false;
  return dispatch(dtype, [&](auto zero) {
    auto value = zero;
    const bool is_in_range = std::visit([&](auto from) { return convert(from, value); }, number);
    if (is_in_range) std::memcpy(to, &value, sizeof value);
    return is_in_range;
  });
}

void write_number(const Number& number, DType dtype, std::byte* to) {
  if (write_if_fits(number, dtype, to)) return;
  if (std::holds_alternative<std::complex<double>>(number) &&
      info(dtype).kind != DTypeKind::kComplex)
    throw SpecError(fmt::format("a complex value cannot become {}", name_of(dtype)));
  const auto* const real = std::get_if<double>(&number);
  if (real != nullptr && std::isfinite(*real) && *real != std::trunc(*real))
    throw SpecError(fmt::format("{} is not an integer, which {} requires", *real, name_of(dtype)));
  throw SpecError(fmt::format("{} is out of range for {}", to_text(number), name_of(dtype)));
}

Number read_number(DType dtype, const std::byte* from) {
  return dispatch(dtype, [&](auto zero) -> Number {
    using T = decltype(zero);
    T value;
    std::memcpy(&value, from, sizeof value);
    if constexpr (std::is_same_v<T, bool>)
      return value;
    else if constexpr (ReducedFloat<T>)
      return static_cast<double>(to_float(value));
    else if constexpr (std::is_floating_point_v<T>)
      return static_cast<double>(value);
    else if constexpr (kIsComplex<T>)
      return std::complex<double>(value);
    else if constexpr (std::is_unsigned_v<T>)
      return static_cast<std::uint64_t>(value);
    else
      return static_cast<std::int64_t>(value);
  });
}

Array astype(const Array& array, DType dtype) {
  const Array from = contiguous(array);
  if (array.dtype() == dtype) return from;
  Array result = Array::on_host(dtype, array.shape());
  for (std::int64_t k = 0; k < array.size(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    write_number(read_number(array.dtype(), from.data() + at * size_of(array.dtype())), dtype,
                 result.data() + at * size_of(dtype));
  }
  return result;
}

}  // namespace kernelbatch
