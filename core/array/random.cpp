#include "core/array/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/parallel.hpp"

namespace kernelbatch {
namespace {

constexpr std::int64_t kChunk = 1 << 16;

/// Two numbers in [0, 1) with 53 bits each, for the elements 2k and 2k + 1.
std::array<double, 2> uniform_pair(std::uint64_t pair, std::uint64_t seed) noexcept {
  const auto bits =
      philox({static_cast<std::uint32_t>(pair), static_cast<std::uint32_t>(pair >> 32), 0, 0},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  const auto join = [](std::uint32_t high, std::uint32_t low) {
    const std::uint64_t word = (std::uint64_t{high} << 32) | low;
    return static_cast<double>(word >> 11) * 0x1p-53;
  };
  return {join(bits[0], bits[1]), join(bits[2], bits[3])};
}

template <class T>
T convert(double value) {
  if constexpr (ReducedFloat<T>)
    return from_float<T>(static_cast<float>(value));
  else if constexpr (std::is_same_v<T, bool>)
    return value != 0;
  else
    return static_cast<T>(value);
}

/// The largest number of a dtype (of a complex dtype's parts) below `high`, so that rounding does
/// not reach `high` itself.
double largest_below(DType dtype, double high) {
  return dispatch(dtype, [high](auto zero) -> double {
    using T = decltype(zero);
    if constexpr (ReducedFloat<T>) {
      T nearest = convert<T>(high);
      if (static_cast<double>(to_float(nearest)) >= high) {
        const bool is_negative = (nearest.bits & kSignBit<T>) != 0;
        const bool is_zero = (nearest.bits & (kSignBit<T> - 1)) == 0;
        nearest.bits = static_cast<decltype(T::bits)>(is_zero       ? kSignBit<T> + 1
                                                      : is_negative ? nearest.bits + 1
                                                                    : nearest.bits - 1);
      }
      return static_cast<double>(to_float(nearest));
    } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>>) {
      const auto nearest = static_cast<float>(high);
      return static_cast<double>(
          static_cast<double>(nearest) < high ? nearest : std::nextafter(nearest, -HUGE_VALF));
    } else if constexpr (std::is_integral_v<T>) {
      return std::ceil(high) - 1;
    } else {
      return std::nextafter(high, -HUGE_VAL);
    }
  });
}

/// Fills an array with `pair(k)`, two real numbers at a time; a complex element takes one pair.
template <class Pair>
Array fill_pairs(DType dtype, const Shape& shape, const Pair& pair) {
  Array array = Array::on_host(dtype, shape);
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto values = array.as<T>();
    if constexpr (std::is_same_v<T, std::complex<float>> ||
                  std::is_same_v<T, std::complex<double>>) {
      using Part = typename T::value_type;
      parallel_for(array.size(), kChunk, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) {
          const auto two = pair(static_cast<std::uint64_t>(k));
          values[static_cast<std::size_t>(k)] = {static_cast<Part>(two[0]),
                                                 static_cast<Part>(two[1])};
        }
      });
    } else {
      parallel_for((array.size() + 1) / 2, kChunk, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) {
          const auto two = pair(static_cast<std::uint64_t>(k));
          values[static_cast<std::size_t>(2 * k)] = convert<T>(two[0]);
          if (2 * k + 1 < array.size())
            values[static_cast<std::size_t>(2 * k + 1)] = convert<T>(two[1]);
        }
      });
    }
  });
  return array;
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c,
                                    std::array<std::uint32_t, 2> key) noexcept {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * c[0];
    const std::uint64_t product1 = kMultiplier1 * c[2];
    c = {static_cast<std::uint32_t>(product1 >> 32) ^ c[1] ^ key[0],
         static_cast<std::uint32_t>(product1),
         static_cast<std::uint32_t>(product0 >> 32) ^ c[3] ^ key[1],
         static_cast<std::uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return c;
}

static Array uniform_array(DType dtype, const Shape& shape, double low, double high,
                           std::uint64_t seed) {
  if (!(low < high))
    throw SpecError(fmt::format("uniform: low {} is not below high {}", low, high));
  const bool whole = !is_floating(dtype);
  const double most = largest_below(dtype, high);
  return fill_pairs(dtype, shape, [=](std::uint64_t k) {
    auto two = uniform_pair(k, seed);
    for (double& value : two) {
      value = low + (high - low) * value;
      if (whole) value = std::floor(value);
      value = std::min(value, most);
    }
    return two;
  });
}

static Array normal_array(DType dtype, const Shape& shape, double mean, double deviation,
                          std::uint64_t seed) {
  if (!(deviation >= 0))
    throw SpecError(fmt::format("normal: the deviation {} is negative", deviation));
  return fill_pairs(dtype, shape, [=](std::uint64_t k) {
    const auto two = uniform_pair(k, seed);
    const double radius = deviation * std::sqrt(-2 * std::log1p(-two[0]));
    const double angle = 2 * std::numbers::pi * two[1];
    return std::array<double, 2>{mean + radius * std::cos(angle), mean + radius * std::sin(angle)};
  });
}

namespace {

/// Splits `rows` ≥ 2 rows at random into runs that keep their order: most neighbours stay
/// neighbours, so that kernels access memory as regularly as before, and take as long. Few rows are
/// runs of one. The begins of all runs, and `rows`.
std::vector<std::size_t> run_begins(std::size_t rows, std::mt19937_64& random) {
  constexpr std::size_t kRows = 1024, kFewestRuns = 4, kMostRuns = 64;
  if (rows <= kMostRuns) {
    std::vector<std::size_t> all(rows + 1);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  std::set<std::size_t> begins{0, rows};
  const std::size_t runs = std::clamp(rows / kRows, kFewestRuns, kMostRuns);
  while (begins.size() <= runs) begins.insert(random() % rows);
  return {begins.begin(), begins.end()};
}

/// True if a run begins where it began before.
bool keeps_a_place(const std::vector<std::size_t>& order, const std::vector<std::size_t>& begins) {
  std::size_t place = 0;
  for (const std::size_t run : order) {
    if (place == begins[run]) return true;
    place += begins[run + 1] - begins[run];
  }
  return false;
}

}  // namespace

std::uint64_t RandomSource::shifted(std::uint64_t seed) const noexcept {
  return shift_ == 0 ? seed : (seed ^ shift_) * 0x9E3779B97F4A7C15u;
}

bool RandomSource::has_made(const Array& array) const noexcept {
  return std::ranges::find(made_, array.data()) != made_.end();
}

Array RandomSource::uniform(DType dtype, const Shape& shape, double low, double high,
                            std::uint64_t seed) {
  Array array = uniform_array(dtype, shape, low, high, shifted(seed));
  made_.push_back(array.data());
  return array;
}

Array RandomSource::normal(DType dtype, const Shape& shape, double mean, double deviation,
                           std::uint64_t seed) {
  Array array = normal_array(dtype, shape, mean, deviation, shifted(seed));
  made_.push_back(array.data());
  return array;
}

Array RandomSource::reordered(const Array& array) {
  constexpr std::uint64_t kSeed = 0x9E3779B97F4A7C15u;
  const std::uint64_t seed = shifted(kSeed);
  if (seed == kSeed || array.size() < 2) return array;
  const bool has_rows = array.axes() > 1 && array.shape()[0] > 1;
  const auto rows = static_cast<std::size_t>(has_rows ? array.shape()[0] : array.size());
  const std::size_t bytes = array.bytes() / rows;
  std::mt19937_64 random(seed);
  const std::vector<std::size_t> begins = run_begins(rows, random);
  std::vector<std::size_t> order(begins.size() - 1);
  std::iota(order.begin(), order.end(), std::size_t{0});
  while (keeps_a_place(order, begins)) std::shuffle(order.begin(), order.end(), random);
  Array copy = Array::on_host(array.dtype(), array.shape());
  std::byte* to = copy.data();
  for (const std::size_t run : order) {
    const std::size_t size = (begins[run + 1] - begins[run]) * bytes;
    std::memcpy(to, array.data() + begins[run] * bytes, size);
    to += size;
  }
  // Floating-point values are no indices, so they may be reordered freely.
  if (is_floating(array.dtype())) made_.push_back(copy.data());
  return copy;
}

Array arange(DType dtype, const Shape& shape, double start, double step) {
  const bool is_complex = info(dtype).kind == DTypeKind::kComplex;
  return fill_pairs(dtype, shape, [=](std::uint64_t k) {
    const double index = static_cast<double>(is_complex ? k : 2 * k);
    return std::array<double, 2>{start + index * step, is_complex ? 0 : start + (index + 1) * step};
  });
}

}  // namespace kernelbatch
