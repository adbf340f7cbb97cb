// Staged arrays: kernels that process them in chunks give the same results as with arrays on the
// device.
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/fuse/fuse.hpp"
#include "core/kernel/jit/kernel.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "core/kernel/text/tokens.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using namespace test;

/// Values that differ between neighbours, small enough for exact sums.
template <class T>
Array numbers(const Shape& shape, std::int64_t period = 97) {
  const Array array = Array::on_host(kDTypeOf<T>, shape);
  const auto values = array.as<T>();
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = static_cast<T>(static_cast<std::int64_t>(k) % period);
  return array;
}

Array stage(const Array& host) { return Array::staged(host, device()); }

/// The same call with arrays on the device and with staged ones.
template <class T, class Call>
void check_same(const Call& call) {
  const std::vector<T> want =
      values_of<T>(call([](const Array& a) { return to_device(a, stream()); }));
  const std::vector<T> got = values_of<T>(call(stage));
  REQUIRE(!want.empty());
  CHECK(got == want);
}

constexpr std::int64_t kMany = 300'007;  // several chunks, the last one short

TEST_CASE("An elementwise kernel streams its inputs") {
  const Array x = numbers<float>({kMany}), y = numbers<float>({kMany}, 89);
  const ElementwiseKernel squares{{.in = "T x, T y, T c",
                                   .out = "T z",
                                   .operation = "z = (x - y) * (x - y) + c",
                                   .name = "squares"}};
  check_same<float>([&](auto place) { return squares(stream(), place(x), place(y), 2.0f)[0]; });
  // One operand staged, the other on the device.
  const Array on_device = to_device(y, stream());
  check_same<float>([&](auto place) { return squares(stream(), place(x), on_device, 2.0f)[0]; });
}

TEST_CASE("A kernel that has streamed still does after a move") {
  const Array x = numbers<double>({kMany});
  std::vector<ElementwiseKernel> kept;
  std::vector<ReductionKernel> sums;
  {
    ElementwiseKernel twice{{.in = "T x", .out = "T y", .operation = "y = x * 2", .name = "twice"}};
    ReductionKernel sum{{.in = "T x",
                         .out = "T y",
                         .map = "x",
                         .reduce = "a + b",
                         .post_map = "y = a",
                         .identity = "0",
                         .name = "sum"}};
    twice(stream(), stage(x));
    sum(stream(), stage(x));
    stream().synchronize();
    kept.push_back(std::move(twice));
    sums.push_back(std::move(sum));
  }
  const std::vector<double> doubled = values_of<double>(kept[0](stream(), stage(x))[0]);
  CHECK(doubled[1000] == 2 * x.as<double>()[1000]);
  CHECK(values_of<double>(sums[0](stream(), stage(x))[0])[0] ==
        std::accumulate(x.as<double>().begin(), x.as<double>().end(), 0.0));
}

TEST_CASE("Streamed outputs are written only by assignments of the text") {
  const Array x = numbers<double>({kMany});
  const Array out = Array::on_host(DType::kFloat64, {kMany});
  for (double& value : out.as<double>()) value = -1;
  ElementwiseKernel{{.in = "T x", .out = "T y", .operation = "y = x * 2", .name = "twice"}}(
      stream(), stage(x), stage(out));
  stream().synchronize();
  const auto from = x.as<double>(), to = out.as<double>();
  for (std::size_t k = 0; k < to.size(); ++k) REQUIRE(to[k] == 2 * from[k]);

  for (double& value : out.as<double>()) value = -1;
  ElementwiseKernel{
      {.in = "T x", .out = "T y", .operation = "if (x < 50) continue; y = x", .name = "some"}}(
      stream(), stage(x), stage(out));
  stream().synchronize();
  for (std::size_t k = 0; k < to.size(); ++k) REQUIRE(to[k] == (from[k] < 50 ? -1 : from[k]));

  // In place.
  const Array same = stage(out);
  ElementwiseKernel{{.in = "T x", .out = "T y", .operation = "y = x + 1", .name = "add_one"}}(
      stream(), same, same);
  stream().synchronize();
  for (std::size_t k = 0; k < to.size(); ++k) REQUIRE(to[k] == (from[k] < 50 ? 0 : from[k] + 1));
}

TEST_CASE("Streamed elements have their global index") {
  const Array x = numbers<std::int64_t>({7, 50'001});
  const ElementwiseKernel places{{.in = "T x",
                                  .out = "T y",
                                  .operation = "y = x * 0 + i + _ind.size() + 3 * n",
                                  .name = "places"}};
  check_same<std::int64_t>([&](auto place) { return places(stream(), place(x))[0]; });
}

TEST_CASE("Macros of the preamble can use the element's index") {
  const Array x = numbers<std::int64_t>({7, 50'001});
  const ElementwiseKernel places{{.in = "T x",
                                  .out = "T y",
                                  .operation = "y = x * 0 + AT",
                                  .name = "hidden",
                                  .options = {.preamble = "#define AT (i + n)"}}};
  check_same<std::int64_t>([&](auto place) { return places(stream(), place(x))[0]; });
  const ReductionKernel sum{{.in = "T x",
                             .out = "int64 y",
                             .map = "AT",
                             .reduce = "a + b",
                             .post_map = "y = a + OUT",
                             .identity = "0",
                             .name = "sum",
                             .options = {.preamble = "#define AT (i + _i)\n#define OUT _i"}}};
  for (const int axis : {0, 1})
    check_same<std::int64_t>([&](auto place) { return sum.over({axis})(stream(), place(x))[0]; });
}

TEST_CASE("Streamed operands broadcast") {
  const Array x = numbers<float>({501, 300}), row = numbers<float>({300}, 7),
              column = numbers<float>({501, 1}, 11);
  const ElementwiseKernel add{{.in = "T x, T r, T c",
                               .out = "T z",
                               .operation = "z = x + 100 * r + 1000 * c",
                               .name = "add"}};
  check_same<float>(
      [&](auto place) { return add(stream(), place(x), place(row), place(column))[0]; });
  // The first axis has one index: the second is cut.
  const Array flat = numbers<float>({1, 501, 300});
  check_same<float>(
      [&](auto place) { return add(stream(), place(flat), place(row), place(column))[0]; });
}

TEST_CASE("A reduction of all axes streams, in order") {
  const Array x = numbers<std::int64_t>({3, 100'003});
  // a·31 + b over the elements, as pairs of factor and value: not commutative.
  const ReductionKernel hash{
      {.in = "T x",
       .out = "uint64 h",
       .map = "pair{31, (unsigned long long)x}",
       .reduce = "pair{a.factor * b.factor, a.value * b.factor + b.value}",
       .post_map = "h = a.value",
       .identity = std::nullopt,
       .name = "hash",
       .options = {.preamble = "struct pair { unsigned long long factor, value; };",
                   .reduce_type = "pair"}}};
  check_same<std::uint64_t>([&](auto place) { return hash(stream(), place(x))[0]; });
}

TEST_CASE("A streamed mean divides by the number of elements in all chunks") {
  const Array x = numbers<double>({3, 100'003});
  for (const int over : {0, 1}) {
    const auto mean_of = fuse([&](const auto& a) { return mean(a, axis(over)); });
    check_same<double>([&](auto place) { return mean_of(stream(), place(x))[0]; });
  }
}

TEST_CASE("post_map of a streamed reduction runs once, at the end") {
  const ReductionKernel add{{.in = "T x",
                             .out = "T y, raw T calls",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y += a; atomicAdd(&calls[0], T(1))",
                             .identity = "0",
                             .name = "add_once"}};
  const Array x = numbers<double>({kMany});
  std::vector<double> sums;
  for (const bool is_staged : {false, true}) {
    const Array y = device_array(std::vector<double>{1000}, {}), calls = device_array<double>({0});
    add(stream(), is_staged ? stage(x) : to_device(x, stream()), y, calls);
    sums.push_back(values_of<double>(y)[0]);
    CHECK(values_of<double>(calls) == std::vector<double>{1});
  }
  CHECK(sums[0] == sums[1]);
}

TEST_CASE("An identity enters once, however many chunks") {
  const Array x = numbers<std::int64_t>({kMany});
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "1000",
                             .name = "sum_and_a_thousand"}};
  check_same<std::int64_t>([&](auto place) { return sum(stream(), place(x))[0]; });
}

TEST_CASE("Indices in a streamed reduction are those of the whole array") {
  const Array x = numbers<double>({kMany}), y = numbers<double>({kMany}, 89);
  const ReductionKernel mean{{.in = "T x, T y",
                              .out = "T m",
                              .map = "(x - y) * (x - y)",
                              .reduce = "a + b",
                              .post_map = "m = a / _in_ind.size() + 10 * _out_ind.size()",
                              .identity = "0",
                              .name = "mean"}};
  check_same<double>([&](auto place) { return mean(stream(), place(x), place(y))[0]; });
  const ReductionKernel where{{.in = "T x",
                               .out = "int64 at",
                               .map = "x == 96 ? i : -1LL",
                               .reduce = "a > b ? a : b",
                               .post_map = "at = a",
                               .identity = "-1",
                               .name = "last"}};
  check_same<std::int64_t>([&](auto place) { return where(stream(), place(x))[0]; });
  const ReductionKernel linear{{.in = "T x",
                                .out = "int64 sum",
                                .map = "_j * (x > 3 ? 1 : 0) + _i",
                                .reduce = "a + b",
                                .post_map = "sum = a + _i",
                                .identity = "0",
                                .name = "linear"}};
  const Array matrix = numbers<double>({401, 301});
  for (const int axis : {0, 1}) {
    CAPTURE(axis);
    check_same<std::int64_t>(
        [&](auto place) { return linear.over({axis})(stream(), place(matrix))[0]; });
    check_same<std::int64_t>(
        [&](auto place) { return where.over({axis})(stream(), place(matrix))[0]; });
  }
}

TEST_CASE("Reductions of every axis stream, with and without keepdims") {
  const Array x = numbers<std::int64_t>({60, 70, 80});
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x * x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "sum_of_squares"}};
  for (const bool keepdims : {false, true})
    for (const std::vector<int>& axes :
         {std::vector<int>{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}}) {
      CAPTURE(keepdims, axes);
      check_same<std::int64_t>(
          [&](auto place) { return sum.over(axes, keepdims)(stream(), place(x))[0]; });
    }
  const Array thin = numbers<std::int64_t>({1, 300, 1, 900});
  for (const bool keepdims : {false, true})
    for (const std::vector<int>& axes : {std::vector<int>{0}, {1}, {2}, {3}, {0, 3}, {1, 2}}) {
      CAPTURE(keepdims, axes);
      check_same<std::int64_t>(
          [&](auto place) { return sum.over(axes, keepdims)(stream(), place(thin))[0]; });
    }
}

TEST_CASE("Large outputs of a reduction stream as well") {
  const Array x = numbers<float>({200'000, 3});
  const Array want = Array::on_host(DType::kFloat32, {200'000});
  const ReductionKernel norm{{.in = "T x",
                              .out = "T y",
                              .map = "x * x",
                              .reduce = "a + b",
                              .post_map = "y = sqrt(a)",
                              .identity = "0",
                              .name = "l2norm"}};
  norm.over({1})(stream(), stage(x), stage(want));
  stream().synchronize();
  const auto from = x.as<float>(), to = want.as<float>();
  for (std::size_t k = 0; k < to.size(); ++k) {
    const float* row = &from[3 * k];
    REQUIRE(to[k] == Approx(std::sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2])));
  }
}

TEST_CASE("Streaming twice gives the same bits") {
  const Array x = numbers<float>({kMany}, 1009);
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x / 3",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "thirds"}};
  const Array staged = stage(x);
  const auto first = values_of<float>(sum(stream(), staged)[0]);
  for (int repeat = 0; repeat < 5; ++repeat)
    CHECK(values_of<float>(sum(stream(), staged)[0]) == first);
}

TEST_CASE("Calls on arrays that cannot be staged are refused with the reason") {
  using Catch::Matchers::Contains;
  const Array x = stage(numbers<float>({300, 1000}));
  const auto refused = [&](const ElementwiseKernel& kernel, const Array& array,
                           const char* reason) {
    CHECK_THROWS_AS(kernel(stream(), array), OutOfMemoryError);
    CHECK_THROWS_WITH(kernel(stream(), array), Contains(reason));
  };
  refused(
      ElementwiseKernel{
          {.in = "T x", .out = "T y", .operation = "y = _ind.get()[0]", .name = "rows"}},
      x, "asks for indices along axes");
  refused(ElementwiseKernel{{.in = "T x", .out = "T y", .operation = "y = x", .name = "mirrored"}},
          x.transpose(), "only arrays in C order");
  const ElementwiseKernel raw{
      {.in = "raw T x, T z", .out = "T y", .operation = "y = x[0] + z", .name = "raw"}};
  CHECK_THROWS_WITH(raw(stream(), x, to_device(numbers<float>({5}), stream())),
                    Contains("raw argument 'x' of 'raw' does not fit on the device"));
  const JitKernel jit{"template <class X> __global__ void touch(X x) { x[0] = 1; }", "touch"};
  CHECK_THROWS_AS(jit(stream(), {.grid = {1}, .block = {1}}, x), OutOfMemoryError);
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "sum"}};
  CHECK_THROWS_WITH(sum.over({0})(stream(), x, stage(numbers<float>({1000}))),
                    Contains("'y' does not fit on the device, and every piece of the inputs"));
  // Plain host memory that is not staged is an error.
  const ElementwiseKernel copy{{.in = "T x", .out = "T y", .operation = "y = x", .name = "copy"}};
  CHECK_THROWS_AS(copy(stream(), numbers<float>({5})), SpecError);
  CHECK_THROWS_WITH(copy(stream(), x, numbers<float>({300, 1000})),
                    Contains("'y' is not on the stream's device"));
  const Array memory = numbers<float>({1001});
  CHECK_THROWS_WITH(
      copy(stream(), stage(memory.slice(0, 0, 1000, 1)), stage(memory.slice(0, 1, 1000, 1))),
      Contains("overlap in host memory"));
}

}  // namespace
}  // namespace kernelbatch
