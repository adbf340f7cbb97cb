#include "core/kernel/fuse/promotion.hpp"

#include "tests/kernel/fuse/numpy_promotion.hpp"
#include "tests/support/catch.hpp"

using namespace kernelbatch;

TEST_CASE("pairs of dtypes promote as NumPy's do") {
  for (const test::Promotion& row : test::kNumpyPromotions) {
    INFO(row.a << " with " << row.b);
    CHECK(name_of(promote(*dtype_named(row.a), *dtype_named(row.b))) == row.result);
  }
}

TEST_CASE("constants combined with arrays are weak") {
  CHECK(promote(DType::kFloat32, Constant(0.5)) == DType::kFloat32);
  CHECK(promote(DType::kInt8, Constant(std::int64_t{1})) == DType::kInt8);
  CHECK(promote(DType::kInt8, Constant(0.5)) == DType::kFloat64);
  CHECK(promote(DType::kBool, Constant(std::int64_t{1})) == DType::kInt64);
  CHECK(promote(DType::kFloat32, Constant(std::complex<double>(0, 1))) == DType::kComplex64);
}

TEST_CASE("functions and sums choose their dtype as NumPy's do") {
  CHECK(floating_of(DType::kInt8) == DType::kFloat16);
  CHECK(floating_of(DType::kUInt16) == DType::kFloat32);
  CHECK(floating_of(DType::kInt32) == DType::kFloat64);
  CHECK(sum_of(DType::kBool) == DType::kInt64);
  CHECK(sum_of(DType::kUInt8) == DType::kUInt64);
  CHECK(sum_of(DType::kFloat32) == DType::kFloat32);
}
