// ElementwiseKernel: names and statements that its texts can use.
#include "core/base/error.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::counting;
using test::device_array;
using test::stream;
using test::values_of;

std::vector<Array> call_with_size(const ElementwiseKernel& kernel, std::int64_t size,
                                  const std::vector<Argument>& arguments) {
  return kernel.call(stream(), arguments, size);
}

TEST_CASE("The text can use the element's index and the number of elements") {
  const ElementwiseKernel kernel{{.in = "T x",
                                  .out = "T y",
                                  .operation = "y = x + 1000 * i + 1000000 * n + _ind.size()",
                                  .name = "see"}};
  for (const bool transposed : {false, true}) {
    const Array x = device_array(counting<std::int64_t>(6), {2, 3});
    const std::vector<std::int64_t> y =
        values_of<std::int64_t>(kernel(stream(), transposed ? x.transpose() : x)[0]);
    for (std::size_t k = 0; k < 6; ++k) {
      const auto element = static_cast<std::int64_t>(transposed ? k % 2 * 3 + k / 2 : k);
      CHECK(y[k] == element + 1000 * static_cast<std::int64_t>(k) + 6000006);
    }
  }
}

TEST_CASE("The text can use the index along each axis of the user's shape") {
  const ElementwiseKernel by_name{
      {.in = "T x", .out = "T y", .operation = "y = 100 * i0 + 10 * i1 + i2", .name = "by_name"}};
  const ElementwiseKernel by_get{
      {.in = "T x",
       .out = "T y",
       .operation = "y = 100 * _ind.get()[0] + 10 * _ind.get()[1] + _ind.get()[2]",
       .name = "by_get"}};
  const Array x = device_array(std::vector<int>(24, 0), {2, 3, 4});
  std::vector<int> expected;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 4; ++c) expected.push_back(100 * a + 10 * b + c);
  CHECK(values_of<int>(by_name(stream(), x)[0]) == expected);
  CHECK(values_of<int>(by_get(stream(), x)[0]) == expected);
}

TEST_CASE("Raw arrays are read at any index, in every form") {
  const Array x = device_array(std::vector<int>(6, 0), {2, 3});
  const Array table = device_array(counting<int>(12), {3, 4});
  for (const char* form :
       {"z = y[i0 * 4 + i1]", "z = y[{i0, i1}]", "z = y(i0, i1)", "z = y[i0 * y.shape()[1] + i1]",
        "z = (y[{i0, i1}] + y.data()[i0 * 4 + i1]) / 2"}) {
    const ElementwiseKernel kernel{
        {.in = "T x, raw T y", .out = "T z", .operation = form, .name = "raw_read"}};
    CHECK(values_of<int>(kernel(stream(), x, table)[0]) == std::vector<int>{0, 1, 2, 4, 5, 6});
  }
}

TEST_CASE("A list of one literal is an index, of whatever type") {
  const Array x = device_array(counting<int>(5));
  for (const char* form : {"z = y[{0}]", "z = y[{0u}]", "z = y[{0LL}]", "z = y[0]", "z = w[{0, 0}]",
                           "z = w[{0, x - x}]", "z = w[0]"}) {
    INFO(form);
    const ElementwiseKernel kernel{
        {.in = "T x, raw T y, raw T w", .out = "T z", .operation = form, .name = "raw_literal"}};
    const Array first = device_array<int>({7, 8});
    CHECK(values_of<int>(kernel(stream(), x, first, first.reshape({2, 1}))[0]) ==
          std::vector<int>(5, 7));
  }
}

TEST_CASE("Raw arrays are indexed by an array of indices, and by _ind.get()") {
  const Array x = device_array(counting<int>(12), {3, 4});
  for (const char* const form :
       {"ptrdiff_t at[] = {i0, i1}; y = w[at]", "const int at[2] = {int(i0), int(i1)}; y = w[at]",
        "size_t at[] = {size_t(i0), size_t(i1)}; const size_t* p = at; y = w[p]",
        "y = w[_ind.get()]"}) {
    INFO(form);
    const ElementwiseKernel kernel{{.in = "T x, raw T w",
                                    .out = "T y",
                                    .operation = form,
                                    .name = "listed",
                                    .options = {.reduce_dims = false}}};
    CHECK(values_of<int>(kernel(stream(), x, x)[0]) == counting<int>(12));
    CHECK(values_of<int>(kernel(stream(), x.transpose(), x.transpose())[0]) ==
          values_of<int>(x.transpose()));
  }
}

TEST_CASE("A raw input that is not const is written") {
  const ElementwiseKernel count{{.in = "T x, raw _non_const int32 bins",
                                 .out = "T y",
                                 .operation = "y = x; atomicAdd(&bins[x % 3], 1'000)",
                                 .name = "count"}};
  const Array bins = device_array<int>({0, 0, 0});
  count(stream(), device_array(counting<int>(10)), bins);
  CHECK(values_of<int>(bins) == std::vector<int>{4000, 3000, 3000});
}

TEST_CASE("Raw views are indexed by element, whatever their strides") {
  const Array x = device_array(std::vector<int>(12, 0));
  const Array turned = device_array(counting<int>(12), {3, 4}).transpose();
  const ElementwiseKernel linear{
      {.in = "T x, raw T y", .out = "T z", .operation = "z = y[i]", .name = "raw_linear"}};
  CHECK(values_of<int>(linear(stream(), x, turned)[0]) == values_of<int>(turned));
  const Array reversed = device_array(counting<int>(12)).slice(0, 11, 12, -1);
  CHECK(values_of<int>(linear(stream(), x, reversed)[0]) == values_of<int>(reversed));
  const ElementwiseKernel facts{
      {.in = "T x, raw T y",
       .out = "T z",
       .operation =
           "z = y.size() + 100 * y.shape()[0] + 1000 * y.shape()[1] + 10000 * y.strides()[0] + "
           "1000000 * y.ndim",
       .name = "facts"}};
  CHECK(values_of<int>(facts(stream(), x, turned)[0])[0] == 12 + 400 + 3000 + 40000 + 2000000);
}

TEST_CASE("A kernel of only raw arrays runs `size` times") {
  const ElementwiseKernel kernel{
      {.in = "raw T x", .out = "raw T y", .operation = "y[2 * i] = x[i] + n", .name = "spread"}};
  const Array x = device_array(counting<int>(5));
  const Array y = device_array(std::vector<int>(10, -1));
  call_with_size(kernel, 3, {x, y});
  CHECK(values_of<int>(y) == std::vector<int>{3, -1, 4, -1, 5, -1, -1, -1, -1, -1});
}

TEST_CASE("Atomics on a raw output make a histogram") {
  const ElementwiseKernel kernel{{.in = "int32 x",
                                  .out = "raw int32 bins",
                                  .operation = "atomicAdd(&bins[x % 7], 1)",
                                  .name = "histogram"}};
  const Array bins = device_array(std::vector<int>(7, 0));
  kernel(stream(), device_array(counting<int>(100003)), bins);
  std::vector<int> expected(7, 0);
  for (int k = 0; k < 100003; ++k) ++expected[static_cast<std::size_t>(k % 7)];
  CHECK(values_of<int>(bins) == expected);
}

TEST_CASE("Continue leaves the element of the output unchanged") {
  const ElementwiseKernel kernel{
      {.in = "T x", .out = "T y", .operation = "if (x % 3 == 0) continue; y = x", .name = "skip"}};
  const Array y = device_array(std::vector<int>(1000, -1));
  kernel(stream(), device_array(counting<int>(1000)), y);
  const std::vector<int> got = values_of<int>(y);
  bool right = true;
  for (int k = 0; k < 1000; ++k)
    right = right && got[static_cast<std::size_t>(k)] == (k % 3 == 0 ? -1 : k);
  CHECK(right);
}

/// Negative elements leave early: 0 for even ones, the old value for odd ones; others double.
std::vector<int> doubled_or_left(const std::vector<int>& x, int old) {
  std::vector<int> y;
  for (const int value : x) y.push_back(value >= 0 ? 2 * value : value % 2 == 0 ? 0 : old);
  return y;
}

TEST_CASE("Return, continue and break end the work on one element, whose stores follow") {
  std::vector<int> x = counting<int>(40 * 48);
  for (int& value : x) value -= 700;
  for (const char* const leave : {"return", "continue", "break"}) {
    const std::string text = std::string("if (x % 2 != 0 && x < 0) ") + leave +
                             ";\nif (x < 0) { y = 0; " + leave + "; }\ny = times * x";
    const ElementwiseKernel kernel{
        {.in = "T x",
         .out = "T y",
         .operation = text,
         .name = "leave",
         .options = {.loop_prep = "int times = 2;", .after_loop = "(void)times;"}}};
    const ElementwiseKernel by_axis{
        {.in = "T x", .out = "T y", .operation = "int times = 2 + i0 - i0; " + text, .name = "at"}};
    const Array flat = device_array(x), rows = device_array(x, {40, 48});
    const auto check = [&](const ElementwiseKernel& each, const Array& in, const Array& out) {
      each(stream(), in, out);
      CHECK(values_of<int>(out) == doubled_or_left(values_of<int>(in), 7));
    };
    const auto sevens = [&](const Shape& shape) {
      return device_array(std::vector<int>(x.size(), 7), shape);
    };
    INFO(text);
    check(kernel, flat, sevens({40 * 48}));
    check(kernel, rows.transpose(), sevens({48, 40}));                            // tiles
    check(kernel, rows.slice(1, 0, 24, 2), sevens({40, 48}).slice(1, 0, 24, 2));  // rows
    check(by_axis, rows, sevens({40, 48}));
    check(by_axis, rows.transpose(), sevens({48, 40}));
  }
}

TEST_CASE("Leaving a loop or a function of the text leaves nothing else") {
  const ElementwiseKernel kernel{{.in = "T x",
                                  .out = "T y",
                                  .operation = "auto odd = [](T v) { return v % 2 != 0; };\n"
                                               "T sum = 0;\n"
                                               "for (int k = 0; k < 10; ++k) {\n"
                                               "  if (k > x) break;\n"
                                               "  if (odd(k)) continue;\n"
                                               "  sum += k;\n"
                                               "}\n"
                                               "if (odd(x)) { y = -sum; return; }\n"
                                               "y = sum",
                                  .name = "nested"}};
  const std::vector<int> got = values_of<int>(kernel(stream(), device_array(counting<int>(6)))[0]);
  CHECK(got == std::vector<int>{0, 0, 2, -2, 6, -6});
}

TEST_CASE("A text that returns a value is an error with its line") {
  const ElementwiseKernel kernel{
      {.in = "T x", .out = "T y", .operation = "y = x;\nreturn y;", .name = "value"}};
  const std::string error =
      test::error_text<CompileError>([&] { kernel(stream(), device_array(counting<int>(6))); });
  CHECK_THAT(error, Contains("operation:2") && Contains("return y;"));
}

TEST_CASE("An output that is not always assigned keeps its old value") {
  const Array x = device_array(counting<int>(1003));
  const std::vector<std::pair<const char*, int>> texts{{"if (x > 500) y = x", 7},
                                                       {"y += x", 0},
                                                       {"y = y + x", 0},
                                                       {"{ if (x > 500) { y = x; } }", 7}};
  for (const auto& [text, unused] : texts) {
    const ElementwiseKernel kernel{{.in = "T x", .out = "T y", .operation = text, .name = "keep"}};
    const Array y = device_array(std::vector<int>(1003, 7));
    kernel(stream(), x, y);
    const std::vector<int> got = values_of<int>(y);
    const bool adds = std::string(text).find("x > 500") == std::string::npos;
    CHECK(got[10] == (adds ? 17 : 7));
    CHECK(got[1002] == (adds ? 1009 : 1002));
  }
}

TEST_CASE("Several outputs are stored, each with its type") {
  const ElementwiseKernel kernel{{.in = "T x",
                                  .out = "T low, int64 high, float32 half",
                                  .operation = "low = x % 10; high = x / 10; half = x * 0.5f",
                                  .name = "split"}};
  const std::vector<Array> out = kernel(stream(), device_array(counting<int>(103)));
  REQUIRE(out.size() == 3);
  CHECK(values_of<int>(out[0])[99] == 9);
  CHECK(values_of<std::int64_t>(out[1])[99] == 9);
  CHECK(values_of<float>(out[2])[99] == 49.5f);
}

TEST_CASE("Preamble, loop_prep and after_loop are used") {
  ElementwiseOptions options;
  options.preamble = "__device__ T shifted(T x) { return x + 10; }\n#define TWICE(x) (2 * (x))";
  options.loop_prep = "const T start = 3; T seen = 0;";
  options.after_loop = "atomicAdd(&total[0], seen);";
  const ElementwiseKernel kernel{{.in = "T x",
                                  .out = "T y, raw T total",
                                  .operation = "seen += 1; y = TWICE(shifted(x)) + start",
                                  .name = "prepared",
                                  .options = options}};
  const Array y = device_array(std::vector<int>(1000, 0));
  const Array total = device_array<int>({0});
  kernel(stream(), device_array(counting<int>(1000)), y, total);
  CHECK(values_of<int>(y)[999] == 2 * 1009 + 3);
  CHECK(values_of<int>(total)[0] == 1000);
}

TEST_CASE("Texts around the loop may lack their last semicolon") {
  for (const char* end : {"", ";", "  // the end"}) {
    ElementwiseOptions options;
    options.loop_prep = std::string("T seen = 0; const T start = 3") + end;
    options.after_loop = std::string("atomicAdd(&total[0], seen)") + end;
    const ElementwiseKernel kernel{{.in = "T x",
                                    .out = "T y, raw T total",
                                    .operation = "++seen; y = x + start",
                                    .name = "unended",
                                    .options = options}};
    const Array y = device_array(std::vector<int>(100, 0));
    const Array total = device_array<int>({0});
    kernel(stream(), device_array(counting<int>(100)), y, total);
    CHECK(values_of<int>(y)[99] == 102);
    CHECK(values_of<int>(total)[0] == 100);
  }
}

TEST_CASE("The loop's size is known before and after it") {
  ElementwiseOptions options;
  options.loop_prep = "const double step = 1.0 / _ind.size(); T seen = 0;";
  options.after_loop = "if (seen > 0) atomicMax(&last[0], static_cast<T>(_ind.size()));";
  const ElementwiseKernel kernel{{.in = "T x",
                                  .out = "float64 y, raw T last",
                                  .operation = "seen = 1; y = x * step + 0 * _ind.get()[0]",
                                  .name = "sized",
                                  .options = options}};
  const Array y = device_array(std::vector<double>(1000, 0));
  const Array last = device_array<int>({0});
  kernel(stream(), device_array(counting<int>(1000)), y, last);
  CHECK(values_of<double>(y)[500] == 500 * (1.0 / 1000));
  CHECK(values_of<int>(last)[0] == 1000);
}

TEST_CASE("Texts may have several lines, comments and statements") {
  for (const char* text :
       {"y = x + 1;", "y = x + 1;;", "y = x + 1  // the next one", "/* first */ y = x + 1",
        "T t = x;\nfor (int k = 0; k < 1; ++k) {\n  t += 1;\n}\ny = t"}) {
    const ElementwiseKernel kernel{{.in = "T x", .out = "T y", .operation = text, .name = "lines"}};
    CHECK(values_of<int>(kernel(stream(), device_array(counting<int>(5)))[0]) ==
          counting<int>(5, 1));
  }
}

TEST_CASE("A block size changes only the launch") {
  for (const int block : {32, 96, 512, 1024}) {
    ElementwiseOptions options;
    options.block_size = block;
    const ElementwiseKernel kernel{
        {.in = "T x", .out = "T y", .operation = "y = x + 1", .name = "sized", .options = options}};
    CHECK(values_of<int>(kernel(stream(), device_array(counting<int>(5001)))[0]) ==
          counting<int>(5001, 1));
  }
}

TEST_CASE("Compiler options reach the text") {
  ElementwiseOptions options;
  options.options = {"-DSTEP=5"};
  const ElementwiseKernel kernel{{.in = "T x",
                                  .out = "T y",
                                  .operation = "y = x + STEP",
                                  .name = "stepping",
                                  .options = options}};
  CHECK(values_of<int>(kernel(stream(), device_array<int>({1}))[0])[0] == 6);
}

TEST_CASE("A text that does not compile is an error with the user's line") {
  const ElementwiseKernel kernel{
      {.in = "T x", .out = "T y", .operation = "y = x;\ny = nonsense(x)", .name = "wrong"}};
  const std::string text =
      test::error_text<CompileError>([&] { kernel(stream(), device_array<int>({1})); });
  CHECK_THAT(text, Contains("operation:2") || Contains("operation(2)"));
  CHECK_THAT(text, Contains("nonsense"));
}

TEST_CASE("One kernel serves alternating calls of different types and layouts") {
  const ElementwiseKernel kernel{
      {.in = "T x", .out = "T y", .operation = "y = x + x", .name = "twice"}};
  for (int repeat = 0; repeat < 2; ++repeat) {
    CHECK(values_of<int>(kernel(stream(), device_array<int>({1, 2}))[0]) == std::vector<int>{2, 4});
    CHECK(values_of<double>(kernel(stream(), device_array<double>({0.5}))[0])[0] == 1);
    const Array x = device_array(counting<int>(4), {2, 2}).transpose();
    CHECK(values_of<int>(kernel(stream(), x)[0]) == std::vector<int>{0, 4, 2, 6});
  }
}

}  // namespace
}  // namespace kernelbatch
