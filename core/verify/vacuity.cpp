#include "core/verify/vacuity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include "core/workload/host_input.hpp"

namespace kernelbatch {
namespace {

constexpr std::int64_t kSample = 16384;
/// A wrong answer must differ in at least one of this number of elements.
constexpr std::int64_t kDifferentOf = 100;
/// Fewer elements may agree by chance.
constexpr std::int64_t kFew = 8, kFewPassing = 4;
/// Maximum share of elements in which a wrong answer may pass.
constexpr double kMostPassing = 0.1, kMostOfProven = 0.9;
/// Relative difference, and the same in units of the dtype's roundoff, below which an element is
/// not wrong: saturating functions are close to a constant.
constexpr double kNear = 1e-4, kRoundings = 64;
/// Relative error of a wrong answer with few elements, and the same in units of the roundoff.
constexpr double kOff = 0.01, kOffRoundings = 80;
/// Relative difference of two answers that the order of additions can explain.
constexpr double kSameSum = 1e-9, kSameRoundings = 4;
/// Share of the largest element below which a workload's proven bound may hide elements: errors of
/// a whole field are relative to its largest element.
constexpr double kNegligible = 1e-2;

bool is_finite(double value) { return std::isfinite(value); }
template <class T>
bool is_finite(std::complex<T> value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

/// Sampled positions: all, or random ones. Positions where the reference is not finite are left
/// out: tolerances do not apply there, and they would hide errors elsewhere.
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

/// The elements as `dtype`; 0 for those that it does not have.
Array nearest_elements(const Array& array, DType dtype) {
  Array result = Array::on_host(dtype, array.shape());
  std::memset(result.data(), 0, result.bytes());
  for (std::size_t k = 0; k < static_cast<std::size_t>(array.size()); ++k)
    write_if_fits(read_number(array.dtype(), array.data() + k * size_of(array.dtype())), dtype,
                  result.data() + k * size_of(dtype));
  return result;
}

/// The tolerance for gathered elements.
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

double distance(double a, double b) { return std::abs(a - b); }
double distance(std::complex<double> a, std::complex<double> b) { return std::abs(a - b); }

bool is_nan(double value) { return std::isnan(value); }
bool is_nan(std::complex<double> value) {
  return std::isnan(value.real()) || std::isnan(value.imag());
}

template <class T>
auto widened(T value) {
  if constexpr (ReducedFloat<T>)
    return static_cast<double>(to_float(value));
  else if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(value);
  else
    return std::complex<double>(value);
}

/// Magnitude below which the tolerance may hide elements: 0 for the tolerance of a job.
double negligible_size(const Array& want, const Tolerance& tolerance) {
  if (tolerance.reason.empty() || tolerance.mode != CompareMode::kAllClose) return 0;
  const double largest = largest_modulus(want);
  return tolerance.atol <= kNegligible * largest ? tolerance.atol : 0;
}

/// Elements that differ by more than `near`, relative to the larger one, and are not both
/// negligible; the first `most` of them.
std::vector<std::int64_t> wrong_places(const Array& other, const Array& want, double near,
                                       double negligible = 0, std::size_t most = SIZE_MAX) {
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

/// True if two answers differ by more than the order of additions explains.
bool are_different(const Array& other, const Array& want) {
  const double near = std::max(kSameSum, kSameRoundings * unit_roundoff(want.dtype()));
  return !wrong_places(other, want, near, 0, 1).empty();
}

/// True if random elements of an answer known in advance reveal that it is wrong: the usual case,
/// in which large arrays need not be read.
bool is_known_wrong(const Array& known, const Array& want, const OutputArray& spec) {
  const std::vector<std::int64_t> places = places_of(want);
  if (places.empty()) return false;
  const Array some = astype(gathered(known, places), spec.dtype),
              of_want = astype(gathered(want, places), spec.dtype);
  return are_different(some, of_want) &&
         !compare(some, of_want, gathered(spec.tolerance, places)).equal;
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

double relative_offset(DType dtype) { return std::max(kOff, kOffRoundings * unit_roundoff(dtype)); }

/// An answer that is slightly wrong in each element.
Array slightly_off(const Array& want) {
  const double off = relative_offset(want.dtype());
  Array array = repeated(want, want.data());
  dispatch(want.dtype(), [&](auto first) {
    using T = decltype(first);
    const auto from = want.as<T>(), to = array.as<T>();
    for (std::size_t k = 0; k < from.size(); ++k) {
      if constexpr (ReducedFloat<T>)
        to[k] = from_float<T>(to_float(from[k]) * static_cast<float>(1 + off));
      else if constexpr (std::is_integral_v<T>)
        to[k] = from[k];
      else if constexpr (std::is_floating_point_v<T>)
        to[k] = from[k] * static_cast<T>(1 + off);
      else
        to[k] = from[k] * static_cast<typename T::value_type>(1 + off);
    }
  });
  return array;
}

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

bool distinguishes(const Array& got, const Array& want, const Array& other) {
  // A constant may be close to an answer by chance.
  constexpr double kMuch = 0.01;
  double error = 0, difference = 0;
  dispatch(want.dtype(), [&](auto first) {
    using T = decltype(first);
    const auto g = got.as<T>(), w = want.as<T>(), o = other.as<T>();
    for (std::size_t k = 0; k < w.size(); ++k) {
      const double apart = distance(widened(o[k]), widened(w[k]));
      const double wrong = distance(widened(g[k]), widened(w[k]));
      if (!std::isfinite(apart) || !std::isfinite(wrong)) continue;
      difference += apart;
      error += wrong;
    }
  });
  return error < kMuch * difference;
}

KnownAnswers known_answers(const std::vector<OutputArray>& specs, const OutputArrays& first,
                           const OutputArrays& second) {
  KnownAnswers found;
  for (const OutputArray& spec : specs) {
    const auto a = first.find(name_of_want(spec)), b = second.find(name_of_want(spec));
    if (!spec.has_reference || a == first.end() || b == second.end() || b->second.size() == 0 ||
        !(a->second.shape() == b->second.shape()))
      continue;
    if (is_known_wrong(contiguous(a->second), contiguous(b->second), spec)) continue;
    const Array known = astype(contiguous(a->second), spec.dtype),
                want = astype(contiguous(b->second), spec.dtype);
    const auto is_right = [&](const Array& other) {
      return compare(other.reshape(want.shape()), want, spec.tolerance).equal;
    };
    const auto add_note = [&](std::string_view what) {
      found.note += fmt::format("{}'{}' {}", found.note.empty() ? "" : ", ", spec.name, what);
    };
    const bool differ = are_different(known.reshape(want.shape()), want);
    const bool is_few = is_floating(spec.dtype) && want.size() < kFew;
    std::string what;
    if (differ && is_right(known)) {
      // A proven bound of a long sum may be wider than the difference of two random sums.
      if (spec.tolerance.mode == CompareMode::kReduction && !spec.tolerance.reason.empty())
        add_note("differs by less than its tolerance");
      else
        what = "the answer to the first inputs";
    } else if (!differ && is_few &&
               !compare(slightly_off(want), want, {CompareMode::kExact}).equal &&
               is_right(slightly_off(want))) {
      what =
          fmt::format("an answer that is wrong by {:.0f} %", 100 * relative_offset(want.dtype()));
    } else if (!differ) {
      add_note("is the same");
    }
    if (!what.empty() && found.vacuous.empty())
      found.vacuous =
          fmt::format("vacuous tolerance: {} would pass as output '{}' of the second ({})", what,
                      spec.name, to_text(spec.tolerance));
  }
  if (!found.note.empty()) found.note += " for both sets of inputs";
  return found;
}

}  // namespace kernelbatch
