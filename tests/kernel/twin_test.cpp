// Work run as its twins: other times, wrong results, and normal operation afterwards.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/program/program.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using test::device;
using test::stream;

class DoneAs {
 public:
  explicit DoneAs(Twin twin) { stream().context().twin = twin; }
  ~DoneAs() { stream().context().twin = Twin::kNone; }
  DoneAs(const DoneAs&) = delete;
  DoneAs& operator=(const DoneAs&) = delete;
};

std::vector<float> counting_floats(int count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

TEST_CASE("An elementwise kernel without arithmetic reads its inputs and writes its outputs") {
  const ElementwiseKernel kernel{{.in = "float32 x, float32 y",
                                  .out = "float32 z, int64 w",
                                  .operation = "z = sin(x) * y; w = 5",
                                  .name = "twins"}};
  const std::vector<float> x = counting_floats(1000), y(1000, 2.0f);
  const Array xs = test::device_array(x, {1000}), ys = test::device_array(y, {1000});
  const Array z = Array::on_device(device(), DType::kFloat32, {1000});
  const Array w = Array::on_device(device(), DType::kInt64, {1000});
  {
    const DoneAs twin(Twin::kNoArithmetic);
    kernel(stream(), xs, ys, z, w);
    const std::vector<float> got = test::values_of<float>(z);
    for (std::size_t k : {0u, 500u, 999u})
      CHECK(std::bit_cast<unsigned>(got[k]) ==
            (std::bit_cast<unsigned>(x[k]) | std::bit_cast<unsigned>(y[k])));
    CHECK(test::values_of<std::int64_t>(w)[7] != 5);
  }
  kernel(stream(), xs, ys, z, w);
  CHECK(test::values_of<float>(z)[0] == Approx(2 * std::sin(1.0)));
  CHECK(test::values_of<std::int64_t>(w)[7] == 5);
}

TEST_CASE("An elementwise kernel without loads computes on constants") {
  const Array x = test::device_array(std::vector<double>(100, 0.5), {10, 10});
  const Array z = Array::on_device(device(), DType::kFloat64, {10, 10});
  for (const std::string type : {"T", "float64"}) {
    const ElementwiseKernel kernel{
        {.in = type + " x", .out = type + " z", .operation = "z = 2 * x", .name = "doubles"}};
    {
      const DoneAs twin(Twin::kNoLoads);
      kernel(stream(), x, z);
      const std::vector<double> got = test::values_of<double>(z);
      for (std::size_t k = 0; k < got.size(); ++k)
        CHECK(got[k] == 2.0 * static_cast<double>(1 + k % 8));
    }
    kernel(stream(), x, z);
    CHECK(test::values_of<double>(z)[3] == 1.0);
  }
}

TEST_CASE("Kernels with loops or outputs that are read have no twin without loads") {
  for (const char* operation : {"z = x; while (z < 0) z += 1;", "z += x"}) {
    const ElementwiseKernel kernel{
        {.in = "float32 x", .out = "float32 z", .operation = operation, .name = "keeps"}};
    const Array x = test::device_array(std::vector<float>(100, 4.5f), {100});
    const Array z = test::device_array(std::vector<float>(100, 0.0f), {100});
    const DoneAs twin(Twin::kNoLoads);
    kernel(stream(), x, z);
    CAPTURE(operation);
    CHECK(test::values_of<float>(z)[3] == 4.5f);
  }
}

TEST_CASE("An output that is also read is read without arithmetic, too") {
  const ElementwiseKernel kernel{
      {.in = "float32 x", .out = "float32 z", .operation = "z += x", .name = "adds"}};
  const Array x = test::device_array(std::vector<float>(100, 1.0f), {100});
  const Array z = test::device_array(std::vector<float>(100, 2.0f), {100});
  const DoneAs twin(Twin::kNoArithmetic);
  kernel(stream(), x, z);
  CHECK(std::bit_cast<unsigned>(test::values_of<float>(z)[3]) ==
        (std::bit_cast<unsigned>(1.0f) | std::bit_cast<unsigned>(2.0f)));
}

TEST_CASE("Kernels with raw arrays have no twin without arithmetic") {
  const ElementwiseKernel kernel{
      {.in = "raw float32 x", .out = "float32 z", .operation = "z = 2 * x[i]", .name = "gathers"}};
  const Array x = test::device_array(std::vector<float>(100, 1.5f), {100});
  const Array z = Array::on_device(device(), DType::kFloat32, {100});
  const DoneAs twin(Twin::kNoArithmetic);
  kernel(stream(), x, z);
  CHECK(test::values_of<float>(z)[3] == 3.0f);
}

TEST_CASE("A reduction without its map joins unmapped elements") {
  const ReductionKernel kernel{{.in = "float32 x",
                                .out = "float32 z",
                                .map = "exp(x)",
                                .reduce = "max(a, b)",
                                .post_map = "z = a",
                                .identity = "-1e30f",
                                .name = "largest"}};
  const std::vector<float> values = counting_floats(1000);
  const Array x = test::device_array(values, {10, 100});
  const Array z = Array::on_device(device(), DType::kFloat32, {});
  {
    const DoneAs twin(Twin::kNoArithmetic);
    kernel(stream(), x, z);
    CHECK(test::values_of<float>(z)[0] == 1000.0f);
  }
  kernel(stream(), x, z);
  CHECK(std::isinf(test::values_of<float>(z)[0]));
}

TEST_CASE("Half of the resident blocks compute the same, half of the grid half of it") {
  const RawKernel kernel{R"(
extern "C" __global__ void fills(int* out) { out[blockDim.x * blockIdx.x + threadIdx.x] = 7; })",
                         "fills"};
  constexpr int kBlocks = 4096, kThreads = 64;
  const auto filled = [&](Twin twin) {
    const Array out =
        test::device_array(std::vector<int>(kBlocks * kThreads, 0), {kBlocks * kThreads});
    const DoneAs done(twin);
    kernel(stream(), {.grid = {kBlocks}, .block = {kThreads}}, out);
    const std::vector<int> got = test::values_of<int>(out);
    return std::ranges::count(got, 7);
  };
  CHECK(filled(Twin::kHalfOccupancy) == kBlocks * kThreads);
  // The host runs blocks one after the other, and has no such twins.
  const int written = device().properties().is_gpu ? kBlocks / 2 : kBlocks;
  CHECK(filled(Twin::kHalfGrid) == written * kThreads);
  CHECK(filled(Twin::kNone) == kBlocks * kThreads);
}

TEST_CASE("Texts with blocks that may wait are recognized") {
  struct Text {
    const char* body;
    bool may_wait, knows_grid;
  };
  for (const Text& text :
       {Text{"out[0] = 1;", false, false}, Text{"out[blockDim.x * gridDim.x] = 1;", false, true},
        Text{"KERNELBATCH_FOR(int, k, 9) out[k] = 1;", false, true},
        Text{"out[0] = static_cast<int>(grid_size());", false, true},
        Text{"atomicAdd(out, 1);", true, false},
        Text{"*const_cast<volatile int*>(out) = 1;", true, false}}) {
    take_program_log(device());
    KernelSource source;
    source.name = "said";
    source.text = std::string(
                      "#include \"kernelbatch/device.hpp\"\nusing namespace kernelbatch;\n"
                      "extern \"C\" __global__ void said(int* out) { if (threadIdx.x > 9999) { ") +
                  text.body + " } }\n";
    source.entries = {"said"};
    Program program(source);
    program.kernel(device(), "said");
    const ProgramLog log = take_program_log(device());
    REQUIRE(log.kernels.size() == 1);
    CAPTURE(text.body);
    CHECK(log.kernels[0].may_wait == text.may_wait);
    CHECK(log.kernels[0].knows_grid == text.knows_grid);
  }
}

}  // namespace
}  // namespace kernelbatch
