// Random arrays of one set of inputs.
#pragma once

#include "core/array/random.hpp"

namespace kernelbatch::test {

inline Array random_uniform(DType dtype, const Shape& shape, double low, double high,
                            std::uint64_t seed) {
  return RandomSource().uniform(dtype, shape, low, high, seed);
}

inline Array random_normal(DType dtype, const Shape& shape, double mean, double deviation,
                           std::uint64_t seed) {
  return RandomSource().normal(dtype, shape, mean, deviation, seed);
}

}  // namespace kernelbatch::test
