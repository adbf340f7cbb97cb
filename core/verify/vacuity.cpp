#include "core/verify/vacuity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/verify/element_differences.hpp"
#include "core/workload/host_input.hpp"

namespace kernelbatch {
namespace {

/// A wrong answer must differ in at least one of this number of elements.
constexpr std::int64_t kDifferentOf = 100;
/// Fewer elements may agree by chance.
constexpr std::int64_t kFew = kFewElements, kFewPassing = 4;
/// Maximum share of elements in which a wrong answer may pass.
constexpr double kMostPassing = 0.1, kMostOfProven = 0.9;
/// Relative difference, and the same in units of the dtype's roundoff, below which an element is
/// not wrong: saturating functions are close to a constant.
constexpr double kNear = 1e-4, kRoundings = 64;
/// Share of the largest element below which a workload's proven bound may hide elements: errors of
/// a whole field are relative to its largest element.
constexpr double kNegligible = 1e-2;

/// The elements as `dtype`; 0 for those that it does not have.
Array nearest_elements(const Array& array, DType dtype) {
  Array result = Array::on_host(dtype, array.shape());
  std::memset(result.data(), 0, result.bytes());
  for (std::size_t k = 0; k < static_cast<std::size_t>(array.size()); ++k)
    write_if_fits(read_number(array.dtype(), array.data() + k * size_of(array.dtype())), dtype,
                  result.data() + k * size_of(dtype));
  return result;
}

/// Magnitude below which the tolerance may hide elements: 0 for the tolerance of a job.
double negligible_size(const Array& want, const Tolerance& tolerance) {
  if (tolerance.reason.empty() || tolerance.mode != CompareMode::kAllClose) return 0;
  const double largest = largest_modulus(want);
  return tolerance.atol <= kNegligible * largest ? tolerance.atol : 0;
}

/// Number of elements in which `other` is wrong but passes.
std::int64_t wrong_that_pass(const Array& other, const Array& want, const Tolerance& tolerance) {
  const std::vector<std::int64_t> places =
      wrong_places(other, want, std::max(kNear, kRoundings * unit_roundoff(want.dtype())),
                   negligible_size(want, tolerance));
  return static_cast<std::int64_t>(places.size()) -
         compare(gathered(other, places), gathered(want, places), gathered(tolerance, places))
             .mismatches;
}

/// Share of the elements in which another answer than `want` is wrong but passes; 1 if the whole
/// answer passes although it differs in one of a hundred elements and in at least `least`.
double share_that_passes(const Array& other, const Array& want, const Tolerance& tolerance,
                         std::int64_t least = kFew) {
  const Comparison exact = compare(other, want, {CompareMode::kExact});
  if (exact.mismatches * kDifferentOf < want.size() || exact.mismatches < least) return 0;
  if (compare(other, want, tolerance).equal) return 1;
  const std::int64_t passing = wrong_that_pass(other, want, tolerance);
  if (passing < kFewPassing) return 0;
  return static_cast<double>(passing) / static_cast<double>(want.size());
}

/// Replaces every hundredth element by another element of the array.
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

class ToleranceProbe {
 public:
  ToleranceProbe(const OutputArray& spec, const Array& want)
      : spec_(spec),
        places_(places_of(contiguous(want))),
        want_(astype(gathered(contiguous(want), places_), spec.dtype)),
        tolerance_(gathered(spec.tolerance, places_)) {}

  std::string find_accepted_wrong_answer(
      const std::vector<std::pair<std::string, Array>>& inputs) const {
    if (want_.size() == 0) return "";
    const std::byte zero[16] = {};
    std::string found = ask_about("zeros", repeated(want_, zero), 1);
    if (found.empty() && want_.size() >= kFew) {
      found = ask_about("a constant", nearest_constant());
      if (found.empty()) found = ask_about("a constant", repeated(want_, want_.data()));
      // Checked separately, so that the few wrong elements are not hidden among the correct ones.
      if (found.empty() && wrong_ones_pass(partly_wrong(want_)))
        found = sentence("an answer with 1 % wrong elements", 1);
    }
    for (const auto& [name, input] : inputs) {
      if (!found.empty()) return found;
      const bool is_complex = info(input.dtype()).kind == DTypeKind::kComplex;
      if (!(input.shape() == spec_.shape) || input.device() != nullptr ||
          (is_complex && info(want_.dtype()).kind != DTypeKind::kComplex))
        continue;
      found = ask_about(fmt::format("the input '{}'", name),
                        nearest_elements(gathered(contiguous(input), places_), want_.dtype()));
    }
    return found;
  }

 private:
  std::string ask_about(std::string_view what, const Array& other,
                        std::int64_t least = kFew) const {
    const double share = share_that_passes(other, want_, tolerance_, least);
    return share > most_passing() ? sentence(what, share) : "";
  }

  std::string sentence(std::string_view what, double share) const {
    return fmt::format("vacuous tolerance: {} would pass as output '{}'{} ({})", what, spec_.name,
                       share < 1 ? fmt::format(" in {:.0f} % of its elements", 100 * share) : "",
                       to_text(spec_.tolerance));
  }

  /// The constant nearest to all elements.
  Array nearest_constant() const {
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
    return middle;
  }

  /// The proven bound of a long sum of both signs may be larger than the sum.
  double most_passing() const {
    return spec_.tolerance.mode == CompareMode::kReduction && !spec_.tolerance.reason.empty()
               ? kMostOfProven
               : kMostPassing;
  }

  bool wrong_ones_pass(const Array& wrong) const {
    const Comparison exact = compare(wrong, want_, {CompareMode::kExact});
    if (exact.mismatches < kFew) return false;
    if (compare(wrong, want_, tolerance_).equal) return true;
    const std::int64_t passing = wrong_that_pass(wrong, want_, tolerance_);
    return passing >= kFew &&
           static_cast<double>(passing) > most_passing() * static_cast<double>(exact.mismatches);
  }

  const OutputArray& spec_;
  std::vector<std::int64_t> places_;
  Array want_;
  Tolerance tolerance_;
};

}  // namespace

std::string vacuous_tolerance(const std::vector<OutputArray>& specs, const OutputArrays& want,
                              const std::vector<std::pair<std::string, Array>>& inputs) {
  for (const OutputArray& spec : specs) {
    const auto found = want.find(name_of_want(spec));
    if (!spec.has_reference || found == want.end() || found->second.size() == 0) continue;
    const std::string sentence =
        ToleranceProbe(spec, found->second).find_accepted_wrong_answer(inputs);
    if (!sentence.empty()) return sentence;
  }
  return "";
}

}  // namespace kernelbatch
