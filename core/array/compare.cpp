#include "core/array/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "core/array/element_compare.hpp"
#include "core/base/error.hpp"
#include "core/base/parallel.hpp"

namespace kernelbatch {
namespace {

using element::distance_ulp;
using element::is_same;
using element::is_unwritten;
using element::modulus_of;
using element::number;

constexpr std::int64_t kGrain = 1 << 16;

/// Partial result for one piece of the arrays.
struct Partial {
  std::int64_t mismatches = 0, first = -1;
  double max_abs = 0, max_rel = 0, max_ulp = 0, sum_squares = 0, times_tolerance = 0;
  std::int64_t compared = 0;  ///< pairs with an error value
  bool has_nan = false;
};

/// A tolerance with the bounds of single elements.
class Bounds {
 public:
  Bounds(const Tolerance& of, DType dtype) : tolerance(of) {
    const double n_u = of.terms * unit_roundoff(dtype);
    gamma = n_u < 1 ? n_u / (1 - n_u) : HUGE_VAL;
    if (of.row_bounds.bytes() == 0) return;
    rows_ = of.row_bounds.as<double>();
    underflow_ = of.terms * smallest_number(dtype);
    if (of.column_bounds.bytes() > 0) columns_ = of.column_bounds.as<double>();
  }
  /// Continues with element k.
  void use(std::size_t k) {
    if (rows_.empty()) return;
    bound_ =
        columns_.empty() ? rows_[k] : rows_[k / columns_.size()] * columns_[k % columns_.size()];
  }
  double close(double modulus) const { return tolerance.atol + bound_ + tolerance.rtol * modulus; }
  double reduced(double modulus) const {
    const double sum = rows_.empty() ? tolerance.absolute_sum : bound_;
    return gamma * (sum > 0 ? sum : modulus) + underflow_;
  }

  const Tolerance& tolerance;
  double gamma = 0;

 private:
  std::span<const double> rows_, columns_;
  double bound_ = 0, underflow_ = 0;
};

/// True if an error is allowed; else the largest ratio of both is kept.
bool is_within(double error, double allowed, Partial& partial) {
  if (error <= allowed) return true;
  partial.times_tolerance =
      std::max(partial.times_tolerance, allowed > 0 ? error / allowed : HUGE_VAL);
  return false;
}

/// True if a pair of real numbers agrees; adds its error to `partial`.
template <class T>
bool agree(T got, T want, const Bounds& bounds, Partial& partial) {
  const double g = number(got);
  const double w = number(want);
  if (!std::isfinite(g) || !std::isfinite(w)) {
    if ((std::isnan(g) && std::isnan(w) && !is_unwritten(got, want)) || g == w) return true;
    if (std::isnan(g) || std::isnan(w)) partial.has_nan = true;
    partial.max_abs = partial.max_rel = partial.max_ulp = partial.sum_squares = HUGE_VAL;
    partial.times_tolerance = HUGE_VAL;
    ++partial.compared;
    return false;
  }
  if (is_same(got, want)) {
    ++partial.compared;
    return true;
  }
  double error = std::abs(g - w);
  if constexpr (std::is_integral_v<T>) error = distance_ulp(got, want);
  const double ulp = distance_ulp(got, want);
  partial.max_abs = std::max(partial.max_abs, error);
  if (error > 0)
    partial.max_rel = std::max(partial.max_rel, w != 0 ? error / std::abs(w) : HUGE_VAL);
  partial.max_ulp = std::max(partial.max_ulp, ulp);
  partial.sum_squares += error * error;
  ++partial.compared;
  switch (bounds.tolerance.mode) {
    case CompareMode::kExact:
      return error == 0;
    case CompareMode::kUlp:
      return is_within(ulp, bounds.tolerance.max_ulp, partial);
    case CompareMode::kAllClose:
      return is_within(error, bounds.close(std::abs(w)), partial);
    case CompareMode::kReduction:
      return is_within(error, bounds.reduced(std::abs(w)), partial);
  }
  return false;
}

template <class T>
bool agree(std::complex<T> got, std::complex<T> want, const Bounds& bounds, Partial& partial) {
  // A complex number agrees if its distance is within the tolerance of its modulus; infinite or NaN
  // parts are compared separately.
  if (!std::isfinite(got.real()) || !std::isfinite(got.imag()) || !std::isfinite(want.real()) ||
      !std::isfinite(want.imag())) {
    const bool real = agree(got.real(), want.real(), bounds, partial);
    return agree(got.imag(), want.imag(), bounds, partial) && real;
  }
  const CompareMode mode = bounds.tolerance.mode;
  if (mode != CompareMode::kAllClose && mode != CompareMode::kReduction) {
    const bool real = agree(got.real(), want.real(), bounds, partial);
    return agree(got.imag(), want.imag(), bounds, partial) && real;
  }
  if (got == want) {
    ++partial.compared;
    return true;
  }
  const double error = modulus_of(static_cast<double>(got.real()) - want.real(),
                                  static_cast<double>(got.imag()) - want.imag());
  const double modulus = modulus_of(want.real(), want.imag());
  partial.max_abs = std::max(partial.max_abs, error);
  if (error > 0)
    partial.max_rel = std::max(partial.max_rel, modulus > 0 ? error / modulus : HUGE_VAL);
  partial.max_ulp = std::max({partial.max_ulp, distance_ulp(got.real(), want.real()),
                              distance_ulp(got.imag(), want.imag())});
  partial.sum_squares += error * error;
  ++partial.compared;
  if (mode == CompareMode::kAllClose) return is_within(error, bounds.close(modulus), partial);
  // Each part is within the bound, so the distance is within √2 of it. A single part may cancel to
  // zero.
  return is_within(error / M_SQRT2, bounds.reduced(modulus), partial);
}

template <class T>
std::string element_text(T value) {
  if constexpr (ReducedFloat<T>)
    return fmt::format("{}", to_float(value));
  else if constexpr (std::is_same_v<T, std::complex<float>> ||
                     std::is_same_v<T, std::complex<double>>)
    return fmt::format("({}{:+}j)", value.real(), value.imag());
  else
    return fmt::format("{}", value);
}

std::string index_text(std::int64_t linear, const Shape& shape) {
  Extents index = Extents::filled(shape.count(), 0);
  for (int axis = shape.count() - 1; axis >= 0; --axis) {
    index[axis] = linear % shape[axis];
    linear /= shape[axis];
  }
  return fmt::format("[{}]", fmt::join(index.begin(), index.end(), ", "));
}

void require_same(const Array& got, const Array& want) {
  if (got.dtype() != want.dtype() || !(got.shape() == want.shape()))
    throw SpecError(fmt::format("cannot compare {} {} with the reference's {} {}",
                                name_of(got.dtype()), to_text(got.shape()), name_of(want.dtype()),
                                to_text(want.shape())));
}

/// A bool array as its bytes: unwritten ones contain neither 0 nor 1, which C++ must not read as a
/// bool.
Array bytes_of(const Array& array) {
  array.as<bool>();  // contiguous and on the host
  return Array::of_memory(array.data(), DType::kUInt8, array.shape());
}

std::string bounds_text(const Tolerance& tolerance) {
  if (tolerance.row_bounds.bytes() == 0) return "";
  return tolerance.column_bounds.bytes() > 0 ? "sum by row and column" : "sum by row";
}

}  // namespace

double smallest_number(DType dtype) noexcept {
  return dispatch(dtype, [](auto zero) -> double {
    using T = decltype(zero);
    if constexpr (ReducedFloat<T>)
      return static_cast<double>(to_float(T{1}));
    else if constexpr (std::is_floating_point_v<T>)
      return static_cast<double>(std::numeric_limits<T>::denorm_min());
    else if constexpr (requires { typename T::value_type; })
      return static_cast<double>(std::numeric_limits<typename T::value_type>::denorm_min());
    else
      return 0;
  });
}

std::string to_text(const Tolerance& tolerance) {
  switch (tolerance.mode) {
    case CompareMode::kExact:
      return "exact";
    case CompareMode::kUlp:
      return fmt::format("max_ulp={}", tolerance.max_ulp);
    case CompareMode::kAllClose:
      return fmt::format("rtol={:.3g} atol={:.3g}{}{}", tolerance.rtol, tolerance.atol,
                         tolerance.row_bounds.bytes() > 0 ? " + " : "", bounds_text(tolerance));
    case CompareMode::kReduction:
      if (tolerance.row_bounds.bytes() > 0)
        return fmt::format("reduction n={:.4g} {}", tolerance.terms, bounds_text(tolerance));
      return tolerance.absolute_sum > 0 ? fmt::format("reduction n={:.4g} sum={:.4g}",
                                                      tolerance.terms, tolerance.absolute_sum)
                                        : fmt::format("reduction n={:.4g}", tolerance.terms);
  }
  return "";
}

Comparison compare(const Array& got, const Array& want, const Tolerance& tolerance) {
  require_same(got, want);
  if (got.dtype() == DType::kBool) return compare(bytes_of(got), bytes_of(want), tolerance);
  Comparison result;
  std::mutex mutex;
  Partial total;
  dispatch(got.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto g = got.as<T>();
    const auto w = want.as<T>();
    parallel_for(got.size(), kGrain, [&](std::int64_t begin, std::int64_t end) {
      Partial partial;
      Bounds bounds(tolerance, got.dtype());
      for (std::int64_t k = begin; k < end; ++k) {
        const auto at = static_cast<std::size_t>(k);
        bounds.use(at);
        if (agree(g[at], w[at], bounds, partial)) continue;
        if (partial.mismatches++ == 0) partial.first = k;
      }
      const std::lock_guard lock(mutex);
      total.mismatches += partial.mismatches;
      if (partial.first >= 0 && (total.first < 0 || partial.first < total.first))
        total.first = partial.first;
      total.max_abs = std::max(total.max_abs, partial.max_abs);
      total.max_rel = std::max(total.max_rel, partial.max_rel);
      total.max_ulp = std::max(total.max_ulp, partial.max_ulp);
      total.times_tolerance = std::max(total.times_tolerance, partial.times_tolerance);
      total.sum_squares += partial.sum_squares;
      total.compared += partial.compared;
      total.has_nan = total.has_nan || partial.has_nan;
    });
    if (total.first >= 0) {
      const auto at = static_cast<std::size_t>(total.first);
      result.first_text =
          fmt::format("{}: got {}, expected {}", index_text(total.first, got.shape()),
                      element_text(g[at]), element_text(w[at]));
    }
  });
  result.mismatches = total.mismatches;
  result.first_mismatch = total.first;
  result.max_abs = total.max_abs;
  result.max_rel = total.max_rel;
  result.max_ulp = total.max_ulp;
  result.times_tolerance = std::isfinite(total.times_tolerance) ? total.times_tolerance : 0;
  result.rms =
      total.compared > 0 ? std::sqrt(total.sum_squares / static_cast<double>(total.compared)) : 0;
  if (total.has_nan)
    result.max_abs = result.max_rel = result.max_ulp = result.rms =
        std::numeric_limits<double>::quiet_NaN();
  result.equal = total.mismatches == 0;
  return result;
}

std::int64_t count_unwritten(const Array& got, const Array& want) {
  require_same(got, want);
  const std::size_t item = size_of(got.dtype());
  std::int64_t count = 0;
  for (const std::uint32_t pattern : {info(got.dtype()).sentinel, kNumericSentinel}) {
    std::byte sentinel[16];
    for (std::size_t k = 0; k < sizeof sentinel; k += sizeof pattern)
      std::memcpy(sentinel + k, &pattern, sizeof pattern);
    for (std::int64_t k = 0; k < got.size(); ++k) {
      const std::size_t at = static_cast<std::size_t>(k) * item;
      if (std::memcmp(got.data() + at, sentinel, item) == 0 &&
          std::memcmp(want.data() + at, sentinel, item) != 0)
        ++count;
    }
  }
  return count;
}

}  // namespace kernelbatch
