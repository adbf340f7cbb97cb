// Operations of problems and references on host arrays.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/workload/workload.hpp"

namespace kernelbatch {

/// The job's input of that name, else the result of `make`. Throws SpecError naming the workload if
/// the job's array does not have this form.
Array take_array(Inputs& inputs, std::string_view workload, std::string_view name,
                 const ArrayForm& form, const std::function<Array()>& make);

/// The same for numbers, uniform in [low, high) if the job gives none. Two arrays of one workload
/// have different seeds.
Array take_uniform(Inputs& inputs, std::string_view workload, std::string_view name,
                   const ArrayForm& form, double low, double high, std::uint64_t seed);

/// The same for normal numbers with this mean and standard deviation.
Array take_normal(Inputs& inputs, std::string_view workload, std::string_view name,
                  const ArrayForm& form, double mean, double deviation, std::uint64_t seed);

/// Bytes of `count` vectors of the parameters `n` and `dtype`: for Workload::device_bytes().
double bytes_of_vectors(const Params& params, int count);

/// The largest finite |x| of a contiguous host array of real or complex numbers; 0 if there is
/// none.
double largest_modulus(const Array& array);

/// Euclidean norms of the rows or columns of a contiguous host matrix of real numbers, as float64,
/// without elements that are not finite. The product of a row's and a column's norm is at least
/// Σ|a·b|.
Array row_norms(const Array& matrix);
Array column_norms(const Array& matrix);

/// Contribution of |x| to a bound of rounding errors: nothing if it is not finite, since a sum with
/// it has no rounding error.
inline double finite_modulus(double x) { return std::isfinite(x) ? std::abs(x) : 0; }

/// Neumaier's sum, which compensates the rounding error of each addition. Infinite and NaN like the
/// plain sum.
template <class T>
class CompensatedSum {
 public:
  void add(T term) {
    const T next = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  T value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  T sum_ = 0, lost_ = 0;
};

/// Contiguous host arrays of one form as the rows of a new one, along a new first axis.
Array stack(const std::vector<Array>& arrays);

/// A type in which references compute: more digits than T, or T itself if T is exact.
template <class T>
using Wider = std::conditional_t<std::is_same_v<T, float>, double,
                                 std::conditional_t<std::is_same_v<T, double>, long double, T>>;

/// Calls `function` with an element of the dtype's C++ type, which is one of `T…`, and returns its
/// result, which has the same type for all. Throws std::logic_error for another dtype: an error of
/// the workload.
template <class T, class... More, class Function>
auto dispatch_among(DType dtype, const Function& function) -> decltype(function(T{})) {
  if (kDTypeOf<T> == dtype) return function(T{});
  if constexpr (sizeof...(More) > 0) return dispatch_among<More...>(dtype, function);
  throw std::logic_error("the workload does not know this dtype");
}
/// The same for a named list of types: `using Types = DTypes<float, double>;`.
template <class... T, class Function>
auto dispatch_among(DTypes<T...>, DType dtype, const Function& function) {
  return dispatch_among<T...>(dtype, function);
}

}  // namespace kernelbatch
