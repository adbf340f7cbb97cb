#include "core/verify/tolerance_kernel.hpp"

#include <cmath>

namespace kernelbatch {
namespace {

constexpr std::string_view kPreamble = R"(
template <class T>
__device__ inline double kb_real(T value) { return (double)value; }

__device__ inline bool kb_is_finite(double value) { return value - value == 0; }

// One that was never written agrees with no other NaN.
template <class T>
__device__ inline bool kb_holds(const T& value, unsigned pattern) {
  const unsigned char* const bytes = reinterpret_cast<const unsigned char*>(&value);
  for (unsigned k = 0; k < sizeof(T); ++k)
    if (bytes[k] != ((pattern >> (8 * (k % 4))) & 0xffu)) return false;
  return true;
}

template <class T>
__device__ inline long long kb_beyond(T got, T want, double absolute, double relative,
                                      unsigned sentinel) {
  const double g = kb_real(got), w = kb_real(want);
  if (!kb_is_finite(g) || !kb_is_finite(w)) {
    if (g != g && w != w) return kb_holds(got, sentinel) && !kb_holds(want, sentinel);
    return !(g == w);
  }
  if (absolute < 0) return !(got == want);
  return !(fabs(g - w) <= absolute + relative * fabs(w));
}

template <class T>
__device__ inline long long kb_beyond(complex<T> got, complex<T> want, double absolute,
                                      double relative, unsigned sentinel) {
  const double gr = got.real(), gi = got.imag(), wr = want.real(), wi = want.imag();
  const bool is_finite = kb_is_finite(gr) && kb_is_finite(gi) && kb_is_finite(wr) && kb_is_finite(wi);
  // Infinite or NaN parts are compared one by one, as on the host.
  if (!is_finite || absolute < 0)
    return kb_beyond((T)got.real(), (T)want.real(), absolute, relative, sentinel) +
               kb_beyond((T)got.imag(), (T)want.imag(), absolute, relative, sentinel) > 0;
  return !(hypot(gr - wr, gi - wi) <= absolute + relative * hypot(wr, wi));
}
)";

/// |got − want| ≤ absolute + scale·row·column + relative·|want|, with the element's bounds of row
/// and column; a negative `absolute` means equality.
struct Bound {
  double absolute = -1, relative = 0, scale = 0;
};

Bound bound_of(const Tolerance& tolerance, DType dtype) {
  // Host and device round the bound itself differently.
  constexpr double kLess = 1 - 1e-9;
  // Differences of integers beyond 2^53 are not exact in double.
  const bool is_wide = !is_floating(dtype) && size_of(dtype) == 8;
  if (is_wide) return {};
  if (tolerance.mode == CompareMode::kAllClose)
    return {kLess * tolerance.atol, kLess * tolerance.rtol, kLess};
  if (tolerance.mode != CompareMode::kReduction) return {};
  const double n_u = tolerance.terms * unit_roundoff(dtype);
  if (!(n_u < 1)) return {};
  const double gamma = kLess * n_u / (1 - n_u);
  if (tolerance.row_bounds.bytes() > 0)
    return {kLess * tolerance.terms * smallest_number(dtype), 0, gamma};
  return tolerance.absolute_sum > 0 ? Bound{gamma * tolerance.absolute_sum, 0} : Bound{0, gamma};
}

/// Unwritten elements are neither 0 nor 1.
Array without_bool(const Array& array) {
  if (array.dtype() != DType::kBool) return array;
  return Array::of_memory(array.data(), DType::kUInt8, array.shape(), array.device());
}

}  // namespace

ElementCount::ElementCount(Device& device)
    : there_(Array::on_device(device, DType::kInt64, {})),
      here_(Array::on_host(DType::kInt64, {})),
      pinned_(device.pin(here_.data(), here_.bytes())) {}

std::int64_t ElementCount::value(Stream& stream) const {
  // Memory that is not pinned cannot be a copy's target while a stream is held back.
  if (pinned_ == nullptr) copy(there_, here_, stream);
  return here_.as<std::int64_t>().front();
}

ToleranceKernel::ToleranceKernel()
    : kernel_({.in = "T got, T want, float64 absolute, float64 relative, float64 scale, "
                     "float64 row, float64 column, uint32 sentinel",
               .out = "int64 count",
               .map = "kb_beyond(got, want, absolute < 0 ? absolute : absolute + scale * row * "
                      "column, relative, sentinel)",
               .reduce = "a + b",
               .post_map = "count = a",
               .identity = "0",
               .name = "kernelbatch_tolerance",
               .options = {.preamble = std::string(kPreamble), .reduce_type = "long long"}}) {}

void ToleranceKernel::count(const Array& got, const Array& want, const Tolerance& tolerance,
                            ElementCount& into, Stream& stream) const {
  const Bound bound = bound_of(tolerance, got.dtype());
  const std::uint32_t sentinel = info(got.dtype()).sentinel;
  const Array rows = tolerance.row_bounds, columns = tolerance.column_bounds;
  const auto count = [&](const Array& g, const Array& w, const auto& row, const auto& column) {
    kernel_(stream, g, w, bound.absolute, bound.relative, bound.scale, row, column, sentinel,
            into.there_);
  };
  if (rows.bytes() == 0) {
    count(without_bool(got), without_bool(want), 0.0, 0.0);
  } else {
    const Shape grid{rows.size(), columns.bytes() > 0 ? columns.size() : 1};
    const Array g = got.reshape(grid), w = want.reshape(grid);
    const Array row = rows.reshape({grid[0], 1});
    if (columns.bytes() > 0)
      count(g, w, row, columns.reshape({1, grid[1]}));
    else
      count(g, w, row, 1.0);
  }
  if (into.pinned_ != nullptr)
    stream.device().copy(into.here_.data(), into.there_.data(), into.here_.bytes(), Copy::kToHost,
                         stream);
}

}  // namespace kernelbatch
