// The generated source of each kind of kernel, compared with the committed file of its name. To
// accept a change: KERNELBATCH_UPDATE_GOLDEN=1 build/tests/golden_test, then read the diff.
#include <filesystem>
#include <fstream>

#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/fuse/fuse.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "tests/golden/recording_device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/paths.hpp"

namespace kernelbatch {
namespace {

void check_golden(const test::RecordingDevice& device, const std::string& name) {
  REQUIRE(device.sources().size() == 1);
  const std::string& text = device.sources()[0].text;
  const auto path =
      std::filesystem::path(test::source_folder()) / "tests" / "golden" / (name + ".cu");
  if (environment("KERNELBATCH_UPDATE_GOLDEN")) {
    std::ofstream(path, std::ios::binary) << text;
    WARN("rewrote " << path);
  }
  INFO("differs from " << path << "; KERNELBATCH_UPDATE_GOLDEN=1 rewrites it");
  CHECK(text == read_file(path));
}

struct Recorded {
  test::RecordingDevice device;
  std::unique_ptr<Stream> stream = device.make_stream();
  Array array(DType dtype, const Shape& shape) { return Array::on_device(device, dtype, shape); }
};

TEST_CASE("A dense elementwise loop is generated as committed") {
  Recorded on;
  const Array memory = on.array(DType::kFloat32, {1001});
  const ElementwiseKernel kernel{
      {.in = "T x, T y, T a", .out = "T z", .operation = "z = a * x + y", .name = "axpy"}};
  // One element further on, 16-byte loads are out.
  kernel(*on.stream, memory.slice(0, 1, 1000, 1), memory.slice(0, 0, 1, 1), 2.0f,
         on.array(DType::kFloat32, {1000}));
  check_golden(on.device, "elementwise_dense");
}

TEST_CASE("A packed elementwise loop is generated as committed") {
  Recorded on;
  const ElementwiseKernel kernel{{.in = "T x, T y",
                                  .out = "T z, bool less",
                                  .operation = "z = x * y; less = x < y",
                                  .name = "both"}};
  kernel(*on.stream, on.array(DType::kFloat32, {100'000}), on.array(DType::kFloat32, {1}));
  check_golden(on.device, "elementwise_packed");
}

TEST_CASE("A strided elementwise loop is generated as committed") {
  Recorded on;
  ElementwiseOptions options;
  options.preamble = "__device__ T twice(T x) { return 2 * x; }";
  options.loop_prep = "T seen = 0;";
  options.after_loop = "(void)seen;";
  const ElementwiseKernel kernel{
      {.in = "T x, raw int32 table",
       .out = "T y",
       .operation = "seen += 1;\nif (i0 > 3) continue;\ny = twice(x) + table[{i1}] + i",
       .name = "gather",
       .options = options}};
  kernel(*on.stream, on.array(DType::kFloat64, {30, 40}).transpose(),
         on.array(DType::kInt32, {30}));
  check_golden(on.device, "elementwise_strided");
}

TEST_CASE("A reduction over rows is generated as committed") {
  Recorded on;
  const ReductionKernel kernel{{.in = "T x, T y",
                                .out = "T z",
                                .map = "(x - y) * (x - y)",
                                .reduce = "a + b",
                                .post_map = "z = sqrt(a)",
                                .identity = "0",
                                .name = "distance"}};
  kernel.over({1})(*on.stream, on.array(DType::kFloat32, {100, 4096}),
                   on.array(DType::kFloat32, {100, 4096}));
  check_golden(on.device, "reduction_rows");
}

TEST_CASE("A reduction over columns is generated as committed") {
  Recorded on;
  const ReductionKernel kernel{{.in = "T x",
                                .out = "T y",
                                .map = "x",
                                .reduce = "a > b ? a : b",
                                .post_map = "y = a",
                                .identity = std::nullopt,
                                .name = "largest"}};
  kernel.over({0})(*on.stream, on.array(DType::kInt16, {4096, 100}));
  check_golden(on.device, "reduction_columns");
}

TEST_CASE("A reduction of a struct over everything is generated as committed") {
  Recorded on;
  ReductionOptions options;
  options.reduce_type = "best";
  options.preamble = "struct best { T value; long long at; };";
  const ReductionKernel kernel{{.in = "T x, raw T weight, T scale",
                                .out = "T largest, int64 place",
                                .map = "best{x * weight[_J] * scale, _j}",
                                .reduce = "a.value >= b.value ? a : b",
                                .post_map = "largest = a.value; place = a.at",
                                .identity = std::nullopt,
                                .name = "argmax",
                                .options = options}};
  kernel(*on.stream, on.array(DType::kFloat64, {300, 500}).transpose().slice(0, 0, 250, 2),
         on.array(DType::kFloat64, {75000}), 2.0);
  check_golden(on.device, "reduction_struct");
}

TEST_CASE("Threads of a fused mean do not divide the numbers of elements") {
  Recorded on;
  const auto average = fuse([](const auto& x) { return mean(x, axis(1)); });
  average(*on.stream, on.array(DType::kBFloat16, {32, 7, 264'409}));
  REQUIRE(on.device.sources().size() == 1);
  const std::string& text = on.device.sources()[0].text;
  CHECK(text.find("_reduced_count = _a._count;") != std::string::npos);
  CHECK(text.find("_in_ind.size() /") == std::string::npos);
}

TEST_CASE("The same call twice compiles once") {
  Recorded on;
  const ElementwiseKernel kernel{
      {.in = "T x", .out = "T y", .operation = "y = x", .name = "copy_elements"}};
  const Array x = on.array(DType::kFloat32, {1000});
  kernel(*on.stream, x);
  kernel(*on.stream, x);
  kernel(*on.stream, on.array(DType::kFloat32, {999, 7}));
  CHECK(on.device.sources().size() == 1);
  CHECK(on.device.launches().size() == 3);
}

TEST_CASE("Different layouts and types compile apart") {
  Recorded on;
  const ElementwiseKernel kernel{
      {.in = "T x", .out = "T y", .operation = "y = x", .name = "copy_elements"}};
  kernel(*on.stream, on.array(DType::kFloat32, {400, 300}));
  kernel(*on.stream, on.array(DType::kFloat64, {400, 300}));
  kernel(*on.stream, on.array(DType::kFloat32, {400, 300}).transpose());
  kernel(*on.stream, on.array(DType::kFloat32, {120'000}).slice(0, 1, 119'999, 1));
  CHECK(on.device.sources().size() == 4);
}

TEST_CASE("Blocks are as many as the elements ask for, but few where a text prepares its threads") {
  Recorded on;
  const ElementwiseKernel kernel{
      {.in = "T x", .out = "T y", .operation = "y = x", .name = "copy_elements"}};
  ElementwiseOptions options;
  options.loop_prep = "T seen = 0;";
  const ElementwiseKernel prepared{{.in = "T x",
                                    .out = "T y",
                                    .operation = "seen += x; y = seen",
                                    .name = "prepared",
                                    .options = options}};
  kernel(*on.stream, on.array(DType::kInt8, {5}));
  kernel(*on.stream, on.array(DType::kInt8, {4097}));
  kernel(*on.stream, on.array(DType::kInt8, {std::int64_t{1} << 28}));
  prepared(*on.stream, on.array(DType::kInt8, {std::int64_t{1} << 28}));
  const std::vector<LaunchShape>& launches = on.device.launches();
  REQUIRE(launches.size() == 4);
  CHECK(launches[0].grid.x == 1);
  CHECK(launches[1].grid.x == 17);
  // 16 bytes a thread.
  CHECK(launches[2].grid.x == (1 << 28) / 16 / 128);
  CHECK(launches[2].block.x == 128);
  CHECK(launches[3].grid.x == 1056);
}

}  // namespace
}  // namespace kernelbatch
