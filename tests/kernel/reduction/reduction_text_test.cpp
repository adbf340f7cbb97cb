// ReductionKernel: names and statements that its texts can use.
#include "core/base/error.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::counting;
using test::device_array;
using test::stream;
using test::values_of;

TEST_CASE("Map, reduce and post_map may be blocks of statements") {
  const ReductionKernel kernel{{.in = "T x",
                                .out = "T y",
                                .map = "T t = x;\nif (t % 2 == 0) return t;\nreturn -t;",
                                .reduce = "if (a == 0)\n  return b;\nreturn a + b;",
                                .post_map = "T t = a * 2;\ny = t;",
                                .identity = "0",
                                .name = "blocks"}};
  CHECK(values_of<int>(kernel(stream(), device_array(counting<int>(101)))[0])[0] == 100);
}

TEST_CASE("A return in post_map ends one output, which is still stored") {
  for (const char* const leave : {"return", "continue", "break"}) {
    const ReductionKernel kernel{{.in = "T x",
                                  .out = "T y, T z",
                                  .map = "x",
                                  .reduce = "a + b",
                                  .post_map = std::string("z = a; if (a > 100) { y = -1; ") +
                                              leave + "; }\nif (a == 3) " + leave + ";\ny = a",
                                  .identity = "0",
                                  .name = "leave"}};
    for (const int axis : {0, 1}) {
      // Along the rows, and several neighbouring outputs of one thread.
      std::vector<int> first(64 * 64, 0);
      for (std::size_t k = 0; k < 64; ++k)
        first[axis == 0 ? k : k * 64] = 4 * static_cast<int>(k) + 3;
      const Array y = device_array(std::vector<int>(64, 7)), z = device_array(std::vector<int>(64));
      kernel.over({axis})(stream(), device_array(first, {64, 64}), y, z);
      std::vector<int> wanted, sums;
      for (int k = 0; k < 64; ++k) {
        sums.push_back(4 * k + 3);
        wanted.push_back(k == 0 ? 7 : 4 * k + 3 > 100 ? -1 : 4 * k + 3);
      }
      CHECK(values_of<int>(y) == wanted);
      CHECK(values_of<int>(z) == sums);
    }
  }
}

TEST_CASE("A post_map that adds to its output finds its old value") {
  const ReductionKernel kernel{{.in = "T x",
                                .out = "T y",
                                .map = "x",
                                .reduce = "a + b",
                                .post_map = "y += a",
                                .identity = "0",
                                .name = "add_to"}};
  const Array y = device_array(std::vector<int>{1000}, {});
  kernel(stream(), device_array(counting<int>(101)), y);
  CHECK(values_of<int>(y) == std::vector<int>{6050});
}

TEST_CASE("Every text may end in a comment") {
  const ReductionKernel kernel{{.in = "T x",
                                .out = "T y",
                                .map = "x  // map",
                                .reduce = "a + b  // reduce",
                                .post_map = "y = a // end",
                                .identity = "0",
                                .name = "comments"}};
  CHECK(values_of<int>(kernel(stream(), device_array(counting<int>(10)))[0])[0] == 45);
}

TEST_CASE("Names that contain the special ones are unchanged") {
  const ReductionKernel kernel{{.in = "T ab, T ba",
                                .out = "T aa",
                                .map = "ab * ba",
                                .reduce = "a + b",
                                .post_map = "aa = a",
                                .identity = "0",
                                .name = "names"}};
  const Array x = device_array(counting<int>(4));
  CHECK(values_of<int>(kernel(stream(), x, x)[0])[0] == 14);
}

TEST_CASE("The identity can use inputs that are numbers, and raw ones") {
  const ReductionKernel kernel{{.in = "T x, int32 most, raw int32 table",
                                .out = "int32 y",
                                .map = "x < 0 ? 2 * most : x",
                                .reduce = "min(a, b)",
                                .post_map = "y = a",
                                .identity = "most + table[1]",
                                .name = "least"}};
  const Array table = device_array<int>({1, 5});
  for (const std::size_t rows : {1u, 64u, 65536u}) {
    const Array x =
        device_array(std::vector<int>(rows * 64, -1), {static_cast<std::int64_t>(rows), 64});
    CHECK(values_of<int>(kernel.over({1})(stream(), x, 10, table)[0]) ==
          std::vector<int>(rows, 15));
    CHECK(values_of<int>(kernel.over({0})(stream(), x, 10, table)[0]) == std::vector<int>(64, 15));
    CHECK(values_of<int>(kernel(stream(), x, 10, table)[0]) == std::vector<int>{15});
  }
  const Array none = device_array(std::vector<int>(), {4, 0});
  CHECK(values_of<int>(kernel.over({1})(stream(), none, 7, table)[0]) == std::vector<int>(4, 12));
}

TEST_CASE("Texts can use the sizes of input and output") {
  const ReductionKernel mean{{.in = "T x",
                              .out = "float64 y",
                              .map = "double(x)",
                              .reduce = "a + b",
                              .post_map = "y = a / (_in_ind.size() / _out_ind.size())",
                              .identity = "0",
                              .name = "mean"}};
  const Array x = device_array(counting<int>(12), {3, 4});
  CHECK(values_of<double>(mean.over({1})(stream(), x)[0]) == std::vector<double>{1.5, 5.5, 9.5});
  CHECK(values_of<double>(mean.over({0})(stream(), x)[0]) == std::vector<double>{4, 5, 6, 7});
  CHECK(values_of<double>(mean(stream(), x)[0]) == std::vector<double>{5.5});
}

TEST_CASE("The map can use the indices of output, input and reduced element, in every layout") {
  for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {3, 40}, {40, 3}, {33, 65}, {2, 30000}, {30000, 2}}) {
    const Array x = device_array(counting<std::int64_t>(rows * columns), {rows, columns});
    for (const bool by_rows : {true, false}) {
      ReductionOptions options;
      options.preamble = "const bool _by_rows = " + std::string(by_rows ? "true" : "false") +
                         "; const long long _length = " + std::to_string(columns) +
                         ", _width = " + std::to_string(columns) + ";";
      const ReductionKernel indices{
          {.in = "int64 x",
           .out = "int64 wrong",
           .map = "x == _j && x == (_by_rows ? _i * _length + _J : _J * _width + _i) ? 0 : 1",
           .reduce = "a + b",
           .post_map = "wrong = a",
           .identity = "0",
           .name = "indices",
           .options = options}};
      bool right = true;
      for (const std::int64_t wrong :
           values_of<std::int64_t>(indices.over({by_rows ? 1 : 0})(stream(), x)[0]))
        right = right && wrong == 0;
      INFO(rows << " x " << columns << (by_rows ? " by rows" : " by columns"));
      CHECK(right);
    }
  }
}

TEST_CASE("The input index follows the common shape, not an operand's memory") {
  const ReductionKernel kernel{{.in = "int64 x",
                                .out = "int64 y",
                                .map = "_j * 1000 + x",
                                .reduce = "a > b ? a : b",
                                .post_map = "y = a",
                                .identity = "0",
                                .name = "input_index"}};
  const Array x = device_array(counting<std::int64_t>(6), {2, 3}).transpose();  // (3, 2)
  CHECK(values_of<std::int64_t>(kernel.over({1})(stream(), x)[0]) ==
        std::vector<std::int64_t>{1003, 3004, 5005});
}

TEST_CASE("A struct finds the first place of the largest element") {
  ReductionOptions options;
  options.reduce_type = "best";
  options.preamble = "struct best { T value; long long at; };";
  const ReductionKernel argmax{
      {.in = "T x",
       .out = "T largest, int64 place",
       .map = "best{x, _J}",
       .reduce = "a.value > b.value || (a.value == b.value && a.at < b.at) ? a : b",
       .post_map = "largest = a.value; place = a.at",
       .identity = std::nullopt,
       .name = "argmax",
       .options = options}};
  std::vector<float> values(50000, 1);
  values[777] = values[20000] = values[49999] = 5;
  const std::vector<Array> all = argmax(stream(), device_array(values));
  CHECK(values_of<float>(all[0])[0] == 5);
  CHECK(values_of<std::int64_t>(all[1])[0] == 777);
  const std::vector<Array> rows = argmax.over({1})(stream(), device_array(values, {50, 1000}));
  CHECK(values_of<std::int64_t>(rows[1])[0] == 777);
  CHECK(values_of<std::int64_t>(rows[1])[1] == 0);
  CHECK(values_of<std::int64_t>(rows[1])[49] == 999);
  const std::vector<Array> columns = argmax.over({0})(stream(), device_array(values, {50, 1000}));
  CHECK(values_of<std::int64_t>(columns[1])[999] == 49);
  CHECK(values_of<std::int64_t>(columns[1])[777] == 0);
}

TEST_CASE("A reduce type wider than the output keeps its precision") {
  ReductionOptions options;
  options.reduce_type = "double";
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "wide_sum",
                             .options = options}};
  std::vector<float> values(100001, 1e-4f);
  values[0] = 1e4f;
  CHECK(values_of<float>(sum(stream(), device_array(values))[0])[0] ==
        Approx(10010.0).epsilon(1e-7));
}

TEST_CASE("Several outputs of different types come from one pass") {
  ReductionOptions options;
  options.reduce_type = "extremes";
  options.preamble = "struct extremes { T low, high; double sum; };";
  const ReductionKernel kernel{
      {.in = "T x",
       .out = "T low, T high, float64 mean",
       .map = "extremes{x, x, double(x)}",
       .reduce = "extremes{a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, a.sum "
                 "+ b.sum}",
       .post_map = "low = a.low; high = a.high; mean = a.sum / (_in_ind.size() / _out_ind.size())",
       .identity = std::nullopt,
       .name = "extremes_of",
       .options = options}};
  const std::vector<Array> out =
      kernel.over({0})(stream(), device_array(counting<int>(600), {100, 6}));
  REQUIRE(out.size() == 3);
  CHECK(values_of<int>(out[0]) == counting<int>(6));
  CHECK(values_of<int>(out[1]) == counting<int>(6, 594));
  CHECK(values_of<double>(out[2])[2] == 299);
}

TEST_CASE("Scalars and raw arrays can be used") {
  const ReductionKernel kernel{{.in = "T x, T scale, raw T table",
                                .out = "T y",
                                .map = "x * scale + table[_J]",
                                .reduce = "a + b",
                                .post_map = "y = a * scale",
                                .identity = "0",
                                .name = "mixed"}};
  const Array x = device_array(counting<int>(6), {2, 3});
  const Array table = device_array<int>({100, 200, 300});
  CHECK(values_of<int>(kernel.over({1})(stream(), x, 2, table)[0]) ==
        std::vector<int>{2 * (6 + 600), 2 * (24 + 600)});
}

TEST_CASE("Preamble functions and _type_reduce can be used") {
  ReductionOptions options;
  options.preamble = "__device__ T square(T x) { return x * x; }";
  const ReductionKernel kernel{{.in = "T x",
                                .out = "T y",
                                .map = "square(_type_reduce(x))",
                                .reduce = "a + b",
                                .post_map = "y = a",
                                .identity = "0",
                                .name = "squares",
                                .options = options}};
  CHECK(values_of<int>(kernel(stream(), device_array(counting<int>(10)))[0])[0] == 285);
}

TEST_CASE("A map that does not compile is an error with the user's line") {
  const ReductionKernel kernel{{.in = "T x",
                                .out = "T y",
                                .map = "x +\nnonsense(x)",
                                .reduce = "a + b",
                                .post_map = "y = a",
                                .identity = "0",
                                .name = "wrong"}};
  const std::string text =
      test::error_text<CompileError>([&] { kernel(stream(), device_array<int>({1})); });
  CHECK_THAT(text, Contains("map:2") || Contains("map(2)"));
}

}  // namespace
}  // namespace kernelbatch
