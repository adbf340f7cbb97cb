// Arrays around 2^31 and 2^32 elements, where 32-bit indices end.
#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using namespace test;

constexpr std::int64_t k2to31 = std::int64_t{1} << 31, k2to32 = std::int64_t{1} << 32;

/// Sizes to try: all of them on a GPU; on the host, which is slower, one of 2 GiB.
std::vector<std::int64_t> sizes(DType dtype) {
  if (!on_cuda() && dtype != DType::kInt8) return {};
  if (!on_cuda()) return {k2to31 + 1024};
  return {k2to31 - 1024, k2to31 + 1024, k2to32 - 1024, k2to32 + 1024};
}

bool fits(double bytes) {
  if (static_cast<double>(device().free_memory()) > bytes * 1.05) return true;
  WARN("skipped: " << bytes / 1e9 << " GB are not free");
  return false;
}

/// Number of elements that differ from `expected`, an expression of the linear index `_j`.
std::int64_t wrong(const Array& x, const std::string& expected) {
  const ReductionKernel count{{.in = "T x",
                               .out = "int64 wrong",
                               .map = "x != (T)(" + expected + ") ? 1LL : 0LL",
                               .reduce = "a + b",
                               .post_map = "wrong = a",
                               .identity = "0",
                               .name = "count_wrong",
                               .options = {.reduce_type = "long long"}}};
  return values_of<std::int64_t>(count(stream(), x)[0])[0];
}

/// T = (linear index modulo 101).
Array numbered(DType dtype, std::int64_t size) {
  const Array x = Array::on_device(device(), dtype, {size});
  ElementwiseKernel{{.in = "", .out = "T x", .operation = "x = i % 101", .name = "number"}}(
      stream(), x);
  return x;
}

TEST_CASE("Elementwise kernels reach every element") {
  for (const DType dtype : {DType::kInt8, DType::kFloat32})
    for (const std::int64_t size : sizes(dtype)) {
      CAPTURE(name_of(dtype), size);
      if (!fits(2.0 * static_cast<double>(size) * static_cast<double>(size_of(dtype)))) continue;
      const Array x = numbered(dtype, size);
      CHECK(wrong(x, "_j % 101") == 0);
      const Array y = ElementwiseKernel{
          {.in = "T x", .out = "T y", .operation = "y = x + 1", .name = "add_one"}}(stream(), x)[0];
      CHECK(wrong(y, "_j % 101 + 1") == 0);
      if (!on_cuda()) continue;  // a minute more on the host
      // Backwards, as a view and as a raw argument.
      ElementwiseKernel{{.in = "T x", .out = "T y", .operation = "y = x", .name = "reverse"}}(
          stream(), x.slice(0, size - 1, size, -1), y);
      const std::string last = std::to_string(size - 1);
      CHECK(wrong(y, "(" + last + " - _j) % 101") == 0);
      ElementwiseKernel{{.in = "raw T x",
                         .out = "T y",
                         .operation = "y = x[n - 1 - i] + 1",
                         .name = "raw_reverse"}}(stream(), x, y);
      CHECK(wrong(y, "(" + last + " - _j) % 101 + 1") == 0);
    }
}

TEST_CASE("Rows and columns of such arrays are processed in any order") {
  if (!on_cuda()) return;  // a minute on the host, where the case above has 64-bit indices too
  for (const DType dtype : {DType::kInt8, DType::kFloat32})
    for (const std::int64_t size : sizes(dtype)) {
      CAPTURE(name_of(dtype), size);
      if (!fits(2.0 * static_cast<double>(size) * static_cast<double>(size_of(dtype)))) continue;
      const Array x = numbered(dtype, size).reshape({size / 1024, 1024});
      const Array y =
          ElementwiseKernel{{.in = "T x", .out = "T y", .operation = "y = x", .name = "transpose"}}(
              stream(), x.transpose())[0];
      const std::string rows = std::to_string(size / 1024);
      // y[c, r] is x[r, c], whose number is 1024 r + c.
      CHECK(wrong(y, "(_j % " + rows + " * 1024 + _j / " + rows + ") % 101") == 0);
    }
}

TEST_CASE("Reductions take every element, over all axes and over some") {
  const ReductionKernel sum{{.in = "T x",
                             .out = "int64 y",
                             .map = "(long long)x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "sum",
                             .options = {.reduce_type = "long long"}}};
  for (const DType dtype : {DType::kInt8, DType::kFloat32})
    for (const std::int64_t size : sizes(dtype)) {
      CAPTURE(name_of(dtype), size);
      if (!fits(1.1 * static_cast<double>(size) * static_cast<double>(size_of(dtype)))) continue;
      const Array x = numbered(dtype, size);
      const std::int64_t whole = size / 101, rest = size % 101;
      CHECK(values_of<std::int64_t>(sum(stream(), x)[0])[0] ==
            whole * 5050 + rest * (rest - 1) / 2);
      const Array table = x.reshape({size / 1024, 1024});
      for (const int axis : {0, 1}) {
        const std::vector<std::int64_t> sums =
            values_of<std::int64_t>(sum.over({axis})(stream(), table)[0]);
        std::int64_t total = 0;
        for (const std::int64_t each : sums) total += each;
        CHECK(total == whole * 5050 + rest * (rest - 1) / 2);
        std::int64_t first = 0;
        for (std::int64_t k = 0; k < (axis == 1 ? 1024 : size / 1024); ++k)
          first += (axis == 1 ? k : k * 1024) % 101;
        CHECK(sums[0] == first);
      }
    }
}

}  // namespace
}  // namespace kernelbatch
