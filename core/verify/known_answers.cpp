#include "core/verify/known_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/verify/element_differences.hpp"
#include "core/workload/host_input.hpp"

namespace kernelbatch {
namespace {

/// Relative error of a wrong answer with few elements, and the same in units of the roundoff.
constexpr double kOff = 0.01, kOffRoundings = 80;

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
    const bool is_few = is_floating(spec.dtype) && want.size() < kFewElements;
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
