#include "core/verify/tolerance_kernel.hpp"

#include <cmath>

namespace kernelbatch {
namespace {

constexpr std::string_view kPreamble = R"(
template <class T>
__device__ inline double kb_real(T value) { return (double)value; }

__device__ inline bool kb_is_finite(double value) { return value - value == 0; }

template <class T>
__device__ inline long long kb_beyond(T got, T want, double absolute, double relative) {
  const double g = kb_real(got), w = kb_real(want);
  if (!kb_is_finite(g) || !kb_is_finite(w)) return !((g != g && w != w) || g == w);
  if (absolute < 0) return !(got == want);
  return !(fabs(g - w) <= absolute + relative * fabs(w));
}

template <class T>
__device__ inline long long kb_beyond(complex<T> got, complex<T> want, double absolute,
                                      double relative) {
  const double gr = got.real(), gi = got.imag(), wr = want.real(), wi = want.imag();
  const bool is_finite = kb_is_finite(gr) && kb_is_finite(gi) && kb_is_finite(wr) && kb_is_finite(wi);
  // Infinite or NaN parts are looked at one by one, as on the host.
  if (!is_finite || absolute < 0)
    return kb_beyond(gr, wr, absolute, relative) + kb_beyond(gi, wi, absolute, relative) > 0;
  return !(hypot(gr - wr, gi - wi) <= absolute + relative * hypot(wr, wi));
}
)";

/// |got − want| ≤ absolute + relative·|want|; a negative `absolute`: equal.
struct Bound {
  double absolute = -1, relative = 0;
};

Bound bound_of(const Tolerance& tolerance, DType dtype) {
  // A host and a device round the bound itself differently.
  constexpr double kLess = 1 - 1e-9;
  // Differences of integers beyond 2^53 are no doubles.
  const bool is_wide = !is_floating(dtype) && size_of(dtype) == 8;
  if (is_wide) return {};
  if (tolerance.mode == CompareMode::kAllClose)
    return {kLess * tolerance.atol, kLess * tolerance.rtol};
  if (tolerance.mode != CompareMode::kReduction) return {};
  const double n_u = tolerance.terms * unit_roundoff(dtype);
  if (!(n_u < 1)) return {};
  const double gamma = kLess * n_u / (1 - n_u);
  return tolerance.absolute_sum > 0 ? Bound{gamma * tolerance.absolute_sum, 0} : Bound{0, gamma};
}

/// One that was never written holds neither 0 nor 1.
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
  // Memory that is not pinned cannot be copied to while a stream is held back.
  if (pinned_ == nullptr) copy(there_, here_, stream);
  return here_.as<std::int64_t>().front();
}

ToleranceKernel::ToleranceKernel()
    : kernel_({.in = "T got, T want, float64 absolute, float64 relative",
               .out = "int64 count",
               .map = "kb_beyond(got, want, absolute, relative)",
               .reduce = "a + b",
               .post_map = "count = a",
               .identity = "0",
               .name = "kernelbatch_tolerance",
               .options = {.preamble = std::string(kPreamble), .reduce_type = "long long"}}) {}

void ToleranceKernel::count(const Array& got, const Array& want, const Tolerance& tolerance,
                            ElementCount& into, Stream& stream) const {
  const Bound bound = bound_of(tolerance, got.dtype());
  kernel_(stream, without_bool(got), without_bool(want), bound.absolute, bound.relative,
          into.there_);
  if (into.pinned_ != nullptr)
    stream.device().copy(into.here_.data(), into.there_.data(), into.here_.bytes(), Copy::kToHost,
                         stream);
}

}  // namespace kernelbatch
