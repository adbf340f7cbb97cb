// The sentinel that marks unwritten elements of an output.
#include <cmath>
#include <cstring>

#include "core/array/compare.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

Array filled_with_sentinel(DType dtype, std::int64_t count) {
  Array array = Array::on_host(dtype, {count});
  const std::uint32_t pattern = info(dtype).sentinel;
  for (std::size_t k = 0; k < array.bytes(); k += 4)
    std::memcpy(array.data() + k, &pattern, std::min<std::size_t>(4, array.bytes() - k));
  return array;
}

TEST_CASE("The sentinel is NaN in every floating type") {
  CHECK(std::isnan(to_float(filled_with_sentinel(DType::kFloat16, 4).as<Float16>()[3])));
  CHECK(std::isnan(to_float(filled_with_sentinel(DType::kBFloat16, 4).as<BFloat16>()[3])));
  CHECK(std::isnan(filled_with_sentinel(DType::kFloat32, 4).as<float>()[3]));
  CHECK(std::isnan(filled_with_sentinel(DType::kFloat64, 4).as<double>()[3]));
  const auto z = filled_with_sentinel(DType::kComplex64, 4).as<std::complex<float>>()[3];
  CHECK((std::isnan(z.real()) && std::isnan(z.imag())));
}

TEST_CASE("Elements that were never written are counted, in every dtype") {
  for (std::size_t k = 0; k < kDTypeCount; ++k) {
    const auto dtype = static_cast<DType>(k);
    const Array got = filled_with_sentinel(dtype, 12);
    const Array want = Array::on_host(dtype, {12});
    std::memset(want.data(), 1, want.bytes());
    CHECK(count_unwritten(got, want) == 12);
    std::memset(got.data(), 1, 5 * size_of(dtype));
    CHECK(count_unwritten(got, want) == 7);
  }
}

TEST_CASE("A sentinel that the reference also has is no missing write") {
  const Array sentinel = filled_with_sentinel(DType::kInt32, 4);
  CHECK(count_unwritten(sentinel, sentinel) == 0);
}

TEST_CASE("An output that was never written compares as different, in every dtype") {
  for (std::size_t k = 0; k < kDTypeCount; ++k) {
    const auto dtype = static_cast<DType>(k);
    const Array got = filled_with_sentinel(dtype, 4);
    const Array want = Array::on_host(dtype, {4});
    std::memset(want.data(), 1, want.bytes());
    for (const CompareMode mode : {CompareMode::kExact, CompareMode::kUlp, CompareMode::kAllClose})
      CHECK(compare(got, want, {.mode = mode, .reason = ""}).mismatches == 4);
  }
}

}  // namespace
}  // namespace kernelbatch
