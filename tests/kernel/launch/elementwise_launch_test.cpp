// ElementwiseKernel: host cost of a launch after the first, and plans are never stale.
#include "core/base/error.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/launch_cost.hpp"

namespace kernelbatch {
namespace {

using test::allocations_of;
using test::counting;
using test::device_array;
using test::stream;
using test::values_of;

using Ints = std::vector<int>;

const ElementwiseKernel& axpy() {
  static const ElementwiseKernel kernel{
      {.in = "T a, T x, T y", .out = "T z", .operation = "z = a * x + y", .name = "axpy"}};
  return kernel;
}

TEST_CASE("Launching an elementwise kernel again allocates nothing") {
  const Array x = device_array(counting<float>(64), {8, 8});
  const Array z = device_array(counting<float>(64), {8, 8});
  const Array row = device_array(counting<float>(8));
  const Array shifted = device_array(counting<float>(65)).slice(0, 1, 64, 1).reshape({8, 8});
  SECTION("packed where the device packs") {
    CHECK(allocations_of([&] { axpy()(stream(), 2, x, x, z); }) == 0);
    CHECK(values_of<float>(z)[63] == 189);
  }
  SECTION("dense and misaligned") {
    CHECK(allocations_of([&] { axpy()(stream(), 2, shifted, x, z); }) == 0);
  }
  SECTION("strided") {
    const Array turned = x.transpose();
    CHECK(allocations_of([&] { axpy()(stream(), 2.5, turned, x, z); }) == 0);
  }
  SECTION("broadcast") {
    CHECK(allocations_of([&] { axpy()(stream(), 2, row, x, z); }) == 0);
  }
  SECTION("raw") {
    const ElementwiseKernel kernel{{.in = "raw T x, raw int32 k",
                                    .out = "raw T z",
                                    .operation = "z[i] = x[k[0] + i]",
                                    .name = "raw"}};
    const Array first = device_array<int>({3});
    const Argument arguments[] = {x, first, z};
    CHECK(allocations_of([&] { kernel.launch(stream(), arguments, 8); }) == 0);
    CHECK(values_of<float>(z)[7] == 10);
  }
  SECTION("alternating with others") {
    const Array small = z.slice(0, 0, 1, 1);
    const Array rows = row.reshape({1, 8});
    CHECK(allocations_of([&] {
            axpy()(stream(), 2, x, x, z);
            axpy()(stream(), 2, row, x, z);
            axpy()(stream(), 2, shifted, x, z);
            axpy()(stream(), 2, row, rows, small);
          }) == 0);
  }
}

TEST_CASE("A plan serves other memory and other scalars") {
  const Array a = device_array(counting<int>(100));
  const Array b = device_array(counting<int>(100, 1000));
  const Array out = device_array(Ints(100, 0));
  const Array other = device_array(Ints(100, 0));
  axpy()(stream(), 1, a, a, out);
  axpy()(stream(), 3, b, a, other);
  axpy()(stream(), 1, a, b, out);
  CHECK(values_of<int>(other)[7] == 3 * 1007 + 7);
  CHECK(values_of<int>(out)[7] == 7 + 1007);
  axpy()(stream(), 3, b, a, out);
  CHECK(values_of<int>(out)[99] == 3 * 1099 + 99);
  CHECK(test::error_text<SpecError>([&] { axpy()(stream(), 1e10, b, a, out); }) ==
        "argument 'a': 10000000000 is out of range for int32");
  axpy()(stream(), 2, b, a, out);
  CHECK(values_of<int>(out)[99] == 2 * 1099 + 99);
}

TEST_CASE("A call of another form is planned again") {
  const ElementwiseKernel copy{
      {.in = "T x", .out = "T y", .operation = "y = x", .name = "copy_elements"}};
  const Array x = device_array(counting<int>(100));
  const Array out = device_array(Ints(100, -1));
  copy(stream(), x, out);
  SECTION("shape") {
    const Array few = device_array(Ints(100, -1));
    copy(stream(), x.slice(0, 0, 60, 1), few.slice(0, 0, 60, 1));
    CHECK(values_of<int>(few)[59] == 59);
    CHECK(values_of<int>(few)[60] == -1);
  }
  SECTION("the same number of elements in another shape") {
    const Array grid = device_array(Ints(100, -1), {20, 5});
    copy(stream(), x.reshape({20, 5}), grid);
    CHECK(values_of<int>(grid) == counting<int>(100));
  }
  SECTION("strides") {
    copy(stream(), x.slice(0, 99, 100, -1), out);
    CHECK(values_of<int>(out)[0] == 99);
    const Array wide = device_array(Ints(200, -1));
    copy(stream(), x, wide.slice(0, 0, 100, 2));
    CHECK(values_of<int>(wide)[198] == 99);
    CHECK(values_of<int>(wide)[199] == -1);
  }
  SECTION("alignment") {
    const Array memory = device_array(counting<int>(140));
    const Array target = device_array(Ints(140, -1));
    for (const std::int64_t start : {1, 2, 3, 4, 5, 8}) {
      copy(stream(), memory.slice(0, start, 100, 1), target.slice(0, 9 - start, 100, 1));
      CHECK(values_of<int>(target.slice(0, 9 - start, 100, 1)) == counting<int>(100, start));
    }
  }
  SECTION("dtype") {
    const Array real = device_array(counting<double>(100));
    const Array to = device_array(std::vector<double>(100, -1));
    copy(stream(), real, to);
    CHECK(values_of<double>(to) == counting<double>(100));
    CHECK(test::error_text<SpecError>([&] { copy(stream(), real, out); }) ==
          "type mismatch for 'T': 'y' is int32, 'x' is float64");
  }
  SECTION("kind") {
    copy(stream(), 7, out);
    CHECK(values_of<int>(out) == Ints(100, 7));
    copy(stream(), x, out);
    CHECK(values_of<int>(out) == counting<int>(100));
  }
  SECTION("more forms than are kept") {
    for (int round = 0; round < 2; ++round)
      for (std::int64_t n = 1; n < 20; ++n) {
        const Array to = device_array(Ints(20, -1));
        copy(stream(), x.slice(0, n, n, 1), to.slice(0, 0, n, 1));
        CHECK(values_of<int>(to)[static_cast<std::size_t>(n - 1)] == 2 * n - 1);
        CHECK(values_of<int>(to)[static_cast<std::size_t>(n)] == -1);
      }
  }
}

TEST_CASE("The size of a loop over raw arrays belongs to its form") {
  const ElementwiseKernel copy{
      {.in = "raw T x", .out = "raw T y", .operation = "y[i] = x[i]", .name = "copy_raw"}};
  const Array x = device_array(counting<int>(100));
  const Array out = device_array(Ints(100, -1));
  const Argument arguments[] = {x, out};
  copy.launch(stream(), arguments, 10);
  CHECK(values_of<int>(out)[10] == -1);
  copy.launch(stream(), arguments, 50);
  CHECK(values_of<int>(out)[49] == 49);
  CHECK(values_of<int>(out)[50] == -1);
  CHECK_THROWS_AS(copy.launch(stream(), arguments), SpecError);
}

TEST_CASE("A plan made with outputs does not validate a call without, and vice versa") {
  const ElementwiseKernel fill{
      {.in = "T x", .out = "U y", .operation = "y = x", .name = "fill_any"}};
  const Array x = device_array(counting<int>(10));
  const Array out = device_array(std::vector<double>(10, -1));
  fill(stream(), x, out);
  CHECK(test::error_text<SpecError>([&] { fill(stream(), x); }) ==
        "the type 'U' of 'y' cannot be determined: pass an array for 'y'");
  const ElementwiseKernel count{
      {.in = "raw T x", .out = "T y", .operation = "y = x[i]", .name = "sized"}};
  const Argument input[] = {x};
  const Array made = count.call(stream(), input, 5)[0];
  CHECK(values_of<int>(made) == counting<int>(5));
  const Argument both[] = {x, made};
  CHECK(test::error_text<SpecError>([&] { count.launch(stream(), both, 5); }) ==
        "'sized': size can be given only if every array is raw");
  count.launch(stream(), both);
  CHECK(values_of<int>(made) == counting<int>(5));
  CHECK(values_of<int>(count.call(stream(), input, 5)[0]) == counting<int>(5));
}

TEST_CASE("Calls with and without outputs alternate") {
  const Array x = device_array(counting<int>(33));
  const Array out = device_array(Ints(33, 0));
  for (int k = 0; k < 3; ++k) {
    axpy()(stream(), k, x, x, out);
    const std::vector<Array> made = axpy()(stream(), k, x, x);
    REQUIRE(made.size() == 1);
    CHECK(made[0].data() != out.data());
    CHECK(values_of<int>(made[0]) == values_of<int>(out));
    CHECK(values_of<int>(out)[32] == 32 * (k + 1));
  }
}

TEST_CASE("launch() without the outputs is refused, planned or not") {
  const Array x = device_array(counting<int>(33));
  const Argument arguments[] = {1, x, x};
  for (int k = 0; k < 2; ++k) {
    CHECK(test::error_text<SpecError>([&] { axpy().launch(stream(), arguments); }) ==
          "launch of 'axpy' needs its outputs: 1 were not given");
    axpy()(stream(), 1, x, x);
  }
}

TEST_CASE("Overlap is refused after a call of that form was planned") {
  const ElementwiseKernel copy{{.in = "T x", .out = "T y", .operation = "y = x", .name = "shift"}};
  const Array memory = device_array(counting<int>(40));
  const Array from = memory.slice(0, 0, 16, 1);
  copy(stream(), from, memory.slice(0, 24, 16, 1));
  copy(stream(), from, memory.slice(0, 16, 16, 1));
  CHECK(values_of<int>(memory)[16] == 0);
  CHECK(test::error_text<SpecError>([&] { copy(stream(), from, memory.slice(0, 8, 16, 1)); }) ==
        "output 'y' overlaps input 'x' without being the same view: elements would be read after "
        "they were written; write to an array of its own");
  CHECK(values_of<int>(memory)[8] == 8);
  copy(stream(), from, from);
  CHECK(values_of<int>(from) == counting<int>(16));
}

TEST_CASE("An input that is also the output works repeatedly") {
  const ElementwiseKernel next{
      {.in = "T x, T y", .out = "T z", .operation = "z = x + y + 1", .name = "next"}};
  const Array x = device_array(counting<int>(1000));
  const Array y = device_array(Ints(1000, 1));
  for (int repeat = 0; repeat < 5; ++repeat) next(stream(), x, y, x);
  CHECK(values_of<int>(x) == counting<int>(1000, 10));
  next(stream(), y, x, x);
  CHECK(values_of<int>(x) == counting<int>(1000, 12));
}

TEST_CASE("Overlapping inputs are copied on request") {
  ElementwiseOptions options;
  options.copy_overlap = true;
  const ElementwiseKernel add{{.in = "T x, T y",
                               .out = "T z",
                               .operation = "z = x + 100 * y",
                               .name = "add_shifted",
                               .options = options}};
  for (int repeat = 0; repeat < 2; ++repeat) {
    const Array memory = device_array(counting<int>(20));
    const std::int64_t made = test::device().arrays_made();
    add(stream(), memory.slice(0, 0, 19, 1), memory.slice(0, 18, 19, -1),
        memory.slice(0, 1, 19, 1));
    CHECK(test::device().arrays_made() - made == (repeat == 0 ? 2 : 0));
    Ints expected{0};
    for (int k = 0; k < 19; ++k) expected.push_back(k + 100 * (18 - k));
    CHECK(values_of<int>(memory) == expected);
    const Array column = device_array(counting<int>(20), {4, 5});
    add(stream(), column.slice(1, 0, 1, 1), column, column.slice(0, 3, 4, -1));
    for (int r = 0; r < 4; ++r)
      CHECK(values_of<int>(column)[static_cast<std::size_t>(5 * (3 - r) + 2)] ==
            5 * r + 100 * (5 * r + 2));
  }
}

TEST_CASE("Every stream gets its launches") {
  const auto second = test::device().make_stream();
  const Array x = device_array(counting<int>(1000));
  const Array one = device_array(Ints(1000, 0));
  const Array two = device_array(Ints(1000, 0));
  for (int repeat = 0; repeat < 10; ++repeat) {
    axpy()(stream(), 1, x, x, one);
    axpy()(*second, 2, x, x, two);
  }
  second->synchronize();
  CHECK(values_of<int>(one)[500] == 1000);
  CHECK(values_of<int>(two)[500] == 1500);
}

TEST_CASE("Host cost of an elementwise launch", "[.][benchmark]") {
  const Array x = device_array(counting<float>(1024));
  const Array z = device_array(counting<float>(1024));
  test::report_launch_cost(test::host_seconds([&] { axpy()(stream(), 2, x, x, z); }),
                           "an elementwise kernel");
}

}  // namespace
}  // namespace kernelbatch
