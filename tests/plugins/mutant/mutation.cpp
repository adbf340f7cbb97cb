#include "tests/plugins/mutant/mutation.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "core/array/compare.hpp"

namespace mutant {
namespace {

using kernelbatch::Array;
using kernelbatch::OutputArray;

/// How much element `at` may differ from `want`.
double allowed(const OutputArray& spec, std::size_t at, double want) {
  const kernelbatch::Tolerance& tolerance = spec.tolerance;
  double bound = 0;
  if (tolerance.row_bounds.bytes() > 0) {
    const auto rows = tolerance.row_bounds.as<double>();
    const bool has_columns = tolerance.column_bounds.bytes() > 0;
    const auto columns = has_columns ? tolerance.column_bounds.as<double>() : rows.first(1);
    bound = rows[at / columns.size()] * (has_columns ? columns[at % columns.size()] : 1);
  }
  const double n_u = tolerance.terms * kernelbatch::unit_roundoff(spec.dtype);
  switch (tolerance.mode) {
    case kernelbatch::CompareMode::kAllClose:
      return tolerance.atol + bound + tolerance.rtol * want;
    case kernelbatch::CompareMode::kReduction:
      return n_u / (1 - n_u) *
             (bound > 0                    ? bound
              : tolerance.absolute_sum > 0 ? tolerance.absolute_sum
                                           : want);
    case kernelbatch::CompareMode::kUlp:
      return static_cast<double>(tolerance.max_ulp) * 2 * kernelbatch::unit_roundoff(spec.dtype) *
             want;
    default:
      return 0;
  }
}

}  // namespace

void shift_by_one(const OutputArray& spec, const Array& output) {
  const auto item = static_cast<std::ptrdiff_t>(kernelbatch::size_of(spec.dtype));
  std::rotate(output.data(), output.data() + item, output.data() + output.bytes());
}

void leave_out_last(const OutputArray& spec, const Array& output) {
  const std::size_t item = kernelbatch::size_of(spec.dtype);
  const std::uint32_t pattern = kernelbatch::info(spec.dtype).sentinel;
  std::byte sentinel[16];
  for (std::size_t k = 0; k < sizeof sentinel; k += 4) std::memcpy(sentinel + k, &pattern, 4);
  std::memcpy(output.data() + output.bytes() - item, sentinel, item);
}

void move_one(const OutputArray& spec, const Array& output) {
  const auto middle = static_cast<std::size_t>(output.size() / 2);
  kernelbatch::dispatch(spec.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      T& element = output.as<T>()[middle];
      const auto was = static_cast<double>(element);
      const T moved = static_cast<T>(was + 10 * allowed(spec, middle, std::abs(was)));
      element = moved != element ? moved : std::nextafter(element, std::numeric_limits<T>::max());
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      T& element = output.as<T>()[middle];
      element = static_cast<T>(element + 1);
    } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                         std::is_same_v<T, std::complex<double>>) {
      T& element = output.as<T>()[middle];
      const double step = 10 * allowed(spec, middle, static_cast<double>(std::abs(element)));
      element += static_cast<typename T::value_type>(step);
    }
  });
}

void put_nan(const OutputArray& spec, const Array& output) {
  const auto middle = static_cast<std::size_t>(output.size() / 2);
  kernelbatch::dispatch(spec.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      output.as<T>()[middle] = std::numeric_limits<T>::quiet_NaN();
    } else if constexpr (std::is_integral_v<T>) {
      move_one(spec, output);
    } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                         std::is_same_v<T, std::complex<double>>) {
      T& element = output.as<T>()[middle];
      element = {element.real(), std::numeric_limits<typename T::value_type>::quiet_NaN()};
    }
  });
}

Array reversed(const Array& input) {
  const Array turned = Array::on_host(input.dtype(), input.shape());
  const std::size_t item = kernelbatch::size_of(input.dtype());
  for (std::size_t at = 0; at < input.bytes(); at += item)
    std::memcpy(turned.data() + at, input.data() + input.bytes() - at - item, item);
  return turned;
}

}  // namespace mutant
