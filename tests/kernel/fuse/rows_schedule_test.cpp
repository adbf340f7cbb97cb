// Fused rows with a GPU's schedules, run thread by thread on the host and compared with one thread
// per row: warps and parts of them, blocks, clusters, rows that are read again, neighbouring rows.
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "core/kernel/fuse/fuse.hpp"
#include "core/kernel/fuse/parse.hpp"
#include "core/kernel/fuse/rows_policy.hpp"
#include "core/kernel/fuse/rows_values.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/h200.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scheduled_device.hpp"

namespace kernelbatch {
namespace {

constexpr const char* kSoftmax =
    "exp(x - max(x, axis=-1, keepdims=True)) / sum(exp(x - max(x, axis=-1, keepdims=True)), "
    "axis=-1, keepdims=True)";
constexpr const char* kLayerNorm =
    "(x - mean(x, axis=-1, keepdims=True)) / sqrt(var(x, axis=-1, keepdims=True) + 1e-5) * g + b";

Stream& rows_stream() {
  static Stream& stream = test::make_lasting_stream(test::h200_properties());
  return stream;
}
Stream& plain_stream() {
  static const std::unique_ptr<Device> device = open_device(choose_device("host"));
  static const std::unique_ptr<Stream> stream = device->make_stream();
  return *stream;
}

Array converted(const Array& host, const std::string& dtype) {
  const Array inputs[] = {to_device(host, plain_stream())};
  const FusedKernel kernel(parse_fused("astype(x, " + dtype + ")", {"x"}));
  return to_host(kernel.call(plain_stream(), inputs)[0], plain_stream());
}

std::vector<double> numbers(const Array& array, Stream& stream) {
  const Array host = converted(to_host(array, stream), "float64");
  return {host.as<double>().begin(), host.as<double>().end()};
}

/// Every result of `text` on the two devices; the inputs are views of arrays there, made by `view`.
void check_rows(
    const std::string& text, const std::vector<std::string>& names,
    const std::vector<Array>& inputs, double tolerance,
    const std::function<Array(const Array&)>& view = [](const Array& array) { return array; }) {
  const FusedKernel kernel(parse_fused(text, names));
  std::vector<Array> here, there;
  for (const Array& input : inputs) {
    here.push_back(view(to_device(input, plain_stream())));
    there.push_back(view(to_device(input, rows_stream())));
  }
  const std::vector<Array> expected = kernel.call(plain_stream(), here);
  const std::vector<Array> got = kernel.call(rows_stream(), there);
  INFO(text << " of " << to_text(inputs[0].shape()) << " " << name_of(inputs[0].dtype()));
  REQUIRE(got.size() == expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    const std::vector<double> a = numbers(got[k], rows_stream());
    const std::vector<double> b = numbers(expected[k], plain_stream());
    REQUIRE(a.size() == b.size());
    double worst = 0;
    bool is_number = true;
    for (std::size_t at = 0; at < a.size(); ++at) {
      is_number = is_number && std::isfinite(a[at]) && std::isfinite(b[at]);
      worst = std::max(worst, std::abs(a[at] - b[at]) / (1e-3 + std::abs(b[at])));
    }
    CHECK(is_number);
    CHECK(worst <= tolerance);
  }
}

double tolerance_of(DType dtype) {
  return dtype == DType::kFloat64 ? 1e-12 : dtype == DType::kFloat32 ? 1e-4 : 0.05;
}

Array normal(DType dtype, const Shape& shape) {
  return test::random_normal(dtype, shape, 0, 1, 11);
}

TEST_CASE("Rows of every length give the same results with lanes, blocks and clusters") {
  for (const std::int64_t length : {1, 2, 3, 8, 31, 33, 64, 129, 255, 1001, 4096, 5003, 20000}) {
    const std::int64_t rows = length > 4000 ? 3 : 37;
    for (const DType dtype : {DType::kFloat32, DType::kBFloat16})
      check_rows(kSoftmax, {"x"}, {normal(dtype, {rows, length})}, tolerance_of(dtype));
    check_rows(kLayerNorm, {"x", "g", "b"},
               {normal(DType::kFloat64, {rows, length}), normal(DType::kFloat64, {length}),
                normal(DType::kFloat64, {1, length})},
               1e-11);
  }
}

TEST_CASE("Rows that fit no cluster's registers are read again") {
  check_rows(kSoftmax, {"x"}, {normal(DType::kFloat64, {2, 300001})}, 1e-10);
  check_rows(kSoftmax, {"x"}, {normal(DType::kFloat32, {1, 280000})}, 1e-4);
  check_rows("x - mean(x, axis=-1, keepdims=True), var(x, axis=-1, keepdims=True)", {"x"},
             {normal(DType::kFloat64, {1, 262144 + 8})}, 1e-10);
}

TEST_CASE("Infinite elements of rows that are read again give the same results") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::int64_t length = 300001;
  std::vector<double> values(static_cast<std::size_t>(4 * length), -inf);
  for (std::size_t k = 0; k < 100; ++k) values[k * 2500] = static_cast<double>(k % 7);
  values[static_cast<std::size_t>(2 * length) + 5] = inf;
  values[static_cast<std::size_t>(3 * length) + 9] = std::nan("");
  const FusedKernel kernel(parse_fused("softmax(x, axis=1), logsumexp(x, axis=1)", {"x"}));
  const Array x = Array::from(values).reshape({4, length});
  const Array here[] = {to_device(x, plain_stream())}, there[] = {to_device(x, rows_stream())};
  const std::vector<Array> expected = kernel.call(plain_stream(), here);
  const std::vector<Array> got = kernel.call(rows_stream(), there);
  for (std::size_t k = 0; k < 2; ++k) {
    const std::vector<double> a = numbers(got[k], rows_stream());
    const std::vector<double> b = numbers(expected[k], plain_stream());
    bool is_same = a.size() == b.size();
    for (std::size_t at = 0; is_same && at < a.size(); ++at)
      is_same = std::isnan(a[at]) ? std::isnan(b[at]) : std::abs(a[at] - b[at]) <= 1e-12;
    CHECK(is_same);
  }
}

TEST_CASE("Many short rows fill blocks, the last of them in part") {
  for (const std::int64_t rows : {1, 5, 255, 257, 3001})
    for (const std::int64_t length : {2, 8, 33})
      check_rows(kSoftmax, {"x"}, {normal(DType::kFloat32, {rows, length})}, 1e-4);
}

TEST_CASE("A block prefetches its next row while it processes one") {
  const RowsSchedule schedule =
      schedule_rows({.rows = 10, .length = 400000, .pack = 4, .kept = 4, .can_fetch = true},
                    test::h200_properties());
  CHECK(schedule.fetches_ahead);
  check_rows(kSoftmax, {"x"}, {normal(DType::kFloat32, {10, 400000})}, 1e-4);
  check_rows("(x + y) / sum(x * x + y, axis=-1, keepdims=True)", {"x", "y"},
             {normal(DType::kFloat32, {10, 200000}), normal(DType::kFloat16, {10, 200000})}, 1e-2);
}

TEST_CASE("Small blocks prefetch rows of 16 bits if they wait for several reductions") {
  const RowsProblem norm = {.rows = 5315,
                            .length = 7092,
                            .pack = 4,
                            .kept = 2,
                            .reductions = 2,
                            .smallest = 2,
                            .can_fetch = true};
  const auto fetches = [](const RowsProblem& problem) {
    return schedule_rows(problem, test::h200_properties()).fetches_ahead;
  };
  CHECK(schedule_rows(norm, test::h200_properties()).lanes == 256);
  CHECK(fetches(norm));
  RowsProblem other = norm;
  other.reductions = 1;
  CHECK(!fetches(other));
  other.has_bfloat16 = true;
  CHECK(fetches(other));
  other.pack = 2;
  other.length = 5002;
  CHECK(!fetches(other));
  other.has_bfloat16 = false;
  other.pack = 8;
  other.length = 6864;
  CHECK(fetches(other));
  other.gives_rows = true;
  CHECK(!fetches(other));
  other = norm;
  other.length = 10012;  // 40 elements of a thread
  CHECK(!fetches(other));
  other = norm;
  other.smallest = other.kept = 4;
  CHECK(!fetches(other));
  check_rows(kSoftmax, {"x"}, {normal(DType::kFloat16, {140, 4636})}, 1e-2);
}

TEST_CASE("Unaligned rows pass through shared memory") {
  for (const std::int64_t length : {3, 33, 250}) {
    const std::int64_t rows = 132 * 128 + 77;
    for (const DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kFloat64})
      check_rows(kSoftmax, {"x"}, {normal(dtype, {rows, length})}, tolerance_of(dtype));
    check_rows(std::string(kLayerNorm) +
                   ", x > mean(x, axis=-1, keepdims=True), "
                   "astype(x - max(y, axis=-1, keepdims=True), float64)",
               {"x", "g", "b", "y"},
               {normal(DType::kFloat32, {rows, length}), normal(DType::kFloat64, {length}),
                normal(DType::kFloat64, {1, length}), normal(DType::kFloat16, {rows, length})},
               1e-3);
  }
}

TEST_CASE("Short aligned rows that leave lanes idle pass through shared memory") {
  const std::int64_t rows = 132 * 64 + 77;
  for (const auto& [dtype, length] : {std::pair{DType::kBFloat16, 56},
                                      {DType::kBFloat16, 96},
                                      {DType::kFloat16, 24},
                                      {DType::kFloat32, 36},
                                      {DType::kFloat64, 12},
                                      {DType::kFloat64, 34}}) {
    check_rows(kSoftmax, {"x"}, {normal(dtype, {rows, length})}, tolerance_of(dtype));
    check_rows(kLayerNorm, {"x", "g", "b"},
               {normal(dtype, {rows, length}), normal(dtype, {length}), normal(dtype, {1, length})},
               10 * tolerance_of(dtype));
  }
}

TEST_CASE("Random rows at any address give the same results") {
  struct Operation {
    const char* text;
    std::vector<std::string> names;
  };
  const Operation operations[] = {
      {kSoftmax, {"x"}},
      {"x - max(x, axis=-1, keepdims=True), astype(x > 0, int32), astype(x, float64)", {"x"}},
      {"log(sum(exp(astype(x, float32)), axis=-1, keepdims=True)), mean(x * y, axis=-1)",
       {"x", "y"}},
      {"astype((x - mean(x, axis=-1, keepdims=True)) * y * g, float16), x + y", {"x", "y", "g"}}};
  const DType dtypes[] = {DType::kFloat32, DType::kBFloat16, DType::kFloat64, DType::kFloat16};
  std::mt19937 random(20261128);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int k = 0; k < 24; ++k) {
    const Operation& operation = operations[k % 4];
    const std::int64_t length = k % 3 == 0   ? draw(1, 70)
                                : k % 3 == 1 ? draw(71, 700)
                                             : draw(701, 9000);
    const std::int64_t rows = std::max<std::int64_t>(draw(140, 300), 40000 / length),
                       place = draw(0, 9);
    std::vector<Array> inputs;
    for (const std::string& name : operation.names)
      inputs.push_back(normal(dtypes[draw(0, 3)],
                              name == "g" ? Shape{place + length} : Shape{place + rows * length}));
    // Views that begin anywhere.
    check_rows(operation.text, operation.names, inputs, 0.05, [&](const Array& array) {
      const bool is_shared = array.size() == place + length;
      const Array part = array.slice(0, place, array.size() - place, 1);
      return is_shared ? part : part.reshape({rows, length});
    });
  }
}

TEST_CASE("Rows along other axes than the last are neighbours") {
  for (const Shape& shape : {Shape{3, 5}, Shape{40, 33}, Shape{700, 40}, Shape{5000, 9}})
    for (const DType dtype : {DType::kFloat32, DType::kFloat16}) {
      const Array x = normal(dtype, shape);
      check_rows("exp(x - max(x, axis=0)) / sum(exp(x - max(x, axis=0)), axis=0)", {"x"}, {x},
                 tolerance_of(dtype));
    }
  const Array cube = normal(DType::kFloat64, {6, 50, 7});
  check_rows("x - mean(x, axis=1, keepdims=True)", {"x"}, {cube}, 1e-11);
  check_rows("x / std(x, axis=(0, 2), keepdims=True)", {"x"}, {cube}, 1e-11);
  check_rows("x / std(x, axis=(1, 2), keepdims=True)", {"x"}, {cube}, 1e-11);
  check_rows("x - mean(x, axis=-1, keepdims=True)", {"x"}, {cube}, 1e-11, [](const Array& x) {
    return x.transpose(std::vector<int>{2, 0, 1});
  });
}

TEST_CASE("Rows are mapped from several arrays, with values of their own, into several") {
  const Array x = normal(DType::kFloat32, {50, 200}), y = normal(DType::kFloat64, {50, 200});
  const Array row = normal(DType::kFloat32, {50, 1});
  check_rows("(x * y - mean(x * y, axis=1, keepdims=True)) * r, sum(x, axis=1, keepdims=True) + r",
             {"x", "y", "r"}, {x, y, row}, 1e-5);
  check_rows(
      "log(sum(exp(x - max(x, axis=1, keepdims=True)), axis=1, keepdims=True)) + "
      "max(x, axis=1, keepdims=True)",
      {"x"}, {x}, 1e-5);
  check_rows(
      "x > mean(x, axis=1, keepdims=True), where(x > 0, x - min(x, axis=1, keepdims=True), r)",
      {"x", "r"}, {x, row}, 1e-5);
  const Array whole = converted(normal(DType::kFloat64, {50, 200}), "int32");
  check_rows(
      "x - max(x, axis=1, keepdims=True), x * prod(x, axis=1, keepdims=True), "
      "x & any(x > 1, axis=1, keepdims=True)",
      {"x"}, {whole}, 0);
}

TEST_CASE("A row may be overwritten by its own results") {
  const FusedKernel kernel(parse_fused(kSoftmax, {"x"}));
  for (const std::int64_t length : {24, 33, 3000}) {
    const Array x = to_device(normal(DType::kFloat64, {9, length}), rows_stream());
    const Array inputs[] = {x}, outputs[] = {x};
    const std::vector<double> expected =
        numbers(kernel.call(rows_stream(), inputs)[0], rows_stream());
    kernel.call(rows_stream(), inputs, outputs);
    CHECK(numbers(x, rows_stream()) == expected);
  }
}

TEST_CASE("Packs are not used for unaligned rows") {
  const Array wide = normal(DType::kFloat32, {20, 67});
  check_rows(kSoftmax, {"x"}, {wide}, 1e-4, [](const Array& x) { return x.slice(1, 0, 64, 1); });
  check_rows(kSoftmax, {"x"}, {wide}, 1e-4, [](const Array& x) { return x.slice(1, 3, 64, 1); });
  check_rows(kSoftmax, {"x"}, {wide}, 1e-4, [](const Array& x) { return x.slice(1, 0, 33, 2); });
}

TEST_CASE("Unaligned rows are read in aligned packs") {
  constexpr const char* kMoments = "mean(x, axis=-1), max(x, axis=-1), sum(x * x, axis=-1)";
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kFloat64}) {
    const double tolerance = tolerance_of(dtype) * 10;
    for (const std::int64_t length : {35, 67, 131, 282, 1001, 9999, 20011, 70001, 300007}) {
      const Shape shape{length > 5000 ? 4 : 21, length};
      check_rows(kSoftmax, {"x"}, {normal(dtype, shape)}, tolerance);
      check_rows(kMoments, {"x"}, {normal(dtype, shape)}, tolerance);
    }
    // Arrays shared by all rows begin at another offset within a pack.
    check_rows(kLayerNorm, {"x", "g", "b"},
               {normal(dtype, {6, 20011}), normal(dtype, {20011}), normal(dtype, {1, 20011})},
               dtype == DType::kFloat64 ? 1e-11 : 5 * tolerance);
  }
  // Neither the first element nor the row stride is aligned to a pack.
  check_rows(kSoftmax, {"x"}, {normal(DType::kFloat32, {6, 20015})}, 1e-4,
             [](const Array& x) { return x.slice(1, 3, 20012, 1); });
}

TEST_CASE("Rows with one result each are read once and not kept") {
  constexpr const char* kLogSumExp =
      "max(x, axis=-1, keepdims=True) + log(sum(exp(x - max(x, axis=-1, keepdims=True)), axis=-1, "
      "keepdims=True))";
  const RowsProblem problem{
      .rows = 487, .length = 36599, .shifted_pack = 4, .gives_rows = true, .takes_one_pass = true};
  CHECK(!schedule_rows(problem, test::h200_properties()).is_kept);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64})
    for (const std::int64_t length : {20000, 30001, 600003})
      for (const std::int64_t rows : {3, 300}) {
        if (rows * length > 9100000) continue;
        const double tolerance = dtype == DType::kFloat64 ? 1e-11 : 1e-4;
        check_rows(kLogSumExp, {"x"}, {normal(dtype, {rows, length})}, tolerance);
        check_rows(std::string(kLogSumExp) + " - sum(x * t, axis=-1, keepdims=True)", {"x", "t"},
                   {normal(dtype, {rows, length}), normal(dtype, {rows, length})}, 10 * tolerance);
        check_rows("var(x, axis=-1), any(x > 3, axis=-1), min(x + g, axis=-1)", {"x", "g"},
                   {normal(dtype, {rows, length}), normal(dtype, {length})}, 10 * tolerance);
      }
}

TEST_CASE("A row of aligned packs writes only its own elements") {
  const FusedKernel kernel(parse_fused("x - mean(x, axis=-1, keepdims=True)", {"x"}));
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    // Columns 5 to 20004 of 20011: the same offset within a pack in both arrays; and 7 to 20006,
    // another one.
    for (const std::int64_t from : {5, 7}) {
      const Array x = to_device(normal(dtype, {5, 20011}), rows_stream());
      const Array y = to_device(normal(dtype, {5, 20011}), rows_stream());
      const std::vector<double> before = numbers(y, rows_stream());
      const Array inputs[] = {x.slice(1, 5, 20000, 1)};
      Array outputs[] = {y.slice(1, from, 20000, 1)};
      const std::vector<double> expected =
          numbers(kernel.call(rows_stream(), inputs)[0], rows_stream());
      kernel.call(rows_stream(), inputs, outputs);
      const std::vector<double> got = numbers(y, rows_stream());
      std::size_t wrong = 0;
      for (std::size_t at = 0; at < got.size(); ++at) {
        const auto column = static_cast<std::int64_t>(at % 20011) - from;
        const bool is_own = column >= 0 && column < 20000;
        const std::size_t own = at / 20011 * 20000 + static_cast<std::size_t>(column);
        // The order of summation differs.
        if (is_own ? std::abs(got[at] - expected[own]) > tolerance_of(dtype)
                   : got[at] != before[at])
          ++wrong;
      }
      CHECK(wrong == 0);
    }
    // In place.
    const Array x = to_device(normal(dtype, {5, 20011}), rows_stream());
    const Array inputs[] = {x};
    Array outputs[] = {x};
    const std::vector<double> expected =
        numbers(kernel.call(rows_stream(), inputs)[0], rows_stream());
    kernel.call(rows_stream(), inputs, outputs);
    CHECK(numbers(x, rows_stream()) == expected);
  }
}

RowsSchedule on_h200(const RowsProblem& problem) {
  return schedule_rows(problem, test::h200_properties());
}

TEST_CASE("Registers suffice for fewer threads of a unit if each keeps much") {
  const auto threads = [](DType dtype, const RowsSchedule& schedule) {
    const Graph graph = parse_fused(kSoftmax, {"x"});
    const DType dtypes[] = {dtype};
    const Shape shapes[] = {{1000, 1000}};
    return threads_of_unit(type_graph(graph, dtypes, shapes), {false}, schedule);
  };
  CHECK(threads(DType::kFloat64, {.lanes = 2, .rows = 64, .items = 17, .is_kept = true}) == 768);
  CHECK(threads(DType::kFloat64, {.lanes = 128, .pack = 2, .items = 4, .is_kept = true}) == 1024);
  CHECK(threads(DType::kBFloat16, {.lanes = 128, .items = 20, .is_kept = true}) == 768);
  CHECK(threads(DType::kBFloat16, {.lanes = 256, .pack = 8, .items = 6, .is_kept = true}) == 768);
  // One block of 512 threads would be on a unit instead of two.
  CHECK(threads(DType::kBFloat16, {.lanes = 512, .pack = 8, .items = 5, .is_kept = true}) == 1024);
  CHECK(threads(DType::kFloat32, {.lanes = 128, .pack = 4, .items = 2, .is_kept = true}) == 1536);
  // It fetches ahead.
  RowsSchedule fetching{.lanes = 512, .pack = 8, .items = 5, .is_kept = true};
  fetching.fetches_ahead = true;
  CHECK(threads(DType::kBFloat16, fetching) == 512);
  fetching.items = 4;
  CHECK(threads(DType::kBFloat16, fetching) == 1024);
  // Streamed rows.
  CHECK(threads(DType::kFloat64, {.lanes = 128, .pack = 2, .items = 32}) == 768);
  CHECK(threads(DType::kFloat64, {.lanes = 512, .pack = 2, .items = 32}) == 1024);
  CHECK(threads(DType::kFloat64, {.lanes = 512, .pack = 2, .items = 4, .is_shifted = true}) == 512);
  CHECK(threads(DType::kFloat32, {.lanes = 128, .pack = 4, .items = 4}) == 1024);
  CHECK(threads(
            DType::kBFloat16,
            {.lanes = 2, .rows = 64, .pack = 2, .items = 16, .is_kept = true, .is_staged = true}) ==
        768);
}

TEST_CASE("Lanes that join rows are as few as registers permit") {
  const RowsSchedule wide =
      on_h200({.rows = 97226, .length = 230, .pack = 2, .kept = 8, .smallest = 8});
  CHECK(wide.lanes == 16);
  CHECK(wide.items == 8);
  CHECK(wide.length == 230);
  const RowsSchedule odd = on_h200({.rows = 159646, .length = 127, .kept = 4, .smallest = 4});
  CHECK(odd.lanes == 16);
  CHECK(odd.items == 8);
  // Four lanes would leave one idle instead of five, but read half sectors.
  const RowsSchedule sectors = on_h200({.rows = 167359, .length = 123, .kept = 4, .smallest = 4});
  CHECK(sectors.lanes == 16);
  // Eight lanes with 23 elements each leave fewer idle, but are slower, as are 16 with 19.
  const RowsSchedule half = on_h200({.rows = 149408, .length = 177, .kept = 4, .smallest = 4});
  CHECK(half.lanes == 16);
  CHECK(half.items == 12);
  CHECK(on_h200({.rows = 90001, .length = 293, .kept = 4, .smallest = 4}).lanes == 32);
  CHECK(on_h200({.rows = 140001, .length = 99, .kept = 8, .smallest = 8}).lanes == 16);
  // Logarithms of few lanes are faster.
  CHECK(on_h200({.rows = 149408, .length = 177, .kept = 4, .gives_rows = true, .smallest = 4})
            .lanes == 8);
  const RowsSchedule two = on_h200({.rows = 1169185,
                                    .length = 26,
                                    .pack = 2,
                                    .kept = 16,
                                    .kept_words = 4,
                                    .gives_rows = true,
                                    .staged = 16,
                                    .smallest = 8});
  CHECK(two.is_staged);
  CHECK(two.lanes == 4);
  CHECK(on_h200({.rows = 4096, .length = 4096, .pack = 4, .kept = 4}).length == 0);
}

TEST_CASE("Lanes with many narrow packs are twice as many, so that they read whole lines") {
  const RowsSchedule words = on_h200({.rows = 378753, .length = 114, .pack = 2, .kept = 4});
  CHECK(words.lanes == 16);
  CHECK(words.items == 4);
  const RowsSchedule pairs =
      on_h200({.rows = 150001, .length = 230, .pack = 2, .kept = 2, .smallest = 2});
  CHECK(pairs.lanes == 16);
  CHECK(pairs.items == 8);
  // Few packs, wide ones, and one result for each row.
  CHECK(on_h200({.rows = 313722, .length = 74, .pack = 2, .kept = 4}).lanes == 8);
  CHECK(on_h200({.rows = 184962, .length = 104, .pack = 4, .kept = 4}).lanes == 8);
  CHECK(on_h200({.rows = 378753, .length = 114, .pack = 2, .kept = 4, .gives_rows = true}).lanes ==
        8);
}

TEST_CASE("Blocks of whole rows are as small as the rate of their begins permits") {
  CHECK(on_h200({.rows = 149408, .length = 177, .kept = 4}).threads() == 64);
  // Long rows have one warp each.
  CHECK(on_h200({.rows = 25253, .length = 930, .pack = 2, .kept = 4}).threads() == 32);
  CHECK(on_h200({.rows = 40001, .length = 880, .pack = 8, .kept = 2, .smallest = 2}).threads() ==
        32);
  CHECK(on_h200({.rows = 40001, .length = 800, .pack = 8, .kept = 2, .smallest = 2}).threads() ==
        64);
  CHECK(on_h200({.rows = 378753, .length = 114, .pack = 2, .kept = 4}).threads() == 128);
  CHECK(
      on_h200({.rows = 900001, .length = 64, .pack = 4, .kept = 4, .gives_rows = true}).threads() ==
      128);
  CHECK(on_h200({.rows = 235824, .length = 90, .pack = 2, .kept = 2, .smallest = 2}).threads() ==
        256);
}

TEST_CASE("A warp has a row of pairs of float64 with one result") {
  RowsProblem problem = {.rows = 92302,
                         .length = 334,
                         .pack = 2,
                         .kept = 16,
                         .kept_words = 4,
                         .gives_rows = true,
                         .smallest = 8};
  CHECK(on_h200(problem).lanes == 32);
  CHECK(on_h200(problem).rows == 4);
  CHECK(on_h200(problem).items == 6);
  // Two warps have a longer one, with up to 12 packs of each thread, if there are enough rows.
  for (const auto& [length, pack] : {std::pair{514, 2}, {1400, 2}, {715, 1}}) {
    problem.length = length;
    problem.pack = pack;
    CHECK(on_h200(problem).lanes == 64);
    CHECK(on_h200(problem).is_kept);
  }
  problem.length = 901;
  CHECK(on_h200(problem).lanes == 128);
  problem.length = 715;
  problem.rows = 1000;
  CHECK(on_h200(problem).lanes == 128);
}

TEST_CASE("A thread has a row of a few packs of 8 bytes") {
  RowsProblem problem = {.rows = 1665844,
                         .length = 12,
                         .pack = 4,
                         .shifted_pack = 8,
                         .kept = 2,
                         .staged = 4,
                         .smallest = 2};
  CHECK(!on_h200(problem).is_staged);
  CHECK(on_h200(problem).lanes == 1);
  CHECK(on_h200(problem).items == 3);
  problem.length = 20;
  CHECK(on_h200(problem).is_staged);
}

TEST_CASE("Rows of many single elements have blocks of two warps") {
  const RowsSchedule wide = on_h200({.rows = 26228, .length = 863, .kept = 4, .smallest = 4});
  CHECK(wide.lanes == 64);
  CHECK(wide.rows == 1);
  const RowsSchedule narrow = on_h200({.rows = 47514, .length = 731, .kept = 2, .smallest = 2});
  CHECK(narrow.lanes == 32);
  CHECK(narrow.rows == 2);
  CHECK(on_h200({.rows = 60001, .length = 511, .kept = 2, .smallest = 2}).rows == 4);
  CHECK(on_h200({.rows = 100, .length = 863, .kept = 4, .smallest = 4}).rows == 1);
}

TEST_CASE("One block has a row that fits, if there are enough rows") {
  const RowsProblem half = {.rows = 1027,
                            .length = 34016,
                            .pack = 8,
                            .shifted_pack = 8,
                            .kept = 2,
                            .smallest = 2,
                            .can_fetch = true};
  const RowsSchedule one = on_h200(half);
  CHECK(one.blocks == 1);
  CHECK(one.lanes == 1024);
  CHECK(one.fetches_ahead);
  RowsProblem few = half;
  few.rows = 200;
  CHECK(on_h200(few).blocks > 1);
  RowsProblem streamed = half;
  streamed.gives_rows = streamed.takes_one_pass = true;
  CHECK(!on_h200(streamed).is_kept);
  RowsProblem longest = half;
  longest.length = 65536;
  CHECK(on_h200(longest).items == 8);
  longest.length += 8;
  CHECK(on_h200(longest).blocks > 1);
  const RowsSchedule wide = on_h200(
      {.rows = 5005, .length = 8328, .pack = 2, .shifted_pack = 2, .kept = 8, .smallest = 8});
  CHECK(wide.blocks == 1);
  CHECK(wide.lanes == 512);
  CHECK(wide.items == 9);
  CHECK(wide.is_kept);
}

TEST_CASE("Single elements in large blocks become packs at aligned addresses") {
  const RowsSchedule odd =
      on_h200({.rows = 3292, .length = 13447, .shifted_pack = 4, .kept = 4, .smallest = 4});
  CHECK(odd.is_shifted);
  CHECK(odd.pack == 4);
  CHECK(odd.lanes == 512);
  CHECK(odd.items == 7);
  CHECK(!on_h200({.rows = 35043, .length = 1159, .shifted_pack = 4, .kept = 4, .smallest = 4})
             .is_shifted);
}

TEST_CASE("Single float64 in large blocks become pairs at aligned addresses") {
  const auto odd = [](std::int64_t rows, std::int64_t length) {
    return on_h200({.rows = rows, .length = length, .shifted_pack = 2, .kept = 8, .smallest = 8});
  };
  CHECK(odd(10312, 2967).is_shifted);
  CHECK(odd(10312, 2967).pack == 2);
  CHECK(odd(24001, 1251).lanes == 128);
  CHECK(!odd(45001, 667).is_shifted);
}

TEST_CASE("Exponentials of float64 are computed for single elements of each load") {
  RowsProblem problem = {
      .rows = 163670, .length = 210, .pack = 2, .shifted_pack = 2, .kept = 8, .smallest = 8};
  CHECK(on_h200(problem).pack == 2);
  problem.has_exponentials = true;
  CHECK(on_h200(problem).pack == 1);
  CHECK(on_h200(problem).lanes == 32);
  problem.length = 2000;
  CHECK(on_h200(problem).pack == 1);
  CHECK(!on_h200(problem).is_shifted);
  for (const std::int64_t length : {8, 4000}) {
    problem.length = length;
    CHECK(on_h200(problem).pack == 2);
  }
  problem.length = 210;
  problem.smallest = 4;
  CHECK(on_h200(problem).pack == 2);
}

TEST_CASE("Long odd rows of float64 have small blocks") {
  const auto blocks_of = [](const RowsProblem& problem) {
    const RowsSchedule s = on_h200(problem);
    CHECK(!s.is_kept);
    return std::pair{s.blocks, s.lanes};
  };
  RowsProblem problem = {.rows = 19, .length = 939429, .shifted_pack = 2, .kept = 8, .smallest = 8};
  CHECK(blocks_of(problem) == std::pair{16, 256});
  problem.length = 939430;
  problem.pack = 2;
  CHECK(blocks_of(problem) == std::pair{8, 512});
}

TEST_CASE("Few lanes have a short row of float64 with one result") {
  const RowsProblem problem = {.rows = 2018530,
                               .length = 16,
                               .pack = 2,
                               .shifted_pack = 2,
                               .kept = 8,
                               .kept_words = 2,
                               .gives_rows = true,
                               .smallest = 8};
  CHECK(on_h200(problem).lanes == 2);
  RowsProblem kept = problem;
  kept.gives_rows = false;
  CHECK(on_h200(kept).lanes == 8);
}

TEST_CASE("Threads are assigned to rows by their length and number") {
  const RowsSchedule middle = on_h200({.rows = 4096, .length = 4096, .pack = 4, .kept = 4});
  CHECK(middle.lanes == 256);
  CHECK(middle.items == 4);
  CHECK(middle.sure == 4);
  CHECK(!middle.has_rest);
  const RowsSchedule short_rows = on_h200({.rows = 65536, .length = 128, .pack = 4, .kept = 4});
  CHECK(short_rows.lanes == 8);
  CHECK(short_rows.rows == 8);
  const RowsSchedule odd = on_h200({.rows = 1000003, .length = 33, .pack = 1, .kept = 4});
  CHECK(odd.lanes * odd.items <= 36);
  CHECK(!odd.is_staged);
  const RowsSchedule staged =
      on_h200({.rows = 1000003, .length = 33, .pack = 1, .kept = 4, .staged = 8, .smallest = 4});
  CHECK(staged.is_staged);
  CHECK(staged.has_rest);
  CHECK(staged.lanes == 1);
  const RowsSchedule words = on_h200(
      {.rows = 170854, .length = 131, .shifted_pack = 8, .kept = 2, .staged = 2, .smallest = 2});
  CHECK(words.is_staged);
  CHECK(words.is_shifted);
  CHECK(words.pack == 2);
  const RowsSchedule idle = on_h200({.rows = 693016,
                                     .length = 56,
                                     .pack = 8,
                                     .shifted_pack = 8,
                                     .kept = 2,
                                     .staged = 2,
                                     .smallest = 2});
  CHECK(on_h200({.rows = 247090,
                 .length = 120,
                 .pack = 8,
                 .shifted_pack = 8,
                 .kept = 2,
                 .staged = 2,
                 .smallest = 2})
            .is_staged);
  CHECK(idle.is_staged);
  CHECK(!idle.is_shifted);
  CHECK(idle.lanes == 2);
  CHECK(idle.pack == 4);
  const RowsSchedule of_one = on_h200(
      {.rows = 1000003, .length = 33, .shifted_pack = 8, .kept = 2, .staged = 2, .smallest = 2});
  CHECK(of_one.is_staged);
  CHECK(!of_one.is_shifted);
  CHECK(of_one.lanes == 1);
  CHECK(of_one.pack == 1);
  // 605 packs: 128 threads with five each leave 6 % idle, 256 with three 27 %.
  const RowsSchedule halved =
      on_h200({.rows = 20000, .length = 1210, .pack = 2, .kept = 8, .smallest = 8});
  CHECK(halved.lanes == 128);
  CHECK(halved.items == 5);
  // 48 elements of each thread fit into registers if a unit has 768 threads.
  CHECK(on_h200({.rows = 2048, .length = 12288, .pack = 8, .kept = 2, .smallest = 2}).lanes == 256);
  // Two blocks would keep 40 elements in each thread, of which some would be in local memory.
  CHECK(on_h200(
            {.rows = 635, .length = 35754, .pack = 2, .shifted_pack = 8, .kept = 2, .smallest = 2})
            .blocks == 4);
  // Nothing of a row is needed after its reductions.
  CHECK(!on_h200({.rows = 1758,
                  .length = 9687,
                  .pack = 1,
                  .kept = 16,
                  .gives_rows = true,
                  .takes_one_pass = true,
                  .smallest = 8})
             .is_kept);
  // All lanes are busy.
  CHECK(!on_h200({.rows = 600000,
                  .length = 64,
                  .pack = 8,
                  .shifted_pack = 8,
                  .kept = 2,
                  .staged = 2,
                  .smallest = 2})
             .is_staged);
  // Longer ones are read element by element while they fit into registers; lanes fill sectors.
  const RowsSchedule single = on_h200(
      {.rows = 40000, .length = 861, .shifted_pack = 8, .kept = 2, .staged = 2, .smallest = 2});
  CHECK(!single.is_shifted);
  CHECK(!single.is_staged);
  CHECK(single.lanes == 32);
  CHECK(single.items == 27);
  const RowsSchedule packs = on_h200(
      {.rows = 23032, .length = 991, .shifted_pack = 8, .kept = 2, .staged = 2, .smallest = 2});
  CHECK(packs.is_shifted);
  CHECK(packs.pack == 4);
  CHECK(packs.items == 8);
  // Parts of up to 8374 packs of 8.
  const RowsSchedule shifted =
      on_h200({.rows = 323, .length = 66983, .shifted_pack = 8, .kept = 2, .smallest = 2});
  CHECK(shifted.is_shifted);
  CHECK(shifted.pack == 8);
  CHECK(shifted.members() * shifted.items >= 8374);
  CHECK(shifted.items == 5);
  CHECK(shifted.sure == 66983 / 8 / shifted.members());
  CHECK(!on_h200(
             {.rows = 348, .length = 75052, .pack = 4, .shifted_pack = 8, .kept = 2, .smallest = 2})
             .is_shifted);
  // Fewer threads, each with more of a row, if no result has a value per element.
  CHECK(on_h200({.rows = 28030, .length = 705, .kept = 16, .gives_rows = true}).lanes == 64);
  CHECK(on_h200({.rows = 28030, .length = 705, .kept = 16}).lanes == 256);
  const RowsSchedule long_rows = on_h200({.rows = 128, .length = 262144, .pack = 4, .kept = 4});
  CHECK(long_rows.blocks == 16);
  CHECK(long_rows.is_kept);
  const RowsSchedule longest = on_h200({.rows = 8, .length = 4000000, .pack = 4, .kept = 4});
  CHECK(!longest.is_kept);
  CHECK(longest.blocks == 8);
  const RowsSchedule few = on_h200({.rows = 4, .length = 16384, .pack = 4, .kept = 4});
  CHECK(few.blocks > 1);
  DeviceProperties old = test::h200_properties();
  old.capability_major = 8;
  CHECK(schedule_rows({.rows = 4, .length = 262144, .pack = 4, .kept = 4}, old).blocks == 1);
  DeviceProperties slice = test::h200_properties();
  slice.mig_profile = "3g.71gb";
  CHECK(schedule_rows({.rows = 4, .length = 262144, .pack = 4, .kept = 4}, slice).blocks == 8);
  const RowsSchedule close =
      on_h200({.rows = 1000, .length = 100, .pack = 1, .kept = 4, .rows_are_close = true});
  CHECK(close.rows == 32);
  CHECK(close.is_kept);
}

}  // namespace
}  // namespace kernelbatch
