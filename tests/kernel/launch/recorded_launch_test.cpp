// Compiles, launches and host cost of loops and reductions, on a device whose launches do nothing.
// The cost is printed, and only compared with the limit of a whole launch.
#include <chrono>

#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/fuse/fuse.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "tests/golden/recording_device.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

template <class Work>
double nanoseconds(Work&& work) {
  double best = 1;
  for (int attempt = 0; attempt < 50; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < 200; ++k) work();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / 200);
  }
  return best * 1e9;
}

struct Recorded {
  test::RecordingDevice device;
  std::unique_ptr<Stream> stream = device.make_stream();
  Array array(const Shape& shape) { return Array::on_device(device, DType::kFloat64, shape); }
};

TEST_CASE("Host cost of planned launches", "[.][benchmark]") {
  Recorded on;
  const Array x = on.array({1000, 1000});
  const Array y = on.array({1000, 1000});
  const Array z = on.array({1000, 1000});
  const Array one = on.array({});
  const std::vector<Array> out{z};
  const ElementwiseKernel axpy{
      {.in = "T a, T x, T y", .out = "T z", .operation = "z = a * x + y", .name = "axpy"}};
  const ReductionKernel dot{{.in = "T x, T y",
                             .out = "T z",
                             .map = "x * y",
                             .reduce = "a + b",
                             .post_map = "z = a",
                             .identity = "0",
                             .name = "dot"}};
  const auto elements = fuse([](auto a, auto b) { return a * b; });
  const auto rows = fuse([](auto a) { return a - max(a, axis(-1).keep()); });
  const double elementwise = nanoseconds([&] { axpy(*on.stream, 2.0, x, y, z); });
  const double reduction = nanoseconds([&] { dot(*on.stream, x, y, one); });
  const double fused = nanoseconds([&] { elements.into(*on.stream, out, x, y); });
  const double fused_rows = nanoseconds([&] { rows.into(*on.stream, out, x); });
  WARN("host ns per launch: elementwise " << elementwise << ", reduction " << reduction
                                          << ", fused " << fused << ", rows " << fused_rows);
}

TEST_CASE("A text with a loop has a thread for each element, others for each pack") {
  Recorded on;
  constexpr std::int64_t kCount = 1 << 18;
  const Array x = on.array({kCount}), y = on.array({kCount});
  const auto threads = [&](const ElementwiseKernel& kernel) {
    kernel(*on.stream, x, y);
    const LaunchShape& shape = on.device.launches().back();
    return static_cast<std::int64_t>(shape.grid.count() * shape.block.count());
  };
  CHECK(threads(ElementwiseKernel{
            {.in = "T x", .out = "T y", .operation = "y = x", .name = "plain"}}) == kCount / 2);
  CHECK(threads(ElementwiseKernel{
            {.in = "raw T x",
             .out = "T y",
             .operation = "y = 0; for (long long k = i; k < x.size(); k += n) y += x[k]",
             .name = "sums"}}) == kCount);
}

TEST_CASE("Small arrays have a thread for each element") {
  Recorded on;
  const Array x = on.array({5505}), y = on.array({5505});
  const ElementwiseKernel plain{{.in = "T x", .out = "T y", .operation = "y = x", .name = "plain"}};
  plain(*on.stream, x, y);
  const LaunchShape& shape = on.device.launches().back();
  CHECK(shape.block.x == 256);
  CHECK(shape.grid.x == 22);
}

TEST_CASE("Packs span rows that are no whole packs") {
  Recorded on;
  const auto array = [&](const Shape& shape) {
    return Array::on_device(on.device, DType::kBFloat16, shape);
  };
  const ElementwiseKernel difference{
      {.in = "T x, T y", .out = "T z", .operation = "z = x - y", .name = "difference"}};
  const auto threads = [&](const Shape& shape, const Shape& repeated) {
    difference(*on.stream, array(shape), array(repeated), array(shape));
    const LaunchShape& launched = on.device.launches().back();
    return static_cast<std::int64_t>(launched.grid.count() * launched.block.count());
  };
  const std::int64_t packs = 411 * 17645 / 8;
  CHECK(threads({411, 17645}, {1, 17645}) - packs < 128);
  CHECK(threads({411, 17645}, {411, 1}) - packs < 128);
  // Short rows: the repeated array is read by elements.
  CHECK(threads({292192, 25}, {1, 25}) - 292192 * 25 / 8 < 128);
  CHECK(threads({292192, 25}, {292192, 1}) - 292192 * 25 / 8 < 128);
}

TEST_CASE("A call of no elements compiles and launches nothing") {
  Recorded on;
  const ElementwiseKernel copy{
      {.in = "T x", .out = "T y", .operation = "y = x", .name = "copy_elements"}};
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "sum"}};
  const Array none = on.array({0, 5});
  for (int round = 0; round < 2; ++round) {
    copy(*on.stream, none);
    copy(*on.stream, none, none);
    sum.over({1})(*on.stream, none);
  }
  CHECK(on.device.sources().empty());
  CHECK(on.device.launches().empty());
  sum.over({0})(*on.stream, none);  // five sums of nothing
  CHECK(on.device.launches().size() == 1);
}

TEST_CASE("A call with only Fortran-order arrays runs the loop of C-order arrays") {
  Recorded on;
  const ElementwiseKernel add{
      {.in = "T x, T y", .out = "T z", .operation = "z = x + y", .name = "add"}};
  const Array x = on.array({30, 40, 50});
  const Array z = on.array({30, 40, 50});
  add(*on.stream, x, x, z);
  add(*on.stream, x.transpose(), x.transpose(), z.transpose());
  CHECK(on.device.sources().size() == 1);
  REQUIRE(on.device.launches().size() == 2);
  CHECK(on.device.launches()[0].grid.x == on.device.launches()[1].grid.x);
  add(*on.stream, x, x.slice(0, 29, 30, -1), z);
  CHECK(on.device.sources().size() == 2);
}

TEST_CASE("The alignment of an array belongs to the form of a call") {
  Recorded on;
  const ElementwiseKernel copy{
      {.in = "T x", .out = "T y", .operation = "y = x", .name = "copy_elements"}};
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "sum"}};
  const Array memory = on.array({100010});
  const auto x = [&](int start) { return memory.slice(0, start, 100000, 1); };
  const Array y = on.array({100000});
  for (int round = 0; round < 2; ++round) {
    copy(*on.stream, x(0), y);
    copy(*on.stream, x(1), y);
    copy(*on.stream, x(2), y);
    sum(*on.stream, x(0));
    sum(*on.stream, x(1));
    sum(*on.stream, x(2));
  }
  // In pairs of float64, and one by one where a pair would not be aligned.
  CHECK(on.device.sources().size() == 4);
  CHECK(on.device.launches().size() == 12);
  const auto threads = [&](std::size_t launch) {
    const LaunchShape& shape = on.device.launches()[launch];
    return shape.grid.count() * shape.block.count();
  };
  for (const std::size_t first : {0u, 6u}) {
    CHECK(threads(first + 1) > threads(first));
    CHECK(threads(first + 2) == threads(first));
  }
}

TEST_CASE("A block size is the launch's, and from 1 to 1024") {
  Recorded on;
  ElementwiseOptions options;
  for (const int block : {1, 32, 1000, 1024}) {
    options.block_size = block;
    const ElementwiseKernel copy{{.in = "T x",
                                  .out = "T y",
                                  .operation = "y = x",
                                  .name = "copy_elements",
                                  .options = options}};
    copy(*on.stream, on.array({5000, 100}));
    CHECK(on.device.launches().back().block.x == static_cast<std::uint32_t>(block));
  }
}

}  // namespace
}  // namespace kernelbatch
