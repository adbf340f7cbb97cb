// Arrays as cuda::std::mdspan.
#include "core/base/error.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/cuda_compiler.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::cuda_compiler;
using test::device_array;
using test::source_of;
using test::stream;
using test::values_of;

constexpr const char* kMdspanSum = R"(
#include <cuda/std/mdspan>
using cuda::std::dextents;
extern "C" __global__ void weigh(
    cuda::std::mdspan<const float, dextents<int, 2>> x,
    cuda::std::mdspan<const float, dextents<long long, 2>, cuda::std::layout_stride> y,
    cuda::std::mdspan<float, cuda::std::extents<int, 3>> out,
    cuda::std::mdspan<const float, cuda::std::dextents<int, 2>, cuda::std::layout_left> z) {
  for (int r = 0; r < 3; ++r) {
    out(r) = 0;
    for (int c = 0; c < x.extent(1); ++c) out(r) += x(r, c) + 10 * y(r, c) + 1000 * z(r, c);
  }
}
// Parameter types into which kernelbatch writes.
using Right = cuda::std::mdspan<float, dextents<int, 3>>;
using Strided = cuda::std::mdspan<float, dextents<long long, 2>, cuda::std::layout_stride>;
using Fixed = cuda::std::mdspan<float, cuda::std::extents<int, 3, 4>>;
static_assert(sizeof(Right) == 24, "pointer, three ints, padding");
static_assert(sizeof(Strided) == 40, "pointer, two extents, two strides");
static_assert(sizeof(Fixed) == 8, "only a pointer");
struct Indices { long long extents[2], strides[2]; };
constexpr Indices kIndices = __builtin_bit_cast(
    Indices, Strided::mapping_type(dextents<long long, 2>(3, 4),
                                   cuda::std::array<long long, 2>{11, 13}));
static_assert(kIndices.extents[0] == 3 && kIndices.extents[1] == 4, "extents first");
static_assert(kIndices.strides[0] == 11 && kIndices.strides[1] == 13, "then strides");
)";

TEST_CASE("An mdspan is laid out as kernelbatch packs it") {
  const auto compiler = cuda_compiler();
  if (!compiler) return;
  const Image image = compiler->compile(source_of(kMdspanSum, {"weigh"}));
  CHECK(image.bytes.substr(1, 3) == "ELF");
}

TEST_CASE("Arrays are passed as mdspans of every layout, checked") {
  if (!test::on_cuda()) {
    WARN("not checked: needs cuda (libcu++)");
    return;
  }
  const RawKernel kernel{kMdspanSum, "weigh"};
  const Array x = device_array<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const Array y = device_array<float>({1, 2, 3, 4, 5, 6}, {2, 3}).transpose();
  const Array out = device_array<float>({0, 0, 0});
  kernel(stream(), {}, x, y, out, y);
  CHECK(values_of<float>(out) == std::vector<float>{5053, 7077, 9101});
  const auto error = [&](const Array& a, const Array& b, const Array& c) {
    return test::error_text<SpecError>([&] { kernel(stream(), {}, a, b, c, y); });
  };
  CHECK_THAT(error(y, y, out),
             Contains("argument 1 of 'weigh' is not contiguous in C order (layout_right); the "
                      "parameter is 'cuda::std::mdspan<const float, dextents<int, 2>> x'"));
  CHECK_THAT(error(x, y, device_array<float>({0, 0})),
             Contains("argument 3 of 'weigh' has shape (2,) where axis 0 must have 3"));
  CHECK_THAT(error(x, x.slice(0, 2, 3, -1), out),
             Contains("argument 2 of 'weigh' has strides (-8, 4) but an mdspan needs positive "
                      "multiples of 4"));
}

}  // namespace
}  // namespace kernelbatch
