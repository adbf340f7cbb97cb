#include "core/workload/host_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <mutex>

#include "core/base/error.hpp"
#include "core/base/parallel.hpp"

namespace kernelbatch {

Array take_array(Inputs& inputs, std::string_view workload, std::string_view name,
                 const ArrayForm& form, const std::function<Array()>& make) {
  Array array = inputs.take(name, make);
  if (array.dtype() != form.dtype || !(array.shape() == form.shape))
    throw SpecError(fmt::format("{}: input {} must be {} with shape {}, not {} {}", workload, name,
                                name_of(form.dtype), to_text(form.shape), name_of(array.dtype()),
                                to_text(array.shape())));
  return array;
}

Array take_uniform(Inputs& inputs, std::string_view workload, std::string_view name,
                   const ArrayForm& form, double low, double high, std::uint64_t seed) {
  return take_array(inputs, workload, name, form, [&] {
    return inputs.random().uniform(form.dtype, form.shape, low, high, seed);
  });
}

Array take_normal(Inputs& inputs, std::string_view workload, std::string_view name,
                  const ArrayForm& form, double mean, double deviation, std::uint64_t seed) {
  return take_array(inputs, workload, name, form, [&] {
    return inputs.random().normal(form.dtype, form.shape, mean, deviation, seed);
  });
}

double bytes_of_vectors(const Params& params, int count) {
  return count * static_cast<double>(params.integer("n")) *
         static_cast<double>(size_of(params.dtype()));
}

double largest_modulus(const Array& array) {
  double largest = 0;
  std::mutex mutex;
  dispatch(array.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!ReducedFloat<T>) {
      const auto values = array.as<T>();
      parallel_for(array.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        double most = 0;
        for (std::int64_t k = begin; k < end; ++k) {
          const T value = values[static_cast<std::size_t>(k)];
          if constexpr (std::is_arithmetic_v<T>)
            most = std::max(most, finite_modulus(static_cast<double>(value)));
          else
            most = std::max(most, finite_modulus(static_cast<double>(std::abs(value))));
        }
        const std::lock_guard lock(mutex);
        largest = std::max(largest, most);
      });
    } else {
      for (const T value : array.as<T>())
        largest = std::max(largest, finite_modulus(static_cast<double>(to_float(value))));
    }
  });
  return largest;
}

namespace {

Array norms(const Array& matrix, bool is_by_row) {
  const auto rows = static_cast<std::size_t>(matrix.shape()[0]),
             columns = static_cast<std::size_t>(matrix.shape()[1]);
  std::vector<long double> squares(is_by_row ? rows : columns);
  dispatch(matrix.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (ReducedFloat<T> || std::is_arithmetic_v<T>) {
      const auto values = matrix.as<T>();
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < columns; ++column) {
          long double modulus = 0;
          if constexpr (ReducedFloat<T>)
            modulus = finite_modulus(static_cast<double>(to_float(values[row * columns + column])));
          else
            modulus = finite_modulus(static_cast<double>(values[row * columns + column]));
          squares[is_by_row ? row : column] += modulus * modulus;
        }
    }
  });
  std::vector<double> roots;
  for (const long double square : squares) roots.push_back(static_cast<double>(std::sqrt(square)));
  return Array::from(roots);
}

}  // namespace

Array row_norms(const Array& matrix) { return norms(matrix, true); }
Array column_norms(const Array& matrix) { return norms(matrix, false); }

Array stack(const std::vector<Array>& arrays) {
  Shape shape{static_cast<std::int64_t>(arrays.size())};
  for (const std::int64_t extent : arrays.front().shape()) shape.push_back(extent);
  const Array stacked = Array::on_host(arrays.front().dtype(), shape);
  std::byte* to = stacked.data();
  for (const Array& each : arrays) {
    if (each.bytes() > 0) std::memcpy(to, each.data(), each.bytes());
    to += each.bytes();
  }
  return stacked;
}

}  // namespace kernelbatch
