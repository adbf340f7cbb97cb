#include "core/result/output.hpp"

#include <cmath>
#include <complex>
#include <limits>

#include "tests/support/catch.hpp"

using namespace kernelbatch;

namespace {

template <class T>
OutputRecord statistics_of(const std::vector<T>& values) {
  OutputRecord record;
  record.dtype = kDTypeOf<T>;
  add_statistics(record, std::as_bytes(std::span(values)));
  return record;
}

}  // namespace

TEST_CASE("statistics are of the finite elements, and the others are counted") {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const OutputRecord record = statistics_of<double>({3, nan, -1, infinity, 4, -infinity});
  CHECK(record.minimum == -1);
  CHECK(record.maximum == 4);
  CHECK(record.mean == 2);
  CHECK(record.nonfinite == 3);
}

TEST_CASE("statistics know every kind of element") {
  CHECK(statistics_of<std::int64_t>({-5, 7}).minimum == -5);
  CHECK(statistics_of<unsigned char>({200, 100}).maximum == 200);
  CHECK(statistics_of<Float16>({{0x3c00}, {0x4000}}).mean == 1.5);
  CHECK(statistics_of<std::complex<float>>({{3, 4}, {0, 1}}).maximum == 5);
}

TEST_CASE("nothing, or nothing finite, has no smallest element") {
  const OutputRecord none = statistics_of<float>({});
  CHECK(std::isnan(none.minimum));
  CHECK(none.nonfinite == 0);
  const OutputRecord nans = statistics_of<float>({std::nanf("")});
  CHECK(std::isnan(nans.mean));
  CHECK(nans.nonfinite == 1);
}
