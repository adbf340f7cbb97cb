#include "core/verify/vacuity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>

namespace kernelbatch {
namespace {

constexpr std::int64_t kSample = 16384;
/// Of the elements that a wrong answer must differ in to be one.
constexpr std::int64_t kDifferentOf = 100;
/// Fewer elements may agree by chance.
constexpr std::int64_t kFew = 8;

bool is_finite(double value) { return std::isfinite(value); }
template <class T>
bool is_finite(std::complex<T> value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

/// Places that a sample looks at: all of them, or random ones. No tolerance has a say where the
/// reference is not finite, which would hide what it lets pass elsewhere.
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

Array repeated(const Array& like, const std::byte* element) {
  const std::size_t item = size_of(like.dtype());
  Array array = Array::on_host(like.dtype(), like.shape());
  for (std::int64_t k = 0; k < like.size(); ++k)
    std::memcpy(array.data() + static_cast<std::size_t>(k) * item, element, item);
  return array;
}

/// Whether another answer passes in place of `want`, although it differs in one of a hundred, and
/// in `least` elements or more.
bool passes(const Array& other, const Array& want, const Tolerance& tolerance,
            std::int64_t least = kFew) {
  const Comparison exact = compare(other, want, {CompareMode::kExact});
  if (exact.mismatches * kDifferentOf < want.size() || exact.mismatches < least) return false;
  return compare(other, want, tolerance).equal;
}

/// One element in a hundred is that of another place, where that is another number.
Array partly_wrong(const Array& want) {
  const std::size_t item = size_of(want.dtype());
  Array array = Array::on_host(want.dtype(), want.shape());
  std::memcpy(array.data(), want.data(), want.bytes());
  const auto count = static_cast<std::size_t>(want.size());
  for (std::size_t k = 0; k < count; k += static_cast<std::size_t>(kDifferentOf)) {
    const std::size_t from = (k + count / 2 + 1) % count;
    std::memcpy(array.data() + k * item, want.data() + from * item, item);
  }
  return array;
}

class Question {
 public:
  Question(const OutputArray& spec, const Array& want)
      : spec_(spec),
        places_(places_of(contiguous(want))),
        want_(astype(gathered(contiguous(want), places_), spec.dtype)) {}

  std::string ask(const std::vector<std::pair<std::string, Array>>& inputs) const {
    if (want_.size() == 0) return "";
    const std::byte zero[16] = {};
    if (passes(repeated(want_, zero), want_, spec_.tolerance, 1)) return sentence("zeros");
    if (want_.size() >= kFew) {
      // The constant that is nearest to all of them.
      Array middle = want_;
      dispatch(want_.dtype(), [&](auto first) {
        using T = decltype(first);
        if constexpr (std::is_floating_point_v<T> || std::is_integral_v<T>) {
          if constexpr (!std::is_same_v<T, bool>) {
            T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::lowest();
            for (const T value : want_.as<T>()) {
              low = std::min(low, value);
              high = std::max(high, value);
            }
            const T centre = static_cast<T>(low / 2 + high / 2);
            middle = repeated(want_, reinterpret_cast<const std::byte*>(&centre));
          }
        }
      });
      if (passes(middle, want_, spec_.tolerance) ||
          passes(repeated(want_, want_.data()), want_, spec_.tolerance))
        return sentence("a constant");
      // Alone, so that the few are not hidden among those that are right.
      const Array wrong = partly_wrong(want_);
      if (wrong_ones_pass(wrong)) return sentence("an answer with 1 % wrong elements");
    }
    for (const auto& [name, input] : inputs) {
      const bool is_complex = info(input.dtype()).kind == DTypeKind::kComplex;
      if (!(input.shape() == spec_.shape) || input.device() != nullptr ||
          (is_complex && info(want_.dtype()).kind != DTypeKind::kComplex))
        continue;
      if (passes(astype(gathered(contiguous(input), places_), want_.dtype()), want_,
                 spec_.tolerance))
        return sentence(fmt::format("the input '{}'", name));
    }
    return "";
  }

 private:
  std::string sentence(std::string_view what) const {
    return fmt::format("vacuous tolerance: {} would pass as output '{}' ({})", what, spec_.name,
                       to_text(spec_.tolerance));
  }

  bool wrong_ones_pass(const Array& wrong) const {
    const Comparison exact = compare(wrong, want_, {CompareMode::kExact});
    return exact.mismatches >= kFew && compare(wrong, want_, spec_.tolerance).equal;
  }

  const OutputArray& spec_;
  std::vector<std::int64_t> places_;
  Array want_;
};

}  // namespace

std::string vacuous_tolerance(const std::vector<OutputArray>& specs, const OutputArrays& want,
                              const std::vector<std::pair<std::string, Array>>& inputs) {
  for (const OutputArray& spec : specs) {
    const auto found = want.find(spec.compared_with.empty() ? spec.name : spec.compared_with);
    if (!spec.has_reference || found == want.end() || found->second.size() == 0) continue;
    const std::string sentence = Question(spec, found->second).ask(inputs);
    if (!sentence.empty()) return sentence;
  }
  return "";
}

}  // namespace kernelbatch
