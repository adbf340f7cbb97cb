#include "core/verify/element_differences.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <type_traits>

#include "core/workload/host_input.hpp"

namespace kernelbatch {
namespace {

constexpr std::int64_t kSample = 16384;
/// Relative difference of two answers that the order of additions can explain.
constexpr double kSameSum = 1e-9, kSameRoundings = 4;

bool is_finite(double value) { return std::isfinite(value); }
template <class T>
bool is_finite(std::complex<T> value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

bool is_nan(double value) { return std::isnan(value); }
bool is_nan(std::complex<double> value) {
  return std::isnan(value.real()) || std::isnan(value.imag());
}

}  // namespace

std::vector<std::int64_t> places_of(const Array& want) {
  const std::int64_t size = want.size();
  std::vector<std::int64_t> places(static_cast<std::size_t>(std::min(size, kSample)));
  std::mt19937_64 random(static_cast<std::uint64_t>(size));
  std::uniform_int_distribution<std::int64_t> any(0, std::max<std::int64_t>(0, size - 1));
  for (std::size_t k = 0; k < places.size(); ++k)
    places[k] = size <= kSample ? static_cast<std::int64_t>(k) : any(random);
  dispatch(want.dtype(), [&](auto first) {
    using T = decltype(first);
    const auto values = want.as<T>();
    std::erase_if(places, [&](std::int64_t place) {
      const T value = values[static_cast<std::size_t>(place)];
      if constexpr (ReducedFloat<T>)
        return !std::isfinite(to_float(value));
      else if constexpr (std::is_arithmetic_v<T>)
        return !is_finite(static_cast<double>(value));
      else
        return !is_finite(value);
    });
  });
  return places;
}

Array gathered(const Array& array, const std::vector<std::int64_t>& places) {
  const std::size_t item = size_of(array.dtype());
  Array some = Array::on_host(array.dtype(), {static_cast<std::int64_t>(places.size())});
  for (std::size_t k = 0; k < places.size(); ++k)
    std::memcpy(some.data() + k * item, array.data() + static_cast<std::size_t>(places[k]) * item,
                item);
  return some;
}

Tolerance gathered(Tolerance tolerance, const std::vector<std::int64_t>& places) {
  if (tolerance.row_bounds.bytes() == 0) return tolerance;
  const auto rows = tolerance.row_bounds.as<double>();
  const bool has_columns = tolerance.column_bounds.bytes() > 0;
  const std::size_t columns = has_columns ? tolerance.column_bounds.as<double>().size() : 1;
  std::vector<double> bounds;
  for (const std::int64_t place : places) {
    const auto at = static_cast<std::size_t>(place);
    const double column = has_columns ? tolerance.column_bounds.as<double>()[at % columns] : 1;
    bounds.push_back(rows[at / columns] * column);
  }
  tolerance.row_bounds = Array::from(bounds);
  tolerance.column_bounds = {};
  return tolerance;
}

Array repeated(const Array& like, const std::byte* element) {
  const std::size_t item = size_of(like.dtype());
  Array array = Array::on_host(like.dtype(), like.shape());
  for (std::int64_t k = 0; k < like.size(); ++k)
    std::memcpy(array.data() + static_cast<std::size_t>(k) * item, element, item);
  return array;
}

std::vector<std::int64_t> wrong_places(const Array& other, const Array& want, double near,
                                       double negligible, std::size_t most) {
  std::vector<std::int64_t> places;
  if (!is_floating(want.dtype())) near = negligible = 0;
  dispatch(want.dtype(), [&](auto first) {
    using T = decltype(first);
    const auto o = other.as<T>(), w = want.as<T>();
    for (std::size_t k = 0; k < w.size() && places.size() < most; ++k) {
      const auto a = widened(o[k]), b = widened(w[k]);
      const double larger = std::max(std::abs(a), std::abs(b));
      if (a == b || (is_nan(a) && is_nan(b)) || larger <= negligible ||
          distance(a, b) <= near * larger)
        continue;
      places.push_back(static_cast<std::int64_t>(k));
    }
  });
  return places;
}

bool are_different(const Array& other, const Array& want) {
  const double near = std::max(kSameSum, kSameRoundings * unit_roundoff(want.dtype()));
  return !wrong_places(other, want, near, 0, 1).empty();
}

}  // namespace kernelbatch
